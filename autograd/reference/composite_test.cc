// Statements of several primitives on both witnesses: values and gradients against ones worked out
// by hand, and the errors and limits of lowering; that lowering covers the signature table.

#include "autograd/reference/composite.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"
#include "autograd/reference/calculus.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/lowering.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using program::Category;
using program::Opcode;
using program::Signature;

// The gradient of %x by both witnesses of `body`, whose last value is %y; %x is 3,1,2.
void ExpectGradient(const std::string& body, const Row& expected) {
  const program::Program program = ParseOrThrow(absl::StrCat(
      "%x = leaf type=f64[3] data=3,1,2 grad=1\n", body, "%s = sum %y\nbackward %s\n"));
  const TwinResult twin = RunTwin(program);
  ASSERT_FALSE(twin.skipped.has_value()) << body << *twin.skipped;
  ASSERT_FALSE(twin.observation.error.has_value()) << body;
  const program::TensorData& grad = twin.observation.values[0].grad;
  const DualResult dual = RunDual(program);
  ASSERT_EQ(dual.not_applicable, "") << body;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(std::bit_cast<double>(grad.bits[i]), expected[i], 1e-12) << body << i;
    EXPECT_NEAR(dual.grads[0].data[i], expected[i], 1e-12) << body << i;
  }
}

TEST(CompositeTest, Rearrangements) {
  ExpectGradient(
      "%z = cat %x %x dim=0\n%w = leaf type=f64[6] data=1,2,3,10,20,30\n%y = mul %z %w\n",
      {11, 22, 33});
  ExpectGradient("%z = stack %x %x dim=1\n%w = leaf type=f64[2] data=1,10\n%y = mul %z %w\n",
                 {11, 11, 11});
  ExpectGradient("%z = flip %x dims=0\n%w = leaf type=f64[3] data=1,2,3\n%y = mul %z %w\n",
                 {3, 2, 1});
  ExpectGradient(
      "%i = leaf type=i64[3] data=2,0,2\n%z = index_select %x %i dim=0\n%y = mul %z %z\n",
      {6, 0, 8});
  ExpectGradient("%i = leaf type=i64[2] data=1,1\n%y = gather %x %i dim=0\n", {0, 2, 0});
  ExpectGradient(
      "%i = leaf type=i64[3] data=0,0,1\n%b = leaf type=f64[2] data=1,10\n"
      "%z = scatter_add %b %i %x dim=0\n%y = mul %z %z\n",
      {10, 10, 24});
  ExpectGradient("%z = sort %x dim=0\n%w = leaf type=f64[3] data=1,2,3\n%y = mul %z %w\n",
                 {3, 1, 2});
  ExpectGradient("%z = cumsum %x dim=0\n%w = leaf type=f64[3] data=1,10,100\n%y = mul %z %w\n",
                 {111, 110, 100});
}

TEST(CompositeTest, Folds) {
  ExpectGradient("%y = prod %x\n", {2, 6, 3});
  ExpectGradient("%y = amax %x\n", {1, 0, 0});
  ExpectGradient("%y = min %x dim=0\n", {0, 1, 0});
  ExpectGradient("%y = clamp %x min=1.5 max=2.5\n", {0, 0, 1});
  ExpectGradient("%m = leaf type=f64[3] data=3,2,1\n%y = minimum %x %m\n", {0.5, 1, 0});
  ExpectGradient("%y = sgn %x\n", {0, 0, 0});
}

TEST(CompositeTest, Losses) {
  ExpectGradient("%t = leaf type=f64[3] data=1,1,1\n%y = mse_loss %x %t reduction=sum\n",
                 {4, 0, 2});
  const double e = std::exp(-1.0), total = 1 + e + e * e;
  const double p[] = {1 / total, e * e / total, e / total};
  ExpectGradient("%y = logsumexp %x\n", {p[0], p[1], p[2]});
  ExpectGradient("%t = leaf type=i64[] data=1\n%y = cross_entropy %x %t\n", {p[0], p[1] - 1, p[2]});
  ExpectGradient("%y = softmax %x dim=0\n", {0, 0, 0});
  ExpectGradient("%y = log_softmax %x dim=0\n", {1 - 3 * p[0], 1 - 3 * p[1], 1 - 3 * p[2]});
}

TEST(CompositeTest, Networks) {
  ExpectGradient("%w = leaf type=f64[2,3] data=1,2,3,10,20,30\n%y = linear %x %w\n", {11, 22, 33});
  ExpectGradient(
      "%a = leaf type=f64[2,3] data=1,2,3,10,20,30\n%w = reshape %x shape=1,3\n"
      "%c = leaf type=f64[1] data=5\n%z = linear %a %w %c\n%y = mul %z %z\n",
      {16 * 2 + 115 * 20, 16 * 4 + 115 * 40, 16 * 6 + 115 * 60});
  ExpectGradient("%y = dropout %x by=0.5 seed=0\n", {0, 2, 2});
  // A query of 0 shares alike among the keys that it sees.
  const std::string keys = "%k = reshape %x shape=3,1\n%q = leaf type=f64[1,1] data=0\n";
  ExpectGradient(keys + "%y = scaled_dot_product_attention %q %k %k\n",
                 {1.0 / 3, 1.0 / 3, 1.0 / 3});
  ExpectGradient(keys + "%y = scaled_dot_product_attention %q %k %k causal=1\n", {1, 0, 0});
  // With a deviation of 1 the elements are 1, -1 and 0.
  const std::string weight = "%w = leaf type=f64[3] data=1,0,0\n%r = reshape %x shape=1,3\n";
  const std::string eps = " eps=0.3333333333333333\n";
  ExpectGradient(weight + "%y = layer_norm %x %w count=1" + eps, {1.0 / 3, 0, -1.0 / 3});
  ExpectGradient(weight + "%y = group_norm %r %w" + eps, {1.0 / 3, 0, -1.0 / 3});
  ExpectGradient(
      "%c = reshape %x shape=3,1\n%z = batch_norm %c" + eps + "%y = select %z dim=0 index=0\n",
      {1.0 / 3, 0, -1.0 / 3});
}

TEST(CompositeTest, IndicesOutOfRangeAreErrors) {
  for (const char* text :
       {"%x = leaf type=f64[2] data=1,2\n%i = leaf type=i64[1] data=2\n%y = gather %x %i dim=0\n",
        "%x = leaf type=f64[2,0]\n%i = leaf type=i64[1] data=2\n%y = embedding %x %i\n",
        "%x = leaf type=f64[2,0]\n%i = leaf type=i64[1] data=2\n%y = index_select %x %i dim=0\n",
        "%x = leaf type=f64[0,3]\n%i = leaf type=i64[1] data=-4\n%y = index_select %x %i "
        "dim=1\n"}) {
    const TwinResult twin = RunTwin(ParseOrThrow(text));
    ASSERT_TRUE(twin.observation.error.has_value()) << text;
    EXPECT_EQ(twin.observation.error->error, ErrorKind::kIndex);
  }
  EXPECT_FALSE(RunTwin(ParseOrThrow("%x = leaf type=f64[2,0]\n%i = leaf type=i64[1] data=1\n"
                                    "%y = embedding %x %i sparse=1\n"))
                   .observation.error.has_value());
}

// PyTorch saves the operand of gather, and so refuses what needs only its shape.
TEST(CompositeTest, DialectsDifferInWhatIsSaved) {
  const program::Program program = ParseOrThrow(
      "%x = leaf type=f64[2] data=1,2 grad=1\n%a = neg %x\n%i = leaf type=i64[1] data=1\n"
      "%y = gather %a %i dim=0\nneg_ %a\n%s = sum %y\nbackward %s\n");
  EXPECT_FALSE(RunTwin(program).observation.error.has_value());
  const TwinResult pytorch = RunTwin(program, Dialect::kPytorch);
  ASSERT_TRUE(pytorch.observation.error.has_value());
  EXPECT_EQ(pytorch.observation.error->error, ErrorKind::kVersion);
  const program::Program twice = ParseOrThrow(
      "%x = leaf type=f64[2] data=1,2 grad=1\n%y = sgn %x\n%s = sum %y\nbackward %s\n"
      "backward %s\n");
  EXPECT_FALSE(RunTwin(twice).observation.error.has_value());
  EXPECT_EQ(RunTwin(twice, Dialect::kPytorch).observation.error->error, ErrorKind::kFreed);
}

TEST(CompositeTest, LongProductsAreSkipped) {
  EXPECT_TRUE(
      RunTwin(ParseOrThrow("%x = leaf type=f64[65] fill=1\n%y = prod %x\n")).skipped.has_value());
  EXPECT_FALSE(
      RunTwin(ParseOrThrow("%x = leaf type=f64[64] fill=1\n%y = prod %x\n")).skipped.has_value());
}

// Every op of the signature table is evaluated somehow, and every in-place one performs an op that
// is; so a new one is missed here first.
TEST(LoweringTest, CoversTheSignatureTable) {
  const auto is_primitive = [](Opcode op) {
    return !Composite<Calculus>::HasRule(op) && ElementwisePrimitive(op) != Primitive::kEnd;
  };
  for (const Signature& signature : program::Signatures()) {
    const bool composite = Composite<Calculus>::HasRule(signature.op);
    if (signature.category == Category::kElementwise && !composite) {
      EXPECT_TRUE(is_primitive(signature.op)) << signature.name;
      EXPECT_EQ(signature.performs, signature.op);
    }
    if (signature.category == Category::kInPlace && signature.op != Opcode::kCopyInPlace &&
        signature.op != Opcode::kZeroInPlace) {
      EXPECT_NE(signature.performs, signature.op) << signature.name;
      EXPECT_TRUE(is_primitive(signature.performs)) << signature.name;
      EXPECT_EQ(program::SignatureOf(signature.performs).min_operands, signature.min_operands)
          << signature.name;
    }
    const bool computes =
        signature.category == Category::kReduction || signature.category == Category::kMatmul ||
        signature.category == Category::kRearrange || signature.category == Category::kScan ||
        signature.category == Category::kNorm || signature.category == Category::kLoss ||
        signature.category == Category::kElementwise;
    if (computes) {
      EXPECT_NE(is_primitive(signature.op), Composite<Calculus>::HasRule(signature.op))
          << signature.name;
    }
  }
  EXPECT_FALSE(is_primitive(Opcode::kMatmul));
}

// log(1 + exp(-4)) is 0.018, and 4 + log(...) - 4 in other formulas.
TEST(LoweringTest, BceAllowsForTheRoundingOfTermsThatCancel) {
  const auto bound = [](const char* data) {
    const TwinRun run(absl::StrCat("%a = leaf type=f64[] data=", data,
                                   "\n%b = leaf type=f64[]\n%y = bce_with_logits %a %b\n"));
    return run.ValueBound("y").at(0);
  };
  EXPECT_GE(bound("-4"), 4 * 0x1p-53);
  EXPECT_LE(bound("-4"), 100 * 0x1p-53);
  EXPECT_EQ(bound("-inf"), 0);
}

// Above 0 its derivative is that of its gradient alone, of one that is no number too.
TEST(LoweringTest, EluIsFlatAboveItsKinkInSecondOrder) {
  const TwinRun run(
      "%x = leaf type=f64[] data=1 grad=1\n%y = elu %x by=1\n%z = custom %y do=nan\n"
      "%g = grad %z inputs=%x create_graph=1\nbackward %g\n");
  EXPECT_EQ(run.Grad("x"), Row{0});
}

TEST(LoweringTest, WhatCancelsInAVarianceIsNotExact) {
  const TwinRun run(R"(%x = leaf type=f64[2,2] data=0,0,0x1.6666666666666p-1,0
%s = leaf type=f64[] data=0 grad=1
%y = add %x %s
%v = var %y
%w = mul %v %v
%g = grad %w inputs=%s create_graph=1
backward %g
)");
  EXPECT_GT(run.GradBound("s")[0], 0x1p-110);
}

// An infinite gradient: terms of one formula, which another one turns into NaN.
TEST(LoweringTest, InfiniteGradientsOfASpreadAreNotJudged) {
  for (const std::string spread : {"var", "std"}) {
    const TwinRun run(R"(%x = leaf type=f64[4] data=0,0,1,1 grad=1
%v = )" + spread + R"( %x
%z = leaf type=f64[] data=0
%y = xlogy %v %z
backward %y
)");
    const Row values = run.Grad("x"), bounds = run.GradBound("x");
    for (size_t i = 0; i < bounds.size(); ++i) {
      EXPECT_TRUE(std::isinf(values[i])) << spread << i;
      EXPECT_TRUE(std::isinf(bounds[i])) << spread << i;
    }
  }
}

// Of a deviation as of a norm.
TEST(LoweringTest, OfEqualElementsADeviationHasTheGradientZero) {
  const TwinRun run(R"(%x = leaf type=f64[2,2] data=3,3,1,5 grad=1
%d = std %x dims=1
%y = sum %d
backward %y
)");
  const Row values = run.Grad("x");
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[1], 0);
  EXPECT_NEAR(values[2], -0.5, run.GradBound("x")[2]);
  EXPECT_NEAR(values[3], 0.5, run.GradBound("x")[3]);
}

// With what a hook makes of a saved result a share overflows: the sum of the terms is NaN, that of
// the gradients is not.
TEST(LoweringTest, SharesThatOverflowMeetInAnyOrder) {
  const TwinRun run(R"(%x = leaf type=f64[3] data=-1294,-142,-142 grad=1
%g = leaf type=f64[3] data=3,1,-1
begin kind=saved_tensor_hooks do=scale by=-1
%y = logcumsumexp %x dim=0
backward %y seeds=%g
end
)");
  EXPECT_TRUE(std::isinf(run.GradBound("x")[0]));
}

// Whatever the formula, one number alone has no distance to its mean, and nor have two or four that
// are equal. Of three the mean may round.
TEST(LoweringTest, WhereNothingRoundsTheDeviationOfEqualElementsIsCertain) {
  const auto bounds = [](const std::string& leaf, const std::string& dims) {
    return TwinRun("%x = leaf " + leaf + " grad=1\n%d = std %x " + dims +
                   "\n%y = sum %d\nbackward %y\n")
        .GradBound("x");
  };
  EXPECT_EQ(bounds("type=f64[1,3] data=0.1,2,-3", "dims=0"), (Row{0, 0, 0}));
  EXPECT_EQ(bounds("type=f64[2] data=0.1,0.1", "dims=0"), (Row{0, 0}));
  EXPECT_EQ(bounds("type=f32[4] data=3,3,3,3", "dims=0"), (Row{0, 0, 0, 0}));
  for (const double bound : bounds("type=f64[3] data=0.1,0.1,0.1", "dims=0")) {
    EXPECT_TRUE(std::isinf(bound));
  }
}

// Whatever is an index is looked at again when the node runs.
TEST(LoweringTest, IndicesAreSaved) {
  for (const Signature& signature : program::Signatures()) {
    if (signature.category == Category::kCall || signature.differentiable == 0) continue;
    // These have indices of their own.
    if (program::MakesSparse(signature.op) || program::TakesSparse(signature.op)) continue;
    program::Statement statement;
    statement.op = signature.op;
    EXPECT_EQ(AlsoSaved(statement, /*last_tracked=*/true) & signature.indices, signature.indices)
        << signature.name;
  }
  program::Statement adds;
  adds.op = Opcode::kScatterAdd;
  EXPECT_EQ(AlsoSaved(adds, /*last_tracked=*/false), 0u);
}

}  // namespace
}  // namespace twingrad::reference

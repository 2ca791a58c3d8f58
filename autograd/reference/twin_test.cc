// The twin as a whole: gradients known by hand, bounds, what it refuses.

#include "autograd/reference/twin.h"

#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

TEST(TwinTest, ProductAndSum) {
  const TwinRun run(R"(%x = leaf type=f64[2] data=3,5 grad=1
%y = leaf type=f64[2] data=2,7 grad=1
%z = mul %x %y
%s = sum %z
backward %s
)");
  EXPECT_EQ(run.Value("s"), Row({41}));
  EXPECT_EQ(run.Grad("x"), Row({2, 7}));
  EXPECT_EQ(run.Grad("y"), Row({3, 5}));
  EXPECT_EQ(run.GradBound("x"), Row({0, 0}));
  EXPECT_FALSE(run.result().skipped.has_value());
  EXPECT_FALSE(run.result().observation.error.has_value());
}

TEST(TwinTest, BroadcastGradientsAreReduced) {
  const TwinRun run(R"(%x = leaf type=f64[2,1] data=1,2 grad=1
%w = leaf type=f64[3] data=1,2,3 grad=1
%z = mul %x %w
%s = sum %z
backward %s
)");
  EXPECT_EQ(run.Grad("x"), Row({6, 6}));
  EXPECT_EQ(run.Grad("w"), Row({3, 3, 3}));
}

TEST(TwinTest, ElementaryDerivatives) {
  const TwinRun run(R"(%x = leaf type=f64[] data=0x1p-1 grad=1
%a = exp %x
%b = log %x
%c = sin %x
%d = cos %x
%e = tanh %x
%f = sigmoid %x
%g = sqrt %x
%ga = grad %a inputs=%x retain_graph=1
%gb = grad %b inputs=%x
%gc = grad %c inputs=%x
%gd = grad %d inputs=%x
%ge = grad %e inputs=%x
%gf = grad %f inputs=%x
%gg = grad %g inputs=%x
)");
  const auto near = [&](const char* name, double expected) {
    EXPECT_NEAR(run.Value(name)[0], expected, run.ValueBound(name)[0] + 1e-16) << name;
    EXPECT_GT(run.ValueBound(name)[0], 0) << name;
    EXPECT_LT(run.ValueBound(name)[0], 1e-14) << name;
  };
  near("ga", std::exp(0.5));
  near("gc", std::cos(0.5));
  near("gd", -std::sin(0.5));
  near("ge", 1 - std::tanh(0.5) * std::tanh(0.5));
  const double s = 1 / (1 + std::exp(-0.5));
  near("gf", s * (1 - s));
  near("gg", 1 / (2 * std::sqrt(0.5)));
  EXPECT_EQ(run.Value("gb"), Row({2}));
}

TEST(TwinTest, ConventionsAtKinks) {
  const TwinRun run(R"(%x = leaf type=f64[3] data=-1,0,2 grad=1
%y = leaf type=f64[3] data=-1,1,0 grad=1
%r = relu %x
%a = abs %x
%m = maximum %x %y
%s = add %r %a
%t = add %s %m
%u = sum %t
backward %u
)");
  EXPECT_EQ(run.Grad("x"), Row({-0.5, 0, 3}));
  EXPECT_EQ(run.Grad("y"), Row({0.5, 1, 0}));
}

TEST(TwinTest, PowersOfZero) {
  const TwinRun run(R"(%x = leaf type=f64[3] data=0,0,3 grad=1
%n = leaf type=f64[3] data=0,1,2 grad=1
%y = pow %x %n
%s = sum %y
backward %s
)");
  EXPECT_EQ(run.Value("y"), Row({1, 0, 9}));
  EXPECT_EQ(run.Grad("x"), Row({0, 1, 6}));
  EXPECT_EQ(run.Grad("n")[0], 0);
  EXPECT_EQ(run.Grad("n")[1], 0);
  EXPECT_NEAR(run.Grad("n")[2], 9 * std::log(3.0), 1e-13);
}

// By the base, then the exponent, then the base.
TEST(TwinTest, PowersAreSmoothAtExponentZero) {
  const TwinRun run(R"(%x = leaf type=f64[4] data=2,0,nan,-4 grad=1
%n = leaf type=f64[4] data=0,0,0,0 grad=1
%y = pow %x %n
%s = sum %y
%gx = grad %s inputs=%x create_graph=1
%t = sum %gx
%hx,%hn = grad %t inputs=%x,%n create_graph=1
%u = sum %hn
%k = grad %u inputs=%x
)");
  EXPECT_EQ(run.Value("gx"), Row({0, 0, 0, 0}));
  EXPECT_EQ(run.Value("hx"), Row({0, 0, 0, 0}));
  EXPECT_EQ(run.Value("hn")[0], 0.5);
  EXPECT_EQ(run.Value("hn")[1], 0);
  EXPECT_EQ(run.Value("k")[0], -0.25);
}

TEST(TwinTest, MatrixProduct) {
  const TwinRun run(R"(%a = leaf type=f64[2,2] data=1,2,3,4 grad=1
%b = leaf type=f64[2,2] data=5,6,7,8 grad=1
%c = matmul %a %b
%s = sum %c
backward %s
)");
  EXPECT_EQ(run.Value("c"), Row({19, 22, 43, 50}));
  EXPECT_EQ(run.Grad("a"), Row({11, 15, 11, 15}));
  EXPECT_EQ(run.Grad("b"), Row({4, 4, 6, 6}));
}

TEST(TwinTest, ThirdDerivative) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
%z = mul %y %x
%g = grad %z inputs=%x create_graph=1
%h = grad %g inputs=%x create_graph=1
%t = grad %h inputs=%x
)");
  EXPECT_EQ(run.Value("g"), Row({27}));
  EXPECT_EQ(run.Value("h"), Row({18}));
  EXPECT_EQ(run.Value("t"), Row({6}));
  EXPECT_TRUE(run.Record("h").requires_grad);
  EXPECT_FALSE(run.Record("t").requires_grad);
}

// The result of exp is exp's own derivative, with history.
TEST(TwinTest, SecondDerivativesThroughSavedResults) {
  const TwinRun run(R"(%x = leaf type=f64[] data=2 grad=1
%e = exp %x
%g = grad %e inputs=%x create_graph=1
%h = grad %g inputs=%x
)");
  EXPECT_NEAR(run.Value("h")[0], std::exp(2.0), run.ValueBound("h")[0]);
}

TEST(TwinTest, ExactnessIsAProofNotAGuess) {
  const TwinRun run(R"(%x = leaf type=f32[3] data=100000000,1,-100000000 grad=1
%s = sum %x
%p = leaf type=f32[2] data=3,5
%q = sum %p
%one = leaf type=f64[] data=1
%three = leaf type=f64[] data=3
%third = div %one %three
)");
  EXPECT_GE(run.ValueBound("s")[0], 1);  // 0 or 1, as the order will have it
  EXPECT_EQ(run.ValueBound("q"), Row({0}));
  EXPECT_GT(run.ValueBound("third")[0], 0);
  EXPECT_LT(run.ValueBound("third")[0], 1e-15);
}

TEST(TwinTest, WhatBoundsCannotDecideIsNotCompared) {
  const TwinRun run(R"(%x = leaf type=f64[] data=1 grad=1
%a = sin %x
%b = sub %a %a
%c = relu %b
backward %c
%i = cast %a to=i64
%d = leaf type=f64[] data=3
%e = exp %d
%f = log %e
%j = cast %f to=i64
)");
  // relu may be on either side of 0.
  EXPECT_GE(run.GradBound("x")[0], std::cos(1.0));
  EXPECT_LE(run.GradBound("x")[0], 4.001 * std::cos(1.0));
  EXPECT_EQ(run.ValueBound("i"), Row({0}));
  EXPECT_EQ(run.ValueBound("j")[0], std::numeric_limits<double>::infinity());
}

TEST(TwinTest, EmptyTensorsHaveGradients) {
  const TwinRun run(R"(%x = leaf type=f64[0,3] grad=1
%y = exp %x
%s = sum %y
%m = mean %x
backward %s
)");
  EXPECT_EQ(run.Value("s"), Row({0}));
  EXPECT_TRUE(std::isnan(run.Value("m")[0]));
  EXPECT_TRUE(run.Record("x").grad_defined);
  EXPECT_EQ(run.Record("x").grad.shape, Shape({0, 3}));
}

TEST(TwinTest, CastsCarryGradients) {
  const TwinRun run(R"(%x = leaf type=f64[2] data=2,3 grad=1
%f = cast %x to=f32
%y = mul %f %f
%i = cast %y to=i64
%s = sum %y
backward %s
)");
  EXPECT_EQ(run.Grad("x"), Row({4, 6}));
  EXPECT_EQ(run.Record("x").grad.dtype, DType::kF64);
  EXPECT_FALSE(run.Record("i").requires_grad);
  EXPECT_EQ(run.Value("i"), Row({4, 9}));
}

// An error in the middle of a statement leaves nothing half recorded.
TEST(TwinTest, RecordsAfterAnErrorInATryRegion) {
  constexpr const char* kText = R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
begin kind=try
%i = leaf type=i64[] data=2
%n = leaf type=i64[] data=-1
%p = pow %i %n
end
%g = grad %y inputs=%x create_graph=1
backward %g
)";
  EXPECT_EQ(TwinRun(kText).Grad("x"), Row({2}));
}

TEST(TwinTest, RefusesWhatItDoesNotRun) {
  EXPECT_TRUE(TwinRun(R"(%a = leaf type=f64[65] fill=1 grad=1
%b = prod %a
)")
                  .result()
                  .skipped.has_value());
}

// The gradient of the seed is a sum of two sums, of which an engine rounds each; term by term the
// large ones would cancel first, and leave a difference that looks exact.
TEST(TwinTest, SumsOfSecondOrderDoNotMeetTermByTerm) {
  const TwinRun matmul(R"(%a = leaf type=f64[1,2] data=0x1.999999999999ap-4,1 grad=1
%b = leaf type=f64[2,1] data=0,1 grad=1
%s = leaf type=f64[1,1] data=0 grad=1
%y = matmul %a %b
%gb,%ga = grad %y seeds=%s inputs=%b,%a create_graph=1
%w = leaf type=f64[2,1] data=1,-2
%u = leaf type=f64[1,2] data=0,2
backward %gb %ga seeds=%w,%u
)");
  EXPECT_GT(matmul.GradBound("s")[0], 0);
  const TwinRun loss(R"(%a = leaf type=f32[2] data=16777216,1 grad=1
%b = leaf type=f32[2] data=0,4 grad=1
%s = leaf type=f32[] data=1 grad=1
%y = mse_loss %a %b reduction=sum
%gb,%ga = grad %y seeds=%s inputs=%b,%a create_graph=1
%w = leaf type=f32[2] data=1,-3
%u = leaf type=f32[2] data=0,-3
backward %gb %ga seeds=%w,%u
)");
  EXPECT_GT(loss.GradBound("s")[0], 0);
}

// An engine may multiply out what the twin factors: 6 (2 + u) + 12 is rounded, (4 + 2 u + 4) * 3
// need not be. Of short numbers both are exact.
TEST(TwinTest, SecondDerivativesOfProductsAllowForRegrouping) {
  const auto bound = [](const char* data) {
    const TwinRun run(absl::StrCat("%x = leaf type=f64[3] data=", data,
                                   " grad=1\n%y = prod %x\n%s = leaf type=f64[] data=3\n"
                                   "%g = grad %y seeds=%s inputs=%x create_graph=1\n"
                                   "%u = leaf type=f64[3] data=2,2,2\n"
                                   "%h = grad %g seeds=%u inputs=%x\n"));
    return run.ValueBound("h");
  };
  EXPECT_GE(bound("2,0x1.0000000000001p+1,0x1p-2")[2], 0x1p-49);
  EXPECT_EQ(bound("2,3,-5"), Row({0, 0, 0}));
}

}  // namespace
}  // namespace twingrad::reference

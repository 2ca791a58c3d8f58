#include "autograd/program/builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/program/analyze.h"
#include "autograd/program/element_text.h"
#include "autograd/program/limits.h"
#include "autograd/program/print.h"

namespace twingrad::program {
namespace {

TEST(Builder, BuildsAProgram) {
  ProgramBuilder b;
  const ValueId x = b.Leaf({DType::kF64, {2}}, FloatBits({1, 2}), /*grad=*/true);
  const ValueId s = b.Op(Opcode::kSum, {b.Op(Opcode::kMul, {x, x})}, {{Key::kKeepdim, false}});
  EXPECT_EQ(b.TypeOf(s), (TensorType{DType::kF64, {}}));
  EXPECT_TRUE(b.Add(Opcode::kBackward, {s}, {{Key::kRetainGraph, true}}));
  const auto g = b.Results(2, Opcode::kGrad, std::vector<ValueId>{s},
                           {{Key::kInputs, std::vector<ValueId>{x, x}}});
  EXPECT_EQ(g, (std::vector<ValueId>{3, 4}));
  EXPECT_TRUE(b.Rename(x, "x"));
  EXPECT_FALSE(b.Rename(s, "x"));
  EXPECT_FALSE(b.Rename(s, "v3"));
  EXPECT_FALSE(b.Rename(s, "a b"));
  const auto program = b.Build();
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(Print(*program),
            "twingrad 1\n"
            "%x = leaf type=f64[2] data=1,2 grad=1\n"
            "%v1 = mul %x %x\n"
            "%v2 = sum %v1\n"
            "backward %v2 retain_graph=1\n"
            "%v3,%v4 = grad %v2 inputs=%x,%x\n");
  EXPECT_EQ(b.num_statements(), 0);  // ready for the next
}

TEST(Builder, ARefusedStatementLeavesNoTrace) {
  ProgramBuilder b;
  const ValueId x = b.SeededLeaf({DType::kF64, {2}}, 1, true, 0);
  EXPECT_EQ(b.Op(Opcode::kView, {x}, {{Key::kShape, std::vector<int64_t>{3}}}), kNoValue);
  EXPECT_EQ(b.last_fault().text, "[2] has 2 elements and [3] has 3; they must be equal");
  EXPECT_EQ(b.Op(Opcode::kNeg, {x}), 1);
  EXPECT_EQ(b.status().message(),
            "[program] statement 1 view: [2] has 2 elements and [3] has 3; they must be equal");
  EXPECT_FALSE(b.Build().ok());
  EXPECT_EQ(Print(b.Take()),
            "twingrad 1\n%v0 = leaf type=f64[2] seed=1 grad=1 device=dev:0\n%v1 = neg %v0\n");
}

TEST(Builder, TakeEndsOpenRegions) {
  ProgramBuilder b;
  b.Add(Opcode::kBegin, {}, {{Key::kKind, std::string("no_grad")}});
  b.Add(Opcode::kBegin, {}, {{Key::kKind, std::string("try")}});
  while (b.SeededLeaf({}, 0) != kNoValue) {
  }
  const Program program = b.Take();
  EXPECT_EQ(program.statements.size(), static_cast<size_t>(kMaxStatements));
  EXPECT_TRUE(Validate(program).ok()) << Validate(program);
}

TEST(Builder, CanonicalNans) {
  EXPECT_EQ(FloatBits({std::nan("1"), -std::nan("2")}), (Bits{kNanBits, kNanBits}));
}

}  // namespace
}  // namespace twingrad::program

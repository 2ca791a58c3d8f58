// Programs of one op are valid and hold its value and derivatives.

#include "proptests/properties/point_program.h"

#include <algorithm>
#include <cstddef>

#include "gtest/gtest.h"

namespace twingrad::properties {
namespace {

using program::Opcode;
using program::SignatureOf;

TEST(PointProgram, HoldsDerivativesByEachOperand) {
  SpecialNumbers numbers(DType::kF64, 1);
  const PointProgram power = MakePointProgram(SignatureOf(Opcode::kPow), DType::kF64, numbers);
  EXPECT_TRUE(power.elementwise);
  EXPECT_EQ(power.points, 16);
  EXPECT_EQ(power.operands[0].size(), 16u);
  EXPECT_EQ(power.orders[0].size(), 1u);
  EXPECT_EQ(power.orders[1].size(), 2u);
  EXPECT_EQ(power.orders[2].size(), 4u);  // mixed ones, in both orders
  EXPECT_EQ(power.by, (std::vector<int>{0, 1}));
  const PointProgram argmax = MakePointProgram(SignatureOf(Opcode::kArgmax), DType::kF64, numbers);
  EXPECT_TRUE(argmax.orders[1].empty());
  EXPECT_FALSE(argmax.elementwise);
}

TEST(PointProgram, ThereIsOneForEachOp) {
  int ops = 0;
  for (const program::Signature& signature : program::Signatures()) {
    if (!program::IsComputed(signature.category)) continue;
    ++ops;
    for (const DType type : {DType::kF64, DType::kF32}) {
      SpecialNumbers numbers(type, 1);
      const PointProgram made = MakePointProgram(signature, type, numbers);
      const auto& statements = made.program.statements;
      EXPECT_TRUE(std::any_of(statements.begin(), statements.end(), [&](const auto& statement) {
        return statement.op == signature.op;
      })) << signature.name;
      EXPECT_GT(made.points, 0) << signature.name;
      EXPECT_EQ(made.orders[1].size(), made.orders[1].empty() ? 0 : made.inputs.size());
    }
  }
  EXPECT_GE(ops, 70);
}

}  // namespace
}  // namespace twingrad::properties

#include "autograd/reference/lowering.h"

#include "autograd/program/signature.h"
#include "autograd/reference/calculus.h"
#include "autograd/reference/composite.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using program::Category;
using program::Opcode;
using program::Signature;

// Every op of the signature table is evaluated somehow, and every in-place one performs an op that
// is; so a new one is missed here first.
TEST(LoweringTest, CoversTheSignatureTable) {
  const auto is_primitive = [](Opcode op) {
    return !Composite<Calculus>::HasRule(op) && ElementwisePrimitive(op) != Primitive::kEnd;
  };
  for (const Signature& signature : program::Signatures()) {
    const bool composite = signature.op == Opcode::kWhere || signature.op == Opcode::kClamp;
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
        signature.category == Category::kLoss || signature.category == Category::kElementwise;
    if (computes) {
      EXPECT_NE(is_primitive(signature.op), Composite<Calculus>::HasRule(signature.op))
          << signature.name;
    }
  }
  EXPECT_FALSE(is_primitive(Opcode::kMatmul));
}

// Whatever is an index is looked at again when the node runs.
TEST(LoweringTest, IndicesAreSaved) {
  for (const Signature& signature : program::Signatures()) {
    if (signature.category == Category::kCall || signature.differentiable == 0) continue;
    EXPECT_EQ(AlsoSaved(signature.op, /*last_tracked=*/true) & signature.indices, signature.indices)
        << signature.name;
  }
  EXPECT_EQ(AlsoSaved(Opcode::kScatterAdd, /*last_tracked=*/false), 0u);
}

}  // namespace
}  // namespace twingrad::reference

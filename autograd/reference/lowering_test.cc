#include "autograd/reference/lowering.h"

#include "autograd/program/signature.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using program::Category;
using program::Opcode;
using program::Signature;

// Every elementwise statement of the signature table has its primitive, and every in-place one its
// counterpart; so a new one is missed here first.
TEST(LoweringTest, CoversTheSignatureTable) {
  for (const Signature& signature : program::Signatures()) {
    const bool composite = signature.op == Opcode::kWhere || signature.op == Opcode::kClamp;
    if (signature.category == Category::kElementwise && !composite) {
      EXPECT_TRUE(ElementwisePrimitive(signature.op).has_value()) << signature.name;
      EXPECT_EQ(OutOfPlace(signature.op), signature.op);
    }
    if (signature.category == Category::kInPlace && signature.op != Opcode::kCopyInPlace &&
        signature.op != Opcode::kZeroInPlace) {
      EXPECT_TRUE(ElementwisePrimitive(OutOfPlace(signature.op)).has_value()) << signature.name;
      EXPECT_EQ(program::SignatureOf(OutOfPlace(signature.op)).min_operands, signature.min_operands)
          << signature.name;
    }
  }
  EXPECT_FALSE(ElementwisePrimitive(Opcode::kMatmul).has_value());
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

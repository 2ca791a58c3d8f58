// Gradients that are given are of both layouts.

#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(GivenGrad, IsSetOrUndefined) {
  EXPECT_GT(CountWith(AddGivenGrad, Opcode::kZeroGrad), 50);
  EXPECT_GT(CountWith(AddGivenGrad, Opcode::kSetGrad), 100);
}

TEST(GivenGrad, OftenHasOtherStridesThanItsLeaf) {
  const int transposed = CountOf(AddGivenGrad, [](const Program& program) {
    const int count = static_cast<int>(program.statements.size());
    return count > 2 && program.statements[count - 1].op == Opcode::kSetGrad &&
           program.statements[count - 2].op == Opcode::kTranspose;
  });
  EXPECT_GT(transposed, 20);
}

}  // namespace
}  // namespace twingrad::generators

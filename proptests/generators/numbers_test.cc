// Which numbers occur.

#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(Numbers, CastsAndIntegersOccur) {
  EXPECT_GT(CountWith(AddNumbers, Opcode::kCast), 100);
  const int integers = CountOf(AddNumbers, [](const Program& p) {
    return HasStatement(p, [](const program::Statement& s) {
      return s.op == Opcode::kLeaf && s.Get<TensorType>(Key::kType).dtype == DType::kI64;
    });
  });
  EXPECT_GT(integers, 30);
}

}  // namespace
}  // namespace twingrad::generators

#include "proptests/generators/numbers.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Numbers, CastsAndIntegersOccur) {
  EXPECT_GT(CountOf(AddNumbers, [](const Program& p) { return Holds(p, Opcode::kCast); }), 100);
  const int integers = CountOf(AddNumbers, [](const Program& p) {
    for (const auto& statement : p.statements) {
      if (statement.op == Opcode::kLeaf &&
          statement.Get<TensorType>(Key::kType).dtype == DType::kI64) {
        return true;
      }
    }
    return false;
  });
  EXPECT_GT(integers, 30);
}

}  // namespace
}  // namespace twingrad::generators

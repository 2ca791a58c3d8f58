#include "proptests/generators/no_grad.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(NoGrad, RegionsAndDetachOccur) {
  EXPECT_GT(CountOf(AddNoGrad, [](const Program& p) { return Holds(p, Opcode::kBegin); }), 100);
  EXPECT_GT(CountOf(AddNoGrad, [](const Program& p) { return Holds(p, Opcode::kDetach); }), 80);
}

}  // namespace
}  // namespace twingrad::generators

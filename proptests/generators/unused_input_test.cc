#include "proptests/generators/unused_input.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(UnusedInput, NoCallNeedsIt) {
  const int unused = CountOf(AddUnusedInput, [](const Program& p) { return UsesOf(p, 1) == 0; });
  EXPECT_GT(unused, 150);
  EXPECT_LT(unused, 300);
}

}  // namespace
}  // namespace twingrad::generators

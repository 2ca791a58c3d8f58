#include "proptests/generators/chain.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Chain, GrowsFromTheLeaf) {
  const int grown = CountOf(AddChain, [](const Program& p) { return p.statements.size() >= 3; });
  EXPECT_GT(grown, 250);
}

}  // namespace
}  // namespace twingrad::generators

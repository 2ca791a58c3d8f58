#include "proptests/generators/shared_subgraph.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(SharedSubgraph, AResultHasTwoConsumers) {
  const int shared = CountOf(AddSharedSubgraph, [](const Program& p) {
    for (ValueId v = 1; v < static_cast<ValueId>(p.names.size()); ++v) {
      if (UsesOf(p, v) >= 2) return true;
    }
    return false;
  });
  EXPECT_GT(shared, 200);
}

}  // namespace
}  // namespace twingrad::generators

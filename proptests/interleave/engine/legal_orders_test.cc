#include "proptests/interleave/engine/legal_orders.h"

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

using Orders = std::set<std::vector<int>>;

TEST(LegalOrdersTest, OneThreadHasOneOrder) {
  // The root delivers to 1 and 2; 2 has the higher key.
  const std::vector<OrderedNode> nodes = {{0, 9, {1, 2}}, {0, 1, {3}}, {0, 2, {3}}, {0, 8, {}}};
  EXPECT_EQ(LegalOrders(nodes), (Orders{{0, 2, 1, 3}}));
}

TEST(LegalOrdersTest, BranchesOnTheirOwnThreadsComeInAnyOrder) {
  const std::vector<OrderedNode> nodes = {{0, 9, {1, 2, 3, 4}}, {0, 1, {5}}, {1, 1, {5}},
                                          {2, 1, {5}},          {3, 1, {5}}, {0, 8, {}}};
  EXPECT_EQ(LegalOrders(nodes).size(), 24u);
}

TEST(LegalOrdersTest, ChainsOfTwoKeepTheirOrder) {
  const std::vector<OrderedNode> nodes = {{0, 9, {1, 3, 5}}, {1, 2, {2}}, {1, 1, {7}}, {2, 2, {4}},
                                          {2, 1, {7}},       {3, 2, {6}}, {3, 1, {7}}, {0, 8, {}}};
  EXPECT_EQ(LegalOrders(nodes).size(), 90u) << "6! / (2! 2! 2!)";
}

TEST(LegalOrdersTest, AThreadMayBeginAWorseNodeBeforeTheBetterOneIsQueued) {
  // The caller queues 1, then 2, for the same worker, which prefers 2 if both are there.
  const std::vector<OrderedNode> nodes = {{0, 9, {1, 2}}, {1, 1, {}}, {1, 2, {}}};
  EXPECT_EQ(LegalOrders(nodes), (Orders{{0, 1, 2}, {0, 2, 1}}));
}

TEST(LegalOrdersTest, ANodeThatWasTakenEarlyMayBeginLate) {
  // As before, then the caller queues 3 for another worker: 3 may begin before 1, which was taken
  // when 2 was not there yet.
  const std::vector<OrderedNode> nodes = {{0, 9, {1, 2, 3}}, {1, 1, {}}, {1, 2, {}}, {2, 1, {}}};
  EXPECT_EQ(LegalOrders(nodes).count({0, 3, 1, 2}), 1u);
}

TEST(LegalOrdersTest, TheCallerBeginsNothingBeforeItHasQueuedAll) {
  // 1 is the caller's, queued before the worker's 2: both orders, for the worker may come late.
  const std::vector<OrderedNode> both = {{0, 9, {1, 2}}, {0, 1, {}}, {1, 1, {}}};
  EXPECT_EQ(LegalOrders(both).size(), 2u);
  // 3 follows 1 on the caller; the worker's 2 may come anywhere.
  const std::vector<OrderedNode> chain = {{0, 9, {1, 2}}, {0, 1, {3}}, {1, 1, {}}, {0, 1, {}}};
  EXPECT_EQ(LegalOrders(chain).size(), 3u);
}

}  // namespace
}  // namespace twingrad::interleave

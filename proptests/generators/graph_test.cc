#include "proptests/generators/graph.h"

#include "gtest/gtest.h"

namespace twingrad::generators {
namespace {

// x, w leaves; y = x * w; z = y + x.
struct Sample {
  Graph graph;
  NodeIndex x = graph.Add({});
  NodeIndex w = graph.Add({});
  NodeIndex y = graph.Add({{x, w}, 3, {x, w}, true});
  NodeIndex z = graph.Add({{y, x}, 0, {}, false});
};

TEST(Graph, ReachesWhatLiesBelow) {
  Sample s;
  const NodeIndex unrelated = s.graph.Add({});
  const auto reached = s.graph.Reached({s.y});
  EXPECT_TRUE(reached[s.x]);
  EXPECT_TRUE(reached[s.w]);
  EXPECT_FALSE(reached[s.z]);
  EXPECT_FALSE(reached[unrelated]);
}

TEST(Graph, GradientsOfProductsRequireGrad) {
  Sample s;
  EXPECT_TRUE(s.graph.Gradient({s.z}, {kNoNode}, s.x).requires_grad);
  EXPECT_FALSE(s.graph.Gradient({s.z}, {kNoNode}, s.y).requires_grad);
  EXPECT_TRUE(s.graph.Gradient({s.z}, {s.w}, s.y).requires_grad);
  EXPECT_FALSE(s.graph.Gradient({s.x}, {kNoNode}, s.w).reached);
}

TEST(Graph, FreedNodesThatSavedBreakALaterCall) {
  Sample s;
  EXPECT_FALSE(s.graph.IsBroken({s.z}));
  s.graph.Free(s.graph.Reached({s.y}));
  EXPECT_TRUE(s.graph.IsBroken({s.z}));
  EXPECT_FALSE(s.graph.IsBroken({s.x}));
}

}  // namespace
}  // namespace twingrad::generators

#include "proptests/generators/graph.h"

#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "gtest/gtest.h"
#include "proptests/generators/source.h"

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

// In graphs of any shape, from one root or two, with seeds that require grad or not.
TEST(Graph, WhatIsDifferentiableIsWhatGradientsSayOneByOne) {
  Source source = Source::FromSeed(7);
  int differentiable = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Graph graph;
    const auto any = [&] { return static_cast<NodeIndex>(source.Below(graph.size())); };
    graph.Add({});
    for (int i = 0; i < 12; ++i) {
      GraphNode node;
      for (int64_t edges = source.Between(0, 3); edges > 0; --edges) {
        node.edges.push_back(source.Chance(20) ? kNoNode : any());
      }
      node.nonlinear = static_cast<uint8_t>(source.Below(8));
      graph.Add(std::move(node));
    }
    absl::InlinedVector<NodeIndex, 2> roots, seeds;
    for (int64_t r = source.Between(1, 2); r > 0; --r) {
      roots.push_back(any());
      seeds.push_back(source.Chance(30) ? any() : kNoNode);
    }
    const NodeFlags flags = graph.Differentiable(roots, seeds);
    ASSERT_EQ(flags.size(), static_cast<size_t>(graph.size()));
    for (NodeIndex i = 0; i < graph.size(); ++i) {
      EXPECT_EQ(flags[i] != 0, graph.Gradient(roots, seeds, i).requires_grad) << trial << " " << i;
      differentiable += flags[i];
    }
  }
  EXPECT_GT(differentiable, 200);
}

// What was found broken is looked at again when a node changes.
TEST(Graph, NodesThatBecomeStaleBreakWhatLiesAbove) {
  Sample s;
  EXPECT_FALSE(s.graph.IsBroken(s.z));
  s.graph[s.y].stale = true;
  EXPECT_TRUE(s.graph.IsBroken(s.z));
  EXPECT_FALSE(s.graph.IsBroken(s.x));
  EXPECT_FALSE(s.graph.IsBroken(kNoNode));
  const NodeIndex above = s.graph.Add({{s.z}});
  EXPECT_TRUE(s.graph.IsBroken(above));
  s.graph[s.y].stale = false;
  EXPECT_FALSE(s.graph.IsBroken(above));
}

TEST(Graph, FreedNodesThatSavedBreakALaterCall) {
  Sample s;
  EXPECT_FALSE(s.graph.IsBroken(s.z));
  s.graph.Free(s.graph.Reached({s.y}));
  EXPECT_TRUE(s.graph.IsBroken(s.z));
  EXPECT_FALSE(s.graph.IsBroken(s.x));
}

}  // namespace
}  // namespace twingrad::generators

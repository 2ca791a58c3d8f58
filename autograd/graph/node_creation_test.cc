// What node-creation hooks see, in which order, and what they may not do.

#include "autograd/graph/node_creation.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/graph/custom_function.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/view.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

using ::testing::ElementsAre;

struct Copies : Function<Copies> {
  static VariableList Forward(Context& context, const Tensor& x) {
    context.SaveForBackward({x});
    return {kernels::Clone(x), kernels::Clone(x)};
  }
  static VariableList Backward(Context&, VariableList g) { return {g[0]}; }
};

// Rules: Q3.
TEST(NodeCreationTest, HooksSeeEachNodeOnceWhenItIsComplete) {
  const Tensor x = MakeLeaf(3);
  std::vector<std::string> seen;
  {
    NodeCreationHookGuard guard([&](Node& node) {
      seen.emplace_back(node.name());
      if (node.name() != "CopiesBackward") return;
      EXPECT_EQ(node.num_outputs(), 1u);
      EXPECT_EQ(node.num_inputs(), 2u);
      ASSERT_EQ(node.SavedVariables().size(), 1u);
      EXPECT_EQ(node.SavedVariables()[0]->Unpack(&node).item<double>(), 3);
    });
    Copies::Apply(x);
    Copies::Apply(x);
    {
      NoGradGuard no_grad;
      Copies::Apply(x);
    }
  }
  Copies::Apply(x);
  EXPECT_THAT(seen, ElementsAre("AccumulateGrad", "CopiesBackward", "CopiesBackward"))
      << "the accumulator counts when it is made";
}

// Rules: Q3.
TEST(NodeCreationTest, OuterHooksRunFirst) {
  std::string order;
  NodeCreationHookGuard outer([&](Node&) { order += "o"; });
  {
    NodeCreationHookGuard inner([&](Node&) { order += "i"; });
    GradientEdge{MakeLeaf(1)};
    EXPECT_EQ(order, "oi");
  }
  GradientEdge{MakeLeaf(1)};
  EXPECT_EQ(order, "oio");
}

// Rules: Q3.
TEST(NodeCreationTest, WhatAHookThrowsLeavesTheOperation) {
  const Tensor x = MakeLeaf(3);
  Tensor y = kernels::Clone(x);
  int inner_calls = 0;
  bool throws = true;
  NodeCreationHookGuard outer([&](Node&) {
    if (throws) throw std::runtime_error("planned");
  });
  NodeCreationHookGuard inner([&](Node&) { ++inner_calls; });
  EXPECT_THROW(Copies::Apply(x), std::runtime_error);
  EXPECT_EQ(inner_calls, 0);
  throws = false;
  Copies::Apply(x);
  EXPECT_EQ(inner_calls, 1) << "the accumulator was made, and seen, before";
}

// Rules: Q3.
TEST(NodeCreationTest, HooksMakeNoNodesAndSetNoHooks) {
  const Tensor x = MakeLeaf(3);
  int refused = 0;
  EXPECT_EQ(KindOf([] { const NodeCreationHookGuard none{NodeCreationHook()}; }),
            ErrorKind::kInvalidArgument);
  NodeCreationHookGuard guard([&](Node&) {
    refused += KindOf([&] { Copies::Apply(x); }) == ErrorKind::kInvalidArgument;
    refused +=
        KindOf([] { NodeCreationHookGuard another([](Node&) {}); }) == ErrorKind::kInvalidArgument;
    NoGradGuard no_grad;
    Copies::Apply(x);
  });
  Copies::Apply(x);
  EXPECT_EQ(refused, 4) << "two hooks for each of two nodes";
}

// Rules: Q3.
TEST(NodeCreationTest, HooksRunWithoutTheLocksOfLeavesAndViews) {
  const Tensor x = MakeLeaf(3);
  const Tensor base = Copies::Apply(x)[0];
  const Tensor view = MakeView(base, {}, {}, 0, nullptr);
  const Tensor leaf = MakeLeaf(1);
  const Tensor early = MakeView(leaf, {}, {}, 0, nullptr);
  std::vector<std::string> seen;
  NodeCreationHookGuard guard([&](Node& node) {
    seen.emplace_back(node.name());
    EXPECT_TRUE(RequiresGrad(view));
    EXPECT_TRUE(RequiresGrad(early));
    EXPECT_FALSE(GradOf(leaf).defined());
    EXPECT_TRUE(GradientEdge(base).is_valid());
  });
  base.BumpVersion();
  const GradientEdge renewed(view);
  EXPECT_EQ(GradientEdge(view), renewed);
  EXPECT_THAT(seen, ElementsAre("RegeneratedView"));
  seen.clear();
  const GradientEdge of_early(early);
  EXPECT_TRUE(of_early.is_valid());
  EXPECT_THAT(seen, ElementsAre("AccumulateGrad", "RegeneratedView"));
}

}  // namespace
}  // namespace twingrad

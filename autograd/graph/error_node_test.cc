// Nodes that refuse to be differentiated, and results that cannot get a node at all.

#include "autograd/graph/error_node.h"

#include <gtest/gtest.h>

#include "autograd/graph/test_custom.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/variable.h"

namespace twingrad {
namespace {

// Rules: M9.
TEST(ErrorNodeTest, ADelayedErrorComesWithTheBackwardThatReachesIt) {
  const Tensor x = Pair(1, 2);
  const VariableList r = DelayedError("[test] no", {x, Tensor::Full({}, 3, DType::kI64), x});
  EXPECT_TRUE(r[0].HasSameStorage(x));
  EXPECT_FALSE(r[0].IsSameAs(x));
  EXPECT_EQ(GradientEdge(r[2]).input_nr, 1u);
  EXPECT_EQ(NodeOf(r[0])->next_edge(0), GradientEdge(x));
  EXPECT_EQ(KindOf([&] { NodeOf(r[0])->Apply({x, x}); }), ErrorKind::kInvalidArgument);
  const Tensor plain = Pair(1, 2, false);
  EXPECT_TRUE(DelayedError("[test] no", {plain})[0].IsSameAs(plain));
}

// Rules: B8.
TEST(ErrorNodeTest, IntegerResultsCannotBeMadeDifferentiable) {
  const Tensor n = Tensor::Full({}, 3, DType::kI64);
  EXPECT_EQ(KindOf([&] { SetHistory(n, MakePass({})); }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { MakePass({})->AddInput(n); }), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad

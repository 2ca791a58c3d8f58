// Leaves, results, edges and `.grad`.

#include "autograd/graph/variable.h"

#include <gtest/gtest.h>

#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

TEST(VariableTest, LeavesRequireGradWhenTold) {
  Tensor x = Tensor::Scalar(1);
  EXPECT_FALSE(RequiresGrad(x));
  EXPECT_FALSE(GradientEdge(x).is_valid());
  SetRequiresGrad(x, true);
  EXPECT_TRUE(RequiresGrad(x));
  EXPECT_TRUE(IsLeaf(x));
  const Edge edge = GradientEdge(x);
  EXPECT_EQ(edge.function->name(), "AccumulateGrad");
  EXPECT_EQ(edge.function->sequence_nr(), kAccumulateOrderKey);
  EXPECT_EQ(GradientEdge(x), edge);
  SetRequiresGrad(x, false);
  EXPECT_FALSE(RequiresGrad(x));
}

// Rules: L9.
TEST(VariableTest, OnlyFloatingLeavesMayRequireGrad) {
  EXPECT_EQ(KindOf([] { SetRequiresGrad(Tensor::Scalar(1, DType::kI64), true); }),
            ErrorKind::kInvalidArgument);
  Tensor y = Tensor::Scalar(1);
  SetHistory(y, MakeNode<PassNode>());
  EXPECT_EQ(KindOf([&] { SetRequiresGrad(y, false); }), ErrorKind::kInvalidArgument);
}

TEST(VariableTest, ResultsLeadToTheirNode) {
  NodePtr node = MakeNode<PassNode>();
  Tensor y = Tensor::Scalar(1);
  Tensor z = Tensor::Zeros({2}, DType::kF64);
  SetHistory(y, node, 0);
  SetHistory(z, node, 1);
  EXPECT_TRUE(RequiresGrad(z));
  EXPECT_FALSE(IsLeaf(z));
  EXPECT_EQ(GradientEdge(z), Edge(node, 1));
  EXPECT_EQ(node->num_inputs(), 2u);
  EXPECT_FALSE(RequiresGrad(z.Detach()));
}

TEST(VariableDeathTest, AResultHasANode) {
  EXPECT_DEATH(SetHistory(Tensor::Scalar(1), nullptr), "a result has no node");
}

TEST(VariableTest, RecordingNeedsGradModeAndAnOperand) {
  Tensor x = MakeLeaf(1);
  Tensor c = Tensor::Scalar(1);
  EXPECT_TRUE(ShouldRecord(c, x));
  EXPECT_FALSE(ShouldRecord(c));
  GradModeGuard no_grad(false);
  EXPECT_FALSE(ShouldRecord(c, x));
}

TEST(VariableTest, GradIsSetAndChecked) {
  Tensor x = MakeLeaf(1);
  EXPECT_FALSE(GradOf(x).defined());
  SetGrad(x, Tensor::Scalar(5));
  EXPECT_EQ(GradOf(x).item<double>(), 5);
  EXPECT_EQ(KindOf([&] { SetGrad(x, Tensor::Zeros({2}, DType::kF64)); }), ErrorKind::kShape);
  SetGrad(x, Tensor());
  EXPECT_FALSE(GradOf(x).defined());
}

TEST(VariableTest, AnUndefinedTensorHasNothingAndTakesNothing) {
  const Tensor none;
  EXPECT_FALSE(RequiresGrad(none));
  EXPECT_TRUE(IsLeaf(none));
  EXPECT_FALSE(GradOf(none).defined());
  EXPECT_FALSE(GradOf(GradOf(MakeLeaf(1))).defined());  // before any backward
  EXPECT_FALSE(GradientEdge(none).is_valid());
  EXPECT_EQ(KindOf([&] { SetRequiresGrad(none, true); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { SetGrad(none, Tensor()); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { SetGrad(none, Tensor::Scalar(1)); }), ErrorKind::kUndefined);
}

// Rules: J7.
TEST(VariableTest, AGradHasMemoryOfItsOwn) {
  Tensor x = Tensor::Ones({3}, DType::kF64);
  SetRequiresGrad(x, true);
  const auto set = [&](const Tensor& grad) { return KindOf([&] { SetGrad(x, grad); }); };
  EXPECT_EQ(set(x), ErrorKind::kInvalidArgument);
  EXPECT_EQ(set(x.Detach()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(set(x.Data()), ErrorKind::kInvalidArgument);
  // Gradients that are added to one element would be seen in all.
  EXPECT_EQ(set(Tensor::Zeros({1}, DType::kF64).AsStrided({3}, {0}, 0)),
            ErrorKind::kInvalidArgument);
  EXPECT_FALSE(GradOf(x).defined());
  SetGrad(x, Tensor::Zeros({6}, DType::kF64).AsStrided({3}, {2}, 0));
  EXPECT_TRUE(GradOf(x).defined());
}

// Rules: A23, K10.
TEST(VariableTest, AGradWhoseGraphLeadsBackToTheLeafIsNoLeak) {
  // The cycle is cut when the leaf goes; leak checkers would report it otherwise.
  Tensor x = MakeLeaf(1);
  Tensor g = Tensor::Scalar(2);
  NodePtr node = MakePass({GradientEdge(x)});
  AutogradMeta::Of(g).node = node;
  SetGrad(x, g);
  g.reset();
  EXPECT_EQ(node->ReferenceCount(), 2u);
  x.reset();
  EXPECT_EQ(node->ReferenceCount(), 1u);
}

// Rules: C6.
TEST(VariableTest, ThreadsAgreeOnTheAccumulator) {
  for (int round = 0; round < 50; ++round) {
    Tensor x = MakeLeaf(1);
    Edge other;
    sync::Thread thread("edge", [&] { other = GradientEdge(x); });
    const Edge mine = GradientEdge(x);
    thread.Join();
    EXPECT_EQ(mine, other);
  }
}

}  // namespace
}  // namespace twingrad

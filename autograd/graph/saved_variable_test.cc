// What a node saves comes back as it was, or says why not.

#include "autograd/graph/saved_variable.h"

#include <gtest/gtest.h>

#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

// Rules: K1.
TEST(SavedVariableTest, GivesDataAndPlaceInTheGraph) {
  Tensor x = MakeLeaf(3);
  NodePtr node = MakePass({});
  SavedVariable saved(x, false);
  Tensor again = saved.Unpack(node.get());
  EXPECT_EQ(again.item<double>(), 3);
  EXPECT_TRUE(RequiresGrad(again));
  EXPECT_EQ(GradientEdge(again), GradientEdge(x));
  GradModeGuard no_grad(false);
  EXPECT_FALSE(RequiresGrad(saved.Unpack(node.get())));
}

// Rules: K1, K9.
TEST(SavedVariableTest, ASavedResultLeadsToItsNodeAndOwnsNothing) {
  NodePtr node = MakePass({});
  Tensor y = Tensor::Scalar(4);
  SavedVariable saved(y, true);
  EXPECT_EQ(node->ReferenceCount(), 1u);
  EXPECT_EQ(GradientEdge(saved.Unpack(node.get())), Edge(node, 0));
}

// Rules: K2.
TEST(SavedVariableTest, AWriteSinceIsAnError) {
  Tensor x = MakeLeaf(3);
  NodePtr node = MakePass({});
  SavedVariable saved(x, false);
  x.Detach().BumpVersion();
  EXPECT_EQ(KindOf([&] { saved.Unpack(node.get()); }), ErrorKind::kVersion);
}

// Rules: K3.
TEST(SavedVariableTest, UseAfterReleaseIsAnErrorButEmptyOnesAreNot) {
  NodePtr node = MakePass({});
  SavedVariable saved(Tensor::Scalar(1), false);
  saved.Reset();
  saved.Reset();
  EXPECT_EQ(KindOf([&] { saved.Unpack(node.get()); }), ErrorKind::kFreed);
  SavedVariable empty;
  empty.Reset();
  EXPECT_FALSE(empty.Unpack(node.get()).defined());
}

// Rules: K10.
TEST(SavedVariableTest, SavingALeafDoesNotKeepItsGrad) {
  SavedVariable saved;
  NodePtr grad_node = MakePass({});
  {
    Tensor x = MakeLeaf(1);
    Tensor g = Tensor::Scalar(1);
    AutogradMeta::Of(g).node = grad_node;
    SetGrad(x, g);
    saved = SavedVariable(x, false);
  }
  EXPECT_EQ(grad_node->ReferenceCount(), 1u);
}

// Rules: K5.
TEST(SavedVariableTest, ReleaseMayRaceWithUse) {
  for (int round = 0; round < 200; ++round) {
    NodePtr node = MakePass({});
    SavedVariable saved(MakeLeaf(2), false);
    sync::Thread thread("reset", [&] { saved.Reset(); });
    try {
      EXPECT_EQ(saved.Unpack(node.get()).item<double>(), 2);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kFreed);
    }
    thread.Join();
  }
}

}  // namespace
}  // namespace twingrad

// How gradients are added to `.grad`, and what may be taken over.

#include "autograd/graph/grad_slot.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

// Rules: J3.
TEST(GradSlotTest, TakesOverWhatNobodyElseSees) {
  GradModeGuard no_grad(false);
  auto slot = sync::MakeIntrusive<GradSlot>();
  Tensor g = Tensor::Scalar(1);
  const double* data = g.data<double>();
  slot->Accumulate(std::move(g));
  EXPECT_EQ(slot->Get().data<double>(), data);
}

// Rules: J6, J9, J10.
TEST(GradSlotTest, CopiesWhatOthersSee) {
  GradModeGuard no_grad(false);
  auto held = sync::MakeIntrusive<GradSlot>();
  Tensor g = Tensor::Scalar(1);
  held->Accumulate(g);
  EXPECT_FALSE(held->Get().HasSameStorage(g));
  auto viewed = sync::MakeIntrusive<GradSlot>();
  Tensor whole = Tensor::Ones({2}, DType::kF64);
  viewed->Accumulate(whole.AsStrided({2}, {1}, 0));
  EXPECT_FALSE(viewed->Get().HasSameStorage(whole));
}

// Rules: J7.
TEST(GradSlotTest, AddsInPlaceWithoutGradModeAndBumpsTheVersion) {
  GradModeGuard no_grad(false);
  auto slot = sync::MakeIntrusive<GradSlot>();
  slot->Accumulate(Tensor::Scalar(1));
  Tensor grad = slot->Get();
  slot->Accumulate(Tensor::Scalar(2));
  EXPECT_EQ(grad.item<double>(), 3);
  EXPECT_EQ(grad.version(), 1u);
  slot->Accumulate(grad);  // its own memory
  EXPECT_EQ(grad.item<double>(), 6);
}

// Rules: J8.
TEST(GradSlotTest, AddsOutOfPlaceWithHistoryInGradMode) {
  auto slot = sync::MakeIntrusive<GradSlot>();
  slot->Accumulate(Tensor::Scalar(1));
  Tensor before = slot->Get();
  slot->Accumulate(MakeLeaf(2));
  EXPECT_EQ(before.item<double>(), 1);
  EXPECT_EQ(slot->Get().item<double>(), 3);
  EXPECT_TRUE(RequiresGrad(slot->Get()));
  EXPECT_EQ(GradientEdge(slot->Get()).function->name(), "GradientAdd");
}

// Rules: H5.
TEST(GradSlotTest, RetainNeverChangesWhatWasThere) {
  GradModeGuard no_grad(false);
  auto slot = sync::MakeIntrusive<GradSlot>();
  Tensor g = Tensor::Scalar(1);
  slot->Retain(g);
  Tensor before = slot->Get();
  EXPECT_FALSE(before.HasSameStorage(g));
  slot->Retain(g);
  EXPECT_EQ(before.item<double>(), 1);
  EXPECT_EQ(slot->Get().item<double>(), 2);
}

// Rules: J1, J12.
TEST(GradSlotTest, ClosedOrInactiveSlotsTakeNothing) {
  auto slot = sync::MakeIntrusive<GradSlot>();
  slot->SetActive(false);
  EXPECT_FALSE(slot->Accumulate(Tensor::Scalar(1)).defined());
  slot->SetActive(true);
  slot->Accumulate(Tensor::Scalar(1));
  slot->Close();
  EXPECT_FALSE(slot->Get().defined());
  slot->Set(Tensor::Scalar(1));
  slot->Retain(Tensor::Scalar(1));
  EXPECT_FALSE(slot->Get().defined());
}

// What ends with it may ask the slot.
TEST(GradSlotTest, ARefusedGradientEndsWithNoLockHeld) {
  struct Asks final : TensorMeta {
    Asks(const GradSlot& of, bool* done) : slot(of), asked(done) {}
    ~Asks() override { *asked = !slot.Get().defined(); }
    const GradSlot& slot;
    bool* const asked;
  };
  auto slot = sync::MakeIntrusive<GradSlot>();
  slot->Close();
  bool asked = false;
  Tensor grad = Tensor::Scalar(1);
  grad.impl()->SetMeta(new Asks(*slot, &asked));
  slot->Set(std::move(grad));
  EXPECT_TRUE(asked);
}

// Rules: J1.
TEST(AccumulateGradTest, ALeafThatBecameAResultRefusesGradientsOfOlderGraphs) {
  Tensor x = MakeLeaf(1);
  NodePtr node = GradientEdge(x).function;
  SetRequiresGrad(x, false);
  EXPECT_TRUE(node->Apply({Tensor::Scalar(1)}).empty());  // merely turned off
  ReplaceNode(x, MakePass({}));                           // what a recorded write does
  EXPECT_EQ(KindOf([&] { node->Apply({Tensor::Scalar(1)}); }), ErrorKind::kLeafInPlace);
  EXPECT_TRUE(node->Apply({Tensor()}).empty());
  EXPECT_FALSE(GradOf(x).defined());
}

// Rules: H9, J1.
TEST(AccumulateGradTest, AddsAndRunsItsHooksUnlessUndefined) {
  GradModeGuard no_grad(false);
  Tensor x = MakeLeaf(1);
  NodePtr node = GradientEdge(x).function;
  int calls = 0;
  HookHandle handle = RegisterPostAccumulateGradHook(x, [&](const Tensor& grad) {
    ++calls;
    EXPECT_EQ(grad.item<double>(), 4);
    EXPECT_EQ(GradOf(x).item<double>(), 4);  // no lock is held
  });
  node->Apply({Tensor()});
  EXPECT_EQ(calls, 0);
  EXPECT_FALSE(GradOf(x).defined());
  node->Apply({Tensor::Scalar(4)});
  EXPECT_EQ(calls, 1);
  Remove(handle);
  node->Apply({Tensor::Scalar(1)});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(GradOf(x).item<double>(), 5);
}

// Rules: J2, T6.
TEST(AccumulateGradTest, ThreadsLoseNothing) {
  Tensor x = MakeLeaf(1);
  NodePtr node = GradientEdge(x).function;
  auto add = [&] {
    GradModeGuard no_grad(false);
    for (int i = 0; i < 1000; ++i) node->Apply({Tensor::Scalar(1)});
  };
  sync::Thread thread("add", add);
  add();
  thread.Join();
  EXPECT_EQ(GradOf(x).item<double>(), 2000);
}

// Rules: C6.
TEST(AccumulateGradTest, ALeafThatIsGoneTakesNothing) {
  Tensor x = MakeLeaf(1);
  NodePtr node = GradientEdge(x).function;
  x.reset();
  EXPECT_TRUE(node->Apply({Tensor::Scalar(1)}).empty());
}

// Rules: J6.
TEST(BasicNodesTest, SumsAndCopiesHaveHistoryInGradMode) {
  Tensor a = MakeLeaf(1);
  Tensor b = Tensor::Scalar(2);
  Tensor sum = GradientAdd(a, b);
  EXPECT_EQ(sum.item<double>(), 3);
  const NodePtr add = GradientEdge(sum).function;
  ASSERT_EQ(add->num_outputs(), 2u);
  EXPECT_EQ(add->next_edge(0), GradientEdge(a));
  EXPECT_FALSE(add->next_edge(1).is_valid());
  VariableList results = add->Apply({Tensor::Scalar(7)});
  EXPECT_EQ(results[0].item<double>(), 7);
  EXPECT_FALSE(results[1].defined());
  Tensor copy = GradientClone(a);
  EXPECT_FALSE(copy.HasSameStorage(a));
  EXPECT_EQ(GradientEdge(copy).function->next_edge(0), GradientEdge(a));
  GradModeGuard no_grad(false);
  EXPECT_FALSE(RequiresGrad(GradientAdd(a, b)));
}

// Rules: D2.
TEST(BasicNodesTest, GraphRootGivesItsSeeds) {
  NodePtr node = MakePass({});
  auto root = MakeNode<GraphRoot>(std::vector<Edge>{{node, 0}, {node, 0}},
                                  VariableList{Tensor::Scalar(1), Tensor()});
  EXPECT_EQ(root->num_inputs(), 0u);
  VariableList seeds = root->Apply({});
  ASSERT_EQ(seeds.size(), 2u);
  EXPECT_EQ(seeds[0].item<double>(), 1);
  EXPECT_FALSE(seeds[1].defined());
}

}  // namespace
}  // namespace twingrad

// What a node saves comes back as it was, or says why not.

#include "autograd/graph/saved_variable.h"

#include <any>
#include <utility>
#include <vector>

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

// Rules: K1. Of an operand whose edge is the node's own, of every form of data.
TEST(SavedVariableTest, AnOperandHasTheEdgeOfItsNode) {
  Tensor row_major = MakeLeaf(3);
  Tensor strided = Tensor::Ones({2, 3}, DType::kF64).AsStrided({3}, {1}, 3);
  SetRequiresGrad(strided, true);
  for (const Tensor& operand : {row_major, strided}) {
    NodePtr node = MakePass({Edge(), GradientEdge(operand)});
    SavedVariable saved = SavedVariable::OfOperand(operand, 1);
    const Tensor again = saved.Unpack(node.get());
    EXPECT_TRUE(again.HasSameTypeAs(operand));
    EXPECT_EQ(again.strides(), operand.strides());
    EXPECT_EQ(again.raw_data(), operand.raw_data());
    EXPECT_EQ(GradientEdge(again), GradientEdge(operand));
    SavedVariable moved = std::move(saved);
    EXPECT_FALSE(saved.Unpack(node.get()).defined());
    EXPECT_EQ(GradientEdge(moved.Unpack(node.get())), GradientEdge(operand));
    moved.Reset();
    EXPECT_EQ(KindOf([&] { moved.Unpack(node.get()); }), ErrorKind::kFreed);
  }
}

// Rules: K1. Results of a high number have no room for it beside their type.
TEST(SavedVariableTest, ASavedResultKeepsItsNumber) {
  for (const uint32_t number : {0u, 1u, 31u, 32u, 1000u}) {
    NodePtr node = MakePass({});
    SavedVariable saved(Tensor::Scalar(4), true, number);
    EXPECT_EQ(GradientEdge(saved.Unpack(node.get())), Edge(node, number));
  }
}

class SeveralTest : public testing::Test {
 protected:
  SeveralTest() { SavedVariable::ShareLock(saved_, 3); }
  // Those of `which`, as numbers; 0 for the others.
  std::vector<double> Unpack(uint32_t which) {
    Tensor a, b, c;
    Tensor* const places[] = {&a, &b, &c};
    SavedVariable::Reading reading;
    reading.UnpackAll(saved_, 3, which, node_.get(), places);
    std::vector<double> values;
    for (const Tensor* each : places) values.push_back(each->defined() ? each->item<double>() : 0);
    return values;
  }

  NodePtr node_ = MakePass({});
  Tensor first_ = Tensor::Scalar(1);
  SavedVariable saved_[3] = {SavedVariable(first_, false), SavedVariable(MakeLeaf(2), false),
                             SavedVariable(Tensor::Scalar(3), false)};
};

TEST_F(SeveralTest, AreUnpackedAndReleasedTogether) {
  const NoGradGuard no_grad;
  EXPECT_EQ(Unpack(7), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(Unpack(5), (std::vector<double>{1, 0, 3}));
  SavedVariable::ResetAll(saved_, 3);
  SavedVariable::ResetAll(saved_, 3);
  for (const uint32_t one : {1u, 2u, 4u}) {
    EXPECT_EQ(KindOf([&] { Unpack(one); }), ErrorKind::kFreed);
  }
}

// Rules: K1. In grad mode they have their places in the graph.
TEST_F(SeveralTest, AreVariablesInGradMode) {
  Tensor a, b;
  Tensor* const places[] = {&a, &b};
  SavedVariable::Reading reading;
  reading.UnpackAll(saved_, 2, 3, node_.get(), places);
  EXPECT_FALSE(RequiresGrad(a));
  EXPECT_TRUE(RequiresGrad(b));
}

// Rules: K3. A thread that reads without the lock has a tensor of its own of what it holds on to.
TEST_F(SeveralTest, AreLentToAReader) {
  const NoGradGuard no_grad;
  const SavedReaders::Scope scope(true);
  ASSERT_NE(CurrentThread().reader, nullptr);
  saved_[1] = SavedVariable::OfOperand(MakeLeaf(2), 0);
  Tensor kept;
  {
    Tensor a, b, c;
    Tensor* const places[] = {&a, &b, &c};
    SavedVariable::Reading reading;
    reading.UnpackAll(saved_, 3, 7, node_.get(), places);
    EXPECT_TRUE(a.impl()->is_lent());
    EXPECT_TRUE(b.impl()->is_lent());
    EXPECT_EQ(a.impl()->storage(), first_.impl()->storage());
    kept = b;
    c = Tensor::Scalar(7);  // as widening does
  }
  EXPECT_FALSE(kept.impl()->is_lent());
  SavedVariable::ResetAll(saved_, 3);
  EXPECT_EQ(kept.item<double>(), 2);
  EXPECT_TRUE(kept.OwnsStorageAlone());
  EXPECT_EQ(KindOf([&] { Unpack(1); }), ErrorKind::kFreed);
}

// Rules: K2, K4. Nor is anything lent that was written, or packed by hooks.
TEST_F(SeveralTest, AreNotLentWhereSomethingIsToBeDone) {
  const NoGradGuard no_grad;
  const SavedReaders::Scope scope(true);
  saved_[1] = SavedVariable::OfOperand(MakeLeaf(2), 0);
  saved_[2].RegisterHooks(node_.get(), {.pack = [](const Tensor&) { return std::any(5.0); },
                                        .unpack =
                                            [](const std::any& packed) {
                                              return Tensor::Scalar(std::any_cast<double>(packed));
                                            }});
  EXPECT_EQ(Unpack(7), (std::vector<double>{1, 2, 5}));
  first_.BumpVersion();
  EXPECT_EQ(KindOf([&] { Unpack(3); }), ErrorKind::kVersion);
  EXPECT_EQ(Unpack(2), (std::vector<double>{0, 2, 0}));
}

// Rules: K3. What is stored is given up at once where the thread's state says so.
TEST_F(SeveralTest, AreReleasedAsTheyAreUnpacked) {
  const NoGradGuard no_grad;
  NodePtr other = MakePass({});
  CurrentThread().releasing = other.get();
  EXPECT_EQ(Unpack(5), (std::vector<double>{1, 0, 3}));
  EXPECT_EQ(Unpack(5), (std::vector<double>{1, 0, 3}));
  CurrentThread().releasing = node_.get();
  EXPECT_EQ(Unpack(5), (std::vector<double>{1, 0, 3}));
  EXPECT_EQ(CurrentThread().released, node_.get());
  EXPECT_EQ(CurrentThread().releasing, nullptr);
  CurrentThread().released = nullptr;
  EXPECT_EQ(KindOf([&] { Unpack(1); }), ErrorKind::kFreed);
  EXPECT_EQ(Unpack(2), (std::vector<double>{0, 2, 0}));
}

// Rules: K2, K3. Not even those that were not written.
TEST_F(SeveralTest, AreKeptWhereOneWasWritten) {
  const NoGradGuard no_grad;
  first_.BumpVersion();
  CurrentThread().releasing = node_.get();
  EXPECT_EQ(KindOf([&] { Unpack(5); }), ErrorKind::kVersion);
  EXPECT_EQ(CurrentThread().released, nullptr);
  EXPECT_EQ(Unpack(4), (std::vector<double>{0, 0, 3}));
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

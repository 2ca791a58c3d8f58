// Pairs of hooks: which one is in force, what pack and unpack may do, hooks on one saved tensor.

#include "autograd/graph/saved_tensor_hooks.h"

#include <any>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "autograd/graph/saved_variable.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

// Packs a tensor as it is and counts.
struct Counts {
  int packed = 0;
  int unpacked = 0;
};

SavedTensorHooks Counting(Counts& counts) {
  return {.pack =
              [&counts](const Tensor& tensor) {
                ++counts.packed;
                return std::any(tensor);
              },
          .unpack =
              [&counts](const std::any& packed) {
                ++counts.unpacked;
                return std::any_cast<Tensor>(packed);
              }};
}

SavedTensorHooks Returning(Tensor tensor) {
  return {.pack = [](const Tensor&) { return std::any(0); },
          .unpack = [tensor = std::move(tensor)](const std::any&) { return tensor; }};
}

// Rules: K6.
TEST(SavedTensorHooksTest, TheInnermostPairWinsAndAGuardEndsWithItsBlock) {
  Counts outer, inner;
  const NodePtr node = MakePass({});
  {
    SavedTensorHooksGuard outer_guard(Counting(outer));
    {
      SavedTensorHooksGuard inner_guard(Counting(inner));
      SavedVariable(MakeLeaf(1), false);
    }
    EXPECT_EQ(inner.packed, 1);
    EXPECT_EQ(outer.packed, 0);
    SavedVariable saved(MakeLeaf(2), false);
    EXPECT_EQ(outer.packed, 1);
    EXPECT_EQ(saved.Unpack(node.get()).item<double>(), 2);
    EXPECT_EQ(outer.unpacked, 1);
  }
  SavedVariable(MakeLeaf(3), false);
  EXPECT_EQ(outer.packed, 1);
  SavedVariable nothing(Tensor(), false);  // nothing is saved, so nothing is packed
  EXPECT_EQ(outer.packed, 1);
}

TEST(SavedTensorHooksTest, APairOutlivesItsGuard) {
  SavedVariable saved;
  {
    SavedTensorHooksGuard guard(
        {.pack = [](const Tensor& t) { return std::any(t.item<double>()); },
         .unpack = [](const std::any& p) { return Tensor::Scalar(std::any_cast<double>(p)); }});
    saved = SavedVariable(MakeLeaf(5), false);
  }
  const NodePtr node = MakePass({});
  EXPECT_EQ(saved.Unpack(node.get()).item<double>(), 5);
  EXPECT_EQ(saved.Unpack(node.get()).item<double>(), 5);
  saved.Reset();
  EXPECT_EQ(KindOf([&] { saved.Unpack(node.get()); }), ErrorKind::kFreed);
}

// The tensor that comes back has the place in the graph that was saved, and only its data is the
// hook's: of a leaf, of a result, of the node's own result.
// Rules: K7.
TEST(SavedTensorHooksTest, UnpackRebuildsThePlaceInTheGraph) {
  const NodePtr node = MakePass({});
  Tensor leaf = MakeLeaf(3);
  Tensor replacement = MakeLeaf(30);  // its own history must not show
  SavedTensorHooksGuard guard(Returning(replacement));
  SavedVariable saved(leaf, false);
  EXPECT_EQ(GradientEdge(saved.Unpack(node.get())), GradientEdge(leaf));
  EXPECT_EQ(saved.Unpack(node.get()).item<double>(), 30);
  SavedVariable result(Tensor::Scalar(4), true);
  EXPECT_EQ(GradientEdge(result.Unpack(node.get())), Edge(node, 0));
  SavedVariable plain(Tensor::Scalar(4), false);
  EXPECT_FALSE(RequiresGrad(plain.Unpack(node.get())));
  GradModeGuard no_grad(false);
  EXPECT_FALSE(RequiresGrad(saved.Unpack(node.get())));
  EXPECT_TRUE(RequiresGrad(replacement));
}

TEST(SavedTensorHooksTest, PackRunsWithoutRecordingOnDataWithoutHistory) {
  Counts outer;
  SavedTensorHooksGuard outer_guard(Counting(outer));
  Tensor seen;
  bool grad_mode = true;
  SavedTensorHooksGuard guard(
      {.pack =
           [&](const Tensor& t) {
             seen = t;
             grad_mode = GradMode::IsEnabled();
             SavedVariable(Tensor::Scalar(1), false);  // not packed by us
             return std::any(t);
           },
       .unpack = [](const std::any& p) { return std::any_cast<Tensor>(p); }});
  Tensor leaf = MakeLeaf(3);
  SavedVariable saved(leaf, false);
  EXPECT_TRUE(GradMode::IsEnabled());
  EXPECT_FALSE(grad_mode);
  EXPECT_FALSE(RequiresGrad(seen));
  EXPECT_TRUE(seen.HasSameStorage(leaf));
  EXPECT_EQ(outer.packed, 1);
}

// Rules: K6.
TEST(SavedTensorHooksTest, PackMustNotWriteItsArgument) {
  SavedTensorHooksGuard guard(
      {.pack =
           [](const Tensor& t) {
             t.BumpVersion();
             return std::any(t);
           },
       .unpack = [](const std::any& p) { return std::any_cast<Tensor>(p); }});
  EXPECT_EQ(KindOf([] { SavedVariable(MakeLeaf(1), false); }), ErrorKind::kHook);
}

TEST(SavedTensorHooksTest, UnpackMustReturnTheSavedTypeButMayReturnOtherVersions) {
  const NodePtr node = MakePass({});
  const auto unpack = [&](Tensor returned) {
    SavedTensorHooksGuard guard(Returning(std::move(returned)));
    return SavedVariable(MakeLeaf(1), false).Unpack(node.get());
  };
  EXPECT_EQ(KindOf([&] { unpack(Tensor()); }), ErrorKind::kHook);
  EXPECT_EQ(KindOf([&] { unpack(Tensor::Scalar(1, DType::kF32)); }), ErrorKind::kHook);
  EXPECT_EQ(KindOf([&] { unpack(Tensor::Zeros({2}, DType::kF64)); }), ErrorKind::kHook);
  EXPECT_EQ(KindOf([&] { unpack(Tensor::Scalar(1, DType::kF64, Device::Sim(0))); }),
            ErrorKind::kHook);
  Counts counts;
  SavedTensorHooksGuard guard(Counting(counts));
  Tensor x = MakeLeaf(3);
  SavedVariable saved(x, false);
  x.Detach().BumpVersion();
  EXPECT_EQ(saved.Unpack(node.get()).item<double>(), 3);  // versions are not checked
}

// Rules: K6.
TEST(SavedTensorHooksTest, OneSavedTensorGetsOnePair) {
  Counts counts;
  const NodePtr node = MakePass({});
  Tensor x = MakeLeaf(3);
  SavedVariable saved(x, false);
  saved.RegisterHooks(node.get(), Counting(counts));
  EXPECT_EQ(counts.packed, 1);
  EXPECT_EQ(GradientEdge(saved.Unpack(node.get())), GradientEdge(x));
  EXPECT_EQ(counts.unpacked, 1);
  const auto again = [&](SavedVariable& s) {
    return KindOf([&] { s.RegisterHooks(node.get(), Counting(counts)); });
  };
  EXPECT_EQ(again(saved), ErrorKind::kInvalidArgument);
  SavedVariable empty;
  EXPECT_EQ(again(empty), ErrorKind::kInvalidArgument);
  saved.Reset();
  EXPECT_EQ(again(saved), ErrorKind::kFreed);
  SavedVariable written(x, false);
  EXPECT_EQ(KindOf([&] { written.RegisterHooks(node.get(), {}); }), ErrorKind::kInvalidArgument);
  x.Detach().BumpVersion();
  EXPECT_EQ(again(written), ErrorKind::kVersion);
  EXPECT_EQ(counts.packed, 1);
}

// Rules: K6.
TEST(SavedTensorHooksTest, HooksCanBeDisabled) {
  Counts counts;
  {
    DisableSavedTensorHooksGuard guard("not while exporting");
    EXPECT_EQ(KindOf([&] { SavedTensorHooksGuard refused(Counting(counts)); }),
              ErrorKind::kInvalidArgument);
    try {
      SavedTensorHooksGuard refused(Counting(counts));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("not while exporting"), std::string::npos);
    }
    SavedVariable(MakeLeaf(1), false);
    DisableSavedTensorHooksGuard twice("again");
  }
  SavedTensorHooksGuard guard(Counting(counts));
  EXPECT_EQ(KindOf([] { DisableSavedTensorHooksGuard late("too late"); }),
            ErrorKind::kInvalidArgument);
  SavedVariable(MakeLeaf(1), false);
  EXPECT_EQ(counts.packed, 1);
  EXPECT_EQ(KindOf([] { SavedTensorHooksGuard none({}); }), ErrorKind::kInvalidArgument);
}

TEST(SavedTensorHooksTest, MovesKeepWhatWasPacked) {
  Counts counts;
  const NodePtr node = MakePass({});
  SavedTensorHooksGuard guard(Counting(counts));
  SavedVariable first(MakeLeaf(3), false);
  SavedVariable second(std::move(first));
  first = SavedVariable();
  EXPECT_EQ(second.Unpack(node.get()).item<double>(), 3);
  second = SavedVariable(MakeLeaf(4), false);
  EXPECT_EQ(second.Unpack(node.get()).item<double>(), 4);
  EXPECT_FALSE(first.Unpack(node.get()).defined());
  EXPECT_EQ(counts.packed, 2);
}

TEST(SavedTensorHooksTest, SeveralThreadsUnpackOneWhileItIsReleased) {
  const NodePtr node = MakePass({});
  for (int round = 0; round < 100; ++round) {
    SavedVariable saved;
    {
      SavedTensorHooksGuard guard(
          {.pack = [](const Tensor& t) { return std::any(t.item<double>()); },
           .unpack = [](const std::any& p) { return Tensor::Scalar(std::any_cast<double>(p)); }});
      saved = SavedVariable(MakeLeaf(2), false);
    }
    const auto use = [&] {
      try {
        EXPECT_EQ(saved.Unpack(node.get()).item<double>(), 2);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kFreed);
      }
    };
    sync::Thread user("unpack", use);
    sync::Thread reset("reset", [&] { saved.Reset(); });
    use();
    user.Join();
    reset.Join();
  }
}

}  // namespace
}  // namespace twingrad

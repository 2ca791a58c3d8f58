// Exchanging the data of a leaf, and gradients of another dtype than the leaf's.

#include "autograd/graph/leaf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "autograd/base/span.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/view.h"

namespace twingrad {
namespace {

Tensor Vector(Span<const double> data) {
  return Tensor::FromData<double>({static_cast<int64_t>(data.size())}, data);
}

// Rules: C7, L1.
TEST(SetDataTest, TheLeafStaysTheSameButShowsOtherMemory) {
  Tensor x = MakeLeaf(1);
  x.BumpVersion();
  const NodePtr accumulator = GradientEdge(x).function;
  Tensor y = Tensor::Scalar(5);
  y.BumpVersion();
  y.BumpVersion();
  SetData(x, y);
  EXPECT_EQ(x.item<double>(), 5);
  EXPECT_EQ(x.data<double>(), y.data<double>());
  EXPECT_TRUE(RequiresGrad(x));
  EXPECT_TRUE(GradientEdge(x).function == accumulator);
  EXPECT_EQ(x.version(), 1u);  // neither y's nor raised
  x.BumpVersion();
  EXPECT_EQ(y.version(), 2u);
  EXPECT_FALSE(x.OwnsStorageAlone());
  EXPECT_FALSE(y.OwnsStorageAlone());
  y.reset();
  EXPECT_EQ(x.item<double>(), 5);
  SetData(x, Tensor::Scalar(6));
  EXPECT_EQ(x.item<double>(), 6);
  EXPECT_EQ(x.version(), 2u);
}

// Rules: C7, J12.
TEST(SetDataTest, AnotherTypeMakesANewAccumulatorWithTheHooks) {
  GradModeGuard no_grad(false);
  Tensor x = MakeLeaf(1);
  const Edge before = GradientEdge(x);
  int calls = 0;
  const HookHandle handle = RegisterPostAccumulateGradHook(x, [&](const Tensor&) { ++calls; });
  SetData(x, Vector({1, 2}).Detach());
  const Edge after = GradientEdge(x);
  EXPECT_FALSE(before == after);
  EXPECT_EQ(after.function->input_metadata(0).sizes(), (Shape{2}));
  EXPECT_EQ(KindOf([&] { before.function->Apply({Tensor::Scalar(1)}); }), ErrorKind::kLeafInPlace);
  after.function->Apply({Vector({3, 4})});
  EXPECT_EQ(GradOf(x).data<double>()[1], 4);
  EXPECT_EQ(calls, 1);
  Remove(handle);
  after.function->Apply({Vector({3, 4})});
  EXPECT_EQ(calls, 1);
}

// Rules: C7.
TEST(SetDataTest, ViewsAndSavedMemoryKeepWhatTheyShowed) {
  Tensor x = Vector({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  Tensor detached = x.Detach();
  Tensor view = MakeView(x, {2}, {1}, 0, nullptr);
  SetData(x, Vector({-1, -2}));
  EXPECT_EQ(detached.data<double>()[9], 10);
  EXPECT_EQ(view.data<double>()[1], 2);
  EXPECT_EQ(x.data<double>()[1], -2);
  EXPECT_EQ(x.version(), 1u);  // a tensor without a place in a graph is saved as it is
  // The view is no part of the leaf any more.
  SetRequiresGrad(x, true);
  EXPECT_FALSE(RequiresGrad(view));
  EXPECT_EQ(KindOf([&] { CheckInPlace(view, true); }), ErrorKind::kInvalidArgument);
}

TEST(SetDataTest, MemoryThatNobodyElseUsesIsFreedAtOnceAndGeometryFollows) {
  Tensor x = Tensor::Zeros({1000}, DType::kF64);
  SetData(x, Tensor::Full({2, 3, 1, 2, 1, 2}, 7, DType::kF32));
  EXPECT_EQ(x.dim(), 6);
  EXPECT_EQ(x.dtype(), DType::kF32);
  EXPECT_EQ(x.data<float>()[23], 7);
  Tensor alias = x.Detach();  // x does not own the block of this one
  SetData(alias, Tensor::Scalar(1));
  EXPECT_EQ(alias.dim(), 0);
  SetData(alias, alias);
  SetData(alias, x);
  EXPECT_EQ(alias.sizes()[1], 3);
}

// Rules: C7.
TEST(SetDataTest, WhatWouldNotFitIsRefused) {
  Tensor x = MakeLeaf(1);
  const auto set = [&](const Tensor& leaf, const Tensor& data) {
    return KindOf([&] { SetData(leaf, data); });
  };
  EXPECT_EQ(set(x, Tensor()), ErrorKind::kUndefined);
  EXPECT_EQ(set(Tensor(), x), ErrorKind::kUndefined);
  EXPECT_EQ(set(x, Tensor::Scalar(1, DType::kI64)), ErrorKind::kInvalidArgument);
  Tensor result = Tensor::Scalar(1);
  SetHistory(result, MakeNode<PassNode>());
  EXPECT_EQ(set(result, x), ErrorKind::kInvalidArgument);
  EXPECT_EQ(set(MakeView(x, {}, {}, 0, nullptr), x), ErrorKind::kInvalidArgument);
  Tensor grad = Tensor::Scalar(2);
  SetGrad(x, grad);
  EXPECT_EQ(set(x, Vector({1})), ErrorKind::kInvalidArgument);
  EXPECT_EQ(set(x, grad), ErrorKind::kInvalidArgument);
  EXPECT_EQ(set(x, grad.Data()), ErrorKind::kInvalidArgument);
  SetData(x, Tensor::Scalar(3));
  EXPECT_EQ(x.item<double>(), 3);
}

// Rules: L1.
TEST(DataTest, SharesMemoryButNoVersion) {
  Tensor x = MakeLeaf(1);
  Tensor data = x.Data();
  EXPECT_TRUE(data.HasSameStorage(x));
  EXPECT_FALSE(RequiresGrad(data));
  data.mutable_data<double>()[0] = 7;
  data.BumpVersion();
  EXPECT_EQ(x.item<double>(), 7);
  EXPECT_EQ(x.version(), 0u);
  EXPECT_EQ(data.Detach().version(), 1u);
  Tensor again = data.Data();
  EXPECT_EQ(again.version(), 0u);
  x.reset();
  data.reset();
  EXPECT_EQ(again.item<double>(), 7);
  EXPECT_FALSE(again.OwnsStorageAlone());
}

// Rules: Q5.
TEST(GradDTypeTest, GradientsHaveTheDTypeThatWasSet) {
  Tensor x = MakeLeaf(1);
  EXPECT_EQ(GradDTypeOf(x), DType::kF64);
  const InputMetadata& place = GradientEdge(x).function->input_metadata(0);
  SetGradDType(x, DType::kF32);
  EXPECT_EQ(GradDTypeOf(x), DType::kF32);
  EXPECT_EQ(place.dtype(), DType::kF32);
  EXPECT_FALSE(place.Matches(Tensor::Scalar(1)));
  EXPECT_TRUE(place.Matches(Tensor::Scalar(1, DType::kF32)));
  EXPECT_EQ(KindOf([&] { SetGrad(x, Tensor::Scalar(1)); }), ErrorKind::kShape);
  SetGrad(x, Tensor::Scalar(1, DType::kF32));
  EXPECT_EQ(KindOf([&] { SetGradDType(x, DType::kF64); }), ErrorKind::kInvalidArgument);
  SetGradDType(x, std::nullopt);
  EXPECT_EQ(GradDTypeOf(x), std::nullopt);
  EXPECT_TRUE(place.TakesAnyDType());
  SetGrad(x, Tensor::Scalar(1));
  SetGradDType(x, DType::kF64);
  EXPECT_TRUE(place.Matches(Tensor::Scalar(1)));

  EXPECT_EQ(KindOf([&] { SetGradDType(x, DType::kI64); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { SetGradDType(Tensor::Scalar(1, DType::kI64), DType::kF32); }),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { SetGradDType(Tensor(), DType::kF32); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { GradDTypeOf(Tensor()); }), ErrorKind::kUndefined);
}

}  // namespace
}  // namespace twingrad

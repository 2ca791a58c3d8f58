// Tensors over several devices: values, derivatives of first and second order, streams, errors.

#include "autograd/functional/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/device/device_registry.h"
#include "autograd/device/order_after.h"
#include "autograd/device/stream.h"
#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/functional/functional.h"
#include "autograd/graph/leaf.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "autograd/ops/copy.h"

namespace twingrad::devices {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Doubles = std::vector<double>;

const std::vector<Device> kThree = {Device::Sim(0), Device::Sim(1), Device::Sim(2)};

Doubles NumbersOf(const Tensor& a) { return Elements(ops::To(a, Device::Cpu())); }

Tensor LeafOn(Device device, Ints shape, const Doubles& numbers) {
  return Leaf(ops::To(Tensor::FromData<double>(shape, numbers), device));
}

// What nothing orders is reported.
class DevicesTest : public testing::Test {
 protected:
  DevicesTest() { sim_.TakeReports(); }
  ~DevicesTest() override { EXPECT_THAT(sim_.TakeReports(), IsEmpty()); }

  DeviceInterface& sim_ = GetDeviceInterface(Device::Sim(0));
};

TEST_F(DevicesTest, ABroadcastTensorGetsTheSumOfTheGradientsOfItsCopies) {
  const Tensor x = LeafOn(Device::Sim(1), {2}, {1, 2});
  const std::vector<Tensor> copies = Broadcast(x, kThree);
  ASSERT_EQ(copies.size(), 3u);
  Tensor sum;
  for (size_t i = 0; i < copies.size(); ++i) {
    EXPECT_EQ(copies[i].device(), kThree[i]);
    EXPECT_THAT(NumbersOf(copies[i]), ElementsAre(1, 2));
    const Tensor part = ops::To(Sum(copies[i] * (i + 1.0)), Device::Cpu());
    sum = sum.defined() ? sum + part : part;
  }
  Backward({sum});
  EXPECT_EQ(GradOf(x).device(), Device::Sim(1));
  EXPECT_THAT(NumbersOf(GradOf(x)), ElementsAre(6, 6));
}

TEST_F(DevicesTest, AScatteredTensorIsCutAndItsGradientJoined) {
  const Tensor x = LeafOn(Device::Sim(0), {4, 1}, {1, 2, 3, 4});
  const std::vector<Tensor> pieces = Scatter(x, kThree);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_THAT(NumbersOf(pieces[0]), ElementsAre(1, 2));
  EXPECT_THAT(NumbersOf(pieces[1]), ElementsAre(3));
  EXPECT_THAT(NumbersOf(pieces[2]), ElementsAre(4));
  EXPECT_EQ(pieces[2].device(), Device::Sim(2));
  Backward({Sum(pieces[0] * 5.0), Sum(pieces[2] * 7.0)});
  EXPECT_THAT(NumbersOf(GradOf(x)), ElementsAre(5, 5, 0, 7));
}

TEST_F(DevicesTest, PiecesHaveTheSizesThatAreAskedFor) {
  const Tensor x = Tensor::FromData<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<Tensor> pieces = Scatter(x, kThree, /*dim=*/1, {1, 0, 2});
  EXPECT_THAT(NumbersOf(pieces[0]), ElementsAre(1, 4));
  EXPECT_EQ(pieces[1].sizes(), Ints({2, 0}));
  EXPECT_THAT(NumbersOf(pieces[2]), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(NumbersOf(Gather(pieces, Device::Cpu(), /*dim=*/1)), ElementsAre(1, 2, 3, 4, 5, 6));
}

// As without devices: the law of what goes there and back.
TEST_F(DevicesTest, DerivativesAreThoseOfTheSameFunctionOnOneDevice) {
  const Tensor x = Tensor::FromData<double>({3}, {1, 2, 3});
  const auto cubes = [](const Tensor& a) { return a * a * a; };
  const auto there_and_back = [&](const Tensor& a) {
    std::vector<Tensor> pieces = Scatter(a, kThree);
    for (Tensor& piece : pieces) piece = cubes(piece);
    return Gather(pieces, Device::Cpu());
  };
  EXPECT_EQ(Elements(Jacobian(there_and_back, x)), Elements(Jacobian(cubes, x)));
  EXPECT_EQ(Elements(Hessian([&](const Tensor& a) { return Sum(there_and_back(a)); }, x)),
            Elements(Hessian([&](const Tensor& a) { return Sum(cubes(a)); }, x)));
  const auto in_parallel = [&](const Tensor& a) {
    std::vector<Tensor> results;
    for (const Tensor& copy : Broadcast(a, kThree)) results.push_back(cubes(copy));
    return ReduceAdd(results, Device::Cpu());
  };
  const auto thrice = [&](const Tensor& a) { return cubes(a) * 3.0; };
  EXPECT_EQ(Elements(Jacobian(in_parallel, x)), Elements(Jacobian(thrice, x)));
  EXPECT_EQ(Elements(Hessian([&](const Tensor& a) { return Sum(in_parallel(a)); }, x)),
            Elements(Hessian([&](const Tensor& a) { return Sum(thrice(a)); }, x)));
}

TEST_F(DevicesTest, WhatIsAddedUpGetsTheGradientOfTheSumOnItsOwnDevice) {
  const Tensor a = LeafOn(Device::Sim(2), {2}, {1, 2});
  const Tensor b = LeafOn(Device::Cpu(), {2}, {10, 20});
  const Tensor sum = ReduceAdd({a, b, a}, Device::Sim(0));
  EXPECT_EQ(sum.device(), Device::Sim(0));
  EXPECT_THAT(NumbersOf(sum), ElementsAre(12, 24));
  Backward({Sum(sum * sum)});
  EXPECT_THAT(NumbersOf(GradOf(a)), ElementsAre(48, 96));
  EXPECT_THAT(NumbersOf(GradOf(b)), ElementsAre(24, 48));
  EXPECT_EQ(GradOf(a).device(), Device::Sim(2));
}

// Each device works on a stream of its own, and calls are made on others.
TEST_F(DevicesTest, StreamsWaitForCopiesForwardAndBackward) {
  Tensor x = LeafOn(Device::Sim(0), {3}, {1, 2, 3});
  Tensor w = LeafOn(Device::Sim(1), {1}, {2});
  Engine engine({.device_threads = 2});
  Tensor loss;
  for (int round = 0; round < 3; ++round) {
    for (const Device device : kThree) {
      const Stream stream = sim_.CreateStream(device.index);
      OrderAfter(stream, CurrentStream(device));
      SetCurrentStream(stream);
    }
    std::vector<Tensor> pieces = Scatter(x, kThree);
    const std::vector<Tensor> weights = Broadcast(w, kThree);
    for (size_t i = 0; i < pieces.size(); ++i) pieces[i] = pieces[i] * weights[i];
    loss = Sum(Gather(pieces, Device::Sim(1)));
    Backward({loss}, {}, {.engine = &engine});
  }
  EXPECT_THAT(NumbersOf(GradOf(x)), ElementsAre(6, 6, 6));
  EXPECT_THAT(NumbersOf(GradOf(w)), ElementsAre(18));
  SetCurrentStreams({});
  sim_.SynchronizeDevice(0);
  sim_.SynchronizeDevice(1);
  sim_.SynchronizeDevice(2);
}

TEST_F(DevicesTest, WhatDoesNotFitIsAnError) {
  const Tensor x = Tensor::FromData<double>({2}, {1, 2});
  EXPECT_EQ(KindOf([&] { Broadcast(x, {}); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Broadcast(Tensor(), kThree); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { Scatter(x, {}); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Scatter(x, kThree, 1); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Scatter(x, kThree, 0, {1, 1}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Scatter(x, kThree, 0, {3, 0, -1}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Scatter(x, kThree, 0, {1, 1, 1}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Gather({}, Device::Cpu()); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { ReduceAdd({}, Device::Cpu()); }), ErrorKind::kInvalidArgument);
  const Tensor one = Tensor::FromData<double>({1}, {1});
  EXPECT_EQ(KindOf([&] { ReduceAdd({x, one}, Device::Cpu()); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { ReduceAdd({x, Tensor()}, Device::Cpu()); }), ErrorKind::kUndefined);
}

}  // namespace
}  // namespace twingrad::devices

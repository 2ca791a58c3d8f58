// This engine for training.h, on whichever device `device` is.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/device/device_registry.h"
#include "autograd/optim/sgd.h"

namespace twingrad::bench {

struct TwingradTraining {
  using Tensor = twingrad::Tensor;

  static inline Device device = Device::Cpu();

  static Tensor Random(Ints sizes, bool requires_grad) {
    static Generator generator(1);
    Tensor x = ops::To(Uniform(sizes, -1, 1, generator, DType::kF32), device);
    if (requires_grad) SetRequiresGrad(x, true);
    return x;
  }

  static Tensor Addmm(const Tensor& c, const Tensor& a, const Tensor& b) {
    return ops::Addmm(c, a, b);
  }
  static Tensor Relu(const Tensor& a) { return ops::Relu(a); }
  static Tensor Sub(const Tensor& a, const Tensor& b) { return ops::Sub(a, b); }
  static Tensor Mul(const Tensor& a, const Tensor& b) { return ops::Mul(a, b); }
  static Tensor Mean(const Tensor& a) { return twingrad::Mean(a); }
  static Tensor Conv2d(const Tensor& x, const Tensor& w) {
    return twingrad::Conv2d(x, w, {.padding = {1, 1}});
  }
  static Tensor MaxPool2d(const Tensor& x) { return twingrad::MaxPool2d(x, {2, 2}); }
  static Tensor BatchNorm2d(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return ops::BatchNorm(x, weight, bias, 1e-5);
  }
  static Tensor Dropout(const Tensor& x) {
    static Generator generator(2);
    return twingrad::Dropout(x, 0.2, generator);
  }
  static Tensor Classes(int64_t n, int64_t count) {
    std::vector<int64_t> classes;
    for (int64_t i = 0; i < n; ++i) classes.push_back(i % count);
    return ops::To(Tensor::FromData<int64_t>({n}, classes), device);
  }
  static Tensor CrossEntropy(const Tensor& x, const Tensor& classes) {
    return twingrad::CrossEntropy(x, classes, Reduction::kMean);
  }
  static Tensor Flatten(const Tensor& x) { return Reshape(x, {x.sizes()[0], -1}); }
  static void Backward(const Tensor& y) { twingrad::Backward({y}); }

  class Sgd {
   public:
    Sgd(const std::vector<Tensor>& parameters, double rate)
        : sgd_(parameters, {.learning_rate = rate}) {}
    void Step() { sgd_.Step(); }
    void ZeroGrad() { sgd_.ZeroGrad(); }

   private:
    twingrad::Sgd sgd_;
  };

  static void Wait() {
    if (!device.IsCpu()) GetDeviceInterface(device).SynchronizeDevice(device.index);
  }
};

}  // namespace twingrad::bench

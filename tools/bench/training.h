// A whole step of training: forward, backward, and a step of the optimizer, on the CPU or a GPU.
//
// E names an engine: E::Tensor; E::Random(sizes, requires_grad), of f32 in [-1, 1), where the
// engine is to compute; E::Addmm(c, a, b), E::Relu, E::Sub, E::Mul, E::Mean (of all elements);
// E::Conv2d(x, w), with a border of zeros as wide as a 3 x 3 window needs; E::MaxPool2d(x), of 2 x
// 2; E::Flatten(x), all dimensions but the first; E::Backward(y); E::Sgd(parameters, rate) with
// Step() and ZeroGrad(); E::Wait(), until all that is queued has run.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tools/bench/contestant.h"

namespace twingrad::bench {

template <typename E>
class Training {
 public:
  static void AddTo(CaseTable& cases) {
    cases["train-mlp"] = Mlp;
    cases["train-cnn"] = Cnn;
  }

 private:
  using Tensor = typename E::Tensor;

  static constexpr double kRate = 1e-6;

  // Three layers of `width` units with relu between them, on a batch of as many; mean square error.
  static Figures Mlp(int64_t width) {
    constexpr int kLayers = 3;
    const Tensor x = E::Random({width, width}, false), goal = E::Random({width, width}, false);
    std::vector<Tensor> weights, biases, all;
    for (int i = 0; i < kLayers; ++i) {
      weights.push_back(E::Random({width, width}, true));
      biases.push_back(E::Random({width}, true));
      all.push_back(weights.back());
      all.push_back(biases.back());
    }
    typename E::Sgd optimizer(all, kRate);
    return Time(std::max<int64_t>(1, 2048 / width), [&] {
      Tensor h = x;
      for (int i = 0; i < kLayers; ++i) {
        h = E::Addmm(biases[i], h, weights[i]);
        if (i + 1 < kLayers) h = E::Relu(h);
      }
      Learn(h, goal, optimizer);
    });
  }

  // Two convolutions of 3 x 3 with `channels` and twice as many channels, relu and max_pool after
  // each, then a layer for 10 classes, on 64 pictures of 3 x 32 x 32; mean square error.
  static Figures Cnn(int64_t channels) {
    constexpr int64_t kPictures = 64, kSide = 32, kClasses = 10;
    const int64_t flat = 2 * channels * (kSide / 4) * (kSide / 4);
    const Tensor x = E::Random({kPictures, 3, kSide, kSide}, false);
    const Tensor goal = E::Random({kPictures, kClasses}, false);
    const Tensor first = E::Random({channels, 3, 3, 3}, true);
    const Tensor second = E::Random({2 * channels, channels, 3, 3}, true);
    const Tensor last = E::Random({flat, kClasses}, true), bias = E::Random({kClasses}, true);
    typename E::Sgd optimizer({first, second, last, bias}, kRate);
    return Time(std::max<int64_t>(1, 64 / channels), [&] {
      Tensor h = E::MaxPool2d(E::Relu(E::Conv2d(x, first)));
      h = E::MaxPool2d(E::Relu(E::Conv2d(h, second)));
      Learn(E::Addmm(bias, E::Flatten(h), last), goal, optimizer);
    });
  }

  static void Learn(const Tensor& h, const Tensor& goal, typename E::Sgd& optimizer) {
    const Tensor off = E::Sub(h, goal);
    const Tensor loss = E::Mean(E::Mul(off, off));
    optimizer.ZeroGrad();
    E::Backward(loss);
    optimizer.Step();
  }

  template <typename Step>
  static Figures Time(int64_t times, const Step& step) {
    step();
    E::Wait();
    const double all = TimeNs([&] {
      for (int64_t i = 0; i < times; ++i) step();
      E::Wait();
    });
    return {{"step", all / static_cast<double>(times)}};
  }
};

}  // namespace twingrad::bench

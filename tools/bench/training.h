// A whole step of training: forward, backward, and a step of the optimizer, on the CPU or a GPU.
//
// E names an engine: E::Tensor; E::Random(sizes, requires_grad), of f32 in [-1, 1), where the
// engine is to compute; E::Addmm(c, a, b), E::Relu, E::Sub, E::Mul, E::Mean (of all elements);
// E::Conv2d(x, w), with a border of zeros as wide as a 3 x 3 window needs; E::BatchNorm2d(x,
// weight, bias), in training and without running moments; E::MaxPool2d(x), of 2 x 2; E::Dropout(x),
// of a fifth; E::Flatten(x), all dimensions but the first; E::Classes(n, count), i mod count for i
// below n; E::CrossEntropy(x, classes), the mean; E::Backward(y); E::Sgd(parameters, rate) with
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
      const Tensor off = E::Sub(h, goal);
      Learn(E::Mean(E::Mul(off, off)), optimizer);
    });
  }

  // Two convolutions of 3 x 3 with `channels` and twice as many channels, each with batch norm,
  // relu and max_pool, then dropout and a layer for 10 classes, on 64 pictures of 3 x 32 x 32;
  // cross-entropy.
  static Figures Cnn(int64_t channels) {
    constexpr int64_t kPictures = 64, kSide = 32, kClasses = 10;
    const Tensor x = E::Random({kPictures, 3, kSide, kSide}, false);
    const Tensor classes = E::Classes(kPictures, kClasses);
    const Block first(3, channels), second(channels, 2 * channels);
    const Tensor last = E::Random({2 * channels * (kSide / 4) * (kSide / 4), kClasses}, true);
    const Tensor bias = E::Random({kClasses}, true);
    typename E::Sgd optimizer({first.weights, first.scale, first.shift, second.weights,
                               second.scale, second.shift, last, bias},
                              kRate);
    return Time(std::max<int64_t>(1, 64 / channels), [&] {
      const Tensor h = E::Dropout(E::Flatten(second(first(x))));
      Learn(E::CrossEntropy(E::Addmm(bias, h, last), classes), optimizer);
    });
  }

  struct Block {
    Block(int64_t inputs, int64_t outputs)
        : weights(E::Random({outputs, inputs, 3, 3}, true)),
          scale(E::Random({outputs}, true)),
          shift(E::Random({outputs}, true)) {}
    Tensor operator()(const Tensor& x) const {
      return E::MaxPool2d(E::Relu(E::BatchNorm2d(E::Conv2d(x, weights), scale, shift)));
    }
    Tensor weights, scale, shift;
  };

  static void Learn(const Tensor& loss, typename E::Sgd& optimizer) {
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

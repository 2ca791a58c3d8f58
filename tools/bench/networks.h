// Layers of networks, each alone, on f32: forward, and backward from a gradient of what it gives to
// those of all its operands.
//
// E names an engine: E::Tensor; E::Random(sizes, requires_grad), of f32 in [-1, 1); E::Linear(a,
// weight, bias); E::Attention(q, k, v, causal), scaled dot-product; E::Einsum(equation, a, b);
// E::LayerNorm(a, weight, bias), over the last dimension; E::GroupNorm(a, weight, bias, groups);
// E::BatchNorm(a, weight, bias), by the moments of the batch; E::Conv2d(x, w), with a border of
// zeros as wide as a 3 x 3 window needs; E::MaxPool2d(x), E::AvgPool2d(x), of 2 x 2;
// E::UpsampleNearest(x), E::UpsampleBilinear(x), to twice the size; E::BackwardFrom(y, gradient);
// E::ClearGrad(x).

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tools/bench/contestant.h"

namespace twingrad::bench {

template <typename E>
class Networks {
 public:
  static void AddTo(CaseTable& cases) {
    cases["linear"] = Linear;
    cases["attention"] = [](int64_t length) { return Attention(length, /*causal=*/false); };
    cases["attention-causal"] = [](int64_t length) { return Attention(length, /*causal=*/true); };
    cases["einsum"] = Scores;
    cases["layer-norm"] = LayerNorm;
    cases["group-norm"] = GroupNorm;
    cases["batch-norm"] = BatchNorm;
    cases["conv2d"] = Conv2d;
    cases["max-pool"] = [](int64_t side) { return Resized(side, side / 2, E::MaxPool2d); };
    cases["avg-pool"] = [](int64_t side) { return Resized(side, side / 2, E::AvgPool2d); };
    cases["upsample-nearest"] = [](int64_t side) {
      return Resized(side, 2 * side, E::UpsampleNearest);
    };
    cases["upsample-bilinear"] = [](int64_t side) {
      return Resized(side, 2 * side, E::UpsampleBilinear);
    };
  }

 private:
  using Tensor = typename E::Tensor;
  using Sizes = std::vector<int64_t>;

  // `width` units on a batch of 64 of as many numbers.
  static Figures Linear(int64_t width) {
    const Sizes batch = {64, width};
    const Tensor x = E::Random(batch, true), weight = E::Random(Sizes{width, width}, true);
    const Tensor bias = E::Random(Sizes{width}, true);
    return Time(batch, 4 * width * width, [&] { return E::Linear(x, weight, bias); },
                {x, weight, bias});
  }

  // Eight heads of 64 numbers, over as many queries as keys.
  static Figures Attention(int64_t length, bool causal) {
    const Sizes heads = {1, 8, length, 64};
    const Tensor q = E::Random(heads, true), k = E::Random(heads, true);
    const Tensor v = E::Random(heads, true);
    return Time(heads, 8 * length * (length + 64), [&] { return E::Attention(q, k, v, causal); },
                {q, k, v});
  }

  // The products of queries with keys, for four sequences, as they lie before heads are apart.
  static Figures Scores(int64_t length) {
    const Sizes sequences = {4, length, 8, 64};
    const Tensor q = E::Random(sequences, true), k = E::Random(sequences, true);
    return Time({4, 8, length, length}, 32 * length * (length + 64),
                [&] { return E::Einsum("bqhd,bkhd->bhqk", q, k); }, {q, k});
  }

  // 512 rows of `width` numbers, each row a group.
  static Figures LayerNorm(int64_t width) { return Norm({512, width}, width, E::LayerNorm); }
  // Eight pictures of 32 channels, of `side` by `side`; eight groups of channels.
  static Figures GroupNorm(int64_t side) {
    return Norm({8, 32, side, side}, 32, [](const auto& x, const auto& weight, const auto& bias) {
      return E::GroupNorm(x, weight, bias, /*groups=*/8);
    });
  }
  // The same pictures, each channel a group.
  static Figures BatchNorm(int64_t side) { return Norm({8, 32, side, side}, 32, E::BatchNorm); }
  template <typename Layer>
  static Figures Norm(const Sizes& sizes, int64_t weights, const Layer& layer) {
    const Tensor x = E::Random(sizes, true);
    const Tensor weight = E::Random(Sizes{weights}, true), bias = E::Random(Sizes{weights}, true);
    int64_t work = 1;
    for (const int64_t size : sizes) work *= size;
    return Time(sizes, work, [&] { return layer(x, weight, bias); }, {x, weight, bias});
  }

  // The same pictures; as many channels again, windows of 3 x 3.
  static Figures Conv2d(int64_t side) {
    const Sizes sizes = {8, 32, side, side};
    const Tensor x = E::Random(sizes, true), weights = E::Random(Sizes{32, 32, 3, 3}, true);
    return Time(sizes, 8 * 32 * 32 * 9 * side * side, [&] { return E::Conv2d(x, weights); },
                {x, weights});
  }
  // The same pictures, of another side then.
  template <typename Layer>
  static Figures Resized(int64_t side, int64_t to, const Layer& layer) {
    const Tensor x = E::Random(Sizes{8, 32, side, side}, true);
    return Time({8, 32, to, to}, 8 * 32 * std::max(side * side, to * to), [&] { return layer(x); },
                {x});
  }

  // Of one step, the mean over as many as fit into a fixed amount of `work`. `sizes`: of what the
  // layer gives.
  template <typename Layer>
  static Figures Time(const Sizes& sizes, int64_t work, const Layer& layer,
                      const std::vector<Tensor>& operands) {
    const auto times = static_cast<double>(std::max<int64_t>(1, 1'000'000 / work));
    const Tensor gradient = E::Random(sizes, false);
    double forward = 0, backward = 0;
    const auto step = [&] {
      Tensor y;
      forward += TimeNs([&] { y = layer(); }) / times;
      backward += TimeNs([&] { E::BackwardFrom(y, gradient); }) / times;
      for (const Tensor& operand : operands) E::ClearGrad(operand);
    };
    step();
    forward = backward = 0;
    for (int i = 0; i < times; ++i) step();
    return {{"forward", forward}, {"backward", backward}};
  }
};

}  // namespace twingrad::bench

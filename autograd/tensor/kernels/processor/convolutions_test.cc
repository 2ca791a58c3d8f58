// Each of the three tensors of a convolution from the two others, against sums by hand over small
// integers, whose products and sums every order gets right: one to three axes, groups, strides,
// padding, dilation, planes that end between two windows; the same bits wherever the operands lie.

#include "autograd/tensor/kernels/processor/convolutions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"

namespace twingrad::processor {
namespace {

using Axis = Convolution::Axis;
using Numbers = std::vector<float>;

Axis AxisOf(int64_t size, int64_t entries, int64_t stride, int64_t padding, int64_t dilation) {
  const int64_t extent = (entries - 1) * dilation + 1;
  return {size, (size + 2 * padding - extent) / stride + 1, entries, stride, padding, dilation};
}

int64_t ProductOf(const Convolution& of, int64_t Axis::*count) {
  int64_t product = 1;
  for (const Axis& axis : of.axes) product *= axis.*count;
  return product;
}
int64_t WideSize(const Convolution& of) {
  return of.samples * of.groups * of.depth * ProductOf(of, &Axis::size);
}
int64_t WeightsSize(const Convolution& of) {
  return of.groups * of.results * of.depth * ProductOf(of, &Axis::entries);
}
int64_t NarrowSize(const Convolution& of) {
  return of.samples * of.groups * of.results * ProductOf(of, &Axis::windows);
}

// Where in the plane the entry of the window lies; -1: nowhere.
int64_t PlaceOf(const Convolution& of, int64_t window, int64_t entry) {
  int64_t place = 0, step = 1;
  for (size_t d = of.axes.size(); d-- > 0;) {
    const Axis& axis = of.axes[d];
    const int64_t at =
        window % axis.windows * axis.stride + entry % axis.entries * axis.dilation - axis.padding;
    if (at < 0 || at >= axis.size) return -1;
    place += at * step;
    step *= axis.size;
    window /= axis.windows;
    entry /= axis.entries;
  }
  return place;
}

// Calls with the places in all three of each product that is summed.
void ForEachTerm(const Convolution& of,
                 const std::function<void(int64_t wide, int64_t weights, int64_t narrow)>& call) {
  const int64_t plane = ProductOf(of, &Axis::size), windows = ProductOf(of, &Axis::windows),
                entries = ProductOf(of, &Axis::entries);
  for (int64_t window = 0; window < windows; ++window) {
    for (int64_t entry = 0; entry < entries; ++entry) {
      const int64_t place = PlaceOf(of, window, entry);
      if (place < 0) continue;
      for (int64_t n = 0; n < of.samples * of.groups; ++n) {
        for (int64_t c = 0; c < of.depth; ++c) {
          for (int64_t o = 0; o < of.results; ++o) {
            call((n * of.depth + c) * plane + place,
                 ((n % of.groups * of.results + o) * of.depth + c) * entries + entry,
                 (n * of.results + o) * windows + window);
          }
        }
      }
    }
  }
}

Numbers WholeNumbers(int64_t count, int seed) {
  Numbers numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<float>((i * 7 + static_cast<size_t>(seed)) % 11) - 5;
  }
  return numbers;
}

// As much memory as is asked for.
class Memory {
 public:
  float* Get(int64_t count) {
    blocks_.emplace_back(static_cast<size_t>(count) + kLine, NAN);
    auto at = reinterpret_cast<uintptr_t>(blocks_.back().data());
    at += kLine * sizeof(float) - at % (kLine * sizeof(float));
    return reinterpret_cast<float*>(at);
  }

 private:
  static constexpr size_t kLine = 16;
  std::vector<Numbers> blocks_;
};

bool Convolve(ConvolutionPart part, const Convolution& of, const ConvolutionOperands& operands,
              float* out) {
  Memory memory;
  return Convolve(part, of, operands, out, [&](int64_t count) { return memory.Get(count); });
}

const ConvolutionPart kParts[] = {ConvolutionPart::kNarrow, ConvolutionPart::kWide,
                                  ConvolutionPart::kWeights};

// What is behind the result is not written.
Numbers Convolved(ConvolutionPart part, const Convolution& of, const Numbers& wide,
                  const Numbers& weights, const Numbers& narrow) {
  const int64_t size = part == ConvolutionPart::kNarrow ? NarrowSize(of)
                       : part == ConvolutionPart::kWide ? WideSize(of)
                                                        : WeightsSize(of);
  Numbers out(static_cast<size_t>(size) + 1, NAN);
  out.back() = 7;
  if (!Convolve(part, of, {wide.data(), weights.data(), narrow.data()}, out.data())) return {};
  EXPECT_EQ(out.back(), 7);
  out.pop_back();
  return out;
}

TEST(Convolutions, AreSumsOfProducts) {
  const Convolution all[] = {
      {2, 1, 3, 4, {AxisOf(9, 3, 1, 1, 1)}},
      {1, 1, 1, 1, {AxisOf(1, 1, 1, 0, 1), AxisOf(1, 1, 1, 0, 1)}},
      {3, 1, 3, 8, {AxisOf(8, 3, 1, 1, 1), AxisOf(7, 3, 1, 1, 1)}},
      {2, 1, 20, 18, {AxisOf(6, 2, 2, 0, 1), AxisOf(9, 3, 2, 1, 2)}},
      {2, 2, 3, 5, {AxisOf(6, 3, 2, 2, 1), AxisOf(5, 1, 3, 0, 1)}},
      {2, 4, 1, 1, {AxisOf(6, 3, 1, 1, 1), AxisOf(5, 3, 1, 1, 1)}},  // by depth
      {1, 4, 8, 8, {AxisOf(5, 2, 1, 0, 1), AxisOf(5, 2, 1, 1, 3)}},
      {2, 1, 2, 3, {AxisOf(4, 2, 1, 0, 1), AxisOf(5, 3, 2, 1, 1), AxisOf(3, 2, 1, 1, 1)}},
      {1, 1, 4, 4, {AxisOf(3, 2, 2, 2, 1), AxisOf(2, 2, 1, 1, 2)}},  // windows in the padding
  };
  for (const Convolution& of : all) {
    const Numbers wide = WholeNumbers(WideSize(of), 1), weights = WholeNumbers(WeightsSize(of), 4),
                  narrow = WholeNumbers(NarrowSize(of), 2);
    for (const ConvolutionPart part : kParts) {
      const Numbers made = Convolved(part, of, wide, weights, narrow);
      ASSERT_FALSE(made.empty()) << "no fast kernel for " << WideSize(of);
      Numbers expected(made.size());
      ForEachTerm(of, [&](int64_t x, int64_t w, int64_t y) {
        if (part == ConvolutionPart::kNarrow) expected[y] += wide[x] * weights[w];
        if (part == ConvolutionPart::kWide) expected[x] += narrow[y] * weights[w];
        if (part == ConvolutionPart::kWeights) expected[w] += wide[x] * narrow[y];
      });
      EXPECT_EQ(made, expected) << "part " << static_cast<int>(part) << " of " << WideSize(of);
    }
  }
}

TEST(Convolutions, TheSameBitsWhereverTheOperandsLie) {
  const Convolution of{2, 1, 3, 20, {AxisOf(11, 3, 1, 1, 1), AxisOf(13, 3, 2, 1, 1)}};
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const auto drawn = [&](int64_t count) {
    Numbers numbers(static_cast<size_t>(count));
    for (float& number : numbers) number = uniform(random);
    return numbers;
  };
  const Numbers wide = drawn(WideSize(of)), weights = drawn(WeightsSize(of)),
                narrow = drawn(NarrowSize(of));
  const auto shifted = [](const Numbers& numbers, size_t by) {
    Numbers copy(by, NAN);
    copy.insert(copy.end(), numbers.begin(), numbers.end());
    return copy;
  };
  for (const ConvolutionPart part : kParts) {
    const Numbers expected = Convolved(part, of, wide, weights, narrow);
    for (size_t by = 1; by < 5; ++by) {
      const Numbers a = shifted(wide, by), b = shifted(weights, by), c = shifted(narrow, by);
      Numbers out(expected.size() + by);
      ASSERT_TRUE(
          Convolve(part, of, {a.data() + by, b.data() + by, c.data() + by}, out.data() + by));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + by)) << by;
    }
  }
}

TEST(Convolutions, WindowsThatLieInThePadding) {
  const auto meets = [](const Axis& axis) {
    Convolution of;
    of.axes = {AxisOf(3, 3, 1, 1, 1), axis};
    return of.EachWindowMeetsThePlane();
  };
  EXPECT_TRUE(meets(AxisOf(4, 3, 1, 2, 1)));
  EXPECT_FALSE(meets(AxisOf(4, 3, 1, 3, 1)));
  EXPECT_FALSE(meets(AxisOf(1, 2, 1, 1, 2)));  // a place before the plane and one behind it
}

TEST(Convolutions, WhatOneDnnRefusesIsAnError) {
  // A negative size.
  Convolution of{1, 1, 1, 1, {AxisOf(4, 2, 1, 0, 1)}};
  of.axes[0].size = -4;
  const float numbers[8] = {};
  float out[8];
  const auto run = [&] { Convolve(ConvolutionPart::kNarrow, of, {numbers, numbers}, out); };
  EXPECT_EQ(KindOf(run), ErrorKind::kInternal);
}

extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int count);

TEST(Convolutions, TheCallersNumberOfThreadsIsKept) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(3);
  const Convolution of{4, 1, 16, 16, {AxisOf(8, 3, 1, 1, 1), AxisOf(8, 3, 1, 1, 1)}};
  const Numbers wide = WholeNumbers(WideSize(of), 1), weights = WholeNumbers(WeightsSize(of), 4);
  EXPECT_FALSE(Convolved(ConvolutionPart::kNarrow, of, wide, weights, {}).empty());
  EXPECT_EQ(omp_get_max_threads(), 3);
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace twingrad::processor

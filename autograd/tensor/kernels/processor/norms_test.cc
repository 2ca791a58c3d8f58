// Norms of groups in the loops of each instruction set that this processor has, against the plain
// ones of one group at a time: the same bits at each size up to some vectors, for each number of
// groups, with a weight for each element or for each group.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "autograd/tensor/kernels/processor/loops.h"

namespace twingrad::processor {
namespace {

template <typename T>
class NormsTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(NormsTest, Types);

template <typename T>
using Values = std::vector<T>;

template <typename T>
void ExpectSameBits(const Values<T>& got, const Values<T>& expected) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(expected[i])) continue;
    ASSERT_EQ(std::bit_cast<Bits>(got[i]), std::bit_cast<Bits>(expected[i])) << i;
  }
}

// Groups with a gap between them.
constexpr int64_t kGap = 3;

template <typename T>
struct Operands {
  explicit Operands(int64_t groups, int64_t size)
      : rows{groups, size + kGap, size},
        x(static_cast<size_t>(groups * rows.step)),
        g(x.size()),
        weight(static_cast<size_t>(size + groups)),
        bias(weight.size()) {
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(std::sin(double(i * i)));
    for (size_t i = 0; i < g.size(); ++i) g[i] = static_cast<T>(std::cos(double(i * i)));
    for (size_t i = 0; i < weight.size(); ++i) weight[i] = T(0.5) + static_cast<T>(i % 5);
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = T(0.1) * static_cast<T>(i % 3);
    for (int64_t k = 0; k < groups; ++k) {
      moments.push_back({T(0.25) * static_cast<T>(k % 7), T(1.5) - static_cast<T>(k % 3)});
      sums.push_back({T(0.3) * static_cast<T>(k % 5), T(-0.7)});
    }
  }
  NormRows rows;
  Values<T> x, g, weight, bias;
  std::vector<Moments<T>> moments;
  std::vector<NormSums<T>> sums;
};

// What the loops make of them, of all groups in one go or of each alone. With a weight for each
// element or else for each group, and moments of each group or of all.
template <typename T>
struct Results {
  Results(const LoopsOf<T>& loops, const Operands<T>& of, bool at_once, int64_t weight_step,
          int64_t bias_step, int64_t moments_step)
      : means(of.moments.size()),
        variances(means),
        value(of.x.size(), T(7)),
        gradient(value),
        of_weight(of.weight),
        of_bias(of.bias),
        sums(of.moments.size()) {
    const int64_t few = at_once ? of.rows.count : 1;
    for (int64_t k = 0; k < of.rows.count; k += few) {
      const NormRows rows{few, of.rows.step, of.rows.size, moments_step};
      const int64_t at = k * rows.step;
      const T* const x = of.x.data() + at;
      const T* const g = of.g.data() + at;
      const Moments<T>* const moments = of.moments.data() + k * moments_step;
      const RowsOf<T> weight{of.weight.data() + k * (1 - weight_step), weight_step,
                             1 - weight_step};
      loops.moments(x, rows, means.data() + k, variances.data() + k);
      loops.normalize(x, rows, moments, weight, {of.bias.data(), bias_step, 0}, value.data() + at);
      loops.norm_add(g, x, {few, rows.step, rows.size}, of.moments.data() + k, of_weight.data(),
                     of_bias.data());
      loops.norm_sums(g, of.weight.data(), weight_step, x, rows, moments, sums.data() + k);
      loops.norm_gradient(g, weight, x, rows, moments, of.sums.data() + k * moments_step,
                          gradient.data() + at);
    }
  }
  Values<T> means, variances, value, gradient, of_weight, of_bias;
  std::vector<NormSums<T>> sums;
};

template <typename T>
void ExpectSame(const Results<T>& got, const Results<T>& expected) {
  ExpectSameBits(got.means, expected.means);
  ExpectSameBits(got.variances, expected.variances);
  ExpectSameBits(got.value, expected.value);
  ExpectSameBits(got.gradient, expected.gradient);
  ExpectSameBits(got.of_weight, expected.of_weight);
  ExpectSameBits(got.of_bias, expected.of_bias);
  for (size_t k = 0; k < got.sums.size(); ++k) {
    ExpectSameBits<T>({got.sums[k].g, got.sums[k].along},
                      {expected.sums[k].g, expected.sums[k].along});
  }
}

TYPED_TEST(NormsTest, HaveThePlainBitsOfEachGroup) {
  using T = TypeParam;
  for (const int64_t groups : {1, 2, 15, 16, 19}) {
    for (int64_t size = 0; size < 150; size += size < 70 ? 1 : 13) {
      SCOPED_TRACE(testing::Message() << groups << " groups of " << size);
      const Operands<T> of(groups, size);
      for (int steps = 0; steps < 6; ++steps) {
        const int64_t weight_step = steps % 3 > 0 ? 1 : 0, bias_step = steps % 3 > 1 ? 1 : 0;
        const Results<T> expected(PlainLoops().Of<T>(), of, false, weight_step, bias_step,
                                  steps / 3);
        for (const Loops* loops : EveryLoops()) {
          const Results<T> got(loops->Of<T>(), of, true, weight_step, bias_step, steps / 3);
          ExpectSame(got, expected);
        }
      }
    }
  }
}

// Moments are sums in the order of the loops that make one each.
TYPED_TEST(NormsTest, MomentsAreSumsInOrder) {
  using T = TypeParam;
  const auto& plain = PlainLoops().Of<T>();
  for (int64_t size = 1; size < 150; ++size) {
    const Operands<T> of(5, size);
    const Results<T> results(LoopsInUse().Of<T>(), of, true, 0, 0, 1);
    for (int64_t k = 0; k < of.rows.count; ++k) {
      const T* const group = of.x.data() + k * of.rows.step;
      const T mean = plain.sum(group, size) / static_cast<T>(size);
      const T variance = plain.squares(group, mean, size) / static_cast<T>(size);
      ExpectSameBits<T>({results.means[static_cast<size_t>(k)]}, {mean});
      ExpectSameBits<T>({results.variances[static_cast<size_t>(k)]}, {variance});
    }
  }
}

// Of 1 and 3 with a mean of 2, and of gradients 1 and 5 with weights 2 and 3.
TYPED_TEST(NormsTest, OfTwo) {
  using T = TypeParam;
  for (const Loops* kind : EveryLoops()) {
    const auto& loops = kind->Of<T>();
    const T x[] = {1, 3}, g[] = {1, 5}, weight[] = {2, 3}, bias[] = {10, 20};
    const NormRows rows = {1, 2, 2};
    const Moments<T> of = {2, T(0.5)};  // n is -1/2 and 1/2
    T out[2], of_weight[] = {9, T(21.5)}, of_bias[] = {1, 2}, mean, variance;
    EXPECT_EQ(loops.squares(x, 2, 2), 2);
    loops.moments(x, rows, &mean, &variance);
    EXPECT_EQ(mean, 2);
    EXPECT_EQ(variance, 1);
    loops.normalize(x, rows, &of, {weight, 1, 0}, {bias, 1, 0}, out);
    EXPECT_EQ(out[0], 9);
    EXPECT_EQ(out[1], T(21.5));
    loops.norm_add(g, x, rows, &of, of_weight, of_bias);
    EXPECT_EQ(of_weight[0], T(8.5));
    EXPECT_EQ(of_weight[1], 24);
    EXPECT_EQ(of_bias[0], 2);
    EXPECT_EQ(of_bias[1], 7);
    loops.norm_add(g, x, rows, &of, nullptr, of_bias);
    EXPECT_EQ(of_bias[1], 12);
    NormSums<T> sums;
    loops.norm_sums(g, weight, 1, x, rows, &of, &sums);
    EXPECT_EQ(sums.g, 17);
    EXPECT_EQ(sums.along, T(6.5));
    const NormSums<T> means = {4, 2};
    loops.norm_gradient(g, {weight, 1, 0}, x, rows, &of, &means, out);
    EXPECT_EQ(out[0], T(-0.5));
    EXPECT_EQ(out[1], 5);
  }
}

}  // namespace
}  // namespace twingrad::processor

// Shares of rows, and their gradients, of each instruction set that this processor has, against the
// same steps by its other loops: the same bits at each size up to some vectors, however many
// elements take part.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "autograd/tensor/kernels/processor/loops.h"

namespace twingrad::processor {
namespace {

template <typename T>
class SharesTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SharesTest, Types);

template <typename T>
void ExpectBits(const std::vector<T>& got, const std::vector<T>& expected) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(expected[i])) continue;
    ASSERT_EQ(std::bit_cast<Bits>(got[i]), std::bit_cast<Bits>(expected[i])) << i;
  }
}

// What an element that does not take part may hold.
template <typename T>
constexpr T kUnseen = std::numeric_limits<T>::infinity();

template <typename T>
std::vector<T> SharesInSteps(const LoopsOf<T>& loops, std::vector<T> x, T scale, int64_t seen) {
  const auto count = static_cast<int64_t>(x.size());
  loops.binary(Binary::kMul, x.data(), 1, &scale, 0, x.data(), seen);
  T top = -std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < seen; ++i) {
    const T each = x[static_cast<size_t>(i)];
    if (!(each <= top) && !std::isnan(top)) top = each;
  }
  loops.binary(Binary::kSub, x.data(), 1, &top, 0, x.data(), seen);
  loops.unary(Unary::kExp, x.data(), x.data(), seen);
  std::fill(x.begin() + seen, x.end(), T(0));
  const T sum = loops.sum(x.data(), count);
  loops.binary(Binary::kDiv, x.data(), 1, &sum, 0, x.data(), count);
  std::fill(x.begin() + seen, x.end(), T(0));
  return x;
}

template <typename T>
std::vector<T> GradientsInSteps(const LoopsOf<T>& loops, std::vector<T> g,
                                const std::vector<T>& shares, T scale, int64_t seen) {
  const auto count = static_cast<int64_t>(g.size());
  std::fill(g.begin() + seen, g.end(), T(0));
  std::vector<T> products(g.size());
  loops.binary(Binary::kMul, g.data(), 1, shares.data(), 1, products.data(), count);
  const T mean = loops.sum(products.data(), count);
  loops.binary(Binary::kSub, g.data(), 1, &mean, 0, g.data(), count);
  loops.binary(Binary::kMul, g.data(), 1, shares.data(), 1, g.data(), count);
  loops.binary(Binary::kMul, g.data(), 1, &scale, 0, g.data(), count);
  std::fill(g.begin() + seen, g.end(), T(0));
  return g;
}

// Rows of x from one element of it after the other on, of which `seen` and then more take part.
template <typename T>
struct SomeRows {
  SomeRows(const std::vector<T>& x, int64_t count, int64_t seen, int64_t seen_step)
      : rows{count, static_cast<int64_t>(x.size()), seen, seen_step} {
    for (int64_t k = 0; k < count; ++k) {
      std::vector<T> row = x;
      std::rotate(row.begin(), row.begin() + k % rows.size, row.end());
      std::fill(row.begin() + SeenOf(k), row.end(), kUnseen<T>);
      each.push_back(row);
      all.insert(all.end(), row.begin(), row.end());
    }
  }
  int64_t SeenOf(int64_t k) const { return std::min(rows.size, rows.seen + k * rows.seen_step); }
  ShareRows rows;
  std::vector<std::vector<T>> each;
  std::vector<T> all;
};

template <typename T>
void ExpectAsInSteps(const LoopsOf<T>& loops, const SomeRows<T>& x, const SomeRows<T>& gradients) {
  const T scale = T(0.3);
  std::vector<T> shares(x.all.size(), T(7)), in_place = x.all, g = gradients.all, expected, back;
  for (size_t k = 0; k < x.each.size(); ++k) {
    const int64_t seen = x.SeenOf(static_cast<int64_t>(k));
    const std::vector<T> row = SharesInSteps(loops, x.each[k], scale, seen);
    const std::vector<T> of = GradientsInSteps(loops, gradients.each[k], row, scale, seen);
    expected.insert(expected.end(), row.begin(), row.end());
    back.insert(back.end(), of.begin(), of.end());
  }
  loops.shares(x.all.data(), scale, x.rows, shares.data());
  ExpectBits(shares, expected);
  loops.shares(in_place.data(), scale, x.rows, in_place.data());
  ExpectBits(in_place, expected);
  loops.share_gradients(g.data(), shares.data(), scale, x.rows);
  ExpectBits(g, back);
}

template <typename T>
void ExpectAsInSteps(const LoopsOf<T>& loops, const std::vector<T>& x, const std::vector<T>& g) {
  for (const int64_t rows : {1, 3, 16, 21}) {
    for (const int64_t seen : {int64_t{1}, static_cast<int64_t>(x.size() + 1) / 2}) {
      SCOPED_TRACE(testing::Message() << rows << " rows of " << x.size() << " from " << seen);
      ExpectAsInSteps(loops, SomeRows<T>(x, rows, seen, 1), SomeRows<T>(g, rows, seen, 1));
    }
    const auto all = static_cast<int64_t>(x.size());
    ExpectAsInSteps(loops, SomeRows<T>(x, rows, all, 0), SomeRows<T>(g, rows, all, 0));
  }
}

TYPED_TEST(SharesTest, HaveTheBitsOfTheirSteps) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const Loops* loops : EveryLoops()) {
    for (size_t count = 1; count < 150; count += count < 70 ? 1 : 13) {
      std::vector<T> x, g;
      for (size_t i = 0; i < count; ++i) x.push_back(static_cast<T>(9 * std::sin(double(i * i))));
      for (size_t i = 0; i < count; ++i) g.push_back(static_cast<T>(std::cos(double(i * i))));
      ExpectAsInSteps(loops->Of<T>(), x, g);
      for (const T special : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
        std::vector<T> with = x;
        with[count / 2] = special;
        ExpectAsInSteps(loops->Of<T>(), with, g);
        ExpectAsInSteps(loops->Of<T>(), std::vector<T>(count, special), g);
      }
    }
  }
}

TYPED_TEST(SharesTest, OfTwo) {
  using T = TypeParam;
  for (const Loops* loops : EveryLoops()) {
    const ShareRows rows{1, 3, 2};
    T x[] = {0, static_cast<T>(2 * std::log(3.0)), 5}, g[] = {4, 8, 5};
    loops->Of<T>().shares(x, T(0.5), rows, x);
    EXPECT_NEAR(x[0], 0.25, 1e-6);
    EXPECT_NEAR(x[1], 0.75, 1e-6);
    EXPECT_EQ(x[2], 0);
    const T shares[] = {T(0.25), T(0.75), 0};
    loops->Of<T>().share_gradients(g, shares, 2, rows);
    EXPECT_EQ(g[0], T(-1.5));
    EXPECT_EQ(g[1], T(1.5));
    EXPECT_EQ(g[2], 0);
  }
}

}  // namespace
}  // namespace twingrad::processor

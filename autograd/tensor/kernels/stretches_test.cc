// Stretches of every geometry against the offsets of each element, walked one by one: every element
// of the result is given once, with the elements of each operand for it.

#include "autograd/tensor/kernels/stretches.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "autograd/tensor/kernels/loops.h"

namespace twingrad::kernels {
namespace {

template <typename T>
struct Given {
  std::vector<T> a, b;
  std::vector<int> times;
};

template <typename T>
Given<T> Collected(Ints sizes, const std::vector<T>& memory, const Shape& a, const Shape& b) {
  const auto count = static_cast<size_t>(ElementCount(sizes));
  Given<T> given{std::vector<T>(count), std::vector<T>(count), std::vector<int>(count)};
  const T* middle = memory.data() + memory.size() / 2;
  ForEachStretch(sizes, {{middle, sizeof(T), a}, {middle, sizeof(T), b}}, [&](const Stretch& s) {
    for (int64_t i = 0; i < s.count; ++i) {
      const auto at = static_cast<size_t>(s.offset + i);
      EXPECT_TRUE(s.step[0] == 0 || s.step[0] == 1);
      given.a[at] = s.From<T>(0)[i * s.step[0]];
      given.b[at] = s.From<T>(1)[i * s.step[1]];
      ++given.times[at];
    }
  });
  return given;
}

template <typename T>
void Compare(Ints sizes, const std::vector<T>& memory, const Shape& a, const Shape& b) {
  const Given<T> given = Collected(sizes, memory, a, b);
  const T* middle = memory.data() + memory.size() / 2;
  size_t at = 0;
  ForEachElement<2>(sizes, {a, b}, [&](int64_t p, int64_t q) {
    ASSERT_EQ(given.times[at], 1) << ShapeToString(sizes) << " at " << at;
    ASSERT_EQ(given.a[at], middle[p]) << ShapeToString(sizes) << ShapeToString(a) << " at " << at;
    ASSERT_EQ(given.b[at], middle[q]) << ShapeToString(sizes) << ShapeToString(b) << " at " << at;
    ++at;
  });
  EXPECT_EQ(at, given.times.size());
}

template <typename T = double>
std::vector<T> Numbered(size_t count) {
  std::vector<T> memory(count);
  std::iota(memory.begin(), memory.end(), T{});
  return memory;
}

template <typename T>
void CompareOfElements() {
  const auto memory = Numbered<T>(1000);
  for (const Shape& a : {Shape{3, 1}, Shape{1, 20}, Shape{6, -1}, Shape{0, 1}, Shape{7, 2}}) {
    Compare<T>(Shape{20, 3}, memory, a, Shape{3, 1});
    Compare<T>(Shape{3, 20}, memory, a, Shape{1, 3});
  }
}

TEST(Stretches, ElementsOfEverySize) {
  CompareOfElements<uint8_t>();
  CompareOfElements<uint16_t>();
  CompareOfElements<uint32_t>();
  CompareOfElements<uint64_t>();
}

TEST(Stretches, MatricesOfEverySize) {
  const std::vector<double> memory = Numbered(400'000);
  for (const int64_t rows : {1, 2, 15, 33, 100, 1500}) {
    for (const int64_t columns : {1, 2, 3, 15, 16, 17, 33, 60}) {
      const Shape straight = {columns, 1}, transposed = {1, rows}, row = {0, 1}, column = {1, 0};
      const Shape none = {0, 0}, spread = {2 * columns, -1};
      for (const Shape& a : {straight, transposed, row, column, none, spread}) {
        Compare(Shape{rows, columns}, memory, a, straight);
        Compare(Shape{rows, columns}, memory, transposed, a);
        Compare(Shape{rows, columns}, memory, a, row);
      }
    }
  }
}

TEST(Stretches, OtherRanksAndRandomSteps) {
  const std::vector<double> memory = Numbered(100'000);
  Compare(Shape{}, memory, {}, {});
  Compare(Shape{5}, memory, {3}, {0});
  Compare(Shape{3000}, memory, {-2}, {1});
  Compare(Shape{3, 0}, memory, {1, 1}, {1, 1});
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const size_t rank = 1 + random() % 5;
    Shape sizes, a, b;
    for (size_t d = 0; d < rank; ++d) {
      sizes.push_back(1 + static_cast<int64_t>(random() % (rank > 3 ? 6 : 20)));
      a.push_back(static_cast<int64_t>(random() % 200) - 100);
      b.push_back(random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % 40));
    }
    Compare(sizes, memory, a, b);
  }
}

TEST(Stretches, ElementsOfEveryWidth) {
  const Tensor bytes =
      Tensor::FromData<bool>({4}, std::initializer_list<bool>{true, false, false, true});
  const Shape sizes = {2, 2};
  std::vector<bool> seen;
  ForEachStretch(sizes, {{bytes.raw_data(), 1, {1, 2}}}, [&](const Stretch& s) {
    for (int64_t i = 0; i < s.count; ++i) seen.push_back(s.From<bool>(0)[i * s.step[0]]);
  });
  EXPECT_EQ(seen, (std::vector<bool>{true, false, false, true}));
}

}  // namespace
}  // namespace twingrad::kernels

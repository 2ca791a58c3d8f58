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

// Wide transposed matrices, which are read in bands, and those that are just not wide enough.
template <typename T>
void CompareBands() {
  const auto memory = Numbered<T>(500'000);
  for (const int64_t rows : {1, 2, 9, 64, 70}) {
    for (const int64_t columns : {79, 80, 131, 1280, 1281, 2600}) {
      const Shape straight = {columns, 1}, transposed = {1, rows}, row = {0, 1}, column = {1, 0};
      Compare<T>(Shape{rows, columns}, memory, transposed, straight);
      Compare<T>(Shape{rows, columns}, memory, row, transposed);
      Compare<T>(Shape{rows, columns}, memory, transposed, column);
    }
  }
  // Both operands, one of them in any way; rows that overlap, and that go backwards.
  Compare<T>(Shape{70, 300}, memory, {1, 70}, {1, 71});
  Compare<T>(Shape{70, 300}, memory, {1, -70}, {-300, 2});
  Compare<T>(Shape{70, 300}, memory, {1, 3}, {-1, 80});
  // Of three dimensions, and of four of which two are one.
  Compare<T>(Shape{3, 20, 200}, memory, {4000, 1, 20}, {4000, 200, 1});
  Compare<T>(Shape{3, 20, 200}, memory, {0, 1, 20}, {1, 0, 3});
  Compare<T>(Shape{2, 3, 5, 200}, memory, {3000, 5, 1, 15}, {3000, 1000, 200, 1});
}

TEST(Stretches, BandsOfElementsOfEverySize) {
  CompareBands<uint8_t>();
  CompareBands<uint16_t>();
  CompareBands<uint32_t>();
  CompareBands<uint64_t>();
}

TEST(Stretches, BandsOfThreeOperandsOfSeveralSizes) {
  constexpr int64_t kRows = 40, kColumns = 1500;
  const auto bytes = Numbered<uint8_t>(kRows * kColumns);
  const auto words = Numbered<uint32_t>(kRows * kColumns);
  const auto longs = Numbered<uint64_t>(kRows * kColumns);
  int64_t count = 0;
  ForEachStretch(
      Shape{kRows, kColumns},
      {{bytes.data(), 1, {1, kRows}},
       {words.data(), 4, {kColumns, 1}},
       {longs.data(), 8, {1, kRows}}},
      [&](const Stretch& s) {
        count += s.count;
        for (int64_t i = 0; i < s.count; ++i) {
          const int64_t row = (s.offset + i) / kColumns, column = (s.offset + i) % kColumns;
          const int64_t at = row + column * kRows;
          ASSERT_EQ(s.From<uint8_t>(0)[i * s.step[0]], static_cast<uint8_t>(at));
          ASSERT_EQ(s.From<uint32_t>(1)[i * s.step[1]], static_cast<uint32_t>(s.offset + i));
          ASSERT_EQ(s.From<uint64_t>(2)[i * s.step[2]], static_cast<uint64_t>(at));
        }
      });
  EXPECT_EQ(count, kRows * kColumns);
}

// Each block tells where the last row of the next one lies.
TEST(Stretches, BandsLookAhead) {
  constexpr int64_t kRows = 40, kColumns = 3000;
  const auto memory = Numbered<float>(kRows * kColumns);
  int bands = 0;
  const float* ahead = nullptr;
  ForEachBlock(Shape{kRows, kColumns}, {{memory.data(), sizeof(float), {1, kRows}}},
               [&](const Block& block) {
                 const auto rows = block.RowsOf<float>(0);
                 if (bands++ > 0) {
                   ASSERT_NE(ahead, nullptr);
                   EXPECT_EQ(*ahead, rows.first[(block.rows - 1) * rows.row_step]);
                 }
                 ahead = rows.ahead;
                 EXPECT_EQ(rows.ahead_step, ahead == nullptr ? 0 : kRows);
               });
  EXPECT_EQ(bands, 9);
  EXPECT_EQ(ahead, nullptr);
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

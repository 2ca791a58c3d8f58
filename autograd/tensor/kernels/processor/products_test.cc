// Products of every layout against three loops over small integers, whose products and sums every
// order gets right; that a product has the same bits wherever its operands lie; and that the
// caller's number of OpenMP threads is kept.

#include "autograd/tensor/kernels/processor/products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace twingrad::processor {
namespace {

template <typename T>
class ProductsTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ProductsTest, Types);

// `padding` elements between lines; what is no element of the matrix is NaN, or the result shows
// it.
template <typename T>
struct Made {
  std::vector<T> memory;
  Matrix<T> matrix;
  T at(int64_t i, int64_t j) const {
    return matrix.data[i * matrix.row_step + j * matrix.column_step];
  }
};

template <typename T>
Made<T> Make(int64_t rows, int64_t columns, bool transposed, int64_t padding, int seed) {
  Made<T> made;
  const int64_t line = (transposed ? rows : columns) + padding;
  made.memory.assign(static_cast<size_t>(line * (transposed ? columns : rows)), T(NAN));
  made.matrix = {made.memory.data(), rows, columns, transposed ? 1 : line, transposed ? line : 1};
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      made.memory[static_cast<size_t>(i * made.matrix.row_step + j * made.matrix.column_step)] =
          static_cast<T>((i * 7 + j * 5 + seed) % 11 - 5);
    }
  }
  return made;
}

struct Sizes {
  int64_t m, k, n;
};

TYPED_TEST(ProductsTest, EveryLayout) {
  using T = TypeParam;
  const Sizes all[] = {{1, 1, 1},    {1, 40, 1},    {2, 3, 4},   {1, 30, 20},
                       {30, 20, 1},  {6, 16, 16},   {7, 17, 33}, {64, 16, 16},
                       {97, 260, 5}, {13, 513, 35}, {5, 5, 100}, {100, 300, 37}};
  for (const Sizes& s : all) {
    for (int kind = 0; kind < 8; ++kind) {
      const int64_t padding = kind & 4 ? 3 : 0;
      const Made<T> a = Make<T>(s.m, s.k, kind & 1, padding, 1);
      const Made<T> b = Make<T>(s.k, s.n, kind & 2, padding, 4);
      ASSERT_TRUE(IsMultiplied(a.matrix) && IsMultiplied(b.matrix));
      std::vector<T> out(static_cast<size_t>(s.m * s.n + 1), T(NAN));
      out.back() = 7;
      Multiply(a.matrix, b.matrix, out.data());
      EXPECT_EQ(out.back(), 7);
      for (int64_t i = 0; i < s.m; ++i) {
        for (int64_t j = 0; j < s.n; ++j) {
          T sum = 0;
          for (int64_t k = 0; k < s.k; ++k) sum += a.at(i, k) * b.at(k, j);
          ASSERT_EQ(out[static_cast<size_t>(i * s.n + j)], sum)
              << s.m << "x" << s.k << "x" << s.n << " kind " << kind << " at " << i << "," << j;
        }
      }
    }
  }
}

TYPED_TEST(ProductsTest, TheSameBitsWhereverTheOperandsLie) {
  using T = TypeParam;
  constexpr int64_t kSize = 50;
  std::vector<T> expected(kSize * kSize);
  for (size_t shift = 0; shift < 17; ++shift) {
    std::vector<T> a(kSize * kSize + shift), b(a.size());
    for (size_t i = 0; i + shift < a.size(); ++i) {
      a[i + shift] = static_cast<T>(std::sin(double(i)));
      b[i + shift] = static_cast<T>(std::cos(double(i)));
    }
    std::vector<T> memory(kSize * kSize + shift);
    T* out = memory.data() + shift;
    Multiply(Matrix<T>{a.data() + shift, kSize, kSize, kSize, 1},
             Matrix<T>{b.data() + shift, kSize, kSize, kSize, 1}, out);
    if (shift == 0) expected.assign(out, out + kSize * kSize);
    for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(out[i], expected[i]) << shift;
  }
}

extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int count);

TEST(Products, TheCallersNumberOfThreadsIsKept) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(3);
  const std::vector<float> a(64 * 64, 1);
  std::vector<float> out(64 * 64);
  const Matrix<float> matrix{a.data(), 64, 64, 64, 1};
  Multiply(matrix, matrix, out.data());
  EXPECT_EQ(omp_get_max_threads(), 3);
  EXPECT_EQ(out[5], 64);
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace twingrad::processor

// Loops: the inner loops of the kernels, on plain pointers, in the instructions of one kind of
// processor.
//
//   const Loops& loops = LoopsInUse();
//   loops.f32.binary(Binary::kMul, a, 1, b, 0, out, count);   // out[i] = a[i] * b[0]
//
// One source (the .inc files) is compiled for each of several instruction sets (best.cc), of which
// the best one that this processor has is taken at the first call, and once more for single
// elements in plain C++ (plain.cc). Use(Kernels::kPlain) takes the plain ones instead: they judge
// the others, and are the same formulas, element by element. An element's value depends on its
// operands alone, never on its place, on `count` or on what lies beside it.
//
// Arithmetic (Binary, and Unary up to kSqrt) has the same bits in all of them. Elementary functions
// and products of f64 may differ in the last bits from one instruction set to another, for some
// fuse multiplication and addition.
//
// `out` may be one of the operands, else they do not overlap. Pure functions, any thread.

#pragma once

#include <cstdint>
#include <vector>

namespace twingrad::processor {

enum class Binary : uint8_t { kAdd, kSub, kMul, kDiv, kMaximum, kMinimum, kGated };
enum class Unary : uint8_t { kNeg, kAbs, kRelu, kSqrt, kExp, kLog, kTanh, kSigmoid };
enum class Test : uint8_t { kIsPositive, kIsZero };

// Of a group of elements: what (x - mean) inverse takes.
template <typename T>
struct Moments {
  T mean;
  T inverse;  // 1 / √(variance + eps)
};

// With n for (x - mean) inverse and h for a gradient g times the weight: sums, or means, of h and
// of h n.
template <typename T>
struct NormSums {
  T g;
  T along;
};

// Groups, or parts of one, of `size` elements side by side, each `step` after the one before, and
// the moments of each, or one for all: with a step of 1 or 0.
struct NormRows {
  int64_t count;
  int64_t step;
  int64_t size;
  int64_t moments_step = 1;
};

// Rows one after the other, of `size` elements, of which the first ones take part: `seen` of the
// first row, of each later one `seen_step` more, all at most.
struct ShareRows {
  int64_t count;
  int64_t size;
  int64_t seen;
  int64_t seen_step = 0;
};

// Rows `row_step` apart, of elements `step` apart. `ahead`, if not null, is what is read after
// them: with each line of the caches that a loop reads of a row it may ask for one there, each
// `ahead_step` after the one before.
template <typename T>
struct RowsOf {
  const T* first;
  int64_t step;
  int64_t row_step;
  const T* ahead = nullptr;
  int64_t ahead_step = 0;
};

// Where results go: rows of `count` elements, `row_step` apart, of a result of `whole` elements. A
// large result passes the caches by, whatever the part of it.
template <typename T>
struct ResultRows {
  T* first;
  int64_t row_step;
  int64_t rows;
  int64_t count;
  int64_t whole;
};

// Windows along a line of a plane, each `step` after the one before.
template <typename T>
struct RowOfWindows {
  const T* plane;
  int64_t readable;       // elements from there on, of this plane and others
  const int64_t* places;  // where in the plane the first window has its entries, the greatest last
  int64_t entries;        // of each window, 1 or more
  int64_t step;
  int64_t count;
};

template <typename T>
struct LoopsOf {
  // out[i] = op(a[i * a_step], b[i * b_step]); steps are 0 or 1. kGated is a where b > 0, else 0.
  void (*binary)(Binary op, const T* a, int64_t a_step, const T* b, int64_t b_step, T* out,
                 int64_t count);
  // The same for each of some rows.
  void (*binary_rows)(Binary op, const RowsOf<T>& a, const RowsOf<T>& b, const ResultRows<T>& out);
  void (*unary)(Unary op, const T* a, T* out, int64_t count);
  // The same for each of some rows, of elements side by side.
  void (*unary_rows)(Unary op, const RowsOf<T>& a, const ResultRows<T>& out);
  void (*test)(Test test, const T* a, bool* out, int64_t count);
  // out[i] = condition[i] ? a[i * a_step] : b[i * b_step].
  void (*select)(const bool* condition, const T* a, int64_t a_step, const T* b, int64_t b_step,
                 T* out, int64_t count);
  // Fewer than kSumLanes elements: a left fold from +0. Else each of kSumLanes sums is one of every
  // kSumLanes-th element, and then the second half of the sums is added to the first until one is
  // left. Of kQuarteredSum elements and more, q0 .. q3 are such sums of the quarters, rounded down,
  // and (q0 + q1) + (q2 + q3) is the sum, to which the up to three elements left over are added:
  // memory gives what lies in several places faster. The bits do not depend on the instruction set.
  T (*sum)(const T* a, int64_t count);
  // In the order of fewer elements, whatever the count: the sum of (x - mean)².
  T (*squares)(const T* x, T mean, int64_t count);
  // The mean of each row, and the mean of (x - mean)², of sums in that order.
  void (*moments)(const T* x, const NormRows& rows, T* means, T* variances);
  // out = n weight + bias, in rows as those of x. The bias has no step where the weight has none.
  void (*normalize)(const T* x, const NormRows& rows, const Moments<T>* of, const RowsOf<T>& weight,
                    const RowsOf<T>& bias, T* out);
  // of_weight[i] becomes of_weight[i] + g n, and of_bias[i] becomes of_bias[i] + g, of the i-th
  // elements of each row, one after the other. Each may be null. Rows have moments of their own.
  void (*norm_add)(const T* g, const T* x, const NormRows& rows, const Moments<T>* of, T* of_weight,
                   T* of_bias);
  // The sums of each row, in the same order of half as many lanes.
  void (*norm_sums)(const T* g, const T* weight, int64_t weight_step, const T* x,
                    const NormRows& rows, const Moments<T>* of, NormSums<T>* sums);
  // out = (h - means.g - n means.along) inverse; there are as many means as moments.
  void (*norm_gradient)(const T* g, const RowsOf<T>& weight, const T* x, const NormRows& rows,
                        const Moments<T>* of, const NormSums<T>* means, T* out);
  // Shares: out[i] = e^(a[i] scale) / Σ of those elements of each row that take part, and 0 of the
  // others. The greatest exponent is taken from all; sums have the order of `squares`, of whole
  // rows.
  void (*shares)(const T* a, T scale, const ShareRows& rows, T* out);
  // g[i] becomes (g[i] - Σ g share) share[i] scale, or 0.
  void (*share_gradients)(T* g, const T* shares, T scale, const ShareRows& rows);
  // out[i * out_step + j] = a[i + j * step] for i below `rows`, j below `columns`: a transpose.
  void (*transpose)(const T* a, int64_t step, int64_t rows, int64_t columns, T* out,
                    int64_t out_step);
  // Of each window the first greatest entry, or the first NaN, and its place.
  void (*greatest)(const RowOfWindows<T>& row, T* values, int64_t* index);
  // Of each window the sum of its entries, a left fold from +0.
  void (*window_sums)(const RowOfWindows<T>& row, T* sums);
  // out[i] = Σ rows[k][i] weights[k][i * weight_step] for k below `terms`, a left fold from +0. The
  // step is 0 or 1.
  void (*weighed_sums)(const T* const* rows, const T* const* weights, int64_t weight_step,
                       int64_t terms, T* out, int64_t count);
};

template <typename T>
inline constexpr int64_t kSumLanes = 256 / static_cast<int64_t>(sizeof(T));
// From 32 MiB on.
template <typename T>
inline constexpr int64_t kQuarteredSum = (32 << 20) / static_cast<int64_t>(sizeof(T));

// One matrix, read at rows * row_step + columns * column_step.
template <typename T>
struct Matrix {
  const T* data;
  int64_t rows, columns;
  int64_t row_step, column_step;
};

struct Loops {
  LoopsOf<float> f32;
  LoopsOf<double> f64;
  // out, row-major, becomes a b: for each element a left fold over the inner dimension from +0,
  // multiplication and addition fused where the processor can. `scratch` has room for
  // ScratchElements(a, b).
  void (*product)(const Matrix<double>& a, const Matrix<double>& b, double* out, double* scratch);
  int64_t (*scratch_elements)(const Matrix<double>& a, const Matrix<double>& b);

  template <typename T>
  const LoopsOf<T>& Of() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return f32;
    } else {
      return f64;
    }
  }
};

// Which kernels compute: those for this processor; plain C++, an element at a time; or the first,
// and products and convolutions of floats by theirs whatever the size, so that small ones judge
// them.
enum class Kernels : uint8_t { kBest, kPlain, kLibrary };
// To be written by Use alone.
inline constinit Kernels kernels_in_use = Kernels::kBest;
// To be called before other threads compute.
inline void Use(Kernels kernels) { kernels_in_use = kernels; }
inline bool UsesPlain() { return kernels_in_use == Kernels::kPlain; }
// Whether so many multiplications are for a kernel that pays from `least` on.
inline bool IsWorth(int64_t multiplications, int64_t least) {
  if (multiplications >= least) return !UsesPlain();
  return multiplications > 0 && kernels_in_use == Kernels::kLibrary;
}

const Loops& PlainLoops();
const Loops& LoopsInUse();
// Those of every instruction set that this processor has, from the best one on, then the plain
// ones. For tests that run no other thread.
std::vector<const Loops*> EveryLoops();

}  // namespace twingrad::processor

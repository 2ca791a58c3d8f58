// The bodies (../body.h) of the kernels: what a remote device runs, over the scalar functions of
// numbers.h that the host's loops apply too.
//
// Each reads and writes in an order that depends on shapes alone, so bits are the same on every
// run; where the host's loops are left folds they are those of the host.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "autograd/base/device_code.h"
#include "autograd/tensor/element.h"
#include "autograd/tensor/kernels/offset_walk.h"

namespace twingrad::kernels {

// Functions of elements without a state, and with one.

template <class Number>
struct Apply {
  template <class... T>
  AG_DEVICE auto operator()(T... x) const {
    return Number::Of(x...);
  }
};

template <class To>
struct ConvertTo {
  template <class From>
  AG_DEVICE To operator()(From x) const {
    return CastNumber<To>(x);
  }
};

template <class T>
struct Constant {
  T value;
  AG_DEVICE T operator()() const { return value; }
};

template <class T>
struct SubScaled {
  T factor;
  AG_DEVICE T operator()(T a, T b) const { return a - factor * b; }
};

struct Select {
  template <class T>
  AG_DEVICE T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

// out[i] = function(in_1[i], in_2[i], ...), in the walk of all of them, out first.
template <class Function, class R, class... T>
struct MapBody {
  static constexpr const char* kName = "map";
  Function function;
  R* out;
  const void* in[sizeof...(T) + 1];  // and one more, for none is no array
  OffsetWalk<sizeof...(T) + 1> walk;

  AG_DEVICE void operator()(int64_t i) const {
    Run(walk.At(i), std::make_index_sequence<sizeof...(T)>());
  }
  template <size_t... n>
  AG_DEVICE void Run(const Offsets<sizeof...(T) + 1>& at, std::index_sequence<n...>) const {
    out[at.offset[0]] = function(static_cast<const T*>(in[n])[at.offset[n + 1]]...);
  }
};

// Piece i: the fold by Number, from `first` on, of every parts-th of the elements that a result is
// made of, in row-major order. The parts of a result come one after the other, or with
// `is_by_part` the results of a part: so that pieces side by side read elements side by side.
template <class Number, class T>
struct FoldBody {
  static constexpr const char* kName = "fold";
  const T* in;
  T* out;
  T first;
  OffsetWalk<1> kept, reduced;
  int64_t parts;
  bool is_by_part;

  AG_DEVICE void operator()(int64_t i) const {
    const int64_t outer = Quotient(i, is_by_part ? kept.count : parts);
    const int64_t inner = i - outer * (is_by_part ? kept.count : parts);
    const T* const from = in + kept.At(is_by_part ? inner : outer).offset[0];
    int64_t k = is_by_part ? outer : inner;
    T so_far = first;
    if (reduced.rank <= 1) {  // so that loads overlap
      const int64_t step = reduced.rank == 0 ? 0 : reduced.strides[0][0];
      for (; k < reduced.count; k += parts) so_far = Number::Of(so_far, from[k * step]);
    } else {
      for (; k < reduced.count; k += parts) {
        so_far = Number::Of(so_far, from[reduced.At(k).offset[0]]);
      }
    }
    out[i] = so_far;
  }
};

// out[i] is the element of `in` whose coordinate of a dimension is the index there: walks of the
// index and of `in`, standing still along that dimension.
template <class T>
struct GatherBody {
  static constexpr const char* kName = "gather";
  const T* in;
  const int64_t* index;
  T* out;
  int64_t stride;
  OffsetWalk<2> walk;

  AG_DEVICE void operator()(int64_t i) const {
    const auto at = walk.At(i);
    out[i] = in[at.offset[1] + index[at.offset[0]] * stride];
  }
};

// Piece i: the terms of a line along a dimension, in order, each put at the place that the index
// says. No two lines have a place in common. Walks of the index, the terms and the target.
template <class Put, class T>
struct ScatterBody {
  static constexpr const char* kName = "scatter";
  const int64_t* index;
  const T* terms;
  T* out;
  int64_t size, index_step, term_step, out_step;  // along the dimension
  OffsetWalk<3> walk;                             // over the others

  AG_DEVICE void operator()(int64_t i) const {
    const auto at = walk.At(i);
    for (int64_t k = 0; k < size; ++k) {
      T& place = out[at.offset[2] + index[at.offset[0] + k * index_step] * out_step];
      place = Put::Of(place, terms[at.offset[1] + k * term_step]);
    }
  }
};

// What Scatter makes of what is there and the term.
struct LatterNumber {
  template <class T>
  AG_DEVICE static T Of(T /*there*/, T term) {
    return term;
  }
};

// Piece i: element i of the products of a batch: walk of batch, rows and columns over both
// operands, then a left fold over the inner dimension from +0.
template <class Product, class Sum, class T>
struct MatmulBody {
  static constexpr const char* kName = "matmul";
  const T* a;
  const T* b;
  T* out;
  int64_t inner, a_step, b_step;
  OffsetWalk<2> walk;

  AG_DEVICE void operator()(int64_t i) const {
    const auto at = walk.At(i);
    T total(0);
    for (int64_t k = 0; k < inner; ++k) {
      total =
          Sum::Of(total, Product::Of(a[at.offset[0] + k * a_step], b[at.offset[1] + k * b_step]));
    }
    out[i] = total;
  }
};

// The same, for a left operand of which the lower triangle is read, or the upper one: row r of it
// up to column r, or from there on.
template <class Product, class Sum, class T>
struct TriangularMatmulBody {
  static constexpr const char* kName = "triangular_matmul";
  const T* a;
  const T* b;
  T* out;
  int64_t inner, a_step, b_step;
  int64_t rows, columns;  // of each result
  bool upper;
  OffsetWalk<2> walk;

  AG_DEVICE void operator()(int64_t i) const {
    const auto at = walk.At(i);
    const int64_t row = i / columns % rows;
    const int64_t end = upper || row + 1 > inner ? inner : row + 1;
    T total(0);
    for (int64_t k = upper ? row : 0; k < end; ++k) {
      total =
          Sum::Of(total, Product::Of(a[at.offset[0] + k * a_step], b[at.offset[1] + k * b_step]));
    }
    out[i] = total;
  }
};

}  // namespace twingrad::kernels

// Walks over strided and broadcast operands in row-major order, a row at a time.
//
//   ForEachRow<2>(sizes, {StridesFor(out, sizes), StridesFor(in, sizes)}, [&](const Row<2>& row) {
//     for (int64_t i = 0; i < row.count; ++i) out[row.offset[0] + i * row.step[0]] = ...;
//   });
//
// Offsets and steps count elements from an operand's first element. Rows come in row-major order of
// the shape, and elements of a row in order, so that folds written with it have one meaning. Sizes
// and strides must stay alive during the call. Pure functions, any thread.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

using Sizes = absl::Span<const int64_t>;

// One pass over the innermost dimension for N operands.
template <size_t N>
struct Row {
  int64_t count = 1;
  std::array<int64_t, N> offset{};
  std::array<int64_t, N> step{};
};

template <size_t N, typename Function>
void ForEachRow(Sizes sizes, const std::array<Shape, N>& strides, Function&& function) {
  for (int64_t size : sizes) {
    if (size == 0) return;
  }
  Row<N> row;
  const size_t rank = sizes.size();
  if (rank == 0) {
    function(row);
    return;
  }
  row.count = sizes[rank - 1];
  for (size_t n = 0; n < N; ++n) row.step[n] = strides[n][rank - 1];
  Shape index(rank - 1, 0);
  while (true) {
    function(row);
    size_t d = rank - 1;
    while (d > 0) {
      --d;
      for (size_t n = 0; n < N; ++n) row.offset[n] += strides[n][d];
      if (++index[d] < sizes[d]) break;
      for (size_t n = 0; n < N; ++n) row.offset[n] -= strides[n][d] * sizes[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (rank == 1) return;
  }
}

// The strides with which a tensor of `sizes` and `strides` is read as one of shape `target`,
// aligned at the right; 0 where a dimension is repeated. The shapes must fit.
Shape BroadcastStrides(Sizes sizes, absl::Span<const int64_t> strides, Sizes target);

inline Shape StridesFor(const Tensor& tensor, Sizes target) {
  return BroadcastStrides(tensor.sizes(), tensor.strides(), target);
}

// The shape of the broadcast of `a` and `b`; Error(kShape) naming `op` where they do not fit.
Shape BroadcastShape(const char* op, Sizes a, Sizes b);

// Whether a tensor of shape `from` can be read as one of shape `to`.
bool BroadcastsTo(Sizes from, Sizes to);

// Calls function(T()) with the C++ type of `dtype`. The Numeric form excludes bool, the Floating
// one integers too: they throw Error(kDType) naming `op`.
[[noreturn]] void RefuseDType(const char* op, DType dtype, const char* allowed);

template <typename Function>
decltype(auto) DispatchAll(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kF32:
      return function(float());
    case DType::kF64:
      return function(double());
    case DType::kI64:
      return function(int64_t());
    case DType::kBool:
      break;
  }
  return function(bool());
}

template <typename Function>
decltype(auto) DispatchNumeric(const char* op, DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kF32:
      return function(float());
    case DType::kF64:
      return function(double());
    case DType::kI64:
      return function(int64_t());
    case DType::kBool:
      break;
  }
  RefuseDType(op, dtype, "f32, f64 and i64");
}

template <typename Function>
decltype(auto) DispatchFloating(const char* op, DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kF32:
      return function(float());
    case DType::kF64:
      return function(double());
    case DType::kI64:
    case DType::kBool:
      break;
  }
  RefuseDType(op, dtype, "f32 and f64");
}

[[noreturn]] void RefuseMixedKinds(const char* op, const Tensor& a, const Tensor& b);

// Throws unless both have one dtype and one device.
inline void CheckSameKind(const char* op, const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype() && a.device() == b.device()) [[likely]]
    return;
  RefuseMixedKinds(op, a, b);
}

}  // namespace twingrad::kernels

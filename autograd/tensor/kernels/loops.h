// Walks over strided and broadcast operands in row-major order.
//
//   ForEachElement<2>(sizes, {StridesFor(out, sizes), StridesFor(in, sizes)},
//                     [&](int64_t to, int64_t from) { out[to] = -in[from]; });
//
// ForEachRow is for those that treat a row at a time: where its elements lie side by side, or where
// a position in the result would not stay in a register otherwise (measured: gather, EachAs).
//
// Offsets and steps count elements from an operand's first element. Rows come in row-major order of
// the shape, and elements of a row in order, so that folds written with it have one meaning. Sizes
// and strides must stay alive during the call. Pure functions, any thread.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// One pass over the innermost dimension for N operands.
template <size_t N>
struct Row {
  int64_t count = 1;
  std::array<int64_t, N> offset{};
  std::array<int64_t, N> step{};
};

template <size_t N, typename Function>
void ForEachRow(Ints sizes, const std::array<Shape, N>& strides, Function&& function) {
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

// Calls function with the offsets of each element in turn, one an operand.
template <size_t N, typename Function>
void ForEachElement(Ints sizes, const std::array<Shape, N>& strides, Function function) {
  const auto each = [&]<size_t... n>(const Row<N>& row, std::index_sequence<n...>) {
    for (int64_t i = 0; i < row.count; ++i) function((row.offset[n] + i * row.step[n])...);
  };
  ForEachRow<N>(sizes, strides,
                [&](const Row<N>& row) { each(row, std::make_index_sequence<N>()); });
}

// The strides with which a tensor of `sizes` and `strides` is read as one of shape `target`,
// aligned at the right; 0 where a dimension is repeated. The shapes must fit.
Shape BroadcastStrides(Ints sizes, Ints strides, Ints target);

inline Shape StridesFor(const Tensor& tensor, Ints target) {
  return BroadcastStrides(tensor.sizes(), tensor.strides(), target);
}

// The shape of the broadcast of `a` and `b`; Error(kShape) naming `op` where they do not fit.
Shape BroadcastShape(const char* op, Ints a, Ints b);

// Whether a tensor of shape `from` can be read as one of shape `to`.
bool BroadcastsTo(Ints from, Ints to);

using twingrad::DispatchAll;

// What errors say is allowed.
inline constexpr const char* kFloatTypes = "f16, bf16, f32 and f64";
inline constexpr const char* kNumberTypes = "f16, bf16, f32, f64, i32 and i64";

// As DispatchAll, without bool; without integers too. Error(kDType) naming `op` for those. Narrow
// types have been widened before (narrow.h).
[[noreturn]] void RefuseDType(const char* op, DType dtype, const char* allowed);

template <typename Function>
decltype(auto) DispatchNumeric(const char* op, DType dtype, Function&& function) {
  if (dtype == DType::kF32) return function(float());
  if (dtype == DType::kF64) return function(double());
  if (dtype == DType::kI64) return function(int64_t());
  RefuseDType(op, dtype, kNumberTypes);
}

template <typename Function>
decltype(auto) DispatchFloating(const char* op, DType dtype, Function&& function) {
  if (dtype == DType::kF32) return function(float());
  if (dtype == DType::kF64) return function(double());
  RefuseDType(op, dtype, kFloatTypes);
}

// Throws Error(kDevice) of tensors on two devices; `what_a` and `what_b` say what they are, as
// "indices are on " and " and the operand on ".
[[noreturn]] void RefuseDevices(const char* op, std::string_view what_a, const Tensor& a,
                                std::string_view what_b, const Tensor& b);

[[noreturn]] void RefuseMixedKinds(const char* op, const Tensor& a, const Tensor& b);

// Throws unless both have one dtype and one device, and are dense or both sparse.
inline void CheckSameKind(const char* op, const Tensor& a, const Tensor& b) {
  if (a.type().kind() == b.type().kind()) [[likely]]
    return;
  RefuseMixedKinds(op, a, b);
}

}  // namespace twingrad::kernels

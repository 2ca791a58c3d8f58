// Kernels on remote tensors (../remote.h): operands become the walks of bodies.
//
//   if (IsRemote(a)) return RemoteMap<T>("neg", Apply<NegNumber>(), a.sizes(), a);
//
// These are cold functions of their own, so that a kernel pays one branch for them.
//
// Results are fresh and contiguous and lie on the operands' device. The operands have been checked.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "autograd/tensor/kernels/bodies.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/remote.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// Error(kUnsupported) naming `op`: no walk takes so many dimensions.
[[noreturn]] void RefuseRank(const char* op, Device device, size_t rank);

// Pieces of a body run at the same time, so none may write what another one writes or reads.
// Error(kInternal) if elements of `out` share memory, or if an operand lies there too otherwise
// than element by element.
void CheckPieces(const char* op, const Tensor& out, std::initializer_list<const Tensor*> in);

// Of operands with these strides, `device` being where they lie.
template <size_t N>
OffsetWalk<N> WalkOver(const char* op, Device device, Ints sizes,
                       const std::array<Shape, N>& strides) {
  OffsetWalk<N> walk;
  size_t rank = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    walk.count *= sizes[d];
    if (sizes[d] == 1) continue;
    bool joins = rank > 0;
    for (size_t n = 0; joins && n < N; ++n) {
      joins = walk.strides[n][rank - 1] == strides[n][d] * sizes[d];
    }
    if (!joins && rank == kMostWalked) RefuseRank(op, device, sizes.size());
    if (!joins) walk.sizes[rank++] = 1;
    walk.sizes[rank - 1] *= sizes[d];
    for (size_t n = 0; n < N; ++n) walk.strides[n][rank - 1] = strides[n][d];
  }
  walk.rank = static_cast<int>(rank);
  return walk;
}

// out[...] = function(in...): in place of what `out` holds; the operands are broadcast to it.
template <class R, class... T, class Function, class... Tensors>
[[gnu::noinline, gnu::cold]] void RemoteMapInto(const char* op, Function function,
                                                const Tensor& out, const Tensors&... in) {
  const Ints sizes = out.sizes();
  CheckPieces(op, out, {&in...});
  const MapBody<Function, R, T...> body{
      function,
      Address<R>(out),
      {static_cast<const void*>(Address<T>(in))..., nullptr},
      WalkOver<sizeof...(T) + 1>(op, out.device(), sizes,
                                 {StridesFor(out, sizes), StridesFor(in, sizes)...})};
  RunRemote(op, body, out.numel(), {&out}, {&in...});
}

// The same into a fresh tensor of this shape.
template <class R, class... T, class Function, class... Tensors>
[[gnu::noinline, gnu::cold]] Tensor RemoteMap(const char* op, Function function, Ints sizes,
                                              const Tensor& first, const Tensors&... rest) {
  Tensor out = Tensor::Empty(sizes, kDTypeOf<R>, first.device());
  RemoteMapInto<R, T...>(op, function, out, first, rest...);
  return out;
}

}  // namespace twingrad::kernels

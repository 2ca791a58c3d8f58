#include "autograd/ops/upsample.h"

#include <cstddef>
#include <cstdint>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/unfold.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/interpolate.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/reduce.h"

namespace twingrad::ops {
namespace {

constexpr WindowNames kNearest[] = {{"upsample_nearest1d", "UpsampleNearest1dBackward"},
                                    {"upsample_nearest2d", "UpsampleNearest2dBackward"},
                                    {"upsample_nearest3d", "UpsampleNearest3dBackward"}};
constexpr WindowNames kLinear[] = {{"upsample_linear1d", "UpsampleLinear1dBackward"},
                                   {"upsample_bilinear2d", "UpsampleBilinear2dBackward"},
                                   {"upsample_trilinear3d", "UpsampleTrilinear3dBackward"}};

// A Line for each dimension of the plane.
template <typename LineOf>
Windows WindowsOf(const char* op, int dims, const Tensor& a, Ints sizes, LineOf line_of) {
  CheckDefined(op, a);
  const auto count = static_cast<size_t>(dims);
  const Ints plane = PlaneOf(op, a, count);
  const Shape counts = CheckedSteps(op, "shape", sizes, count, 1);
  Windows windows;
  for (size_t d = 0; d < count; ++d) windows.push_back(line_of(plane[d], counts[d]));
  return windows;
}

// Sums of entries times weights, [planes, windows]; without history.
Tensor InterpolatedRows(const Tensor& wide, const Windows& windows) {
  const Tensor at_once = kernels::Interpolate(wide, windows);
  if (at_once.defined()) return at_once;
  const Tensor columns = kernels::Unfold(wide, windows);
  const Tensor weights = kernels::WeightsOf(windows, columns);
  return kernels::Sum(kernels::Mul(columns, weights), {1}, /*keepdim=*/false);
}

// The adjoint in one pass, where nobody derives it again and there is a kernel; else undefined.
Tensor BackAtOnce(const Tensor& rows, const Windows& windows, const Shape& sizes) {
  return ShouldRecord(rows) ? Tensor() : kernels::InterpolateBack(rows, windows, sizes);
}

// With history.
Tensor InterpolatedBack(const Tensor& rows, const Windows& windows, const Shape& sizes) {
  const Tensor at_once = BackAtOnce(rows, windows, sizes);
  if (at_once.defined()) return at_once;
  const Tensor each = ReshapeTo(rows, {rows.sizes()[0], 1, rows.sizes()[1]});
  return Folded(Mul(each, kernels::WeightsOf(windows, rows)), windows, sizes);
}

Tensor Interpolated(const char* node, const Tensor& a, const Windows& windows) {
  const Tensor rows = InterpolatedRows(kernels::Widened(a.Detach()), windows);
  Tensor result = WithShape(kernels::Narrowed(rows, a.dtype()), WindowedShape(a, windows));
  if (ShouldRecord(a)) {
    Record(node, result, a, [windows, shape = SizesOf(rows), sizes = SizesOf(a)](const Tensor& g) {
      return Widely(g, [&](const Tensor& h) {
        return InterpolatedBack(ReshapeTo(h, shape), windows, sizes);
      });
    });
  }
  return result;
}

}  // namespace

template <int kDims>
Tensor UpsampleNearest(const Tensor& a, Ints sizes) {
  const WindowNames names = kNearest[kDims - 1];
  const Windows windows = WindowsOf(names.op, kDims, a, sizes, kernels::NearestLine);
  const Tensor columns = kernels::Unfold(a, windows);
  Tensor result = WithShape(columns, WindowedShape(a, windows));
  if (ShouldRecord(a)) {
    Record(
        names.node, result, a,
        [windows, unfolded = SizesOf(columns), sizes = SizesOf(a)](const Tensor& g) {
          const Tensor given = BackAtOnce(ReshapeTo(g, {unfolded[0], unfolded[2]}), windows, sizes);
          return given.defined() ? given : Folded(ReshapeTo(g, unfolded), windows, sizes);
        });
  }
  return result;
}

template <int kDims>
Tensor UpsampleLinear(const Tensor& a, Ints sizes, bool corners) {
  const WindowNames names = kLinear[kDims - 1];
  const auto line = [corners](int64_t from, int64_t to) {
    return kernels::LinearLine(from, to, corners);
  };
  return Interpolated(names.node, a, WindowsOf(names.op, kDims, a, sizes, line));
}

Tensor UpsampleBicubic(const Tensor& a, Ints sizes, bool corners) {
  const auto line = [corners](int64_t from, int64_t to) {
    return kernels::CubicLine(from, to, corners);
  };
  return Interpolated("UpsampleBicubic2dBackward", a,
                      WindowsOf("upsample_bicubic2d", 2, a, sizes, line));
}

template Tensor UpsampleNearest<1>(const Tensor&, Ints);
template Tensor UpsampleNearest<2>(const Tensor&, Ints);
template Tensor UpsampleNearest<3>(const Tensor&, Ints);
template Tensor UpsampleLinear<1>(const Tensor&, Ints, bool);
template Tensor UpsampleLinear<2>(const Tensor&, Ints, bool);
template Tensor UpsampleLinear<3>(const Tensor&, Ints, bool);

}  // namespace twingrad::ops

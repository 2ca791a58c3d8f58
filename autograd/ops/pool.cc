#include "autograd/ops/pool.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/unfold.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/greatest.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/rearrange.h"
#include "autograd/tensor/kernels/reduce.h"
#include "autograd/tensor/remote.h"

namespace twingrad::ops {
namespace {

constexpr WindowNames kAverages[] = {{"avg_pool1d", "AvgPool1dBackward"},
                                     {"avg_pool2d", "AvgPool2dBackward"},
                                     {"avg_pool3d", "AvgPool3dBackward"}};
constexpr WindowNames kGreatest[] = {{"max_pool1d", "MaxPool1dBackward"},
                                     {"max_pool2d", "MaxPool2dBackward"},
                                     {"max_pool3d", "MaxPool3dBackward"}};
constexpr WindowNames kAdaptiveAverages[] = {{"adaptive_avg_pool1d", "AdaptiveAvgPool1dBackward"},
                                             {"adaptive_avg_pool2d", "AdaptiveAvgPool2dBackward"},
                                             {"adaptive_avg_pool3d", "AdaptiveAvgPool3dBackward"}};
constexpr WindowNames kAdaptiveGreatest[] = {{"adaptive_max_pool1d", "AdaptiveMaxPool1dBackward"},
                                             {"adaptive_max_pool2d", "AdaptiveMaxPool2dBackward"},
                                             {"adaptive_max_pool3d", "AdaptiveMaxPool3dBackward"}};

Windows BoxesOfPool(const char* op, int dims, const Tensor& a, Ints kernel, Ints stride,
                    Ints padding) {
  CheckDefined(op, a);
  const auto count = static_cast<size_t>(dims);
  const Shape ones(count, 1), zeros(count, 0);
  const Shape boxes = CheckedSteps(op, "kernel", kernel, count, 1);
  const Shape around = StepsOf(op, "padding", padding, zeros, 0);
  for (size_t d = 0; d < count; ++d) {
    if (2 * around[d] <= boxes[d]) continue;
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", op, "] padding ", ShapeToString(around), " of a kernel ",
                             ShapeToString(boxes), "; it may be at most half of it"));
  }
  return BoxesOf(op, PlaneOf(op, a, count), boxes, StepsOf(op, "stride", stride, boxes, 1), around,
                 ones);
}

Windows PortionsOf(const char* op, int dims, const Tensor& a, Ints sizes) {
  CheckDefined(op, a);
  const auto count = static_cast<size_t>(dims);
  const Ints plane = PlaneOf(op, a, count);
  const Shape counts = CheckedSteps(op, "shape", sizes, count, 1);
  Windows windows;
  for (size_t d = 0; d < count; ++d) windows.push_back(kernels::PortionLine(plane[d], counts[d]));
  return windows;
}

// Of windows with as many entries as `numbers` says, by window or for all.
template <typename Numbers>
Tensor Average(const char* node, const Tensor& a, const Windows& windows, Numbers numbers_like) {
  const Tensor wide = kernels::Widened(a);
  Tensor sums = kernels::WindowSums(wide, windows);
  if (!sums.defined()) sums = kernels::Sum(kernels::Unfold(wide, windows), {1}, /*keepdim=*/false);
  const Shape unfolded = {sums.sizes()[0], kernels::EntriesOf(windows), sums.sizes()[1]};
  const Tensor numbers = numbers_like(sums);
  const Tensor means = kernels::Narrowed(kernels::Div(sums, numbers), a.dtype());
  Tensor result = WithShape(means, WindowedShape(a, windows));
  if (ShouldRecord(a)) {
    Record(node, result, a, [windows, numbers, unfolded, sizes = SizesOf(a)](const Tensor& g) {
      return Widely(g, [&](const Tensor& h) {
        const Tensor each = ReshapeTo(h, {unfolded[0], 1, unfolded[2]});
        return Folded(ExpandTo(Div(each, numbers), unfolded), windows, sizes);
      });
    });
  }
  return result;
}

// The gradient in one pass, where nobody derives it again and the indices are those of the forward
// run, which lie at `made`; else undefined.
Tensor GivenBack(const Tensor& index, const void* made, const Tensor& g, const Windows& windows) {
  if (!IsRemote(g) || ShouldRecord(g)) return Tensor();
  const int64_t plane = kernels::PlaneSizeOf(windows);
  const bool is_made_here = index.impl()->data() == made && index.IsContiguous() &&
                            index.sizes() == g.sizes() && AreIndicesBelow(index, plane);
  return is_made_here ? kernels::GivenToGreatest(index, g, windows) : Tensor();
}

ValuesAndIndices Greatest(const char* node, const Tensor& a, const Windows& windows) {
  const auto [values, index] = kernels::Greatest(a, windows);
  const int64_t plane = kernels::PlaneSizeOf(windows);
  const Shape rows = SizesOf(index), planes = {rows[0], plane};
  Tensor result = WithShape(values, WindowedShape(a, windows));
  const Tensor places = WithShape(index, SizesOf(result));
  if (ShouldRecord(a)) {
    Record<1>(node, result, a,
              [rows, planes, windows, made = index.impl()->data(), sizes = SizesOf(a)](
                  const Tensor& g, const Tensor* saved) {
                const Tensor given = GivenBack(saved[0], made, g, windows);
                if (given.defined()) return ReshapeTo(given, sizes);
                const Tensor in_rows = ReshapeTo(saved[0], rows);
                if (!ShouldRecord(g)) {
                  const Tensor sums = kernels::ScatterSums(planes, 1, in_rows, ReshapeTo(g, rows));
                  return WithShape(sums, sizes);
                }
                const Tensor zeros = Tensor::Zeros(planes, g.dtype(), g.device());
                return ReshapeTo(ScatterAdd(zeros, 1, in_rows, ReshapeTo(g, rows)), sizes);
              })
        ->Save(places);
  }
  return {result, places};
}

Tensor GreatestIndices(const Tensor& a, const Windows& windows) {
  return WithShape(kernels::Greatest(a, windows).index, WindowedShape(a, windows));
}

}  // namespace

template <int kDims>
Tensor AvgPool(const Tensor& a, Ints kernel, Ints stride, Ints padding) {
  const WindowNames names = kAverages[kDims - 1];
  const Windows windows = BoxesOfPool(names.op, kDims, a, kernel, stride, padding);
  const auto entries = static_cast<double>(kernels::EntriesOf(windows));
  return Average(names.node, a, windows,
                 [entries](const Tensor& like) { return Constant(entries, like); });
}

template <int kDims>
ValuesAndIndices MaxPoolWithIndices(const Tensor& a, Ints kernel, Ints stride, Ints padding) {
  const WindowNames names = kGreatest[kDims - 1];
  return Greatest(names.node, a, BoxesOfPool(names.op, kDims, a, kernel, stride, padding));
}

template <int kDims>
Tensor MaxPool(const Tensor& a, Ints kernel, Ints stride, Ints padding) {
  return MaxPoolWithIndices<kDims>(a, kernel, stride, padding).values;
}

template <int kDims>
Tensor MaxPoolIndices(const Tensor& a, Ints kernel, Ints stride, Ints padding) {
  const char* const op = kGreatest[kDims - 1].op;
  return GreatestIndices(a, BoxesOfPool(op, kDims, a, kernel, stride, padding));
}

template <int kDims>
Tensor AdaptiveAvgPool(const Tensor& a, Ints sizes) {
  const WindowNames names = kAdaptiveAverages[kDims - 1];
  const Windows windows = PortionsOf(names.op, kDims, a, sizes);
  return Average(names.node, a, windows, [&windows](const Tensor& like) {
    return kernels::NumbersOfEntries(windows, like);
  });
}

template <int kDims>
ValuesAndIndices AdaptiveMaxPoolWithIndices(const Tensor& a, Ints sizes) {
  const WindowNames names = kAdaptiveGreatest[kDims - 1];
  return Greatest(names.node, a, PortionsOf(names.op, kDims, a, sizes));
}

template <int kDims>
Tensor AdaptiveMaxPool(const Tensor& a, Ints sizes) {
  return AdaptiveMaxPoolWithIndices<kDims>(a, sizes).values;
}

template <int kDims>
Tensor AdaptiveMaxPoolIndices(const Tensor& a, Ints sizes) {
  return GreatestIndices(a, PortionsOf(kAdaptiveGreatest[kDims - 1].op, kDims, a, sizes));
}

template Tensor AvgPool<1>(const Tensor&, Ints, Ints, Ints);
template Tensor AvgPool<2>(const Tensor&, Ints, Ints, Ints);
template Tensor AvgPool<3>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPool<1>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPool<2>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPool<3>(const Tensor&, Ints, Ints, Ints);
template ValuesAndIndices MaxPoolWithIndices<1>(const Tensor&, Ints, Ints, Ints);
template ValuesAndIndices MaxPoolWithIndices<2>(const Tensor&, Ints, Ints, Ints);
template ValuesAndIndices MaxPoolWithIndices<3>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPoolIndices<1>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPoolIndices<2>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPoolIndices<3>(const Tensor&, Ints, Ints, Ints);
template Tensor AdaptiveAvgPool<1>(const Tensor&, Ints);
template Tensor AdaptiveAvgPool<2>(const Tensor&, Ints);
template Tensor AdaptiveAvgPool<3>(const Tensor&, Ints);
template Tensor AdaptiveMaxPool<1>(const Tensor&, Ints);
template Tensor AdaptiveMaxPool<2>(const Tensor&, Ints);
template Tensor AdaptiveMaxPool<3>(const Tensor&, Ints);
template ValuesAndIndices AdaptiveMaxPoolWithIndices<1>(const Tensor&, Ints);
template ValuesAndIndices AdaptiveMaxPoolWithIndices<2>(const Tensor&, Ints);
template ValuesAndIndices AdaptiveMaxPoolWithIndices<3>(const Tensor&, Ints);
template Tensor AdaptiveMaxPoolIndices<1>(const Tensor&, Ints);
template Tensor AdaptiveMaxPoolIndices<2>(const Tensor&, Ints);
template Tensor AdaptiveMaxPoolIndices<3>(const Tensor&, Ints);

}  // namespace twingrad::ops

#include "cuda/kernels/convolution_shape.h"

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace twingrad::cuda {
namespace {

using kernels::Boxes;

constexpr int64_t kMostCounted = std::numeric_limits<int>::max();

// A dimension with one place and one window there.
bool IsFlat(const Boxes::Axis& axis) {
  return axis.size == 1 && axis.windows == 1 && axis.entries == 1 && axis.padding == 0;
}

// Whether cuDNN counts as many elements.
bool AreCounted(std::initializer_list<int64_t> sizes) {
  int64_t elements = 1;
  for (const int64_t size : sizes) {
    if (size < 1 || size > kMostCounted / elements) return false;
    elements *= size;
  }
  return true;
}

}  // namespace

DnnShape::Sizes DnnShape::StridesOf(const Sizes& sizes) const {
  Sizes strides{};
  int step = 1;
  for (auto d = static_cast<size_t>(rank); d-- > 0;) {
    strides[d] = step;
    step *= sizes[d];
  }
  return strides;
}

std::optional<DnnShape> DnnShapeOf(const kernels::ConvolutionShape& shape) {
  const int64_t channels = shape.groups * shape.depth, results = shape.groups * shape.results;
  if (!AreCounted({shape.samples, shape.groups, shape.depth, shape.plane}) ||
      !AreCounted({shape.groups, shape.results, shape.depth, shape.entries}) ||
      !AreCounted({shape.samples, shape.groups, shape.results, shape.windows})) {
    return std::nullopt;
  }
  // Of lines planes are made.
  const int first = IsFlat(shape.boxes.axes[0]) ? 1 : 0;
  DnnShape dnn;
  dnn.rank = 2 + Boxes::kAxes - first;
  dnn.groups = static_cast<int>(shape.groups);
  dnn.wide = {static_cast<int>(shape.samples), static_cast<int>(channels)};
  dnn.weights = {static_cast<int>(results), static_cast<int>(shape.depth)};
  dnn.narrow = {static_cast<int>(shape.samples), static_cast<int>(results)};
  for (int d = first; d < Boxes::kAxes; ++d) {
    const Boxes::Axis& axis = shape.boxes.axes[d];
    if (axis.padding > kMostCounted || axis.stride > kMostCounted || axis.dilation > kMostCounted) {
      return std::nullopt;
    }
    const auto at = static_cast<size_t>(d - first);
    dnn.wide[at + 2] = static_cast<int>(axis.size);
    dnn.weights[at + 2] = static_cast<int>(axis.entries);
    dnn.narrow[at + 2] = static_cast<int>(axis.windows);
    dnn.padding[at] = static_cast<int>(axis.padding);
    dnn.stride[at] = static_cast<int>(axis.stride);
    dnn.dilation[at] = static_cast<int>(axis.dilation);
  }
  return dnn;
}

}  // namespace twingrad::cuda

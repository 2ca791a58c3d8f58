// Layout: which places of a storage a value shows, as an offset and strides.
//
// Index arithmetic of the ball witness's own; it shares none with the twin and the dual numbers.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/base/dtype.h"
#include "autograd/program/program.h"

namespace twingrad::reference::ball {

using Places = std::vector<int64_t>;

int64_t CountOf(absl::Span<const int64_t> shape);
// Row-major.
Places StridesOf(absl::Span<const int64_t> shape);

// offset + sum of coordinate times stride, for each element of the shape in row-major order.
Places Enumerate(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides,
                 int64_t offset = 0);
// Where each element of `shape` lies in a tensor of shape `from` that is broadcast to it.
Places Broadcasting(absl::Span<const int64_t> from, absl::Span<const int64_t> shape);

// The elements of a shape along one dimension: place `start` + k * step for k below length.
struct Lane {
  int64_t start = 0;
  int64_t step = 1;
  int64_t length = 0;
  int64_t At(int64_t k) const { return start + k * step; }
};
// One for each choice of the other coordinates, in row-major order of these.
std::vector<Lane> LanesAlong(absl::Span<const int64_t> shape, int64_t dim);

struct Layout {
  Shape shape;
  Places strides;
  int64_t offset = 0;

  static Layout Of(const Shape& shape);
  Places AllPlaces() const { return Enumerate(shape, strides, offset); }
  // Row-major without gaps; then it may be shown in another shape.
  bool IsContiguous() const;
  // What a view statement shows of this; `reshape` of what is not contiguous is a copy, and no
  // view.
  Layout View(const program::Statement& statement) const;
};

}  // namespace twingrad::reference::ball

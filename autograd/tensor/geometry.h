// Sizes and strides, apart from any tensor.
//
//   ElementCount({2, 3});                     // 6
//   IsContiguousGeometry({2, 3}, {3, 1});     // true
//
// Pure functions, any thread.

#pragma once

#include <cstdint>
#include <string>

#include "autograd/base/dtype.h"
#include "autograd/base/span.h"

namespace twingrad {

// Sizes, strides or dimensions of a tensor, to read.
using Ints = Span<const int64_t>;

// Product of the sizes; Error when one is negative or the product does not fit.
int64_t ElementCount(Ints sizes);
// Row-major strides.
Shape ContiguousStrides(Ints sizes);
// Whether the geometry is row-major, sizes of 1 not looked at.
bool IsContiguousGeometry(Ints sizes, Ints strides);
// Whether two elements lie at one place. Takes time and memory of the elements only where the
// dimensions of memory interleave, as windows that overlap do.
bool HasInternalOverlap(Ints sizes, Ints strides);
// `[2,3]`.
std::string ShapeToString(Ints sizes);

}  // namespace twingrad

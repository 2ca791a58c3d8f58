// Elements that indices in several dimensions name, or a mask: taken, put and added.
//
//   Tensor r = ops::Index(a, {&i, &j});                        // r[s, ..] = a[i[s], j[s], ..]
//   Tensor p = ops::IndexPut(a, v, {&m}, /*accumulate=*/true); // a, v added where m is true
//
// Indices are i64, broadcast against each other, one for each of the first dimensions, which they
// replace; each is 0 to size - 1 and may occur more than once. A mask stands alone: it is bool, has
// the shape of a's first dimensions, one of them or more, and names those of its elements that are
// true, in row-major order. `count`: how many these are.
//
// Copies, with the operand's type and device. Indices and masks have no gradient. Errors:
// kUndefined for an undefined operand, kIndex for an index out of range, kInvalidArgument for a
// mask with another count, kDType for types not taken or that differ, kDevice for operands on
// different devices, kShape for shapes that do not fit. Safe from any thread.

#pragma once

#include <cstdint>

#include "autograd/base/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

inline constexpr int64_t kAnyCount = -1;

// What the indices or the mask name; the dimensions without an index follow. All element types.
Tensor Index(const Tensor& a, Span<const Tensor* const> indices, int64_t count = kAnyCount);

// a with the elements of `source`, broadcast to what Index takes, in order, put there, or added
// with `accumulate`. Of several that are put in one place the last stays, and the others have a
// gradient of 0. All element types; but bool is not added.
Tensor IndexPut(const Tensor& a, const Tensor& source, Span<const Tensor* const> indices,
                bool accumulate, int64_t count = kAnyCount);

// A list of the elements of a where `mask` (bool) is true, both broadcast. All element types.
Tensor MaskedSelect(const Tensor& a, const Tensor& mask, int64_t count = kAnyCount);

}  // namespace twingrad::ops

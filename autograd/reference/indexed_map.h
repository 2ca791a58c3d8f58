// Index maps of what indices in several dimensions, or a mask, name.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// A mask has another number of true elements than it is said to have.
struct CountDiffers {};

// For each element of what the indices take of an array of shape `of`, its place there: indices are
// broadcast, and stand for the first dimensions. Throws IndexOutOfRange, UnknownInteger.
ShapedMap IndexedMap(Arena& arena, const Shape& of, absl::Span<const Array* const> indices);

// The same of the elements of a mask that are true. Throws CountDiffers, UnknownInteger.
ShapedMap MaskedMap(Arena& arena, const Shape& of, const Array& mask, int64_t count);

// The same of i64[d, n]: of n indices in the first d dimensions.
ShapedMap ColumnsMap(Arena& arena, const Shape& of, const Array& indices);

// The different columns of i64[d, n] in ascending order. Throws UnknownInteger.
const Array* DifferentColumns(Arena& arena, const Array& indices);

// The elements that go to one place.
struct Meeting {
  int32_t place = 0;
  std::vector<int32_t> elements;
};
// Of the elements of a list of places, those that meet, by the first of each.
std::vector<Meeting> MeetingsOf(const IndexMap& places, int32_t count);

}  // namespace twingrad::reference

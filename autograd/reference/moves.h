// Ops that move elements of one operand by fixed maps: reversed, around, triangles of matrices,
// padded, repeated; and those that put them in place of others.
//
// Written for any algebra (composite.h).

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/opcode.h"
#include "autograd/program/program.h"
#include "autograd/program/view_scatter.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/writers.h"

namespace twingrad::reference {

template <typename Algebra>
ValueIn<Algebra> TriangleOf(Algebra& algebra, const ValueIn<Algebra>& a, const IndexMap& kept,
                            const Shape& shape) {
  const auto elements = Gather(algebra, a, kept, algebra.arena().Keep({kept.size}));
  return Overwrite(algebra, Constant(algebra, a, shape, 0), elements, kept);
}

// pad: a in an array of by=.
template <typename Algebra>
ValueIn<Algebra> PaddedWith(Algebra& algebra, const ValueIn<Algebra>& a, const Shape& shape,
                            const Padding& padding, double by) {
  const Shape strides = RowMajorStrides(padding.shape);
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += padding.before[d] * strides[d];
  const IndexMap places = StridedMap(algebra.arena(), shape, strides, offset);
  return Overwrite(algebra, Constant(algebra, a, padding.shape, by), a, places);
}

// scatter: `base`, of this shape, with the values put at the places, in order.
template <typename Algebra>
ValueIn<Algebra> PutAt(Algebra& algebra, const ValueIn<Algebra>& base,
                       const ValueIn<Algebra>& values, const Picks& places, const Shape& shape) {
  if (!places.certain()) throw UnknownInteger();
  Arena& arena = algebra.arena();
  const Writers writers = LastWriters(arena, places.places, Count(shape));
  const auto kept = Pick(algebra, values, writers.from, arena.Keep({writers.from.size}));
  return Overwrite(algebra, base, kept, writers.to);
}

// The elements of in[2], or its entries along dim=, added to in[0] where the indices in[1] say, or
// put there; or in[1] in place of a view.
template <typename Algebra>
ValueIn<Algebra> ScatteredAlong(Algebra& algebra, const program::Statement& statement,
                                absl::Span<const ValueIn<Algebra>> in,
                                absl::Span<const Shape* const> shapes) {
  using program::Opcode;
  Arena& arena = algebra.arena();
  const Opcode op = statement.op;
  const Shape& whole = *shapes[0];
  if (program::ViewWrittenBy(op)) {
    return Overwrite(algebra, in[0], in[1], ViewWritten(arena, statement, whole));
  }
  const auto dim = static_cast<size_t>(statement.Get<int64_t>(program::Key::kDim));
  const Shape& added = *shapes[2];
  const bool lists = op == Opcode::kIndexAdd || op == Opcode::kIndexCopy;
  const IndexMap each = lists ? ListMap(arena, added, dim) : IndexMap{nullptr, Count(added)};
  const Picks places = PickMap(arena, whole, added, dim, *algebra.ArrayOf(in[1]), each);
  const bool adds = op == Opcode::kScatterAdd || op == Opcode::kIndexAdd;
  if (!adds) return PutAt(algebra, in[0], in[2], places, whole);
  return AddedTo(algebra, in[0], in[2], places, whole);
}

template <typename Algebra>
ValueIn<Algebra> RepeatOf(Algebra& algebra, program::Opcode op, const ValueIn<Algebra>& a,
                          const Shape& shape, const std::vector<int64_t>& counts) {
  Shape from(counts.size() - shape.size(), 1), to;
  for (const int64_t size : shape) from.push_back(size);
  for (size_t d = 0; d < counts.size(); ++d) to.push_back(counts[d] * from[d]);
  Arena& arena = algebra.arena();
  const IndexMap map = ExtendedMap(arena, op, from, to, Shape(counts.size(), 0));
  return Gather(algebra, a, map, arena.Keep(to));
}

// The negated entry of each row along the last dimension that its index names.
template <typename Algebra>
ValueIn<Algebra> NegatedOfClasses(Algebra& algebra, const ValueIn<Algebra>& a, const Array& index,
                                  const Shape& whole, const Shape* samples) {
  const size_t last = whole.size() - 1;
  Shape one = whole;
  one[last] = 1;
  const Picks places =
      PickMap(algebra.arena(), whole, one, last, index, {nullptr, Count(*samples)});
  if (!places.certain()) throw UnknownInteger();
  return algebra.Apply(Primitive::kNegate, Pick(algebra, a, places.places, samples));
}

// flip, roll, tril, triu, pad and its like, repeat; a has this shape.
template <typename Algebra>
ValueIn<Algebra> MovedBy(Algebra& algebra, const program::Statement& statement, program::Opcode op,
                         const ValueIn<Algebra>& a, const Shape& shape) {
  using program::Key;
  using program::Opcode;
  using List = std::vector<int64_t>;
  Arena& arena = algebra.arena();
  if (op == Opcode::kFlip) {
    const auto dims = statement.Get<List>(Key::kDims);
    return Gather(algebra, a, FlipMap(arena, shape, dims), arena.Keep(shape));
  }
  if (op == Opcode::kRoll) {
    const auto dim = static_cast<size_t>(statement.Get<int64_t>(Key::kDim));
    const IndexMap map = RollMap(arena, shape, dim, statement.Get<int64_t>(Key::kBy));
    return Gather(algebra, a, map, arena.Keep(shape));
  }
  if (op == Opcode::kTril || op == Opcode::kTriu) {
    const auto by = statement.Get<int64_t>(Key::kBy);
    return TriangleOf(algebra, a, TriangleMap(arena, shape, by, op == Opcode::kTril), shape);
  }
  if (op == Opcode::kRepeat) {
    return RepeatOf(algebra, op, a, shape, statement.Get<List>(Key::kShape));
  }
  const Padding padding = PaddingOf(statement, shape);
  if (op == Opcode::kPad) {
    return PaddedWith(algebra, a, shape, padding, statement.Get<double>(Key::kBy, 0));
  }
  const IndexMap map = ExtendedMap(arena, op, shape, padding.shape, padding.before);
  const auto source = op == Opcode::kPadCircular ? a : algebra.WithHistoryOfSlope(a);
  return Gather(algebra, source, map, arena.Keep(padding.shape));
}

// The first count= entries of dim=.
template <typename Algebra>
ValueIn<Algebra> FirstAlong(Algebra& algebra, const program::Statement& statement,
                            const ValueIn<Algebra>& a, const Shape& whole) {
  const auto dim = static_cast<size_t>(statement.Get<int64_t>(program::Key::kDim));
  Shape part = whole;
  part[dim] = statement.Get<int64_t>(program::Key::kCount);
  Arena& arena = algebra.arena();
  return Gather(algebra, a, PartMap(arena, part, whole, dim, 0), arena.Keep(part));
}

}  // namespace twingrad::reference

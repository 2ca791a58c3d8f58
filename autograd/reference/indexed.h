// Ops that take, put or reduce elements where indices in several dimensions or a mask say.
//
// Written for any algebra (composite.h).

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/indexed_map.h"
#include "autograd/reference/moves.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/products.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {

// What the operands from `first` on take of one of shape `whole`.
template <typename Algebra>
ShapedMap PlacesNamed(Algebra& algebra, const program::Statement& statement,
                      absl::Span<const ValueIn<Algebra>> in, const Shape& whole, size_t first) {
  std::vector<const Array*> indices;
  for (size_t k = first; k < in.size(); ++k) indices.push_back(algebra.ArrayOf(in[k]));
  if (indices[0]->dtype != DType::kBool) return IndexedMap(algebra.arena(), whole, indices);
  const auto count = statement.Get<int64_t>(program::Key::kCount);
  return MaskedMap(algebra.arena(), whole, *indices[0], count);
}

template <typename Algebra>
ValueIn<Algebra> IndexedBy(Algebra& algebra, const program::Statement& statement,
                           absl::Span<const ValueIn<Algebra>> in,
                           absl::Span<const Shape* const> shapes) {
  const ShapedMap places = PlacesNamed<Algebra>(algebra, statement, in, *shapes[0], 1);
  return Pick(algebra, in[0], places.map, algebra.arena().Keep(places.shape));
}

template <typename Algebra>
ValueIn<Algebra> IndexPutBy(Algebra& algebra, const program::Statement& statement,
                            absl::Span<const ValueIn<Algebra>> in,
                            absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const Shape& whole = *shapes[0];
  const ShapedMap places = PlacesNamed<Algebra>(algebra, statement, in, whole, 2);
  const auto values = Gather(algebra, in[1], BroadcastMap(arena, *shapes[1], places.shape),
                             arena.Keep(places.shape));
  if (statement.Get<bool>(program::Key::kAccumulate)) {
    return AddedTo(algebra, in[0], values, places.map, whole);
  }
  return PutAt(algebra, in[0], values, Picks{places.map, {}, {}}, whole);
}

// masked_select; a and the mask are broadcast.
template <typename Algebra>
ValueIn<Algebra> MaskedOf(Algebra& algebra, const program::Statement& statement,
                          absl::Span<const ValueIn<Algebra>> in,
                          absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const Shape* all = arena.Keep(BroadcastShape(*shapes[0], *shapes[1]));
  const Array& mask = *algebra.ArrayOf(in[1]);
  const IndexMap of_mask = BroadcastMap(arena, *shapes[1], *all);
  Array* flags = NewBoundedArray(arena, DType::kBool, all);
  for (int32_t i = 0; i < flags->size; ++i) {
    flags->i[i] = mask.i[of_mask[i]];
    flags->e[i] = mask.Error(of_mask[i]);
  }
  const auto count = statement.Get<int64_t>(program::Key::kCount);
  const IndexMap taken = MaskedMap(arena, *all, *flags, count).map;
  const IndexMap places = Compose(arena, BroadcastMap(arena, *shapes[0], *all), taken);
  return Pick(algebra, in[0], places, arena.Keep({count}));
}

// What of in[0] is at the places, and all of in[2], as one list.
template <typename Algebra>
ValueIn<Algebra> Beside(Algebra& algebra, absl::Span<const ValueIn<Algebra>> in,
                        const IndexMap& at) {
  Arena& arena = algebra.arena();
  const int32_t sent = algebra.ArrayOf(in[2])->size;
  std::vector<int32_t> rest(static_cast<size_t>(sent));
  std::iota(rest.begin(), rest.end(), at.size);
  auto all = Constant(algebra, in[0], {at.size + sent}, 0);
  all =
      Overwrite(algebra, all, Pick(algebra, in[0], at, arena.Keep({at.size})), {nullptr, at.size});
  return Overwrite(algebra, all, in[2], ListedMap(arena, rest));
}

// The extreme of each meeting, as a list.
template <typename Algebra>
ValueIn<Algebra> ExtremesMet(Algebra& algebra, absl::Span<const ValueIn<Algebra>> in,
                             const std::vector<Meeting>& meetings, const IndexMap& at,
                             bool include_self, bool least) {
  Arena& arena = algebra.arena();
  std::vector<int32_t> from, to;
  for (int32_t m = 0; m < at.size; ++m) {
    if (include_self) from.push_back(m);
    for (const int32_t element : meetings[static_cast<size_t>(m)].elements) {
      from.push_back(at.size + element);
    }
    to.resize(from.size(), m);
  }
  const auto each = Gather(algebra, Beside<Algebra>(algebra, in, at), ListedMap(arena, from),
                           arena.Keep({static_cast<int64_t>(from.size())}));
  return algebra.Apply(
      Primitive::kExtreme,
      {.map = ListedMap(arena, to), .shape = arena.Keep({at.size}), .least = least}, each);
}

// The factors of all that meets, and the meeting of each.
struct FactorsMet {
  const Array* numbers;
  IndexMap meeting;
};

template <typename Algebra>
FactorsMet FactorsOf(Algebra& algebra, absl::Span<const ValueIn<Algebra>> in,
                     const std::vector<Meeting>& meetings, bool include_self) {
  const Array &own = *algebra.ArrayOf(in[0]), &sent = *algebra.ArrayOf(in[2]);
  std::vector<double> numbers;
  std::vector<int32_t> groups;
  for (size_t m = 0; m < meetings.size(); ++m) {
    if (include_self) numbers.push_back(own.v[meetings[m].place]);
    for (const int32_t element : meetings[m].elements) numbers.push_back(sent.v[element]);
    groups.resize(numbers.size(), static_cast<int32_t>(m));
  }
  Arena& arena = algebra.arena();
  const auto size = static_cast<int32_t>(numbers.size());
  Array* all = NewArray(arena, own.dtype, arena.Keep({size}), size);
  std::copy(numbers.begin(), numbers.end(), all->v);
  return {all, ListedMap(arena, groups)};
}

// in[0] with the products of what meets, factor by factor, for all meetings of so many elements at
// once: a product of fewer factors has no step with the others, where 0 times an infinity of its
// own would be NaN.
template <typename Algebra>
ValueIn<Algebra> ProductsMet(Algebra& algebra, absl::Span<const ValueIn<Algebra>> in,
                             const std::vector<Meeting>& meetings, bool include_self) {
  Arena& arena = algebra.arena();
  const FactorsMet all = FactorsOf<Algebra>(algebra, in, meetings, include_self);
  const auto count = static_cast<int32_t>(meetings.size());
  const PrimitiveArguments any_order = {
      .in_product = true, .may_underflow = MayUnderflow(*all.numbers, all.meeting, count)};
  const auto overflow = OverflowInSomeOrder(*all.numbers, all.meeting, count);
  std::map<size_t, std::vector<const Meeting*>> by_size;
  for (const Meeting& meeting : meetings) by_size[meeting.elements.size()].push_back(&meeting);
  if (by_size.empty()) by_size[1];
  auto result = in[0];
  for (const auto& [size, some] : by_size) {
    if (size > 63) throw TooLong();
    const Shape* shape = arena.Keep({static_cast<int64_t>(some.size())});
    std::vector<int32_t> at;
    std::vector<bool> open;
    for (const Meeting* meeting : some) {
      at.push_back(meeting->place);
      open.push_back(overflow[static_cast<size_t>(meeting - meetings.data())]);
    }
    const auto factor = [&](size_t k) {
      std::vector<int32_t> from;
      for (const Meeting* meeting : some) from.push_back(meeting->elements[k]);
      return Pick(algebra, in[2], ListedMap(arena, from), shape);
    };
    const IndexMap places = ListedMap(arena, at);
    auto product = include_self ? Pick(algebra, in[0], places, shape) : factor(0);
    for (size_t k = include_self ? 0 : 1; k < size; ++k) {
      product = algebra.Apply(Primitive::kMultiply, any_order, product, factor(k));
    }
    result = Overwrite(algebra, result, UnknownWhere(algebra, product, open), places);
  }
  return result;
}

// How many elements each place is the mean of; 1 where it stays as it is.
template <typename Algebra>
ValueIn<Algebra> CountsMet(Algebra& algebra, const ValueIn<Algebra>& like, const Shape& whole,
                           const std::vector<Meeting>& meetings, bool include_self) {
  Arena& arena = algebra.arena();
  const int32_t size = Count(whole);
  Array* counts = NewArray(arena, algebra.ArrayOf(like)->dtype, arena.Keep(whole), size);
  std::fill(counts->v, counts->v + size, 1.0);
  for (const Meeting& meeting : meetings) {
    counts->v[meeting.place] =
        static_cast<double>(meeting.elements.size()) + (include_self ? 1 : 0);
  }
  return algebra.Constant(counts);
}

template <typename Algebra>
ValueIn<Algebra> ScatterReducedBy(Algebra& algebra, const program::Statement& statement,
                                  absl::Span<const ValueIn<Algebra>> in,
                                  absl::Span<const Shape* const> shapes) {
  using program::Key;
  Arena& arena = algebra.arena();
  const Shape &whole = *shapes[0], &sent = *shapes[2];
  const auto dim = static_cast<size_t>(statement.Get<int64_t>(Key::kDim));
  const auto reduction = statement.Get<std::string>(Key::kReduction);
  const bool include_self = statement.Get<bool>(Key::kIncludeSelf, true);
  const Picks picks =
      PickMap(arena, whole, sent, dim, *algebra.ArrayOf(in[1]), {nullptr, Count(sent)});
  if (!picks.certain()) throw UnknownInteger();
  const IndexMap& places = picks.places;
  const int32_t size = Count(whole);
  const std::vector<Meeting> meetings = MeetingsOf(places, size);
  std::vector<int32_t> named;
  for (const Meeting& meeting : meetings) named.push_back(meeting.place);
  const IndexMap at = ListedMap(arena, named);
  if (reduction == "sum" || reduction == "mean") {
    auto start = in[0];
    if (!include_self) {
      start = Overwrite(algebra, start, Constant(algebra, in[0], {at.size}, 0), at);
    }
    const auto sums = AddedTo(algebra, start, in[2], places, whole);
    if (reduction == "sum") return sums;
    return algebra.Apply(Primitive::kDivide, sums,
                         CountsMet(algebra, in[0], whole, meetings, include_self));
  }
  if (reduction == "prod") return ProductsMet<Algebra>(algebra, in, meetings, include_self);
  const auto extremes =
      ExtremesMet<Algebra>(algebra, in, meetings, at, include_self, reduction == "amin");
  return Overwrite(algebra, in[0], extremes, at);
}

// sparse_coo, coalesce, sparse_values and sparse_indices: of dense forms, and of the indices in
// in[1].
template <typename Algebra>
ValueIn<Algebra> OfSparse(Algebra& algebra, const program::Statement& statement,
                          absl::Span<const ValueIn<Algebra>> in,
                          absl::Span<const Shape* const> shapes) {
  using enum program::Opcode;
  using program::Key;
  Arena& arena = algebra.arena();
  const Array& indices = *algebra.ArrayOf(in[1]);
  if (statement.op == kSparseCoo) {
    const auto sizes = statement.Get<std::vector<int64_t>>(Key::kShape);
    const Shape* whole = arena.Keep(Shape(sizes.begin(), sizes.end()));
    const IndexMap places = ColumnsMap(arena, *whole, indices).map;
    return algebra.Apply(Primitive::kScatterAdd, {.map = places, .shape = whole, .picks = true},
                         in[0]);
  }
  if (statement.op == kSparseValues) {
    const ShapedMap places = ColumnsMap(arena, *shapes[0], indices);
    return Pick(algebra, in[0], places.map, arena.Keep(places.shape));
  }
  const Array* different = DifferentColumns(arena, indices);
  if (statement.op == kSparseIndices) return algebra.Constant(different);
  if (different->shape->at(1) != statement.Get<int64_t>(Key::kCount)) throw CountDiffers();
  return Gather(algebra, in[0], {nullptr, Count(*shapes[0])}, shapes[0]);
}

// These, and index, index_put, masked_select and scatter_reduce.
template <typename Algebra>
ValueIn<Algebra> OfIndices(Algebra& algebra, const program::Statement& statement,
                           absl::Span<const ValueIn<Algebra>> in,
                           absl::Span<const Shape* const> shapes) {
  using enum program::Opcode;
  if (statement.op == kIndex) return IndexedBy<Algebra>(algebra, statement, in, shapes);
  if (statement.op == kIndexPut) return IndexPutBy<Algebra>(algebra, statement, in, shapes);
  if (statement.op == kMaskedSelect) return MaskedOf<Algebra>(algebra, statement, in, shapes);
  if (statement.op != kScatterReduce) return OfSparse<Algebra>(algebra, statement, in, shapes);
  return ScatterReducedBy<Algebra>(algebra, statement, in, shapes);
}

}  // namespace twingrad::reference

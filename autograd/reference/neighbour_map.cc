#include "autograd/reference/neighbour_map.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "autograd/program/signature.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {
namespace {

using program::Key;
using program::Opcode;
using List = std::vector<int64_t>;

struct Neighbour {
  int64_t place;
  Number weight;
};
// Of an entry of the result, along one dimension or in the plane.
using WeightedPlaces = std::vector<Neighbour>;

// How entries of the result lie between those of one dimension: entry i at
// (i slope + start) / divisor.
struct Scale {
  int64_t size, slope, start, divisor;
  bool exact;  // whether slope / divisor is short in binary

  Scale(int64_t from, int64_t to, bool corners) : size(from) {
    slope = corners ? from - 1 : 2 * from;
    divisor = corners ? to - 1 : 2 * to;
    start = corners ? 0 : from - to;
    if (divisor == 0) slope = 0, divisor = 1;
    const int64_t lowest = divisor / std::gcd(slope, divisor);
    exact = std::has_single_bit(static_cast<uint64_t>(lowest));
  }
};

// The whole part of the place, and the rest, of which engines may be off: those that round the
// scale are so by its error times the place, and by that of the difference.
struct Place {
  int64_t whole;
  Number part, rest;
  bool may_be_before = false;  // whether an engine may take the place for one before `whole`
};

Place PlaceOf(const Scale& scale, int64_t entry, bool clamps, const FloatFormat& f) {
  int64_t numerator = entry * scale.slope + scale.start;
  const bool outside = clamps && numerator < 0;
  if (outside) numerator = 0;
  const int64_t down = numerator < 0 ? scale.divisor - 1 : 0;
  const int64_t whole = (numerator - down) / scale.divisor;
  const int64_t over = numerator - whole * scale.divisor;
  const auto quotient = [&](int64_t a) {
    Number number = Divide({static_cast<double>(a), 0}, {static_cast<double>(scale.divisor), 0}, f);
    if (!scale.exact && !outside) number.e += 4 * f.unit * static_cast<double>(scale.size + 1);
    return number;
  };
  return {whole, quotient(over), quotient(scale.divisor - over),
          !scale.exact && !outside && over == 0};
}

// R. Keys, "Cubic Convolution Interpolation for Digital Image Processing", 1981, (8), a = -3/4: of
// entries at distances of up to 1, and of 1 to 2.
Number Near(Number x, const FloatFormat& f) {
  const Number linear = Subtract(Multiply({1.25, 0}, x, f), {2.25, 0}, f);
  return Add(Multiply(Multiply(linear, x, f), x, f), {1, 0}, f);
}
Number Far(Number x, const FloatFormat& f) {
  const Number linear = Add(Multiply({-0.75, 0}, x, f), {3.75, 0}, f);
  const Number square = Subtract(Multiply(linear, x, f), {6, 0}, f);
  return Add(Multiply(square, x, f), {3, 0}, f);
}

WeightedPlaces LinearTerms(const Scale& scale, int64_t entry, const FloatFormat& f) {
  const Place place = PlaceOf(scale, entry, /*clamps=*/true, f);
  WeightedPlaces terms = {{place.whole, place.rest},
                          {std::min(place.whole + 1, scale.size - 1), place.part}};
  if (place.may_be_before && place.whole > 0) {
    terms.push_back({place.whole - 1, {0, place.part.e}});
  }
  return terms;
}

WeightedPlaces CubicTerms(const Scale& scale, int64_t entry, const FloatFormat& f) {
  const Place place = PlaceOf(scale, entry, /*clamps=*/false, f);
  const Number one = {1, 0};
  const Number weights[] = {Far(Add(one, place.part, f), f), Near(place.part, f),
                            Near(place.rest, f), Far(Add(one, place.rest, f), f)};
  WeightedPlaces terms;
  const auto add = [&](int64_t at, Number weight) {
    terms.push_back({std::clamp<int64_t>(at, 0, scale.size - 1), weight});
  };
  for (int64_t k = 0; k < 4; ++k) add(place.whole + k - 1, weights[k]);
  if (place.may_be_before) add(place.whole - 2, {0, place.part.e});
  return terms;
}

std::vector<WeightedPlaces> AlongDimension(Opcode op, bool corners, int64_t from, int64_t to,
                                           const FloatFormat& f) {
  const Scale scale(from, to, corners);
  std::vector<WeightedPlaces> all;
  for (int64_t i = 0; i < to; ++i) {
    all.push_back(op == Opcode::kUpsampleBicubic2d ? CubicTerms(scale, i, f)
                  : program::SignatureOf(op).Find(Key::kAlignCorners) != nullptr
                      ? LinearTerms(scale, i, f)
                      : WeightedPlaces{{i * from / to, {1, 0}}});
  }
  return all;
}

// Those of the dimensions before, and of one more of this size.
std::vector<WeightedPlaces> Crossed(const std::vector<WeightedPlaces>& outer,
                                    const std::vector<WeightedPlaces>& inner, int64_t size,
                                    const FloatFormat& f) {
  std::vector<WeightedPlaces> crossed;
  for (const WeightedPlaces& rows : outer) {
    for (const WeightedPlaces& columns : inner) {
      WeightedPlaces& terms = crossed.emplace_back();
      for (const Neighbour& row : rows) {
        for (const Neighbour& column : columns) {
          terms.push_back(
              {row.place * size + column.place, Multiply(row.weight, column.weight, f)});
        }
      }
    }
  }
  return crossed;
}

}  // namespace

Shape ReplanedShape(const program::Statement& statement, const Shape& from) {
  const List sizes = statement.Get<List>(Key::kShape);
  Shape shape(from.begin(), from.end() - static_cast<std::ptrdiff_t>(sizes.size()));
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return shape;
}

Neighbours NeighboursOf(Arena& arena, const program::Statement& statement, const Shape& from,
                        DType dtype) {
  const FloatFormat& f = FormatOf(dtype);
  const List sizes = statement.Get<List>(Key::kShape);
  const bool corners = statement.Get<bool>(Key::kAlignCorners);
  const size_t lead = from.size() - sizes.size();
  std::vector<WeightedPlaces> plane = {{{0, {1, 0}}}};
  int64_t size = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t old = from[lead + d];
    plane = Crossed(plane, AlongDimension(statement.op, corners, old, sizes[d], f), old, f);
    size *= old;
  }
  std::vector<Number> weights;
  std::vector<int32_t> places, entries;
  const int32_t planes = Count(Shape(from.begin(), from.begin() + static_cast<ptrdiff_t>(lead)));
  for (int32_t p = 0; p < planes; ++p) {
    for (size_t i = 0; i < plane.size(); ++i) {
      for (const Neighbour& term : plane[i]) {
        places.push_back(static_cast<int32_t>(p * size + term.place));
        entries.push_back(
            static_cast<int32_t>(p * static_cast<int64_t>(plane.size()) + static_cast<int64_t>(i)));
        weights.push_back(term.weight);
      }
    }
  }
  const auto count = static_cast<int32_t>(places.size());
  Result factors(arena, dtype, arena.Keep({count}), count);
  for (int32_t k = 0; k < count; ++k) factors.Set(k, weights[static_cast<size_t>(k)]);
  return {arena.Keep(ReplanedShape(statement, from)), ListedMap(arena, places),
          ListedMap(arena, entries), factors.array()};
}

}  // namespace twingrad::reference

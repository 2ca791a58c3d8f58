// What follows a branch: clipping, extremes, selections and orders.
//
// The run decides. Two numbers of a run are in order, equal (both points) or open; where the order
// is open, and at a tie, every candidate may be taken, and the result is the hull of all of them:
// it holds each element of Clarke's generalized gradient.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <arf.h>

#include "autograd/reference/ball/element.h"

namespace twingrad::reference::ball {
namespace {

bool IsLess(const Real& a, const Real& b) { return arb_lt(a.get(), b.get()) != 0; }
bool AreEqualPoints(const Real& a, const Real& b) {
  return a.IsPoint() && b.IsPoint() && arb_equal(a.get(), b.get()) != 0;
}

bool AllEqual(const Refs& row, const std::vector<size_t>& some) {
  return std::all_of(some.begin(), some.end(), [&](size_t i) {
    return AreEqualPoints(row[i]->run, row[some[0]]->run) ||
           (row[i] == row[some[0]] && row[i]->run.IsKnown());
  });
}

// By the least number of each, equal ones in their order.
std::vector<size_t> ByLeast(const Refs& row, bool descending) {
  struct Bound {
    arf_t f;
    Bound() { arf_init(f); }
    ~Bound() { arf_clear(f); }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
  };
  std::vector<Bound> bounds(row.size());
  for (size_t i = 0; i < row.size(); ++i) {
    if (descending) {
      arb_get_ubound_arf(bounds[i].f, row[i]->run.get(), kBits);
      arf_neg(bounds[i].f, bounds[i].f);
    } else {
      arb_get_lbound_arf(bounds[i].f, row[i]->run.get(), kBits);
    }
  }
  std::vector<size_t> order(row.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t i, size_t j) { return arf_cmp(bounds[i].f, bounds[j].f) < 0; });
  return order;
}

}  // namespace

Ref Arithmetic::AnyOf(const Refs& candidates) {
  if (candidates.size() == 1) return candidates[0];
  Element out = *candidates[0];
  std::vector<const Series*> slopes;
  for (Ref candidate : candidates) {
    out.value = Hull(out.value, candidate->value);
    out.run = Hull(out.run, candidate->run);
    out.known &= candidate->known && candidate->integer == out.integer;
    slopes.push_back(&candidate->slope);
  }
  out.slope = HullOf(budget_, slopes);
  if (!out.value.IsKnown() || !out.run.IsKnown()) {
    out.value = out.run = Real::Unknown();
    out.slope = UnknownLike(budget_, out.slope);
  }
  return Keep(std::move(out));
}

Ref Arithmetic::Relu(Ref a, DType type) {
  return Extreme({a, Zero(type)}, /*greatest=*/true, type);
}

Ref Arithmetic::Abs(Ref a, DType type) {
  if (!IsFloating(type)) {
    if (!a->known) return a;
    return a->integer < 0 ? Negate(a, type) : a;
  }
  return Extreme({a, Negate(a, type)}, /*greatest=*/true, type);
}

Ref Arithmetic::Sign(Ref a, DType type) {
  if (!IsFloating(type)) {
    return a->known ? Integer((a->integer > 0) - (a->integer < 0)) : a;
  }
  if (a->run.IsPositive()) return Point(1);
  if (a->run.IsNegative()) return Point(-1);
  // At a jump there is no derivative, nor a generalized one.
  const Series slope = UnknownLike(budget_, a->slope);
  if (a->run.IsZero()) return Keep({Real(), Real(), slope});
  if (!a->run.IsKnown()) return Keep({Real::Unknown(), Real::Unknown(), slope});
  return Keep({Real::Between(-1, 1), Real::Between(-1, 1), slope});
}

std::vector<size_t> Arithmetic::Candidates(const Refs& row, bool greatest, DType type) {
  std::vector<size_t> candidates;
  for (size_t i = 0; i < row.size(); ++i) {
    const bool beaten = std::any_of(row.begin(), row.end(), [&](Ref other) {
      if (IsFloating(type)) {
        return greatest ? IsLess(row[i]->run, other->run) : IsLess(other->run, row[i]->run);
      }
      return greatest ? row[i]->integer < other->integer : other->integer < row[i]->integer;
    });
    if (!beaten) candidates.push_back(i);
  }
  return candidates;
}

Ref Arithmetic::Extreme(const Refs& row, bool greatest, DType type) {
  const bool unknown = std::any_of(row.begin(), row.end(), [&](Ref a) {
    return IsFloating(type) ? !a->run.IsKnown() : !a->known;
  });
  if (unknown) return IsFloating(type) ? AnyOf(row) : UnknownInteger();
  Refs taken;
  for (const size_t i : Candidates(row, greatest, type)) {
    if (std::find(taken.begin(), taken.end(), row[i]) == taken.end()) taken.push_back(row[i]);
  }
  return AnyOf(taken);
}

Ref Arithmetic::IndexOfExtreme(const Refs& row, bool greatest, DType type) {
  const bool unknown = std::any_of(row.begin(), row.end(), [&](Ref a) {
    return IsFloating(type) ? !a->run.IsKnown() : !a->known;
  });
  if (unknown) return UnknownInteger();
  const std::vector<size_t> candidates = Candidates(row, greatest, type);
  if (IsFloating(type) && !AllEqual(row, candidates)) return UnknownInteger();
  return Integer(static_cast<int64_t>(candidates[0]));
}

Ref Arithmetic::Where(Ref condition, Ref a, Ref b) {
  if (!condition->known) return AnyOf({a, b});
  return condition->integer != 0 ? a : b;
}

Arithmetic::Sorted Arithmetic::SortIntegers(const Refs& row, bool descending) {
  Sorted out;
  std::vector<size_t> order(row.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) {
    return descending ? row[j]->integer < row[i]->integer : row[i]->integer < row[j]->integer;
  });
  for (const size_t i : order) {
    out.values.push_back(row[i]);
    out.indices.push_back(Integer(static_cast<int64_t>(i)));
  }
  return out;
}

Arithmetic::Sorted Arithmetic::Sort(const Refs& row, bool descending, DType type) {
  const bool unknown = std::any_of(row.begin(), row.end(), [&](Ref a) {
    return IsFloating(type) ? !a->run.IsKnown() : !a->known;
  });
  if (unknown) {
    const Refs any(row.size(), IsFloating(type) ? AnyOf(row) : UnknownInteger());
    return {any, Refs(row.size(), UnknownInteger())};
  }
  if (!IsFloating(type)) return SortIntegers(row, descending);
  Sorted out;
  const std::vector<size_t> order = ByLeast(row, descending);
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    // Those that no gap parts.
    Real reach = row[order[begin]]->run;
    for (end = begin + 1; end < order.size() && reach.Overlaps(row[order[end]]->run); ++end) {
      reach = Hull(reach, row[order[end]]->run);
    }
    const std::vector<size_t> group(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                    order.begin() + static_cast<std::ptrdiff_t>(end));
    Refs members;
    for (const size_t i : group) members.push_back(row[i]);
    Ref any = AnyOf(members);
    const bool ordered = AllEqual(row, group);
    for (const size_t i : group) {
      out.values.push_back(any);
      out.indices.push_back(ordered ? Integer(static_cast<int64_t>(i)) : UnknownInteger());
    }
  }
  return out;
}

}  // namespace twingrad::reference::ball

#include "autograd/reference/tangents.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "autograd/reference/partials.h"
#include "autograd/reference/tangent_errors.h"

namespace twingrad::reference {
namespace {

// Derivatives that a run may hold.
constexpr int64_t kMaxTotal = int64_t{1} << 22;

// A partial derivative that is not a number: nothing is known of what it contributes to.
Number Usable(Number x) { return std::isfinite(x.v) ? x : Number{0, kUnknown}; }

// target += f * source, element by element; in fours, of which compilers make vectors.
void AddTimes(double* __restrict target, double f, const double* __restrict source, int64_t count) {
  int64_t j = 0;
  for (; j + 4 <= count; j += 4) {
    target[j] += f * source[j];
    target[j + 1] += f * source[j + 1];
    target[j + 2] += f * source[j + 2];
    target[j + 3] += f * source[j + 3];
  }
  for (; j < count; ++j) target[j] += f * source[j];
}

// Whether a product of the first derivatives of an element and `factor` is finite for certain.
bool StaysFinite(const Tangents& t, int32_t i, double factor) {
  return (t.first_magnitude[i] + t.first_error[i]) * std::max(std::fabs(factor), 1.0) < 1e300;
}

// Of the pairs whose first variable is of `a` and whose second one is of `b` and no earlier one,
// the second derivatives of to[at] += f a[i] b[i]^T.
void AddOuter(Tangents& to, int32_t at, double f, const Tangents& a, const Tangents& b, int32_t i,
              const Interval& rows, const Interval& columns) {
  const double *left = a.FirstOf(i), *right = b.FirstOf(i);
  for (int32_t v = rows.begin; v < std::min(rows.end, columns.end); ++v) {
    const int32_t first = std::max(v, columns.begin);
    AddTimes(to.RowOf(at, v) + (first - v), f * left[v - a.begin], right + (first - b.begin),
             columns.end - first);
  }
}

}  // namespace

void Tangents::ClearSecond(int32_t i, const Interval& held) {
  for (int32_t v = support[i].begin; v < support[i].end; ++v) {
    const int32_t from = held.Contains(v) ? held.end : v;
    std::fill_n(RowOf(i, v) + (from - v), support[i].end - from, 0.0);
  }
}

Tangents* TangentAlgebra::Room(int32_t size, int32_t begin, int32_t end, bool curved,
                               bool spreads) {
  Tangents t;
  t.size = size;
  t.begin = begin;
  t.end = end;
  const int64_t firsts = int64_t{size} * t.width();
  const int64_t seconds = curved ? size * t.pairs() : 0;
  const int64_t widths = spreads ? firsts : 0;
  total_ += firsts + seconds + widths;
  if (total_ > kMaxTotal) throw TooWide();
  const size_t count = firsts + seconds + widths + 5 * static_cast<size_t>(size);
  auto* room = arena_.Allocate<double>(count);
  t.first_error = room;
  t.first_magnitude = room + size;
  t.second_error = room + 2 * size;
  t.second_magnitude = room + 3 * size;
  t.odd = room + 4 * size;
  t.first = room + 5 * size;
  t.spread = spreads ? t.first + firsts : nullptr;
  t.second = curved ? t.first + firsts + widths : nullptr;
  t.support = arena_.Allocate<Interval>(static_cast<size_t>(size));
  return arena_.New(t);
}

Tangents* TangentAlgebra::New(int32_t size, int32_t begin, int32_t end, bool curved, bool spreads) {
  curved &= FollowsSecond();
  Tangents* t = Room(size, begin, end, curved, spreads);
  const int64_t count = size * (int64_t{t->width()} * (spreads ? 2 : 1) + 5);
  if (count > 0) std::memset(t->first_error, 0, static_cast<size_t>(count) * sizeof(double));
  if (order_ > 1 && !FollowsSecond()) std::fill_n(t->second_error, size, kUnknown);
  std::fill_n(t->support, size, Interval{begin, begin});
  return t;
}

const Tangents* TangentAlgebra::Seeded(const Tangents* a, int32_t size, int32_t begin,
                                       double weight) {
  Tangents* t = a == nullptr ? New(size, begin, begin + size, false, false)
                             : New(size, std::min(begin, a->begin), std::max(begin + size, a->end),
                                   a->second != nullptr, a->spread != nullptr);
  for (int32_t i = 0; i < size; ++i) {
    const int32_t variable = begin + i;
    t->FirstOf(i)[variable - t->begin] += weight;
    t->Extend(i, {variable, variable + 1});
    t->first_magnitude[i] = std::fabs(weight);
    // As that of any term.
    t->first_error[i] = Up(2 * kUnitRoundoff * t->first_magnitude[i] +
                           ProductError({1, 0}, t->first_magnitude[i], 0));
    if (a == nullptr) continue;
    AddElement(*t, i, *a, i, {{1, 0}});
    if (FollowsSecond()) AddProduct(*t, i, *a, *a, i, {});
  }
  return t;
}

// to[at] += factor * from[i].
void TangentAlgebra::AddElement(Tangents& to, int32_t at, const Tangents& from, int32_t i,
                                const Factor& factor) {
  const Number slope = factor.value;
  if (from.odd[i] != 0 || !std::isfinite(slope.v)) {
    AddOdd(to, at, from, i, factor);
  } else if (IsExactly(slope, 0)) {
    // Unless the other factor is not known: then neither is the product.
    if (std::isinf(from.first_error[i])) {
      to.first_error[at] = kUnknown;
      to.Extend(at, from.support[i]);
    }
  } else {
    const double f = slope.v;
    const Interval& support = from.support[i];
    AddTimes(to.FirstOf(at) + (support.begin - to.begin), f,
             from.FirstOf(i) + (support.begin - from.begin), support.end - support.begin);
    to.Extend(at, support);
    double& magnitude = to.first_magnitude[at];
    magnitude += Times(std::fabs(f), from.first_magnitude[i]);
    to.first_error[at] = Up(to.first_error[at] + 2 * kUnitRoundoff * magnitude +
                            ProductError(slope, from.first_magnitude[i], from.first_error[i]));
  }
  if (to.spread != nullptr && (from.spread != nullptr || factor.spread != 0)) {
    to.Extend(at, from.support[i]);
    double* target = to.SpreadOf(at) + (from.begin - to.begin);
    for (int32_t j = 0; j < from.width(); ++j) {
      const double spread = from.spread == nullptr ? 0 : from.SpreadOf(i)[j];
      target[j] += Times(std::fabs(slope.v) + slope.e, spread) +
                   Times(factor.spread, std::fabs(from.FirstOf(i)[j]) + spread);
    }
  }
  if (!FollowsSecond()) return;
  AddSecond(to, at, from, i, Usable(slope));
  // All slopes at once are for first derivatives.
  if (factor.spread != 0 || from.spread != nullptr) to.second_error[at] = kUnknown;
}

// Of the second derivatives alone.
void TangentAlgebra::AddSecond(Tangents& to, int32_t at, const Tangents& from, int32_t i,
                               Number factor) {
  if (IsExactly(factor, 0)) {
    if (std::isinf(from.second_error[i])) to.second_error[at] = kUnknown;
    return;
  }
  to.Extend(at, from.support[i]);
  const auto [begin, end] = from.support[i];
  const double f = factor.v;
  const bool held = to.second != nullptr && from.second != nullptr;
  if (held && end - begin == to.width()) {
    AddTimes(to.SecondOf(at), f, from.SecondOf(i), from.pairs());
  } else if (held) {
    for (int32_t v = begin; v < end; ++v) {
      AddTimes(to.RowOf(at, v), f, from.RowOf(i, v), end - v);
    }
  }
  double& second = to.second_magnitude[at];
  second += Times(std::fabs(f), from.second_magnitude[i]);
  to.second_error[at] = Up(to.second_error[at] + 2 * kUnitRoundoff * second +
                           ProductError(factor, from.second_magnitude[i], from.second_error[i]));
}

// Second derivatives of to[at] += factor * (a[i] b[i]^T + b[i] a[i]^T) / 2, doubled where a is not
// b.
void TangentAlgebra::AddProduct(Tangents& to, int32_t at, const Tangents& a, const Tangents& b,
                                int32_t i, Number factor) {
  if (a.odd[i] != 0 || b.odd[i] != 0) {
    to.second_error[at] = kUnknown;
    return;
  }
  if (IsExactly(factor, 0)) {
    if (std::isinf(a.first_error[i]) || std::isinf(b.first_error[i])) {
      to.second_error[at] = kUnknown;
    }
    return;
  }
  const double f = factor.v;
  const bool square = &a == &b;
  // 0 times what has overflown is NaN, also outside the supports.
  const bool finite = StaysFinite(a, i, f) && StaysFinite(b, i, f);
  const Interval of_a = finite ? a.support[i] : Interval{a.begin, a.end};
  const Interval of_b = finite ? b.support[i] : Interval{b.begin, b.end};
  to.Extend(at, of_a);
  to.Extend(at, of_b);
  if (to.second != nullptr) {
    AddOuter(to, at, f, a, b, i, of_a, of_b);
    if (!square) AddOuter(to, at, f, b, a, i, of_b, of_a);
  }
  const double ma = a.first_magnitude[i], mb = b.first_magnitude[i];
  const double ea = a.first_error[i], eb = b.first_error[i];
  const double terms = square ? 1 : 2;
  const double product = Times(ma, mb);
  const double error = Times(ma, eb) + Times(mb, ea) + Times(ea, eb) + 2 * kUnitRoundoff * product;
  double& magnitude = to.second_magnitude[at];
  magnitude += terms * Times(std::fabs(f), product);
  to.second_error[at] = Up(to.second_error[at] + terms * ProductError(factor, product, error) +
                           4 * kUnitRoundoff * magnitude);
}

bool TangentAlgebra::IsCurved(const Tangents* a, const Tangents* b, int32_t size,
                              const Partials* partials) const {
  if (!FollowsSecond()) return false;
  // Nor is then anything known of what is made of them.
  if ((a != nullptr && a->HidesSecond()) || (b != nullptr && b->HidesSecond())) return false;
  if ((a != nullptr && a->second != nullptr) || (b != nullptr && b->second != nullptr)) return true;
  return std::any_of(partials, partials + size, [&](const Partials& p) {
    return (a != nullptr && !IsExactly(p.aa, 0)) || (b != nullptr && !IsExactly(p.bb, 0)) ||
           (a != nullptr && b != nullptr && !IsExactly(p.ab, 0));
  });
}

const Tangents* TangentAlgebra::Combine(const Tangents* a, const Tangents* b, int32_t size,
                                        const Partials* partials) {
  if (a == nullptr && b == nullptr) return nullptr;
  const int32_t begin = std::min(a ? a->begin : b->begin, b ? b->begin : a->begin);
  const int32_t end = std::max(a ? a->end : b->end, b ? b->end : a->end);
  const bool spreads =
      (a != nullptr && a->spread != nullptr) || (b != nullptr && b->spread != nullptr) ||
      std::any_of(partials, partials + size,
                  [](const Partials& p) { return p.a_spread != 0 || p.b_spread != 0; });
  Tangents* out = New(size, begin, end, IsCurved(a, b, size, partials), spreads);
  for (int32_t i = 0; i < size; ++i) {
    const Partials& p = partials[i];
    const Number mixed = a != nullptr && b != nullptr ? p.ab : Number{};
    NoteSingular(a, i, p.a_may_be_nan ? Number{0, kUnknown} : p.a, p.a_flat, p.aa, mixed);
    NoteSingular(b, i, p.b, p.b_flat, p.bb, mixed);
    if (a != nullptr) AddElement(*out, i, *a, i, {p.a, p.a_spread, p.a_flat});
    if (b != nullptr) AddElement(*out, i, *b, i, {p.b, p.b_spread, p.b_flat});
    if (!FollowsSecond()) continue;
    if (a != nullptr) AddProduct(*out, i, *a, *a, i, Usable(p.aa));
    if (b != nullptr) AddProduct(*out, i, *b, *b, i, Usable(p.bb));
    if (a == nullptr || b == nullptr) continue;
    // The same tangents twice: (ab)' gives both halves.
    if (a == b) {
      const Number ab = Usable(p.ab);
      AddProduct(*out, i, *a, *a, i, {2 * ab.v, 2 * ab.e});
    } else {
      AddProduct(*out, i, *a, *b, i, Usable(p.ab));
    }
  }
  return out;
}

}  // namespace twingrad::reference

#include "autograd/reference/weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autograd/reference/result.h"

namespace twingrad::reference {

namespace {

// Weights that change at 0 alone: where the bound reaches it they are off by `jump` at most, and at
// NaN unknown.
template <typename F>
const Array* Decided(Arena& arena, const Array* a, double jump, F decide) {
  Result result(arena, a->dtype, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number x = a->At(i);
    const bool sure = !std::isnan(x.v) && (x.e == 0 || std::fabs(x.v) > x.e);
    const bool known = !std::isnan(x.v) && x.e < kUnknown;
    result.Set(i, {decide(x.v), sure ? 0 : known ? jump : kUnknown});
  }
  return result.array();
}

}  // namespace

const Array* MaximumWeight(Arena& arena, const Array* a, const Array* b, int which, bool least) {
  if (least) which = 1 - which;  // of a minimum: the weight that the other operand has in a maximum
  Result result(arena, a->dtype, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number x = a->At(i), y = b->At(i);
    const double own = which == 0 ? x.v : y.v, other = which == 0 ? y.v : x.v;
    const double weight = own == other ? 0.5 : (own < other ? 0.0 : 1.0);
    const bool tied = x.e + y.e != 0 && MayBeEqual(x, y);
    const bool known = x.e < kUnknown && y.e < kUnknown && !std::isnan(x.v) && !std::isnan(y.v);
    // An array is equal to itself, whatever rounding has made of its numbers.
    const double jump = a == b ? 0 : 1;
    result.Set(i, {weight, !tied ? 0 : known ? jump : kUnknown});
  }
  return result.array();
}

const Array* IsZero(Arena& arena, const Array* a) {
  return Decided(arena, a, 1, [](double x) { return x == 0 ? 1.0 : 0.0; });
}
const Array* IsNotZero(Arena& arena, const Array* a) {
  return Decided(arena, a, 1, [](double x) { return x == 0 ? 0.0 : 1.0; });
}

const Array* NearOne(Arena& arena, const Array* a, const Array* b) {
  const double unit = FormatOf(a->dtype).unit;
  Result result(arena, a->dtype, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    const double greater = std::fmax(std::fabs(a->v[i]), std::fabs(b->v[i]));
    // The lesser of numbers far apart leaves no trace.
    const bool apart = !(std::exp(-std::fabs(a->v[i] - b->v[i])) > unit * greater / 8);
    result.Set(i, {1, apart || std::isinf(greater) ? 0 : 12 * unit * (greater + 1)});
  }
  return result.array();
}

const Array* WholeQuotients(Arena& arena, const Array* a, const Array* b, bool floors) {
  const FloatFormat& format = FormatOf(a->dtype);
  Result result(arena, a->dtype, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number whole = WholeQuotient(a->At(i), b->At(i), floors);
    const double rounded = Rounded(whole.v, format);
    const bool beyond = std::isinf(Rounded(whole.v, Inside(format)));
    const bool exact = whole.e == 0 && (rounded == whole.v || beyond);
    result.Set(i, exact ? Number{rounded, 0} : Bounded(rounded, whole.e, 1, format));
  }
  return result.array();
}

const Array* ReluWeight(Arena& arena, const Array* result) {
  return Decided(arena, result, 1, [](double x) { return x > 0 ? 1.0 : 0.0; });
}

const Array* SignOf(Arena& arena, const Array* a) {
  return Decided(arena, a, 2, [](double x) { return static_cast<double>((x > 0) - (x < 0)); });
}

namespace {

// `of` of each base, where the exponent is 0.
template <typename F>
const Array* AtExponentZero(Arena& arena, const Array* a, const Array* b, F of) {
  Result result(arena, DType::kBool, a->shape, a->size);
  const FloatFormat& format = FormatOf(a->dtype);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number x = a->At(i), y = b->At(i);
    const bool may_be_zero = y.v == 0 || (y.e != 0 && !(std::fabs(y.v) > y.e));
    const bool has_inverse = std::isfinite(Rounded(1 / x.v, format));
    const bool sure = x.e == 0 || std::fabs(x.v) > x.e;
    const bool known = !may_be_zero || (sure && (has_inverse || y.e == 0));
    result.SetInteger(i, y.v == 0 && of(x.v, has_inverse) ? 1 : 0, known ? 0 : kUnknown);
  }
  return result.array();
}

}  // namespace

const Array* IsFlatInBase(Arena& arena, const Array* a, const Array* b) {
  return AtExponentZero(arena, a, b, [](double x, bool) { return x == 0 || std::isnan(x); });
}

const Array* IsSteepInBase(Arena& arena, const Array* a, const Array* b) {
  const Array* steep = AtExponentZero(
      arena, a, b, [](double x, bool has_inverse) { return std::fabs(x) > 0 && !has_inverse; });
  return std::find(steep->i, steep->i + steep->size, 1) == steep->i + steep->size ? nullptr : steep;
}

const Array* IsFlatInExponent(Arena& arena, const Array* a, const Array* b) {
  Result result(arena, DType::kBool, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number x = a->At(i), y = b->At(i);
    const bool zero = x.v == 0 && y.v >= 0;
    const bool near_zero = x.e != 0 && !(std::fabs(x.v) > x.e);
    const bool near_sign = x.v == 0 && y.e != 0 && !(std::fabs(y.v) > y.e);
    result.SetInteger(i, zero ? 1 : 0, near_zero || near_sign ? kUnknown : 0);
  }
  return result.array();
}

const Array* ExtremeWeight(Arena& arena, const Array* a, const PrimitiveArguments& arguments) {
  const int32_t groups = Count(*arguments.shape);
  auto* best = arena.Allocate<int32_t>(groups);
  auto* near = arena.Allocate<int32_t>(groups);  // elements that are, or may be, the extreme
  auto* open = arena.Allocate<bool>(groups);
  auto* nan = arena.Allocate<bool>(groups);
  std::fill(best, best + groups, -1);
  std::fill(near, near + groups, 0);
  std::fill(open, open + groups, false);
  std::fill(nan, nan + groups, false);
  for (int32_t i = 0; i < a->size; ++i) {
    int32_t& b = best[arguments.map[i]];
    if (b < 0 || (arguments.least ? a->v[i] < a->v[b] : a->v[i] > a->v[b])) b = i;
  }
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t g = arguments.map[i];
    const Number top = a->At(best[g]), x = a->At(i);
    if (i == best[g] || MayBeEqual(top, x)) ++near[g];
    nan[g] |= std::isnan(x.v) || x.e == kUnknown;
    open[g] |= i != best[g] && top.e + x.e != 0 && MayBeEqual(top, x);
  }
  Array* weights = NewBoundedArray(arena, a->dtype, a->shape);
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t g = arguments.map[i];
    const bool chosen = i == best[g] || MayBeEqual(a->At(best[g]), a->At(i));
    const Number share = Divide({1, 0}, {static_cast<double>(near[g]), 0}, FormatOf(a->dtype));
    weights->v[i] = chosen ? share.v : 0;
    weights->e[i] = nan[g] ? kUnknown : open[g] ? 1 : chosen ? share.e : 0;
  }
  return weights;
}

const Array* ClampWeight(Arena& arena, const Array* a, const PrimitiveArguments& arguments,
                         bool flat_at_limits) {
  Array* weights = NewBoundedArray(arena, a->dtype, a->shape);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number x = a->At(i);
    const bool at_limit =
        MayBeEqual(x, {arguments.low, 0}) || MayBeEqual(x, {arguments.high, 0}) || std::isnan(x.v);
    const bool above = x.v > arguments.low || arguments.low == -kUnknown;
    const bool below = x.v < arguments.high || arguments.high == kUnknown;
    const bool within = x.v >= arguments.low && x.v <= arguments.high;
    // Limits that leave no room make a constant.
    const bool constant = !(arguments.low < arguments.high);
    weights->v[i] = !constant && (flat_at_limits ? above && below : within) ? 1 : 0;
    const bool known = !std::isnan(x.v) && x.e < kUnknown;
    weights->e[i] = (constant && !std::isnan(x.v)) || !at_limit || (known && x.e == 0) ? 0
                    : known                                                            ? 1
                                                                                       : kUnknown;
  }
  return weights;
}

}  // namespace twingrad::reference

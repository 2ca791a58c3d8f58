#include "autograd/reference/group_primitives.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>

namespace twingrad::reference {
namespace {

Array* LikeGroups(Arena& arena, const Array* a, const Shape* shape) {
  const int32_t size = Count(*shape);
  Array* groups = NewArray(arena, a->dtype, shape, size);
  groups->e = arena.Allocate<double>(size);
  std::fill(groups->e, groups->e + size, 0.0);
  return groups;
}

int64_t Pick(int64_t x, int64_t y, bool least) { return least ? std::min(x, y) : std::max(x, y); }

const Array* Extreme(Arena& arena, const Array* a, const PrimitiveArguments& arguments) {
  Array* out = LikeGroups(arena, a, arguments.shape);
  auto* seen = arena.Allocate<bool>(out->size);
  std::fill(seen, seen + out->size, false);
  if (IsFloating(a->dtype)) std::fill(out->v, out->v + out->size, -kUnknown);
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t g = arguments.map[i];
    if (!IsFloating(a->dtype)) {
      out->i[g] = seen[g] ? Pick(out->i[g], a->i[i], arguments.least) : a->i[i];
      out->e[g] += a->Error(i);
    } else {
      Number best = a->At(i);
      if (seen[g]) best = arguments.least ? Minimum(out->At(g), best) : Maximum(out->At(g), best);
      out->v[g] = best.v;
      out->e[g] = best.e;
    }
    seen[g] = true;
  }
  return out;
}

// exp(x - shift) of each element and their sums by group. The shift is a constant, the greatest of
// the group: it changes no result on paper.
struct Exponentials {
  Array* shifted;  // x - shift
  Array* each;
  Array* sums;
  Array* shifts;
};

Exponentials Exponentiate(Arena& arena, const Array* a, const PrimitiveArguments& arguments,
                          bool finite_shifts) {
  const Format& format = FormatOf(a->dtype);
  const Shape* shape = arguments.shape;
  const int32_t groups = Count(*shape);
  Exponentials x{LikeGroups(arena, a, a->shape), LikeGroups(arena, a, a->shape),
                 LikeGroups(arena, a, shape), LikeGroups(arena, a, shape)};
  std::fill(x.shifts->v, x.shifts->v + groups, -kUnknown);
  for (int32_t i = 0; i < a->size; ++i) {
    double& shift = x.shifts->v[arguments.map[i]];
    shift = Maximum({shift, 0}, {a->v[i], 0}).v;
  }
  for (int32_t g = 0; g < groups && finite_shifts; ++g) {
    if (std::isinf(x.shifts->v[g])) x.shifts->v[g] = 0;
  }
  const SumInAnyOrder nothing(format);
  auto* sums = arena.Allocate<SumInAnyOrder>(groups);
  for (int32_t g = 0; g < groups; ++g) new (&sums[g]) SumInAnyOrder(nothing);
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t g = arguments.map[i];
    const Number shifted = Add(a->At(i), {-x.shifts->v[g], 0}, format);
    const Number each = Exp(shifted, format);
    x.shifted->v[i] = shifted.v, x.shifted->e[i] = shifted.e;
    x.each->v[i] = each.v, x.each->e[i] = each.e;
    sums[g].Add(each);
  }
  for (int32_t g = 0; g < groups; ++g) {
    const Number total = sums[g].Total();
    x.sums->v[g] = total.v, x.sums->e[g] = total.e;
  }
  return x;
}

const Array* Softmax(Arena& arena, const Array* a, const PrimitiveArguments& arguments,
                     bool of_logarithm) {
  const Format& format = FormatOf(a->dtype);
  const Exponentials x = Exponentiate(arena, a, arguments, false);
  Array* out = LikeGroups(arena, a, a->shape);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number sum = x.sums->At(arguments.map[i]);
    const Number r = of_logarithm ? Add(x.shifted->At(i), Negated(Log(sum, format)), format)
                                  : Divide(x.each->At(i), sum, format);
    out->v[i] = r.v, out->e[i] = r.e;
  }
  return out;
}

const Array* LogSumExp(Arena& arena, const Array* a, const PrimitiveArguments& arguments) {
  const Format& format = FormatOf(a->dtype);
  const Exponentials x = Exponentiate(arena, a, arguments, true);
  Array* out = LikeGroups(arena, a, arguments.shape);
  for (int32_t g = 0; g < out->size; ++g) {
    const Number r = Add(Log(x.sums->At(g), format), x.shifts->At(g), format);
    out->v[g] = r.v, out->e[g] = r.e;
  }
  return out;
}

bool Near(Number x, Number y) {
  const double error = x.e + y.e;
  return error == 0 ? x.v == y.v : !(std::fabs(x.v - y.v) > error);
}

}  // namespace

const Array* EvaluateGroups(Arena& arena, Primitive primitive, const Array* a,
                            const PrimitiveArguments& arguments) {
  if (primitive == Primitive::kExtreme) {
    return Extreme(arena, a, arguments);
  }
  if (primitive == Primitive::kLogSumExp) {
    return LogSumExp(arena, a, arguments);
  }
  return Softmax(arena, a, arguments, primitive == Primitive::kLogSoftmax);
}

const Array* ExtremeWeight(Arena& arena, const Array* a, const PrimitiveArguments& arguments,
                           bool* tie) {
  const int32_t groups = Count(*arguments.shape);
  auto* best = arena.Allocate<int32_t>(groups);
  auto* near = arena.Allocate<int32_t>(groups);  // elements that are, or may be, the extreme
  auto* open = arena.Allocate<bool>(groups);
  std::fill(best, best + groups, -1);
  std::fill(near, near + groups, 0);
  std::fill(open, open + groups, false);
  for (int32_t i = 0; i < a->size; ++i) {
    int32_t& b = best[arguments.map[i]];
    if (b < 0 || (arguments.least ? a->v[i] < a->v[b] : a->v[i] > a->v[b])) b = i;
  }
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t g = arguments.map[i];
    const Number top = a->At(best[g]), x = a->At(i);
    if (i == best[g] || Near(top, x)) ++near[g];
    open[g] |= std::isnan(x.v) || (i != best[g] && top.e + x.e != 0 && Near(top, x));
  }
  Array* weights = LikeGroups(arena, a, a->shape);
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t g = arguments.map[i];
    *tie |= near[g] > 1;
    const bool chosen = i == best[g] || Near(a->At(best[g]), a->At(i));
    const Number share = Divide({1, 0}, {static_cast<double>(near[g]), 0}, FormatOf(a->dtype));
    weights->v[i] = chosen ? share.v : 0;
    weights->e[i] = open[g] ? kUnknown : chosen ? share.e : 0;
  }
  return weights;
}

const Array* ClampWeight(Arena& arena, const Array* a, const PrimitiveArguments& arguments,
                         bool* kink, bool flat_at_limits) {
  Array* weights = LikeGroups(arena, a, a->shape);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number x = a->At(i);
    const bool at_limit =
        Near(x, {arguments.low, 0}) || Near(x, {arguments.high, 0}) || std::isnan(x.v);
    *kink |= at_limit;
    const bool above = x.v > arguments.low || arguments.low == -kUnknown;
    const bool below = x.v < arguments.high || arguments.high == kUnknown;
    const bool within = x.v >= arguments.low && x.v <= arguments.high;
    weights->v[i] = (flat_at_limits ? above && below : within) ? 1 : 0;
    weights->e[i] = at_limit && (x.e != 0 || std::isnan(x.v)) ? kUnknown : 0;
  }
  return weights;
}

}  // namespace twingrad::reference

// Primitives that choose, weigh, convert and move elements: for each its value and its derivative.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/elementwise.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {
namespace {

using program::kSavesB;
using program::kSavesC;
using program::kSavesNothing;
using program::kSavesOwn;

const Array* Select(const Evaluation& evaluation) {
  const Array *a = evaluation.in[0], *b = evaluation.in[1], *condition = evaluation.in[2];
  Result result(evaluation.arena, a->dtype, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    const Array* chosen = condition->i[i] != 0 ? a : b;
    const double error = chosen->Error(i) + condition->Error(i);
    if (IsFloating(a->dtype)) {
      result.Set(i, {chosen->v[i], error});
    } else {
      result.SetInteger(i, chosen->i[i], error);
    }
  }
  return result.array();
}

const Array* Weigh(const Evaluation& evaluation) {
  const Array *a = evaluation.in[0], *weights = evaluation.in[1];
  Result result(evaluation.arena, a->dtype, a->shape, a->size);
  const FloatFormat& format = FormatOf(a->dtype);
  for (int32_t i = 0; i < a->size; ++i) {
    Number x = Multiply(a->At(i), weights->At(i), format);
    // With a weight that may be 0, an element that is not finite may be dropped or become NaN.
    if (std::fabs(weights->v[i]) <= weights->Error(i) && !std::isfinite(a->v[i])) x.e = kUnknown;
    result.Set(i, x);
  }
  return result.array();
}

const Array* DivideCount(const Evaluation& evaluation) {
  const Array* a = evaluation.in[0];
  // A count is a whole number in every format: an engine that divides in a wider one keeps it.
  const Number count = FromInteger(evaluation.arguments.count, Inside(FormatOf(a->dtype)));
  return MapUnary(evaluation.arena, a,
                  [count](Number x, const FloatFormat& f) { return Divide(x, count, f); });
}

const Array* Same(const Evaluation& evaluation) { return evaluation.in[0]; }

// Some formulas add up infinities of both signs where others have a factor of one.
Term UnknownWhereInfinite(const Term& g) {
  const Array& gradient = *g.v.data;
  std::vector<double> bounds(static_cast<size_t>(gradient.size), 0);
  for (int32_t i = 0; i < gradient.size; ++i) {
    if (std::isinf(gradient.v[i])) bounds[static_cast<size_t>(i)] = kUnknown;
  }
  return {g.calculus, Within(*g.calculus, g.v, bounds)};
}

const Array* Cast(const Evaluation& evaluation) {
  const Array* a = evaluation.in[0];
  const DType to = evaluation.arguments.dtype;
  Result result(evaluation.arena, to, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    if (IsFloating(to)) {
      const FloatFormat& format = FormatOf(to);
      Number x = IsFloating(a->dtype) ? Converted(a->At(i), format) : FromInteger(a->i[i], format);
      if (!IsFloating(a->dtype) && a->Error(i) != 0) x.e = kUnknown;
      result.Set(i, x);
      continue;
    }
    int64_t x = IsFloating(a->dtype) ? 0 : a->i[i];
    double error = IsFloating(a->dtype) ? 0 : a->Error(i);
    if (to == DType::kBool) {
      if (IsFloating(a->dtype)) {
        x = a->v[i] != 0 ? 1 : 0;
        error = a->e != nullptr && !(std::fabs(a->v[i]) > a->e[i]) && a->e[i] != 0 ? kUnknown : 0;
      }
      x = x != 0 ? 1 : 0;
    } else if (IsFloating(a->dtype)) {
      error = Truncated(a->At(i), to, &x).e;
    }
    result.SetInteger(i, x, error);
  }
  return result.array();
}

const Array* Gather(const Evaluation& evaluation) {
  return Gathered(evaluation.arena, evaluation.in[0], evaluation.arguments.map,
                  evaluation.arguments.shape);
}

const Array* ScatterAdd(const Evaluation& evaluation) {
  const Array* a = evaluation.in[0];
  Arena& arena = evaluation.arena;
  const IndexMap& map = evaluation.arguments.map;
  const Shape* shape = evaluation.arguments.shape;
  const int32_t size = Count(*shape);
  if (map.identity() && size == a->size) return Reshaped(arena, a, shape);
  Result result(arena, a->dtype, shape, size);
  if (!IsFloating(a->dtype)) {
    auto* sums = arena.Allocate<int64_t>(size);
    auto* errors = arena.Allocate<double>(size);
    std::memset(sums, 0, size * sizeof(int64_t));
    std::memset(errors, 0, size * sizeof(double));
    for (int32_t i = 0; i < a->size; ++i) {
      sums[map[i]] = WrapAdd(sums[map[i]], a->i[i]);
      errors[map[i]] += a->Error(i);
    }
    for (int32_t i = 0; i < size; ++i) result.SetInteger(i, sums[i], errors[i]);
    return result.array();
  }
  const SumInAnyOrder nothing(FormatOf(a->dtype));
  auto* sums = arena.Allocate<SumInAnyOrder>(size);
  for (int32_t i = 0; i < size; ++i) new (&sums[i]) SumInAnyOrder(nothing);
  for (int32_t i = 0; i < a->size; ++i) sums[map[i]].Add(a->At(i));
  for (int32_t i = 0; i < size; ++i) result.Set(i, sums[i].Total());
  return result.array();
}

const Array* Overwrite(const Evaluation& evaluation) {
  const Array *base = evaluation.in[0], *values = evaluation.in[1];
  Arena& arena = evaluation.arena;
  const IndexMap& map = evaluation.arguments.map;
  Array* result = NewArray(arena, base->dtype, base->shape, base->size);
  if (base->e != nullptr || values->e != nullptr) {
    result->e = arena.Allocate<double>(base->size);
    for (int32_t i = 0; i < base->size; ++i) result->e[i] = base->Error(i);
    for (int32_t i = 0; i < map.size; ++i) result->e[map[i]] = values->Error(i);
  }
  if (IsFloating(base->dtype)) {
    std::memcpy(result->v, base->v, base->size * sizeof(double));
    for (int32_t i = 0; i < map.size; ++i) result->v[map[i]] = values->v[i];
  } else {
    std::memcpy(result->i, base->i, base->size * sizeof(int64_t));
    for (int32_t i = 0; i < map.size; ++i) result->i[map[i]] = values->i[i];
  }
  return result;
}

// Of a mean: each of `count` elements gets an equal share. A mean over nothing is NaN in any case;
// its share is 1, because infinity would turn further derivatives into NaN.
Term Shared(const Backward& b, const Term& g) {
  const int64_t count = b.step.arguments.count;
  if (count == 0) return g;
  const Term part = g / g.Filled(static_cast<double>(count));
  if (b.rules().divides_late && part.v.tracked) b.calculus.nodes()[part.v.node].saves = false;
  return part;
}

// Gather and scatter-add are each other's derivatives.
Term Transposed(const Backward& b, Primitive transpose) {
  PrimitiveArguments arguments = b.step.arguments;
  arguments.shape = b.step.in[0].data->shape;
  arguments.late = false;
  const Term out = b.g.Apply(transpose, arguments);
  return b.step.arguments.late ? Shared(b, out) : out;
}

constexpr PrimitiveRow kMovingRows[] = {
    {Primitive::kSelect, std::nullopt, 2, kSavesC, Select,
     [](const Backward& b) -> Term {
       const Variable zero = b.g.Filled(0).v, condition = b.in(2).v;
       return {b.g.calculus, b.which == 0
                                 ? b.calculus.Apply(Primitive::kSelect, b.g.v, zero, condition)
                                 : b.calculus.Apply(Primitive::kSelect, zero, b.g.v, condition)};
     }},

    {Primitive::kWeigh, std::nullopt, 2, kSavesB, Weigh,
     [](const Backward& b) {
       // No gradient reaches the weight; where it has history, zeros do. It is no tensor that
       // saved-tensor hooks scale, though that of an operand may stand for its history.
       if (b.which == 1) return b.g.Filled(0);
       Term weight = b.in(1);
       weight.v.data = b.step.in[1].data;
       return b.g.Apply(Primitive::kWeigh, weight, {.unsaved = b.step.arguments.unsaved});
     }},

    {Primitive::kDivideCount, std::nullopt, 1, kSavesNothing, DivideCount,
     [](const Backward& b) { return b.step.arguments.late ? b.g : Shared(b, b.g); }},

    {Primitive::kParting, std::nullopt, 1, kSavesNothing, Same,
     [](const Backward& b) { return UnknownWhereInfinite(b.g); }},

    {Primitive::kCast, std::nullopt, 1, kSavesNothing, Cast,
     [](const Backward& b) {
       return b.g.Apply(Primitive::kCast, {.dtype = b.step.in[0].data->dtype});
     }},

    {Primitive::kGather, std::nullopt, 1, kSavesOwn, Gather,
     [](const Backward& b) { return Transposed(b, Primitive::kScatterAdd); }},

    {Primitive::kScatterAdd, std::nullopt, 1, kSavesOwn, ScatterAdd,
     [](const Backward& b) { return Transposed(b, Primitive::kGather); }},

    {Primitive::kOverwrite, std::nullopt, 2, kSavesNothing, Overwrite,
     [](const Backward& b) -> Term {
       const Array& values = *b.step.in[1].data;
       const PrimitiveArguments& places = b.step.arguments;
       if (b.which == 1) {
         return b.g.Apply(Primitive::kGather, {.map = places.map, .shape = values.shape});
       }
       const Variable zero = b.calculus.Constant(
           Filled(b.calculus.arena(), values.dtype, values.shape, values.size, 0));
       return {b.g.calculus, b.calculus.Apply(Primitive::kOverwrite, places, b.g.v, zero)};
     }},
};

static_assert(AreRowsOf(kMovingRows, Primitive::kSelect, Primitive::kExtreme),
              "in the order of Primitive");

}  // namespace

absl::Span<const PrimitiveRow> MovingPrimitives() { return kMovingRows; }

}  // namespace twingrad::reference

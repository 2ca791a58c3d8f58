#include "autograd/reference/primitives.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "autograd/base/check.h"
#include "autograd/reference/elementwise.h"
#include "autograd/reference/group_primitives.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {
namespace {

const Array* Select(Arena& arena, const Array* a, const Array* b, const Array* condition) {
  Result result(arena, a->dtype, a->shape, a->size);
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

const Array* Weigh(Arena& arena, const Array* a, const Array* weights) {
  Result result(arena, a->dtype, a->shape, a->size);
  const Format& format = FormatOf(a->dtype);
  for (int32_t i = 0; i < a->size; ++i) {
    Number x = Multiply(a->At(i), weights->At(i), format);
    // With a weight of 0, an infinite element may be dropped or become NaN.
    if (weights->v[i] == 0 && !std::isfinite(a->v[i])) x.e = kUnknown;
    result.Set(i, x);
  }
  return result.array();
}

const Array* Cast(Arena& arena, const Array* a, DType to) {
  Result result(arena, to, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    if (IsFloating(to)) {
      const Format& format = FormatOf(to);
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
      error = Truncated(a->At(i), &x).e;
    }
    result.SetInteger(i, x, error);
  }
  return result.array();
}

const Array* Gather(Arena& arena, const Array* a, const IndexMap& map, const Shape* shape) {
  if (map.identity() && map.size == a->size) return Reshaped(arena, a, shape);
  Array* result = NewArray(arena, a->dtype, shape, map.size);
  if (a->e != nullptr) result->e = arena.Allocate<double>(map.size);
  for (int32_t i = 0; i < map.size; ++i) {
    const int32_t from = map[i];
    if (a->v != nullptr) {
      result->v[i] = a->v[from];
    } else {
      result->i[i] = a->i[from];
    }
    if (a->e != nullptr) result->e[i] = a->e[from];
  }
  return result;
}

const Array* ScatterAdd(Arena& arena, const Array* a, const IndexMap& map, const Shape* shape) {
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

const Array* Overwrite(Arena& arena, const Array* base, const Array* values, const IndexMap& map) {
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

}  // namespace

int DifferentiableInputs(Primitive primitive) {
  switch (primitive) {
    case Primitive::kAdd:
    case Primitive::kSubtract:
    case Primitive::kMultiply:
    case Primitive::kDivide:
    case Primitive::kPower:
    case Primitive::kMaximum:
    case Primitive::kMinimum:
    case Primitive::kSquaredDifference:
    case Primitive::kSelect:
    case Primitive::kWeigh:
    case Primitive::kOverwrite:
      return 2;
    case Primitive::kNegate:
    case Primitive::kExp:
    case Primitive::kLog:
    case Primitive::kSqrt:
    case Primitive::kSin:
    case Primitive::kCos:
    case Primitive::kTanh:
    case Primitive::kSigmoid:
    case Primitive::kRelu:
    case Primitive::kAbs:
    case Primitive::kSign:
    case Primitive::kClamp:
    case Primitive::kDivideCount:
    case Primitive::kCast:
    case Primitive::kGather:
    case Primitive::kScatterAdd:
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
    case Primitive::kAddAll:
      return 1;
  }
  return 1;
}

Array* NewArray(Arena& arena, DType dtype, const Shape* shape, int32_t size) {
  Array* array = arena.New(Array{dtype, size, shape});
  if (IsFloating(dtype)) {
    array->v = arena.Allocate<double>(size);
  } else {
    array->i = arena.Allocate<int64_t>(size);
  }
  return array;
}

program::TensorData ContentsOf(const Array& array) {
  program::TensorData data;
  data.dtype = array.dtype;
  data.shape = *array.shape;
  data.bits.resize(array.size);
  for (int32_t i = 0; i < array.size; ++i) {
    if (!IsFloating(array.dtype)) {
      data.bits[i] = static_cast<uint64_t>(array.i[i]);
    } else {
      const double v = array.v[i];
      data.bits[i] = std::isnan(v) ? uint64_t{0x7ff8000000000000} : std::bit_cast<uint64_t>(v);
    }
  }
  return data;
}

const Array* ArrayFromBits(Arena& arena, DType dtype, const Shape* shape,
                           const program::Bits& bits) {
  Array* array = NewArray(arena, dtype, shape, static_cast<int32_t>(bits.size()));
  void* elements = IsFloating(dtype) ? static_cast<void*>(array->v) : array->i;
  if (!bits.empty()) std::memcpy(elements, bits.data(), bits.size() * sizeof(uint64_t));
  return array;
}

const Array* Filled(Arena& arena, DType dtype, const Shape* shape, int32_t size, double value) {
  Array* array = NewArray(arena, dtype, shape, size);
  for (int32_t i = 0; i < size; ++i) {
    if (IsFloating(dtype)) {
      array->v[i] = value;
    } else {
      array->i[i] = static_cast<int64_t>(value);
    }
  }
  return array;
}

const Array* Reshaped(Arena& arena, const Array* array, const Shape* shape) {
  if (array->shape == shape) return array;
  Array copy = *array;
  copy.shape = shape;
  return arena.New(copy);
}

const Array* Evaluate(Arena& arena, Primitive primitive, const Array* const* in,
                      const PrimitiveArguments& arguments, bool lenient) {
  const Array* a = in[0];
  switch (primitive) {
    case Primitive::kSelect:
      return Select(arena, a, in[1], in[2]);
    case Primitive::kWeigh:
      return Weigh(arena, a, in[1]);
    case Primitive::kDivideCount: {
      const Number count = FromInteger(arguments.count, FormatOf(a->dtype));
      return MapUnary(arena, a, [count](Number x, const Format& f) { return Divide(x, count, f); });
    }
    case Primitive::kCast:
      return Cast(arena, a, arguments.dtype);
    case Primitive::kClamp:
      return MapUnary(arena, a, [&](Number x, const Format&) {
        return Minimum(Maximum(x, {arguments.low, 0}), {arguments.high, 0});
      });
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
      return EvaluateGroups(arena, primitive, a, arguments);
    case Primitive::kGather:
      return Gather(arena, a, arguments.map, arguments.shape);
    case Primitive::kScatterAdd:
      return ScatterAdd(arena, a, arguments.map, arguments.shape);
    case Primitive::kOverwrite:
      return Overwrite(arena, a, in[1], arguments.map);
    case Primitive::kAdd:
    case Primitive::kSubtract:
    case Primitive::kMultiply:
    case Primitive::kDivide:
    case Primitive::kPower:
    case Primitive::kMaximum:
    case Primitive::kMinimum:
    case Primitive::kSquaredDifference:
    case Primitive::kNegate:
    case Primitive::kExp:
    case Primitive::kLog:
    case Primitive::kSqrt:
    case Primitive::kSin:
    case Primitive::kCos:
    case Primitive::kTanh:
    case Primitive::kSigmoid:
    case Primitive::kRelu:
    case Primitive::kAbs:
    case Primitive::kSign:
    case Primitive::kAddAll:
      if (IsFloating(a->dtype)) return EvaluateFloats(arena, primitive, a, in[1], lenient);
      return EvaluateIntegers(arena, primitive, a, in[1]);
  }
  AG_CHECK(false, "[reference] primitive ", static_cast<int>(primitive), " is not known");
}

const Array* SumOf(Arena& arena, absl::Span<const Array* const> terms) {
  const Array* first = terms[0];
  if (terms.size() == 1) return first;
  Result result(arena, first->dtype, first->shape, first->size);
  for (int32_t i = 0; i < first->size; ++i) {
    SumInAnyOrder sum(FormatOf(first->dtype));
    for (const Array* term : terms) sum.Add(term->At(i));
    result.Set(i, sum.Total());
  }
  return result.array();
}

}  // namespace twingrad::reference

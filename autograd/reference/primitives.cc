#include "autograd/reference/primitives.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "autograd/base/check.h"
#include "autograd/reference/group_primitives.h"

namespace twingrad::reference {
namespace {

// Collects the bounds of a result; the array of bounds appears with the first that is not 0.
class Result {
 public:
  Result(Arena& arena, DType dtype, const Shape* shape, int32_t size)
      : arena_(arena), array_(NewArray(arena, dtype, shape, size)) {}

  void Set(int32_t at, Number x) {
    array_->v[at] = x.v;
    if (x.e != 0) SetError(at, x.e);
  }
  void SetInteger(int32_t at, int64_t x, double error) {
    array_->i[at] = x;
    if (error != 0) SetError(at, error);
  }
  const Array* array() const { return array_; }

 private:
  void SetError(int32_t at, double error) {
    if (array_->e == nullptr) {
      array_->e = arena_.Allocate<double>(array_->size);
      std::memset(array_->e, 0, array_->size * sizeof(double));
    }
    array_->e[at] = error;
  }

  Arena& arena_;
  Array* array_;
};

template <typename F>
const Array* MapUnary(Arena& arena, const Array* a, F function) {
  Result result(arena, a->dtype, a->shape, a->size);
  const Format& format = FormatOf(a->dtype);
  for (int32_t i = 0; i < a->size; ++i) result.Set(i, function(a->At(i), format));
  return result.array();
}

template <typename F>
const Array* MapBinary(Arena& arena, const Array* a, const Array* b, bool lenient, F function) {
  Result result(arena, a->dtype, a->shape, a->size);
  const Format& format = FormatOf(a->dtype);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number x = a->At(i), y = b->At(i);
    Number z = function(x, y, format);
    if (lenient && std::isnan(z.v) && !std::isnan(x.v) && !std::isnan(y.v)) z.e = kUnknown;
    result.Set(i, z);
  }
  return result.array();
}

// Two's complement arithmetic that wraps.
int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t WrapMultiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t WrapNegate(int64_t a) { return static_cast<int64_t>(-static_cast<uint64_t>(a)); }

int64_t WrapPower(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = WrapMultiply(result, base);
    base = WrapMultiply(base, base);
  }
  return result;
}

int64_t IntegerResult(Primitive primitive, int64_t a, int64_t b) {
  switch (primitive) {
    case Primitive::kAdd:
      return WrapAdd(a, b);
    case Primitive::kSubtract:
      return WrapAdd(a, WrapNegate(b));
    case Primitive::kMultiply:
      return WrapMultiply(a, b);
    case Primitive::kPower:
      return WrapPower(a, b);
    case Primitive::kMaximum:
      return a < b ? b : a;
    case Primitive::kMinimum:
      return b < a ? b : a;
    case Primitive::kSign:
      return (a > 0) - (a < 0);
    case Primitive::kNegate:
      return WrapNegate(a);
    case Primitive::kRelu:
      return a > 0 ? a : 0;
    case Primitive::kAbs:
      return a < 0 ? WrapNegate(a) : a;
    case Primitive::kDivide:
    case Primitive::kSquaredDifference:
    case Primitive::kExp:
    case Primitive::kLog:
    case Primitive::kSqrt:
    case Primitive::kSin:
    case Primitive::kCos:
    case Primitive::kTanh:
    case Primitive::kSigmoid:
    case Primitive::kClamp:
    case Primitive::kSelect:
    case Primitive::kWeigh:
    case Primitive::kDivideCount:
    case Primitive::kCast:
    case Primitive::kGather:
    case Primitive::kScatterAdd:
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
    case Primitive::kOverwrite:
    case Primitive::kAddAll:
      break;
  }
  AG_CHECK(false, "[reference] primitive ", static_cast<int>(primitive),
           " has no result on integers");
}

const Array* EvaluateIntegers(Arena& arena, Primitive primitive, const Array* a, const Array* b) {
  Result result(arena, a->dtype, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    const int64_t y = b == nullptr ? 0 : b->i[i];
    const double y_error = b == nullptr ? 0 : b->Error(i);
    if (primitive == Primitive::kPower) {
      if (y_error != 0) throw UnknownInteger();
      if (y < 0) throw DomainError();
    }
    result.SetInteger(i, IntegerResult(primitive, a->i[i], y), a->Error(i) + y_error);
  }
  return result.array();
}

const Array* EvaluateFloats(Arena& arena, Primitive primitive, const Array* a, const Array* b,
                            bool lenient) {
  switch (primitive) {
    case Primitive::kAdd:
      return MapBinary(arena, a, b, lenient, Add);
    case Primitive::kSubtract:
      return MapBinary(arena, a, b, lenient,
                       [](Number x, Number y, const Format& f) { return Add(x, Negated(y), f); });
    case Primitive::kMultiply:
      return MapBinary(arena, a, b, lenient, Multiply);
    case Primitive::kDivide:
      return MapBinary(arena, a, b, lenient, Divide);
    case Primitive::kPower:
      return MapBinary(arena, a, b, lenient, Power);
    case Primitive::kMaximum:
      return MapBinary(arena, a, b, false,
                       [](Number x, Number y, const Format&) { return Maximum(x, y); });
    case Primitive::kMinimum:
      return MapBinary(arena, a, b, false,
                       [](Number x, Number y, const Format&) { return Minimum(x, y); });
    case Primitive::kSquaredDifference:
      return MapBinary(arena, a, b, lenient, [](Number x, Number y, const Format& f) {
        const Number difference = Add(x, Negated(y), f);
        return Multiply(difference, difference, f);
      });
    case Primitive::kSign:
      return MapUnary(arena, a, [](Number x, const Format&) { return Sign(x); });
    case Primitive::kNegate:
      return MapUnary(arena, a, [](Number x, const Format&) { return Negated(x); });
    case Primitive::kExp:
      return MapUnary(arena, a, Exp);
    case Primitive::kLog:
      return MapUnary(arena, a, Log);
    case Primitive::kSqrt:
      return MapUnary(arena, a, Sqrt);
    case Primitive::kSin:
      return MapUnary(arena, a, Sin);
    case Primitive::kCos:
      return MapUnary(arena, a, Cos);
    case Primitive::kTanh:
      return MapUnary(arena, a, Tanh);
    case Primitive::kSigmoid:
      return MapUnary(arena, a, Sigmoid);
    case Primitive::kRelu:
      return MapUnary(arena, a, [](Number x, const Format&) { return Relu(x); });
    case Primitive::kAbs:
      return MapUnary(arena, a, [](Number x, const Format&) { return Abs(x); });
    case Primitive::kClamp:
    case Primitive::kSelect:
    case Primitive::kWeigh:
    case Primitive::kDivideCount:
    case Primitive::kCast:
    case Primitive::kGather:
    case Primitive::kScatterAdd:
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
    case Primitive::kOverwrite:
    case Primitive::kAddAll:
      break;
  }
  AG_CHECK(false, "[reference] primitive ", static_cast<int>(primitive), " is not elementwise");
}

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
    // A weight of 0 may drop what is infinite, or make it NaN.
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

// Weights and conditions that change at 0 alone: unknown where the bound reaches it, and at NaN.
template <typename F>
const Array* Decided(Arena& arena, const Array* a, DType dtype, F decide) {
  Result result(arena, dtype, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number x = a->At(i);
    const double weight = decide(x.v);
    const bool sure = !std::isnan(x.v) && (x.e == 0 || std::fabs(x.v) > x.e);
    if (dtype == DType::kBool) {
      result.SetInteger(i, weight != 0 ? 1 : 0, sure ? 0 : kUnknown);
    } else {
      result.Set(i, {weight, sure ? 0 : kUnknown});
    }
  }
  return result.array();
}

}  // namespace

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
  std::abort();  // Every primitive has returned.
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

const Array* MaximumWeight(Arena& arena, const Array* a, const Array* b, int which, bool least) {
  if (least) which = 1 - which;  // the lesser gets what the greater would
  Result result(arena, a->dtype, a->shape, a->size);
  for (int32_t i = 0; i < a->size; ++i) {
    const Number x = a->At(i), y = b->At(i);
    const double own = which == 0 ? x.v : y.v, other = which == 0 ? y.v : x.v;
    const double weight = own == other ? 0.5 : (own < other ? 0.0 : 1.0);
    const bool tied = x.e + y.e != 0 && !(std::fabs(x.v - y.v) > x.e + y.e);
    result.Set(i, {weight, tied ? kUnknown : 0});
  }
  return result.array();
}

const Array* ReluWeight(Arena& arena, const Array* result) {
  return Decided(arena, result, result->dtype, [](double x) { return x > 0 ? 1.0 : 0.0; });
}

const Array* SignOf(Arena& arena, const Array* a) {
  return Decided(arena, a, a->dtype,
                 [](double x) { return static_cast<double>((x > 0) - (x < 0)); });
}

const Array* IsZero(Arena& arena, const Array* b) {
  return Decided(arena, b, DType::kBool, [](double x) { return x == 0 ? 1.0 : 0.0; });
}

const Array* IsZeroToPositive(Arena& arena, const Array* a, const Array* b) {
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

}  // namespace twingrad::reference

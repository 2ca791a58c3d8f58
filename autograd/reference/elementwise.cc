// Elementwise primitives on integers and on numbers with bounds.

#include "autograd/reference/elementwise.h"

#include <cmath>

#include "autograd/base/check.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {

namespace {

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

}  // namespace

int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
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

}  // namespace twingrad::reference

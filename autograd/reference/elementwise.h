// The loops that give the value of an elementwise primitive, from its function of one element or of
// a pair, on numbers with bounds and on integers.
//
//   UnaryValue<Exp>                          // on floats alone
//   BinaryValue<Add, WrapAdd>  // on integers too
//
// Included by the families of elementwise primitives only.

#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "autograd/base/check.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {

// Sums and the like in two's complement, which wrap.
inline int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t WrapNegate(int64_t a) { return static_cast<int64_t>(-static_cast<uint64_t>(a)); }

// Of one input. The function of numbers may take the format that it rounds to.
template <auto kOfNumber, auto kOfInteger = nullptr>
const Array* UnaryValue(const Evaluation& evaluation) {
  constexpr bool kIsNegation = [] {
    if constexpr (std::is_same_v<decltype(kOfNumber), decltype(&Negated)>) {
      return kOfNumber == &Negated;
    }
    return false;
  }();
  const Array* a = evaluation.in[0];
  if (IsFloating(a->dtype)) {
    return MapUnary<kIsNegation>(evaluation.arena, a, [](Number x, const FloatFormat& f) {
      if constexpr (std::is_invocable_v<decltype(kOfNumber), Number>) {
        return kOfNumber(x);
      } else {
        return kOfNumber(x, f);
      }
    });
  }
  if constexpr (std::is_null_pointer_v<decltype(kOfInteger)>) {
    AG_CHECK(false, "[reference] a primitive that has no result on integers");
  } else {
    Result result(evaluation.arena, a->dtype, a->shape, a->size);
    for (int32_t i = 0; i < a->size; ++i) result.SetInteger(i, kOfInteger(a->i[i]), a->Error(i));
    return result.array();
  }
}

// Of two inputs. With `kExactSecond` the second must be known where it is an integer.
template <auto kOfNumbers, auto kOfIntegers = nullptr, bool kExactSecond = false>
const Array* BinaryValue(const Evaluation& evaluation) {
  constexpr bool kTakesInfinities = kOfNumbers == Product || kOfNumbers == Quotient;
  const Array *a = evaluation.in[0], *b = evaluation.in[1];
  Result result(evaluation.arena, a->dtype, a->shape, a->size);
  if (IsFloating(a->dtype)) {
    const FloatFormat& format = FormatOf(a->dtype);
    for (int32_t i = 0; i < a->size; ++i) {
      const Number x = kTakesInfinities ? a->Signless(i) : a->At(i);
      const Number y = kTakesInfinities ? b->Signless(i) : b->At(i);
      Number z = kOfNumbers(x, y, format);
      if (evaluation.arguments.in_product) {
        z = Regrouped(z, x, y, kOfNumbers == Add, evaluation.arguments.may_underflow, format);
      }
      if (evaluation.lenient && std::isnan(z.v) && !std::isnan(x.v) && !std::isnan(y.v)) {
        z.e = kUnknown;
      }
      result.Set(i, z);
    }
    return result.array();
  }
  if constexpr (std::is_null_pointer_v<decltype(kOfIntegers)>) {
    AG_CHECK(false, "[reference] a primitive that has no result on integers");
  } else {
    for (int32_t i = 0; i < a->size; ++i) {
      if (kExactSecond && b->Error(i) != 0) throw UnknownInteger();
      result.SetInteger(i, kOfIntegers(a->i[i], b->i[i]), a->Error(i) + b->Error(i));
    }
    return result.array();
  }
}

}  // namespace twingrad::reference

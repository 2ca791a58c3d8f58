// The constant weights and conditions of derivatives: see primitives.h.

#include <cmath>
#include <cstdint>

#include "autograd/reference/result.h"

namespace twingrad::reference {

namespace {

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

const Array* MaximumWeight(Arena& arena, const Array* a, const Array* b, int which, bool least) {
  if (least) which = 1 - which;  // of a minimum: the weight that the other operand has in a maximum
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

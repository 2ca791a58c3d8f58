// Result: an array under construction, with the bounds of its numbers.
//
//   Result result(arena, a->dtype, a->shape, a->size);
//   result.Set(0, number);
//   return result.array();

#pragma once

#include <cstdint>
#include <cstring>

#include "autograd/reference/arena.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// Collects the bounds of a result; the array of bounds appears with the first that is not 0.
// Integers wrap around here, and nowhere else: the low bits of sums and products of theirs are
// those of the low bits.
class Result {
 public:
  Result(Arena& arena, DType dtype, const Shape* shape, int32_t size)
      : arena_(arena), array_(NewArray(arena, dtype, shape, size)) {}

  void Set(int32_t at, Number x) {
    array_->v[at] = x.v;
    if (x.e != 0) SetError(at, x.e);
  }
  void SetInteger(int32_t at, int64_t x, double error) {
    array_->i[at] = array_->dtype == DType::kI32 ? static_cast<int32_t>(x) : x;
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

// A new array, with bounds of 0.
inline Array* NewBoundedArray(Arena& arena, DType dtype, const Shape* shape) {
  Array* array = NewArray(arena, dtype, shape, Count(*shape));
  array->e = arena.Allocate<double>(array->size);
  std::memset(array->e, 0, array->size * sizeof(double));
  return array;
}

// The function of each element of an array of floats.
template <bool kTakesEitherSign = false, typename F>
const Array* MapUnary(Arena& arena, const Array* a, F function) {
  Result result(arena, a->dtype, a->shape, a->size);
  const FloatFormat& format = FormatOf(a->dtype);
  for (int32_t i = 0; i < a->size; ++i)
    result.Set(i, function(kTakesEitherSign ? a->Signless(i) : a->At(i), format));
  return result.array();
}

}  // namespace twingrad::reference

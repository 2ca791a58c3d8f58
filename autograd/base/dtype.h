// Element types and shapes, the vocabulary that Programs, tensors and witnesses share.
//
// Plain values with no behaviour of their own: the meaning of numbers (wrap-around, saturation) is
// implemented apart by the engine's kernels and by the twin, so that they can disagree.

#pragma once

#include <cstdint>
#include <string_view>

#include "autograd/base/inlined_vector.h"

namespace twingrad {

// The element types: the floats f16, bf16, f32 and f64, which alone can require grad; the other
// numbers, i32 and i64; and bool. f16 (IEEE 754 binary16), bf16 (the upper half of an f32) and i32
// are for storage: f16 and bf16 are computed with in f32, and results are rounded to nearest, ties
// to even; i32 in i64, and results are taken modulo 2^32.
enum class DType : uint8_t { kF32, kF64, kI64, kBool, kF16, kBF16, kI32 };
inline constexpr DType kDTypes[] = {DType::kF32, DType::kF64,  DType::kI64, DType::kBool,
                                    DType::kF16, DType::kBF16, DType::kI32};

// Sizes of the dimensions, outermost first; empty for a scalar. A size may be 0 or 1.
using Shape = InlinedVector<int64_t, 4>;

constexpr bool IsFloating(DType dtype) {
  constexpr unsigned kFloating =
      1u << static_cast<unsigned>(DType::kF32) | 1u << static_cast<unsigned>(DType::kF64) |
      1u << static_cast<unsigned>(DType::kF16) | 1u << static_cast<unsigned>(DType::kBF16);
  return (kFloating >> static_cast<unsigned>(dtype) & 1) != 0;
}

// Signed integers, without bool.
constexpr bool IsInteger(DType dtype) { return dtype == DType::kI64 || dtype == DType::kI32; }

// The type in which elements of `dtype` are computed with: itself but for those of storage.
constexpr DType ComputedAs(DType dtype) {
  switch (dtype) {
    case DType::kF16:
    case DType::kBF16:
      return DType::kF32;
    case DType::kI32:
      return DType::kI64;
    case DType::kF32:
    case DType::kF64:
    case DType::kI64:
    case DType::kBool:
      break;
  }
  return dtype;
}

// Whether it is a type of storage; those stand last. One comparison: every operation asks.
constexpr bool IsNarrow(DType dtype) { return dtype > DType::kBool; }

// The name in program text, such as f32.
constexpr std::string_view DTypeName(DType dtype) {
  constexpr std::string_view kNames[] = {"f32", "f64", "i64", "bool", "f16", "bf16", "i32"};
  return kNames[static_cast<int>(dtype)];
}

}  // namespace twingrad

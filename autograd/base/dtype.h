// Element types and shapes, the vocabulary that Programs, tensors and witnesses share.
//
// Plain values with no behaviour of their own: the meaning of numbers (wrap-around, saturation) is
// implemented apart by the engine's kernels and by the twin, so that they can disagree.

#pragma once

#include <cstdint>
#include <string_view>

#include "autograd/base/inlined_vector.h"

namespace twingrad {

// The element types. Only the floating ones can require grad.
enum class DType : uint8_t { kF32, kF64, kI64, kBool };

// Sizes of the dimensions, outermost first; empty for a scalar. A size may be 0 or 1.
using Shape = InlinedVector<int64_t, 4>;

constexpr bool IsFloating(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF64; }

// The name in program text: f32, f64, i64 or bool.
constexpr std::string_view DTypeName(DType dtype) {
  constexpr std::string_view kNames[] = {"f32", "f64", "i64", "bool"};
  return kNames[static_cast<int>(dtype)];
}

}  // namespace twingrad

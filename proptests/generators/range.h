// What a generator knows about the elements of a value: magnitude, granularity and sign.
//
// Generators use it to keep products short, so that most gradients are exact in binary floating
// point, and to choose sensible operands for log, sqrt and divisions. The bounds are conservative;
// loose ones do no harm.

#pragma once

#include <algorithm>
#include <cstdint>

#include "autograd/base/dtype.h"
#include "autograd/program/opcode.h"

namespace twingrad::generators {

struct Range {
  int high = 2;       // magnitudes are at most 2^high
  int low = 0;        // elements are multiples of 2^low
  bool exact = true;  // computed without rounding
  bool positive = false;
  bool power_of_two = false;  // each element is +-2^k, or there is no element

  int Width() const { return high - low; }
};

// The largest width of an exact value that leaves room for its derivatives: about a third of the
// mantissa.
constexpr int RoomyWidth(twingrad::DType dtype) {
  return dtype == twingrad::DType::kF32    ? 9
         : dtype == twingrad::DType::kF16  ? 3
         : dtype == twingrad::DType::kBF16 ? 2
                                           : 18;
}

// A range that covers both.
inline Range Union(const Range& a, const Range& b) {
  return {std::max(a.high, b.high), std::min(a.low, b.low), a.exact && b.exact,
          a.positive && b.positive, a.power_of_two && b.power_of_two};
}

inline Range AfterSum(Range a, int64_t terms) {
  while (terms > 1) {
    ++a.high;
    terms = (terms + 1) / 2;
  }
  if (terms == 0) a.positive = false;
  a.power_of_two = false;
  return a;
}

inline Range AfterProduct(const Range& a, const Range& b) {
  return {a.high + b.high, a.low + b.low, a.exact && b.exact, a.positive && b.positive,
          a.power_of_two && b.power_of_two};
}

// The range of a product of this many factors.
inline Range AfterProductOf(const Range& a, int64_t factors) {
  const int n = static_cast<int>(std::min<int64_t>(factors, 64));
  return {a.high * n, a.low * n, a.exact, a.positive, a.power_of_two};
}

// The range after a unary elementwise op; `a` for ops that do not change it.
Range AfterUnary(twingrad::program::Opcode op, const Range& a);
// The range after an elementwise op of two operands.
Range AfterBinary(twingrad::program::Opcode op, const Range& a, const Range& b);

}  // namespace twingrad::generators

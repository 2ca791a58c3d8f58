// Leaves: shapes with 0, 1 and no dimensions, small integers with many zeros, equal data in
// different leaves, exponents, bases and divisors from {0, 1, 2}, magnitudes from the smallest to
// infinity.

#pragma once

#include <cstdint>
#include <optional>

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Which elements to draw.
enum class Content : uint8_t {
  kAny,          // one of the others, at random
  kSmall,        // -3..3 with many zeros
  kZeroOneTwo,   // exponents, bases, divisors
  kPowersOfTwo,  // +-1, +-2, +-1/2: exact divisors
  kPositive,     // 1..4 and halves
  kFractions,    // multiples of 1/4
  kLarge,        // +-100, +-1000
  kExponents,    // 0, 1, 2, 3, 1/2, -1
  kHuge,         // +-1e3, +-1e300 and such, beside +-1
  kTiny,         // +-0, subnormal numbers, 1e-300, beside 1
  kNotFinite,    // infinities and NaN, beside 0 and +-1
  kDecimals,     // 0.1, 0.3, ...: rounded from the start
};

struct LeafRequest {
  std::optional<DType> dtype = std::nullopt;  // random when absent
  std::optional<Shape> shape = std::nullopt;
  std::optional<DeviceIndex> device = std::nullopt;
  bool grad = false;
  Content content = Content::kAny;
};

ValueId MakeLeaf(Draft& draft, const LeafRequest& request = {});

// A floating type beside f64, and a type of signed integers: mostly f32 and i64, which are computed
// with.
DType AnyShortFloat(Draft& draft);
DType AnyInteger(Draft& draft);

// An element of a floating type; what is finite and not 0 stays so.
uint64_t FittedBits(double element, DType dtype);

// A value of x's type, device and this shape, or a leaf.
ValueId Fellow(Draft& draft, ValueId x, const Shape& shape, Content content = Content::kAny);

// Whether the Program may hold numbers of extreme magnitude and what follows from them.
bool MayBeExtreme(const Draft& draft);

// A shape of at most options().max_elements elements: often with no or one dimension, sometimes
// with a size of 0.
Shape MakeShape(Draft& draft);

// A shape that broadcasts to `shape`: the same, or with dimensions dropped or of size 1.
Shape MakeBroadcastable(Draft& draft, const Shape& shape);

}  // namespace twingrad::generators

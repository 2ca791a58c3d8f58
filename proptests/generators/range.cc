#include "proptests/generators/range.h"

#include "autograd/program/signature.h"

namespace twingrad::generators {

using twingrad::program::Numbers;
using twingrad::program::Opcode;
using twingrad::program::SignatureOf;

namespace {

// Of ops whose result is rounded whatever the operand is.
Range AfterRounding(Numbers numbers, const Range& a) {
  Range r = {std::max(a.high, 2), -50, false, false, false};
  if (numbers == Numbers::kExponential) {
    r.high = a.high >= 4 ? 60 : 12;
    r.positive = a.high < 9;
  } else if (numbers == Numbers::kRoot) {
    r.positive = a.positive;
  } else if (numbers == Numbers::kUnit) {
    r.high = 0;
  } else if (numbers == Numbers::kSigmoid) {
    r.high = 0;
    r.positive = a.high < 9;
  } else if (numbers == Numbers::kProbability) {
    r.high = 0;
    r.positive = a.high < 6;
  } else if (numbers == Numbers::kLogSum) {
    r.high += 2;
  } else if (numbers == Numbers::kUnbounded || numbers == Numbers::kBetween ||
             numbers == Numbers::kBent) {
    r.high += 6;
  } else if (numbers == Numbers::kSpread) {
    r.high = 2 * r.high + 2;
  } else if (numbers == Numbers::kSignedExponential) {
    r.high = a.high >= 4 ? 60 : 12;
  }
  return r;
}

Range AfterQuotient(const Range& a, const Range& b) {
  if (b.power_of_two) {
    // A quotient by +-2^k with |k| <= width is a shift.
    return {a.high - b.low, a.low - b.high, a.exact && b.exact, a.positive && b.positive,
            a.power_of_two};
  }
  return {a.high + 8, -50, false, a.positive && b.positive, false};
}

// Sums and differences of two terms.
Range AfterTwoTerms(const Range& a, const Range& b, bool subtracts) {
  Range r = Union(a, b);
  ++r.high;
  r.power_of_two = false;
  r.positive = !subtracts && a.positive && b.positive;
  return r;
}

Range AfterGreatest(const Range& a, const Range& b) {
  Range r = Union(a, b);
  r.positive = a.positive || b.positive;
  return r;
}

// Ops of one operand that round nothing.
Range AfterExact(Numbers numbers, Range a) {
  if (numbers == Numbers::kNegated) a.positive = false;
  if (numbers == Numbers::kClipped) a.power_of_two = false;
  if (numbers == Numbers::kMagnitude) a.positive = a.positive || a.power_of_two;
  if (numbers == Numbers::kSign) {
    return {0, 0, a.exact, a.positive, a.positive || a.power_of_two};
  }
  if (numbers == Numbers::kClamped || numbers == Numbers::kPadded) {
    return {std::max(a.high, 2), std::min(a.low, -1), a.exact, false, false};
  }
  return a;
}

// Of sums over many elements the caller knows how many: AfterSum.
Range After(Numbers numbers, const Range& a, const Range& b) {
  switch (numbers) {
    case Numbers::kSame:
    case Numbers::kNegated:
    case Numbers::kClipped:
    case Numbers::kMagnitude:
    case Numbers::kSign:
    case Numbers::kClamped:
    case Numbers::kPadded:
    case Numbers::kCast:
    case Numbers::kSumOver:
    case Numbers::kMeanOver:
    case Numbers::kCumulated:
    case Numbers::kProductOver:
    case Numbers::kScattered:
    case Numbers::kAddmm:
    case Numbers::kAddcmul:
      return AfterExact(numbers, a);
    case Numbers::kIndices:
      return {4, 0};
    case Numbers::kZero:
      return {0, 0};
    case Numbers::kSecond:
      return b;
    case Numbers::kSum:
      return AfterTwoTerms(a, b, /*subtracts=*/false);
    case Numbers::kDifference:
      return AfterTwoTerms(a, b, /*subtracts=*/true);
    case Numbers::kGreatest:
      return AfterGreatest(a, b);
    case Numbers::kEither:
      return Union(a, b);
    case Numbers::kProduct:
    case Numbers::kMatmul:
      return AfterProduct(a, b);
    case Numbers::kPower:
      // Exponents are generated small.
      return {2 * std::max(a.high, 0), 2 * std::min(a.low, 0), a.exact && b.exact, a.positive,
              a.power_of_two && a.positive};
    case Numbers::kQuotient:
      return AfterQuotient(a, b);
    case Numbers::kSquaredDifference: {
      Range difference = Union(a, b);
      ++difference.high;
      difference.power_of_two = false;
      return AfterProduct(difference, difference);
    }
    case Numbers::kSquare: {
      Range square = AfterProduct(a, a);
      square.positive = a.positive || a.power_of_two;
      return square;
    }
    case Numbers::kUnbounded:
    case Numbers::kBetween:
    case Numbers::kSignedExponential:
    case Numbers::kAngle:
    case Numbers::kGated:
    case Numbers::kBent:
    case Numbers::kSpread:
    case Numbers::kExponential:
    case Numbers::kLogarithm:
    case Numbers::kRoot:
    case Numbers::kUnit:
    case Numbers::kSigmoid:
    case Numbers::kProbability:
    case Numbers::kLogSum:
      return AfterRounding(numbers, Union(a, b));
  }
  return a;
}

}  // namespace

Range AfterUnary(Opcode op, const Range& a) { return After(SignatureOf(op).facts.numbers, a, a); }

Range AfterBinary(Opcode op, const Range& a, const Range& b) {
  return After(SignatureOf(op).facts.numbers, a, b);
}

}  // namespace twingrad::generators

#include "proptests/generators/range.h"

namespace twingrad::generators {

using twingrad::program::Opcode;

namespace {

// Ops of one operand beyond the elementary functions.
Range AfterOther(Opcode op, const Range& a, const Range& inexact) {
  switch (op) {
    case Opcode::kSgn:
      return {0, 0, a.exact, a.positive, a.positive || a.power_of_two};
    case Opcode::kClamp:
      return {std::max(a.high, 2), std::min(a.low, -1), a.exact, false, false};
    case Opcode::kSoftmax: {
      Range r = inexact;
      r.high = 0;
      r.positive = a.high < 6;
      return r;
    }
    case Opcode::kLogSoftmax:
    case Opcode::kLogsumexp:
    case Opcode::kCrossEntropy: {
      Range r = inexact;
      r.high = std::max(a.high, 2) + 2;
      return r;
    }
    case Opcode::kArgmax:
    case Opcode::kArgmin:
    case Opcode::kArgsort:
      return {4, 0};
    default:
      return a;
  }
}

}  // namespace

Range AfterUnary(Opcode op, const Range& a) {
  const Range inexact = {std::max(a.high, 2), -50, false, false, false};
  switch (op) {
    case Opcode::kNeg:
    case Opcode::kNegInPlace: {
      Range r = a;
      r.positive = false;
      return r;
    }
    case Opcode::kRelu:
    case Opcode::kReluInPlace: {
      Range r = a;
      r.power_of_two = false;
      return r;
    }
    case Opcode::kAbs:
    case Opcode::kAbsInPlace: {
      Range r = a;
      r.positive = a.positive || a.power_of_two;
      return r;
    }
    case Opcode::kExp:
    case Opcode::kExpInPlace: {
      Range r = inexact;
      r.high = a.high >= 4 ? 60 : 12;
      r.positive = a.high < 9;
      return r;
    }
    case Opcode::kSqrt:
    case Opcode::kSqrtInPlace: {
      Range r = inexact;
      r.positive = a.positive;
      return r;
    }
    case Opcode::kSigmoid:
    case Opcode::kSigmoidInPlace: {
      Range r = inexact;
      r.high = 0;
      r.positive = a.high < 9;
      return r;
    }
    case Opcode::kSin:
    case Opcode::kSinInPlace:
    case Opcode::kCos:
    case Opcode::kCosInPlace:
    case Opcode::kTanh:
    case Opcode::kTanhInPlace: {
      Range r = inexact;
      r.high = 0;
      return r;
    }
    case Opcode::kLog:
      return inexact;
    default:
      return AfterOther(op, a, inexact);
  }
}

Range AfterBinary(Opcode op, const Range& a, const Range& b) {
  switch (op) {
    case Opcode::kMul:
    case Opcode::kMulInPlace:
      return AfterProduct(a, b);
    case Opcode::kDiv:
    case Opcode::kDivInPlace: {
      if (b.power_of_two) {
        // A quotient by +-2^k with |k| <= width is a shift.
        return {a.high - b.low, a.low - b.high, a.exact && b.exact, a.positive && b.positive,
                a.power_of_two};
      }
      return {a.high + 8, -50, false, a.positive && b.positive, false};
    }
    case Opcode::kPow:
      // Exponents are generated small.
      return {2 * std::max(a.high, 0), 2 * std::min(a.low, 0), a.exact && b.exact, a.positive,
              a.power_of_two && a.positive};
    case Opcode::kMaximum: {
      Range r = Union(a, b);
      r.positive = a.positive || b.positive;
      return r;
    }
    case Opcode::kMinimum:
    case Opcode::kCat:
    case Opcode::kStack:
      return Union(a, b);
    case Opcode::kIndexSelect:
    case Opcode::kGather:
      return a;
    case Opcode::kMseLoss: {
      Range difference = Union(a, b);
      ++difference.high;
      difference.power_of_two = false;
      return AfterProduct(difference, difference);
    }
    case Opcode::kCopyInPlace:
      return b;
    case Opcode::kWhere:
      return Union(a, b);
    default: {
      Range r = Union(a, b);
      ++r.high;
      r.power_of_two = false;
      const bool subtracts = op == Opcode::kSub || op == Opcode::kSubInPlace;
      r.positive = !subtracts && a.positive && b.positive;
      return r;
    }
  }
}

}  // namespace twingrad::generators

// a to the power of b, which is smooth for a > 0, a power of a for whole constant b, and else has
// derivatives in some directions only.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "autograd/reference/ball/element.h"

namespace twingrad::reference::ball {
namespace {

int64_t WholePower(uint64_t base, int64_t exponent) {
  uint64_t power = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) power *= base;
  }
  return static_cast<int64_t>(power);
}

// 0 to a power that is no whole number: as many derivatives are 0 as the power has room for.
Taylor AtZero(const Real& exponent, int order) {
  Taylor f(static_cast<size_t>(order) + 1);
  for (int k = 0; k <= order; ++k) {
    const bool vanishes = (exponent - Real::OfInteger(k)).IsPositive();
    if (!vanishes) f[static_cast<size_t>(k)] = Real::Unknown();
  }
  return f;
}

// With b a constant.
Taylor Coefficients(const Real& a, const Real& b, int order) {
  int64_t whole = 0;
  if (a.IsZero() && !(IsWhole(b, &whole) && whole >= 0)) return AtZero(b, order);
  Taylor f = TaylorOfPower(a, b, order);
  f[0] = PowerOf(a, b);
  return f;
}

}  // namespace

Ref Arithmetic::Power(Ref a, Ref b, DType type) {
  if (!IsFloating(type)) {
    const bool known = a->known && b->known && b->integer >= 0;
    return known ? Integer(WholePower(static_cast<uint64_t>(a->integer), b->integer))
                 : UnknownInteger();
  }
  const int order = a->slope.IsConstant() ? 0 : a->slope.order;
  const Taylor f = Coefficients(a->value, b->value, std::min(order, order_));
  Element out{f[0], Coefficients(a->run, b->run, 0)[0], {}};
  if (b->slope.IsConstant()) {
    out.slope = Compose(budget_, f, a->slope);
  } else if (a->value.IsPositive()) {
    Ref exponent = Multiply(b, Apply(Function::kLog, a, type, kInSteps), type, kInSteps);
    out.slope = Apply(Function::kExp, exponent, type, kInSteps)->slope;
  } else {
    // 0 to a positive power stays 0; else nothing is known along b.
    SeriesSum sum(budget_);
    sum.Add(Compose(budget_, f, a->slope));
    const Series along_b = UnknownLike(budget_, b->slope);
    if (!a->value.IsZero() || !b->value.IsPositive()) {
      sum.Add(along_b);
      sum.AddProduct(along_b, along_b);
    }
    SeriesSum mixed(budget_);
    mixed.AddProduct(along_b, a->slope);
    const Series both = mixed.Take();
    sum.Add(both);
    sum.AddProduct(both, a->slope);
    sum.AddProduct(both, along_b);
    sum.AddProduct(along_b, UnknownLike(budget_, a->slope));
    out.slope = sum.Take();
  }
  Round(out, type, 4);
  return Keep(std::move(out));
}

}  // namespace twingrad::reference::ball

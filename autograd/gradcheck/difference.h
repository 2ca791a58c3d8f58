// The derivative of a function of one number by central differences, with a
// bound on its error.
//
//   const auto f = [](double x, double* y) { y[0] = std::sin(x); };
//   Difference d = Differentiate(f, 1.0, 1)[0];
//   d.slope, d.error;  // 0.5403..., about 1e-12
//
// The error model. A central difference with step h errs by c₁h² + c₂h⁴ + ...
// where the function is smooth, and by rounding: a few ulps of the values, over
// h. Steps halve from 2^-5 max(1, |x|), and Richardson's extrapolation removes
// one power after the other (L. F. Richardson 1911; as a tableau with an error
// estimate: C. J. F. Ridders, "Accurate computation of F'(x) and F'(x)F''(x)",
// 1982). Of the tableau the entry with the least estimated error counts: how
// far it lies from its neighbours, plus the rounding of its smallest step.
// Steps at which a value is not finite are left out. Complex steps would be
// exact, but need functions of complex numbers.
//
// Pure functions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace twingrad {

struct Difference {
  enum class State : uint8_t {
    kSmooth,
    kKink,     // the slopes from the left and from the right differ, however small
               // the step
    kUnclear,  // too few finite values, or estimates that do not settle
  };

  State state = State::kSmooth;
  double slope = 0;
  double error = 0;  // an estimate, not a proof: compare with a margin
  double left = 0;   // the slopes from both sides at a small step
  double right = 0;
};

// `f(x, y)` writes `outputs` numbers to y; one Difference for each.
std::vector<Difference> Differentiate(const std::function<void(double x, double* y)>& f, double x,
                                      size_t outputs);

}  // namespace twingrad

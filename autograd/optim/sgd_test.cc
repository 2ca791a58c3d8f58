// Sgd against closed forms. On f(p) = p g with a constant gradient g the step
// is a sum of a geometric series; on f(p) = p²/2 each step is a 2x2 matrix,
// applied here by hand.

#include "autograd/optim/sgd.h"

#include <cmath>
#include <functional>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

// p after `steps` steps down `slope`'s function of it.
double After(int steps, const SgdOptions& options, double start,
             const std::function<Tensor(const Tensor&)>& loss) {
  const Tensor p = Leaf(Tensor::Scalar(start));
  Sgd sgd({p}, options);
  for (int i = 0; i < steps; ++i) {
    sgd.ZeroGrad();
    Backward({loss(p)});
    sgd.Step();
  }
  return Item(p);
}

const auto kLinear = [](const Tensor& p) { return 3 * p; };
const auto kBowl = [](const Tensor& p) { return 0.5 * p * p; };

TEST(Sgd, PlainStepsShrinkABowlByAConstantFactor) {
  // p ← p - h p.
  EXPECT_NEAR(After(10, {.learning_rate = 0.1}, 2, kBowl), 2 * std::pow(0.9, 10), 1e-14);
  // p ← p - h (p + d p).
  EXPECT_NEAR(After(10, {.learning_rate = 0.1, .weight_decay = 0.5}, 2, kBowl),
              2 * std::pow(0.85, 10), 1e-14);
}

TEST(Sgd, MomentumSumsAGeometricSeries) {
  // v_t = g (1 - m^t) / (1 - m), so p_n = p_0 - h g Σ v_t.
  const double h = 0.01, m = 0.9, g = 3;
  double sum = 0;
  for (int t = 1; t <= 20; ++t) sum += (1 - std::pow(m, t)) / (1 - m);
  EXPECT_NEAR(After(20, {.learning_rate = h, .momentum = m}, 1, kLinear), 1 - h * g * sum, 1e-12);
  // Nesterov: u_t = g + m v_t.
  EXPECT_NEAR(After(20, {.learning_rate = h, .momentum = m, .nesterov = true}, 1, kLinear),
              1 - h * g * (20 + m * sum), 1e-12);
  // Dampening d: v_1 = g, v_t = m v + (1 - d) g, so v_t = g (m^(t-1) +
  // (1-d)(1-m^(t-1))/(1-m)).
  const double d = 0.5;
  sum = 0;
  for (int t = 1; t <= 20; ++t) {
    sum += std::pow(m, t - 1) + (1 - d) * (1 - std::pow(m, t - 1)) / (1 - m);
  }
  EXPECT_NEAR(After(20, {.learning_rate = h, .momentum = m, .dampening = d}, 1, kLinear),
              1 - h * g * sum, 1e-12);
}

TEST(Sgd, MomentumOnABowlIsAMatrixPower) {
  const double h = 0.2, m = 0.7;
  double p = 2, v = 0;
  for (int t = 0; t < 15; ++t) {
    v = m * v + p;
    p -= h * v;
  }
  EXPECT_NEAR(After(15, {.learning_rate = h, .momentum = m}, 2, kBowl), p, 1e-13);
}

TEST(Sgd, KeepsF32) {
  const Tensor p = Leaf(Tensor::Scalar(1, DType::kF32));
  Sgd sgd({p}, {.learning_rate = 0.5, .momentum = 0.5});
  Backward({p * p});
  sgd.Step();
  EXPECT_EQ(p.dtype(), DType::kF32);
  EXPECT_EQ(Item(p), 0);
}

TEST(Sgd, RefusesOptionsOutOfRange) {
  const Tensor p = Leaf(Tensor::Scalar(1));
  const SgdOptions kWrong[] = {{.learning_rate = -1},
                               {.learning_rate = INFINITY},
                               {.momentum = -0.1},
                               {.weight_decay = NAN},
                               {.dampening = NAN},
                               {.nesterov = true},
                               {.momentum = 0.5, .dampening = 0.1, .nesterov = true}};
  Sgd sgd({p}, {});
  for (const SgdOptions& options : kWrong) {
    EXPECT_THROW(Sgd({p}, options), Error);
    EXPECT_THROW(sgd.SetOptions(options), Error);
  }
  EXPECT_EQ(sgd.options().learning_rate, 1e-3);
  try {
    Sgd({p}, {.learning_rate = -1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[sgd] learning_rate -1; allowed is a finite number of 0 or more");
  }
}

}  // namespace
}  // namespace twingrad

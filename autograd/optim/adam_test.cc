// Adam against closed forms. With a constant gradient the corrected moments are
// the gradient and its square whatever the betas, so each step has the size of
// the learning rate; elsewhere the moments are the sums that the recurrences
// solve to.

#include "autograd/optim/adam.h"

#include <cmath>
#include <cstdint>
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

template <class Optimizer>
double AfterGradients(const std::vector<double>& gradients, const AdamOptions& options,
                      double start) {
  const Tensor p = Leaf(Tensor::Scalar(start));
  Optimizer optimizer({p}, options);
  for (double g : gradients) {
    optimizer.ZeroGrad();
    Backward({g * p});
    optimizer.Step();
  }
  return Item(p);
}

TEST(Adam, AConstantGradientGivesStepsOfTheLearningRate) {
  for (double g : {3.0, -0.01}) {
    const double step = 0.1 * g / (std::abs(g) + 1e-8);
    EXPECT_NEAR(AfterGradients<Adam>({g, g, g, g, g}, {.learning_rate = 0.1}, 1), 1 - 5 * step,
                1e-12);
  }
}

TEST(Adam, MomentsAreWeightedSumsOfTheGradients) {
  const std::vector<double> gradients = {1, -2, 0.5, 4, -1, 0};
  const AdamOptions o = {.learning_rate = 0.1, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3};
  double p = 1;
  for (size_t t = 1; t <= gradients.size(); ++t) {
    // m_t = (1-β) Σ β^(t-i) g_i; the weights sum to 1 - β^t.
    double mean = 0, square = 0;
    for (size_t i = 1; i <= t; ++i) {
      const double age = static_cast<double>(t - i);
      mean += (1 - o.beta1) * std::pow(o.beta1, age) * gradients[i - 1];
      square += (1 - o.beta2) * std::pow(o.beta2, age) * gradients[i - 1] * gradients[i - 1];
    }
    mean /= 1 - std::pow(o.beta1, static_cast<double>(t));
    square /= 1 - std::pow(o.beta2, static_cast<double>(t));
    p -= o.learning_rate * mean / (std::sqrt(square) + o.epsilon);
  }
  EXPECT_NEAR(AfterGradients<Adam>(gradients, o, 1), p, 1e-13);
}

TEST(Adam, DecayActsOnTheGradientOfAdamAndOnTheParameterOfAdamW) {
  // No gradient of the loss: Adam's moments see the decay alone and step by the
  // learning rate, AdamW multiplies by 1 - h d.
  const AdamOptions o = {.learning_rate = 0.1, .epsilon = 0, .weight_decay = 0.5};
  EXPECT_NEAR(AfterGradients<Adam>({0}, o, 2), 2 - 0.1, 1e-13);
  const AdamOptions w = {.learning_rate = 0.1, .weight_decay = 0.5};
  EXPECT_NEAR(AfterGradients<AdamW>({0, 0, 0}, w, 2), 2 * std::pow(0.95, 3), 1e-13);
  // With a constant gradient: p ← (1 - h d) p - h.
  double p = 2;
  for (int i = 0; i < 4; ++i) p = 0.95 * p - 0.1;
  EXPECT_NEAR(AfterGradients<AdamW>({3, 3, 3, 3}, w, 2), p, 1e-8);
}

TEST(Adam, StateGoesOnWhereItWasSaved) {
  const Tensor a = Leaf(Tensor::FromData<double>({2}, {1, 2}));
  const Tensor b = Leaf(Tensor::FromData<double>({2}, {1, 2}));
  const auto step = [](Adam& adam, const Tensor& x) {
    adam.ZeroGrad();
    Backward({Sum(x * x)});
    adam.Step();
  };
  Adam whole({a}, {});
  Adam first({b}, {});
  for (int i = 0; i < 4; ++i) step(whole, a);
  for (int i = 0; i < 2; ++i) step(first, b);
  Adam second({b}, {});
  EXPECT_EQ(first.State().size(), 3u);
  second.LoadState(first.State());
  for (int i = 0; i < 2; ++i) step(second, b);
  EXPECT_EQ(Elements(a), Elements(b));
}

TEST(Adam, GroupsAndOptions) {
  const Tensor a = Leaf(Tensor::Scalar(1));
  const Tensor b = Leaf(Tensor::Scalar(1));
  AdamW adam({{{a}, {.learning_rate = 0.1}}, {{b}, {.learning_rate = 0}}});
  Backward({a + b});
  const uint32_t version = a.version();
  adam.Step();
  EXPECT_EQ(a.version(), version + 1);
  EXPECT_NEAR(Item(a), 0.9, 1e-8);
  EXPECT_EQ(Item(b), 1);
  adam.SetOptions({.learning_rate = 0.2}, 1);
  EXPECT_EQ(adam.options(1).learning_rate, 0.2);
  const AdamOptions kWrong[] = {{.learning_rate = -1}, {.beta1 = 1},         {.beta2 = -0.5},
                                {.epsilon = NAN},      {.weight_decay = -1}, {.beta2 = NAN}};
  for (const AdamOptions& options : kWrong) EXPECT_THROW(adam.SetOptions(options), Error);
}

}  // namespace
}  // namespace twingrad

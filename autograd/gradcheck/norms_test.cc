// The gradients of norms, dropout and attention are those of their formulas.

#include "autograd/notation/norms.h"

#include <cstdint>
#include <vector>

#include "autograd/gradcheck/gradcheck.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/operators.h"
#include "autograd/random/random.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

Tensor Drawn(Ints sizes, uint64_t seed) {
  Generator generator(seed);
  return Normal(sizes, 0.5, 1, generator);
}

void ExpectGradients(const TensorListFunction& function, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> leaves;
  for (const Tensor& input : inputs) leaves.push_back(Leaf(input));
  const GradCheckReport report = GradCheck(function, leaves);
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST(GradientsOf, Norms) {
  ExpectGradients(
      [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        return {LayerNorm(x[0], 2, {.weight = x[1], .bias = x[2]})};
      },
      {Drawn({2, 3, 2}, 1), Drawn({3, 2}, 2), Drawn({3, 2}, 3)});
  ExpectGradients(
      [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        return {GroupNorm(x[0], 2, {.weight = x[1], .bias = x[2]})};
      },
      {Drawn({2, 4, 3}, 4), Drawn({4}, 5), Drawn({4}, 6)});
  ExpectGradients(
      [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        RunningMoments moments;
        return {BatchNorm(x[0], moments, true, {.weight = x[1], .bias = x[2]})};
      },
      {Drawn({3, 2, 2}, 7), Drawn({2}, 8), Drawn({2}, 9)});
}

TEST(GradientsOf, Dropout) {
  ExpectGradients(
      [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        Generator generator(3);
        return {Dropout(x[0] * x[0], 0.5, generator)};
      },
      {Drawn({10}, 1)});
}

TEST(GradientsOf, Attention) {
  ExpectGradients(
      [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        return {ScaledDotProductAttention(x[0], x[1], x[2], {.causal = true})};
      },
      {Drawn({2, 3, 2}, 1), Drawn({2, 3, 2}, 2), Drawn({2, 3, 2}, 3)});
}

}  // namespace
}  // namespace twingrad

// Norms of groups that take many tiles, and their gradients, against the same steps over whole
// tensors.

#include "autograd/tensor/kernels/norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/elementary.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/reduce.h"

namespace twingrad::kernels {
namespace {

struct Case {
  const char* name;
  NormGroups groups;
};

// Groups below a tile, of several, and with a channel that lies in two.
const Case kCases[] = {
    {"layers", {.samples = 5, .channels = 7}},
    {"long layers", {.samples = 2, .channels = 5000}},
    {"groups", {.samples = 2, .groups = 3, .channels = 4, .places = 5}},
    {"long groups", {.samples = 2, .groups = 2, .channels = 3, .places = 1700}},
    {"batch of rows", {.samples = 6, .groups = 5, .over_samples = true}},
    {"long batch", {.samples = 3, .groups = 2, .places = 1500, .over_samples = true}},
    {"batch of short runs", {.samples = 3, .groups = 2, .places = 9, .over_samples = true}},
    {"one long run", {.samples = 1, .groups = 2, .places = 64, .over_samples = true}},
    {"no long run", {.samples = 0, .groups = 2, .places = 64, .over_samples = true}},
    {"no sample", {.samples = 0, .groups = 2, .channels = 3}},
};

Tensor Numbers(Ints sizes, double step) {
  Tensor result = Tensor::Empty(sizes, DType::kF64);
  double* const elements = result.mutable_data<double>();
  for (int64_t i = 0; i < result.numel(); ++i)
    elements[i] = std::sin(step * static_cast<double>(i));
  return result;
}

Shape GroupSizesOf(const NormGroups& g) { return {g.samples, g.groups, g.channels, g.places}; }
Shape DimsOf(const NormGroups& g) { return g.over_samples ? Shape{0, 3} : Shape{2, 3}; }
Shape BesideOf(const NormGroups& g) { return {g.groups, g.channels, 1}; }

Tensor MeanOf(const Tensor& a, const NormGroups& groups) {
  const Tensor sum = Sum(a, DimsOf(groups), /*keepdim=*/true);
  Tensor count = Tensor::Empty({}, a.dtype());
  FillInto(count, static_cast<double>(a.numel()) / static_cast<double>(sum.numel()));
  return Div(sum, count);
}

Tensor InverseOf(const Tensor& a, const NormGroups& groups, double eps) {
  const Tensor apart = Sub(a, MeanOf(a, groups));
  Tensor more = Tensor::Empty({}, a.dtype());
  FillInto(more, eps);
  return Each<RsqrtNumber>(Add(MeanOf(Mul(apart, apart), groups), more));
}

void ExpectNear(const Tensor& got, const Tensor& expected, double within, const char* what) {
  ASSERT_EQ(got.numel(), expected.numel()) << what;
  const Tensor wide = Cast(got, DType::kF64), other = Cast(expected, DType::kF64);
  for (int64_t i = 0; i < got.numel(); ++i) {
    const double x = wide.data<double>()[i], y = other.data<double>()[i];
    ASSERT_NEAR(x, y, within * (1 + std::fabs(y))) << what << " " << i;
  }
}

constexpr double kEps = 0.125;

void ExpectAsInSteps(const NormGroups& groups, DType dtype, double within) {
  const Tensor a = Cast(Numbers(GroupSizesOf(groups), 0.7), dtype);
  const Tensor g = Cast(Numbers(GroupSizesOf(groups), 0.3), dtype);
  const Tensor weight = Cast(Numbers(BesideOf(groups), 1.1), dtype);
  const Tensor bias = Cast(Numbers(BesideOf(groups), 0.9), dtype);
  const Tensor inverse = InverseOf(a, groups, kEps);
  const Tensor n = Mul(Sub(a, MeanOf(a, groups)), inverse);
  ExpectNear(Normalize(a, Tensor(), Tensor(), groups, kEps), n, within, "value");
  ExpectNear(Normalize(a, weight, bias, groups, kEps), Add(Mul(n, weight), bias), within,
             "weighted value");

  const Tensor h = Mul(g, weight);
  const Tensor along = Mul(n, MeanOf(Mul(h, n), groups));
  const Tensor operand = Mul(inverse, Sub(Sub(h, MeanOf(h, groups)), along));
  const NormGradients all = NormGradientsOf(g, a, weight, groups, kEps, NormWanted());
  ExpectNear(all.operand, operand, within, "operand");
  ExpectNear(all.weight, SumTo(Mul(g, n), BesideOf(groups)), within, "weight");
  ExpectNear(all.bias, SumTo(g, BesideOf(groups)), within, "bias");
  const NormGradients some =
      NormGradientsOf(g, a, Tensor(), groups, kEps, {.operand = false, .bias = false});
  EXPECT_FALSE(some.operand.defined() || some.bias.defined());
  ExpectNear(some.weight, all.weight, 0, "weight alone");
}

TEST(Norm, AsInSteps) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    ExpectAsInSteps(c.groups, DType::kF64, 1e-12);
    ExpectAsInSteps(c.groups, DType::kF32, 2e-4);
  }
}

// What does not lie in row-major order is read as it stands.
TEST(Norm, ReadsStrides) {
  const NormGroups groups = {.samples = 3, .channels = 4};
  const Tensor rows = Numbers({4, 3, 1, 1}, 0.7);
  const Tensor turned = rows.AsStrided({3, 1, 4, 1}, {1, 1, 3, 1}, 0);
  ExpectNear(Normalize(turned, Tensor(), Tensor(), groups, kEps),
             Normalize(Clone(turned), Tensor(), Tensor(), groups, kEps), 0, "value");
  const NormGradients of = NormGradientsOf(turned, turned, Tensor(), groups, kEps, NormWanted());
  const Tensor copy = Clone(turned);
  ExpectNear(of.operand, NormGradientsOf(copy, copy, Tensor(), groups, kEps, NormWanted()).operand,
             0, "operand");
}

}  // namespace
}  // namespace twingrad::kernels

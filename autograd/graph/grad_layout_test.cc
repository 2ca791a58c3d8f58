// The layout of `.grad`: the leaf's strides where these fill memory without overlap, else
// row-major.

#include "autograd/graph/grad_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/grad_slot.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/graph/warning.h"

namespace twingrad {
namespace {

std::vector<int64_t> StridesOf(const Tensor& tensor) {
  return {tensor.strides().begin(), tensor.strides().end()};
}

// 0 1 2 / 3 4 5 by columns.
Tensor ByColumns(double add = 0) {
  const double data[] = {0 + add, 3 + add, 1 + add, 4 + add, 2 + add, 5 + add};
  return Tensor::FromData<double>({6}, data).AsStrided({2, 3}, {1, 2}, 0);
}

double At(const Tensor& tensor, int64_t row, int64_t column) {
  return tensor.data<double>()[row * tensor.strides()[0] + column * tensor.strides()[1]];
}

Tensor LeafByColumns() {
  Tensor leaf = ByColumns();
  SetRequiresGrad(leaf, true);
  return leaf;
}

// Rules: J4.
TEST(GradLayoutTest, DenseMeansEveryPlaceOnce) {
  EXPECT_TRUE(IsNonOverlappingAndDense({2, 3}, {3, 1}));
  EXPECT_TRUE(IsNonOverlappingAndDense({2, 3}, {1, 2}));
  EXPECT_TRUE(IsNonOverlappingAndDense({2, 1, 3}, {1, 0, 2}));
  EXPECT_TRUE(IsNonOverlappingAndDense({}, {}));
  EXPECT_TRUE(IsNonOverlappingAndDense({0, 3}, {7, 7}));
  EXPECT_FALSE(IsNonOverlappingAndDense({2, 3}, {4, 1}));
  EXPECT_FALSE(IsNonOverlappingAndDense({2, 3}, {0, 1}));
  EXPECT_FALSE(IsNonOverlappingAndDense({2}, {2}));
}

TEST(GradLayoutTest, FitsCopiesAndAdds) {
  const GradLayout rows;
  const GradLayout columns(ByColumns());
  const Tensor row_major = Tensor::Ones({2, 3}, DType::kF64);
  EXPECT_TRUE(rows.Fits(row_major));
  EXPECT_FALSE(rows.Fits(ByColumns()));
  EXPECT_FALSE(columns.Fits(row_major));
  EXPECT_TRUE(columns.Fits(ByColumns()));
  const Tensor copy = columns.Clone(ByColumns());
  EXPECT_EQ(StridesOf(copy), (std::vector<int64_t>{1, 2}));
  const Tensor sum = columns.Add(row_major, ByColumns());
  EXPECT_EQ(StridesOf(sum), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(At(sum, 1, 0), 4);
  EXPECT_EQ(At(sum, 0, 2), 3);
  // A leaf with gaps has row-major gradients.
  const Tensor gaps = Tensor::Zeros({8}, DType::kF64).AsStrided({2, 2}, {4, 1}, 0);
  EXPECT_TRUE(GradLayout(gaps).Fits(Tensor::Ones({2, 2}, DType::kF64)));
}

// Rules: J3, J4, J6.
TEST(AccumulateGradTest, GradHasTheLeafsStrides) {
  GradModeGuard no_grad(false);
  Tensor leaf = LeafByColumns();
  GradientEdge(leaf).function->Apply({Tensor::Ones({2, 3}, DType::kF64)});
  EXPECT_EQ(StridesOf(GradOf(leaf)), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(At(GradOf(leaf), 1, 2), 1);

  // What lies so already is taken over.
  Tensor other = LeafByColumns();
  Tensor gradient = ByColumns(1);
  const double* memory = gradient.data<double>();
  VariableList gradients;
  gradients.push_back(std::move(gradient));
  GradientEdge(other).function->Apply(std::move(gradients));
  EXPECT_EQ(GradOf(other).data<double>(), memory);
  EXPECT_TRUE(GradOf(other).OwnsStorageAlone());

  Tensor rows = Tensor::Zeros({2, 3}, DType::kF64);
  SetRequiresGrad(rows, true);
  GradientEdge(rows).function->Apply({ByColumns()});
  EXPECT_TRUE(GradOf(rows).IsContiguous());
  EXPECT_EQ(At(GradOf(rows), 1, 0), 3);
}

// Rules: J4, J6, J8.
TEST(AccumulateGradTest, GradHasTheLeafsStridesUnderCreateGraph) {
  Tensor leaf = LeafByColumns();
  Tensor gradient = Tensor::Ones({2, 3}, DType::kF64);
  SetRequiresGrad(gradient, true);
  const NodePtr node = GradientEdge(leaf).function;
  for (int count = 1; count <= 2; ++count) {
    node->Apply({gradient});
    EXPECT_EQ(StridesOf(GradOf(leaf)), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(At(GradOf(leaf), 1, 2), count);
    EXPECT_TRUE(RequiresGrad(GradOf(leaf)));
  }
}

// Rules: J11.
TEST(AccumulateGradTest, WarnsOnceOfAGradThatWasSetInAnotherLayout) {
  GradModeGuard no_grad(false);
  CollectedWarnings seen;
  const WarningHandlerScope scope(seen);
  Tensor leaf = LeafByColumns();
  const auto add = [&] { GradientEdge(leaf).function->Apply({Tensor::Ones({2, 3}, DType::kF64)}); };
  SetGrad(leaf, Tensor::Ones({2, 3}, DType::kF64));
  EXPECT_TRUE(seen.warnings().empty());
  add();
  add();
  ASSERT_EQ(seen.warnings().size(), 1u);
  EXPECT_EQ(seen.warnings()[0].message,
            "[graph] a gradient is added to a .grad of another layout than its leaf's, with "
            "strides [3,1] for a shape of [2,3]; the sum is right, but the two are not walked "
            "alike, which is slower; set a .grad with the leaf's strides");
  EXPECT_EQ(At(GradOf(leaf), 1, 2), 3);
  // Another tensor, another warning; none for one in the leaf's layout.
  SetGrad(leaf, Tensor::Ones({2, 3}, DType::kF64));
  add();
  SetGrad(leaf, ByColumns());
  add();
  EXPECT_EQ(seen.warnings().size(), 2u);
}

// Rules: J11.
TEST(AccumulateGradTest, UnderCreateGraphTheSumIsInTheLeafsLayoutWithoutAWarning) {
  CollectedWarnings seen;
  const WarningHandlerScope scope(seen);
  Tensor leaf = LeafByColumns();
  SetGrad(leaf, Tensor::Ones({2, 3}, DType::kF64));
  {
    GradModeGuard grad(true);
    GradientEdge(leaf).function->Apply({Tensor::Ones({2, 3}, DType::kF64)});
  }
  GradModeGuard no_grad(false);
  GradientEdge(leaf).function->Apply({Tensor::Ones({2, 3}, DType::kF64)});
  EXPECT_TRUE(seen.warnings().empty());
  EXPECT_EQ(StridesOf(GradOf(leaf)), (std::vector<int64_t>{1, 2}));
}

}  // namespace
}  // namespace twingrad

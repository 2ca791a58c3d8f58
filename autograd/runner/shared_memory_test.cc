// Gradients and results share memory with nobody; values share theirs as they like.

#include "autograd/runner/shared_memory.h"

#include <gtest/gtest.h>

#include <utility>

#include "autograd/graph/variable.h"
#include "autograd/runner/grads.h"

namespace twingrad::runner {
namespace {

using program::kNoValue;

Tensor Leaf() {
  Tensor leaf = Tensor::FromData<double>({2}, {1, 2});
  SetRequiresGrad(leaf, true);
  return leaf;
}

TEST(SharedMemory, OfGradsAndResultsAlone) {
  std::vector<Tensor> values = {Leaf(), Tensor::FromData<double>({2}, {3, 4}), Tensor()};
  values.push_back(values[1].Detach());
  values.push_back(values[0]);  // another name
  SetGrad(values[0], Tensor::FromData<double>({2}, {5, 6}));
  EXPECT_TRUE(SharedMemory(values, GradsOf(values), {}, {}).empty());

  SetGrad(values[0], values[1].Detach());
  const auto found = SharedMemory(values, GradsOf(values), {}, {});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].value, 0);
  EXPECT_TRUE(found[0].is_grad);
  EXPECT_EQ(found[0].hook, -1);

  SetGrad(values[0], Tensor());
  const auto results = SharedMemory(values, GradsOf(values), {3}, {});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].value, 3);
  EXPECT_EQ(results[0].with, 1);
  EXPECT_FALSE(results[0].is_grad);
}

TEST(SharedMemory, WithWhatAHookKeeps) {
  const std::vector<Tensor> values = {Leaf()};
  const Tensor kept = Tensor::FromData<double>({2}, {5, 6});
  SetGrad(values[0], kept.Detach());
  const auto found =
      SharedMemory(values, GradsOf(values), {}, {{.record = 0, .statement = 7, .gradient = kept}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_grad);
  EXPECT_EQ(found[0].hook, 7);
  EXPECT_EQ(found[0].with, kNoValue);
}

TEST(SharedMemory, StoragesByTheirFirstUser) {
  std::vector<Tensor> values = {Leaf(), Tensor(), Leaf()};
  values.push_back(values[2].Detach());
  EXPECT_EQ(Storages(values), (std::vector<program::ValueId>{0, kNoValue, 2, 2}));
}

}  // namespace
}  // namespace twingrad::runner

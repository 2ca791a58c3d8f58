#include "autograd/runner/frozen_grads.h"

#include <vector>

#include "autograd/graph/variable.h"
#include "gtest/gtest.h"

namespace twingrad::runner {
namespace {

TEST(FrozenGradsTest, TellsWhichGradChanged) {
  std::vector<Tensor> values = {Tensor(), Tensor::Ones({2}, DType::kF64),
                                Tensor::Ones({1}, DType::kF64)};
  SetRequiresGrad(values[1], true);
  SetRequiresGrad(values[2], true);
  SetGrad(values[1], Tensor::Ones({2}, DType::kF64));
  FrozenGrads frozen;
  EXPECT_EQ(frozen.Changed(values), std::nullopt) << "nothing is frozen yet";
  frozen.Take(values);
  EXPECT_EQ(frozen.Changed(values), std::nullopt);
  SetGrad(values[1], Tensor::Ones({2}, DType::kF64));
  EXPECT_EQ(frozen.Changed(values), std::nullopt) << "the same numbers in another tensor";
  SetGrad(values[2], Tensor::Ones({1}, DType::kF64));
  EXPECT_EQ(frozen.Changed(values), 2u) << "an undefined one became defined";
  frozen.Take(values);
  SetGrad(values[1], Tensor::Zeros({2}, DType::kF64));
  EXPECT_EQ(frozen.Changed(values), 1u);
  frozen.Thaw();
  EXPECT_EQ(frozen.Changed(values), std::nullopt);
}

}  // namespace
}  // namespace twingrad::runner

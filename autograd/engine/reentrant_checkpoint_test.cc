// The checkpoint that runs a backward of its own.

#include <gtest/gtest.h>

#include "autograd/engine/checkpoint.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

// Rules: G8, N8.
TEST(ReentrantCheckpointTest, ReachesLeavesThatAreNoInputsAndOnlyInAPlainBackward) {
  const auto cubed = [](const VariableList& in) -> VariableList {
    return {ops::Mul(ops::Mul(in[0], in[0]), in[0])};
  };
  Tensor x = MakeLeaf(2), w = MakeLeaf(3);
  const auto function = [&](const VariableList& in) -> VariableList {
    return {ops::Mul(cubed(in)[0], w), in[0]};
  };
  const VariableList y = ReentrantCheckpoint(function, {x});
  EXPECT_TRUE(y[1].HasSameStorage(x));
  EXPECT_EQ(KindOf([&] { Grad({y[0]}, {x}, {}, {.retain_graph = true}); }),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Backward({y[0]}, {}, {.create_graph = true}); }),
            ErrorKind::kInvalidArgument);
  Backward({y[0], y[1]});
  EXPECT_EQ(GradOf(x).item<double>(), 3 * 12 + 1);
  EXPECT_EQ(GradOf(w).item<double>(), 8);
  EXPECT_FALSE(RequiresGrad(ReentrantCheckpoint(cubed, {Tensor::Scalar(1)})[0]));
}

}  // namespace
}  // namespace twingrad

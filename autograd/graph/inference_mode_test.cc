// Inference mode: what is recorded, which tensors are inference tensors, and what is refused.

#include "autograd/graph/inference_mode.h"

#include <gtest/gtest.h>

#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/view.h"

namespace twingrad {
namespace {

Tensor MakeInference(double value) {
  InferenceMode mode;
  return Tensor::Full({2}, value, DType::kF64);
}

// Rules: L10.
TEST(InferenceModeTest, NothingRecordsInsideWhateverTheGradMode) {
  const Tensor x = MakeLeaf(3);
  {
    InferenceMode mode;
    EXPECT_TRUE(InferenceMode::IsEnabled());
    EXPECT_FALSE(GradMode::IsEnabled());
    GradModeGuard recording(true);
    EXPECT_FALSE(ShouldRecord(x));
    EXPECT_FALSE(RequiresGrad(GradientAdd(x, x)));
    {
      InferenceMode off(false);
      EXPECT_TRUE(RequiresGrad(GradientAdd(x, x)));
      EXPECT_FALSE(IsInference(GradientAdd(x, x)));
    }
    EXPECT_FALSE(GradMode::IsEnabled());
  }
  EXPECT_FALSE(InferenceMode::IsEnabled());
  EXPECT_TRUE(GradMode::IsEnabled());
}

// Rules: L10.
TEST(InferenceModeTest, TensorsMadeInsideAndTheirViewsHaveNoVersion) {
  const Tensor made = MakeInference(1);
  EXPECT_TRUE(IsInference(made));
  EXPECT_TRUE(IsInference(made.Detach()));
  const Tensor view = MakeView(made, {1}, {1}, 1, nullptr);
  EXPECT_TRUE(IsInference(view));
  EXPECT_FALSE(IsView(view));
  EXPECT_EQ(KindOf([&] { made.version(); }), ErrorKind::kInvalidArgument);
  made.BumpVersion();  // nothing to raise
  EXPECT_FALSE(IsInference(GradientClone(made)));
  const Tensor ordinary = Tensor::Zeros({2}, DType::kF64);
  InferenceMode mode;
  EXPECT_FALSE(IsInference(ordinary.Detach()));
  const Tensor inside = MakeView(ordinary, {1}, {1}, 1, nullptr);
  EXPECT_FALSE(IsInference(inside));
  EXPECT_TRUE(IsInference(GradientClone(ordinary)));
  inside.BumpVersion();
  EXPECT_EQ(ordinary.version(), 1u);
}

// Rules: L10.
TEST(InferenceModeTest, WritesAndRequiresGradAreForTheInside) {
  const Tensor made = MakeInference(1);
  EXPECT_EQ(KindOf([&] { CheckInPlace(made, false); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { SetRequiresGrad(made, true); }), ErrorKind::kInvalidArgument);
  InferenceMode mode;
  CheckInPlace(made, false);
  CheckInPlace(MakeLeaf(1), false);
  SetRequiresGrad(made, true);
  EXPECT_TRUE(RequiresGrad(made));
}

// Rules: K8.
TEST(InferenceModeTest, InferenceTensorsCannotBeSaved) {
  const Tensor made = MakeInference(1);
  EXPECT_EQ(KindOf([&] { SavedVariable(made, false); }), ErrorKind::kInvalidArgument);
  const Tensor copy = GradientClone(made);
  const NodePtr node = MakePass({});
  SavedVariable saved(copy, false);
  EXPECT_EQ(saved.Unpack(node.get()).data<double>()[1], 1);
}

// Rules: L10.
TEST(InferenceModeTest, AGradThatIsAnInferenceTensorIsAddedToOutOfPlace) {
  Tensor leaf = Tensor::Zeros({2}, DType::kF64);
  SetRequiresGrad(leaf, true);
  const Tensor before = MakeInference(1);
  SetGrad(leaf, before);
  AccumulateGrad(leaf, AutogradMeta::Of(leaf).leaf->slot).Apply({Tensor::Ones({2}, DType::kF64)});
  EXPECT_EQ(GradOf(leaf).data<double>()[0], 2);
  EXPECT_FALSE(IsInference(GradOf(leaf)));
  EXPECT_EQ(before.data<double>()[0], 1);
}

}  // namespace
}  // namespace twingrad

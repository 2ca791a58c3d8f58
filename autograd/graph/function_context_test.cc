// What a context gives to backward, and what it refuses.

#include "autograd/graph/function_context.h"

#include <gtest/gtest.h>

#include "autograd/graph/custom_function.h"
#include "autograd/graph/test_custom.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

struct Saves : Function<Saves> {
  static VariableList Forward(Context& context, const Tensor& x) {
    EXPECT_EQ(KindOf([&] { context.SavedTensors(); }), ErrorKind::kInvalidArgument);
    const VariableList results = {Copy(x), Copy(x)};
    context.SaveForBackward({x, results[1], Tensor(), Copy(x)});
    return results;
  }
  static VariableList Backward(Context& context, VariableList) {
    EXPECT_EQ(KindOf([&] { context.MarkDirty({}); }), ErrorKind::kInvalidArgument);
    const VariableList saved = context.SavedTensors();
    EXPECT_EQ(saved.size(), 4u);
    EXPECT_TRUE(RequiresGrad(saved[0]));
    EXPECT_EQ(GradientEdge(saved[1]).function->name(), "SavesBackward");
    EXPECT_EQ(GradientEdge(saved[1]).input_nr, 1u);
    EXPECT_FALSE(saved[2].defined());
    EXPECT_FALSE(RequiresGrad(saved[3])) << "what is neither argument nor result is a constant";
    return {saved[0]};
  }
};

// Rules: K1, K2, K3, M7.
TEST(FunctionContextTest, SavesArgumentsResultsAndOthers) {
  const Tensor x = Pair(1, 2);
  const VariableList r = Saves::Apply(x);
  const NodePtr node = NodeOf(r[0]);
  const VariableList gradients = node->Apply({Tensor(), Tensor()});
  EXPECT_EQ(GradientEdge(gradients[0]), GradientEdge(x));
  node->ReleaseVariables();
  EXPECT_EQ(KindOf([&] { node->Apply({Tensor(), Tensor()}); }), ErrorKind::kFreed);
  const VariableList written = Saves::Apply(x);
  written[1].BumpVersion();
  EXPECT_EQ(KindOf([&] { NodeOf(written[0])->Apply({Tensor(), Tensor()}); }), ErrorKind::kVersion);
}

struct ReadOnce : Function<ReadOnce> {
  static constexpr bool kClearSavedOnAccess = true;
  static Tensor Forward(Context& context, const Tensor& x) {
    context.SaveForBackward({x});
    return Copy(x);
  }
  static VariableList Backward(Context& context, VariableList g) {
    context.SavedTensors();
    return g;
  }
};

// Rules: Q6.
TEST(FunctionContextTest, SavedTensorsMayBeReadableOnce) {
  const Tensor g = Pair(1, 1, false);
  const Tensor y = ReadOnce::Apply(Pair(1, 2));
  NodeOf(y)->Apply({g});
  EXPECT_EQ(KindOf([&] { NodeOf(y)->Apply({g}); }), ErrorKind::kFreed);
}

}  // namespace
}  // namespace twingrad

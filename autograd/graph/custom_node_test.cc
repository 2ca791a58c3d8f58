// What a custom function's node makes of the gradients it gets and of those its backward returns.

#include "autograd/graph/custom_node.h"

#include <any>
#include <string>

#include <gtest/gtest.h>

#include "autograd/graph/custom_function.h"
#include "autograd/graph/test_custom.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

struct OfZeros : Function<OfZeros> {
  static VariableList Forward(Context& context, bool materialize, const Tensor& x) {
    context.SetMaterializeGrads(materialize);
    const VariableList results = {Copy(x), Copy(x), Copy(x)};
    context.MarkNonDifferentiable({results[1]});
    return results;
  }
  static VariableList Backward(Context&, VariableList g) {
    EXPECT_FALSE(g[1].defined()) << "no result without a gradient gets zeros";
    return {Tensor(), g[2]};
  }
};

// Rules: M5.
TEST(CustomNodeTest, UndefinedGradientsBecomeZerosUnlessToldOtherwise) {
  const Tensor x = Pair(1, 2);
  const Tensor g = Pair(1, 1, false);
  for (const bool materialize : {true, false}) {
    const VariableList r = OfZeros::Apply(materialize, x);
    const VariableList back = NodeOf(r[0])->Apply({g, Tensor(), Tensor()});
    ASSERT_EQ(back[0].defined(), materialize);
    if (!materialize) continue;
    EXPECT_EQ(back[0].sizes(), x.sizes());
  }
}

// Rules: M6, M10.
TEST(CustomNodeTest, BackwardReturnsOneGradientAnArgument) {
  struct Case : Function<Case> {
    static Tensor Forward(Context& context, const Tensor& x, int count, bool second) {
      context.saved_data["count"] = count;
      context.saved_data["second"] = second;
      return Copy(x);
    }
    static VariableList Backward(Context& context, VariableList g) {
      VariableList results(static_cast<size_t>(std::any_cast<int>(context.saved_data["count"])));
      if (!results.empty()) results[0] = g[0];
      if (std::any_cast<bool>(context.saved_data["second"])) results.back() = g[0];
      return results;
    }
  };
  const Tensor x = Pair(1, 2);
  const auto run = [&](int count, bool last) {
    return NodeOf(Case::Apply(x, count, last))->Apply({Pair(1, 1, false)});
  };
  EXPECT_EQ(run(3, false).size(), 1u);
  EXPECT_EQ(run(5, false).size(), 1u) << "surplus undefined gradients are dropped";
  EXPECT_EQ(KindOf([&] { run(2, false); }), ErrorKind::kGradCount);
  EXPECT_EQ(KindOf([&] { run(5, true); }), ErrorKind::kGradCount);
  try {
    run(3, true);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("[custom] the backward of Case returned a gradient at "
                        "position 2"),
              0u)
        << error.what();
  }
}

}  // namespace
}  // namespace twingrad

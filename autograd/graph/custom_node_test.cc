// What a custom function's node makes of the gradients it gets and of those its backward returns.

#include "autograd/graph/custom_node.h"

#include <any>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/graph/custom_function.h"
#include "autograd/graph/test_custom.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/view.h"
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

// Halves of f64 that want f32 gradients, or any.
struct Halves : Function<Halves> {
  static VariableList Forward(Context& context, const Tensor& x,
                              const std::vector<std::optional<DType>>& dtypes) {
    context.SetGradDTypes(dtypes);
    return {Copy(x), Copy(x)};
  }
  static VariableList Backward(Context& context, VariableList g) {
    for (const Tensor& gradient : g) EXPECT_TRUE(gradient.defined()) << context.name();
    return {g[0].dtype() == DType::kF32 ? kernels::Cast(g[0], DType::kF64) : g[0], Tensor()};
  }
};

// Rules: Q5.
TEST(CustomNodeTest, ResultsMayHaveGradientsOfAnotherDType) {
  const Tensor x = Pair(1, 2);
  using DTypes = std::vector<std::optional<DType>>;
  const VariableList r = Halves::Apply(x, DTypes{DType::kF32, std::nullopt});
  const Node& node = *NodeOf(r[0]);
  EXPECT_EQ(node.input_metadata(0).dtype(), DType::kF32);
  EXPECT_FALSE(node.input_metadata(0).TakesAnyDType());
  EXPECT_TRUE(node.input_metadata(1).TakesAnyDType());
  EXPECT_EQ(node.input_metadata(1).dtype(), DType::kF64) << "of zeros that stand for no gradient";
  for (const DTypes& wrong : {DTypes{DType::kF32}, DTypes{DType::kI64, DType::kF32}}) {
    EXPECT_EQ(KindOf([&] { Halves::Apply(x, wrong); }), ErrorKind::kInvalidArgument);
  }
  struct Twice : Function<Twice> {
    static Tensor Forward(Context& context, const Tensor& a) {
      for (int i = 0; i < 2; ++i) context.SetGradDTypes({DType::kF32});
      return Copy(a);
    }
    static VariableList Backward(Context&, VariableList g) { return g; }
  };
  EXPECT_EQ(KindOf([&] { Twice::Apply(x); }), ErrorKind::kInvalidArgument);
  struct OfView : Function<OfView> {
    static Tensor Forward(Context& context, Tensor a) {
      context.SetGradDTypes({DType::kF32});
      context.MarkDirty({a});
      return a;
    }
    static VariableList Backward(Context&, VariableList g) { return g; }
  };
  const Tensor base = Halves::Apply(x, DTypes{DType::kF64, DType::kF64})[0];
  const Tensor view = MakeView(base, {1}, {1}, 0, nullptr);
  EXPECT_EQ(KindOf([&] { OfView::Apply(view); }), ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace twingrad

// Custom functions: what their forward may do and what histories its results get. Whole backward
// runs are in engine/custom_test.cc; here nodes are applied by hand.

#include "autograd/graph/custom_function.h"

#include <any>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/graph/hooks.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/test_custom.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/view.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

VariableList Passed(VariableList gradients) { return gradients; }

// Its first element, as a view with a node.
Tensor First(const Tensor& tensor) {
  NodePtr node = MakeNode<PassNode>();
  node->AddNextEdge(GradientEdge(tensor));
  return MakeView(tensor, {1}, {1}, 0, std::move(node));
}

struct CopyFunction : Function<CopyFunction> {
  static Tensor Forward(Context& context, const Tensor& x) {
    EXPECT_FALSE(GradMode::IsEnabled());
    context.saved_data["needed"] = context.NeedsInputGrad(0);
    return Copy(x);
  }
  static VariableList Backward(Context&, VariableList g) { return Passed(std::move(g)); }
};

// Rules: M1.
TEST(CustomFunction, ForwardRunsWithoutGradModeAndResultsGetANode) {
  const Tensor x = Pair(1, 2);
  const Tensor y = CopyFunction::Apply(x);
  EXPECT_TRUE(RequiresGrad(y));
  EXPECT_EQ(NodeOf(y)->name(), "CopyFunctionBackward");
  ASSERT_EQ(NodeOf(y)->num_outputs(), 1u);
  EXPECT_EQ(NodeOf(y)->next_edge(0), GradientEdge(x));
  {
    const GradModeGuard no_grad(false);
    EXPECT_FALSE(RequiresGrad(CopyFunction::Apply(x)));
  }
  EXPECT_FALSE(RequiresGrad(CopyFunction::Apply(Pair(1, 2, false))));
}

struct Mixed : Function<Mixed> {
  static constexpr const char* kName = "Mix";
  static VariableList Forward(Context& context, int count, const std::vector<Tensor>& list,
                              const Tensor& last) {
    EXPECT_FALSE(context.NeedsInputGrad(0));
    EXPECT_TRUE(context.NeedsInputGrad(1));
    EXPECT_FALSE(context.NeedsInputGrad(2));
    EXPECT_TRUE(context.NeedsInputGrad(3));
    EXPECT_EQ(KindOf([&] { context.NeedsInputGrad(4); }), ErrorKind::kInvalidArgument);
    return {Copy(list[0]), Tensor::Full({}, count, DType::kI64), Copy(last)};
  }
  static VariableList Backward(Context&, VariableList g) {
    return {Tensor(), g[0], Tensor(), g[2]};
  }
};

// Rules: M1, M3.
TEST(CustomFunction, ArgumentsMayBeListsAndAnythingElse) {
  const Tensor x = Pair(1, 2);
  const Tensor z = Pair(3, 4);
  const VariableList r = Mixed::Apply(7, std::vector<Tensor>{x, Pair(0, 0, false)}, z);
  EXPECT_EQ(NodeOf(r[0])->name(), "MixBackward");
  EXPECT_EQ(NodeOf(r[0])->num_outputs(), 3u);
  EXPECT_EQ(NodeOf(r[0])->num_inputs(), 3u);
  EXPECT_FALSE(RequiresGrad(r[1])) << "integers have no gradient";
  EXPECT_EQ(GradientEdge(r[2]).input_nr, 2u);
  const Tensor g = Pair(5, 6, false);
  const VariableList back = NodeOf(r[0])->Apply({g, Tensor(), g});
  EXPECT_TRUE(back[0].IsSameAs(g));
  EXPECT_FALSE(back[1].defined());
}

// How the function under test treats its argument, by a word.
struct Worded : Function<Worded> {
  static VariableList Forward(Context& context, const std::string& word, Tensor x) {
    if (word == "as_is") return {x};
    if (word == "as_is_twice") return {x, x};
    if (word == "view") return {MakeView(x, {1}, {1}, x.storage_offset(), nullptr)};
    if (word == "constant") {
      const Tensor copy = Copy(x);
      context.MarkNonDifferentiable({copy, x});
      return {copy, x, Copy(x)};
    }
    if (word == "wrong_dirty") {
      context.MarkDirty({Copy(x)});
      return {Copy(x)};
    }
    context.MarkDirty({x});
    if (word == "kept_dirty") return {Copy(x)};
    x.mutable_data<double>()[0] = 10;
    if (word == "bumps") x.BumpVersion();
    if (word == "dirty_and_more") return {Copy(x), x};
    return {x};
  }
  static VariableList Backward(Context&, VariableList g) { return {Tensor(), g[0]}; }
};

// Rules: M4.
TEST(CustomFunction, AnArgumentReturnedAsItIsBecomesAView) {
  const Tensor x = Pair(1, 2);
  const Tensor y = Worded::Apply("as_is", x)[0];
  EXPECT_FALSE(y.IsSameAs(x));
  EXPECT_TRUE(y.HasSameStorage(x));
  EXPECT_EQ(NodeOf(y)->name(), "WordedBackward");
  EXPECT_TRUE(IsLeaf(x)) << "the argument keeps its place";
  EXPECT_EQ(AutogradMeta::Find(y)->view->origin, ViewOrigin::kCustomFunction);
  const Tensor part = Worded::Apply("view", x)[0];
  EXPECT_EQ(AutogradMeta::Find(part)->view->origin, ViewOrigin::kCustomFunction);
  for (const Tensor& each : Worded::Apply("as_is_twice", x)) {
    EXPECT_EQ(AutogradMeta::Find(each)->view->origin, ViewOrigin::kMultiOutput);
    EXPECT_EQ(KindOf([&] { CheckInPlace(each, true); }), ErrorKind::kInvalidArgument);
  }
}

// Rules: M3.
TEST(CustomFunction, MarkedResultsNeverRequireGrad) {
  const Tensor x = Pair(1, 2);
  const VariableList r = Worded::Apply("constant", x);
  EXPECT_FALSE(RequiresGrad(r[0]));
  EXPECT_FALSE(RequiresGrad(r[1]));
  EXPECT_TRUE(r[1].HasSameStorage(x));
  EXPECT_TRUE(RequiresGrad(x));
  EXPECT_EQ(GradientEdge(r[2]).input_nr, 2u);
}

// Rules: J12, M2.
TEST(CustomFunction, DirtyArgumentsGetANewHistory) {
  const Tensor leaf = Pair(1, 2);
  const Tensor x = CopyFunction::Apply(leaf);
  RetainGrad(x);
  SetGrad(x, Pair(7, 7, false));
  const NodePtr before = NodeOf(x);
  const Tensor y = Worded::Apply("dirty", x)[0];
  EXPECT_TRUE(y.IsSameAs(x));
  EXPECT_EQ(x.version(), 1u);
  EXPECT_EQ(NodeOf(x)->next_edge(0).function, before);
  EXPECT_FALSE(GradOf(x).defined());
  Worded::Apply("bumps", x);
  EXPECT_EQ(x.version(), 2u) << "Forward has counted its write itself";
  const VariableList two = Worded::Apply("dirty_and_more", x);
  EXPECT_EQ(GradientEdge(x).input_nr, 1u);
  EXPECT_TRUE(two[1].IsSameAs(x));

  Tensor plain = Pair(1, 2);
  const NodePtr accumulator = NodeOf(plain);
  EXPECT_EQ(KindOf([&] { Worded::Apply("dirty", plain); }), ErrorKind::kLeafInPlace);
  SetRequiresGrad(plain, false);
  struct Both : Function<Both> {
    static Tensor Forward(Context& context, Tensor a, const Tensor&) {
      context.MarkDirty({a});
      return a;
    }
    static VariableList Backward(Context&, VariableList g) { return {g[0], g[0]}; }
  };
  Both::Apply(plain, leaf);
  EXPECT_FALSE(IsLeaf(plain));
  EXPECT_FALSE(NodeOf(plain)->next_edge(0).is_valid());
  EXPECT_EQ(KindOf([&] { accumulator->Apply({Pair(1, 1, false)}); }), ErrorKind::kLeafInPlace)
      << "graphs over the former leaf have no place for their gradients";
  EXPECT_FALSE(GradOf(plain).defined());
}

// Rules: M2.
TEST(CustomFunction, WrongMarksAreErrors) {
  const Tensor x = CopyFunction::Apply(Pair(1, 2));
  EXPECT_EQ(KindOf([&] { Worded::Apply("kept_dirty", x); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Worded::Apply("wrong_dirty", x); }), ErrorKind::kInvalidArgument);
  const Tensor view = First(x);
  EXPECT_EQ(KindOf([&] { Worded::Apply("dirty_and_more", view); }), ErrorKind::kInvalidArgument);
}

// Rules: K6, M2.
TEST(CustomFunction, AHookThatThrowsWhilePackingLeavesHistoriesAsTheyWere) {
  struct Writes : Function<Writes> {
    static Tensor Forward(Context& context, Tensor x) {
      x.mutable_data<double>()[0] = 7;
      context.MarkDirty({x});
      context.SaveForBackward({x});
      return x;
    }
    static VariableList Backward(Context&, VariableList g) { return Passed(std::move(g)); }
  };
  const Tensor x = CopyFunction::Apply(Pair(1, 2));
  const NodePtr old = NodeOf(x);
  {
    const SavedTensorHooksGuard hooks(
        {.pack = [](const Tensor&) -> std::any { throw Error(ErrorKind::kUser, "refused"); },
         .unpack = [](const std::any&) { return Tensor(); }});
    EXPECT_THROW(Writes::Apply(x), Error);
  }
  EXPECT_EQ(NodeOf(x), old);
  EXPECT_EQ(x.version(), 1u) << "what Forward wrote stays";
  Writes::Apply(x);
  EXPECT_NE(NodeOf(x), old);
}

// Rules: L3, M2.
TEST(CustomFunction, ADirtyViewGoesThroughItsBase) {
  const Tensor x = CopyFunction::Apply(Pair(1, 2));
  const NodePtr old = NodeOf(x);
  const Tensor view = First(x);
  struct Second : Function<Second> {
    static Tensor Forward(Context& context, const Tensor&, Tensor b) {
      context.MarkDirty({b});
      return b;
    }
    static VariableList Backward(Context&, VariableList g) { return {g[0], g[0]}; }
  };
  Second::Apply(Copy(view), view);
  const NodePtr node = NodeOf(x);
  EXPECT_EQ(node->name(), "CopySlices");
  ASSERT_EQ(node->num_outputs(), 2u);
  EXPECT_EQ(node->next_edge(1).function, old) << "the written argument is the second";
  const VariableList g = node->Apply({Pair(3, 4, false)});
  EXPECT_FALSE(g[0].defined());
  EXPECT_EQ(g[1].data<double>()[0], 3);
  EXPECT_EQ(g[1].data<double>()[1], 4);
  // A gradient that does not fit the view is found before it is written there.
  struct Wide : Function<Wide> {
    static Tensor Forward(Context& context, Tensor a) {
      context.MarkDirty({a});
      return a;
    }
    static VariableList Backward(Context&, VariableList) {
      return {Tensor::Ones({3}, DType::kF64)};
    }
  };
  const Tensor again = First(x);
  Wide::Apply(again);
  EXPECT_EQ(KindOf([&] { NodeOf(x)->Apply({Pair(3, 4, false)}); }), ErrorKind::kShape);
}

// Rules: C8, C9.
TEST(CustomFunction, LongChainsAreDestroyedWithoutRecursion) {
  struct Keeps : Function<Keeps> {
    static Tensor Forward(Context& context, const Tensor& x) {
      context.saved_data["x"] = x;
      context.SaveForBackward({x});
      return Copy(x);
    }
    static VariableList Backward(Context&, VariableList g) { return g; }
  };
  Tensor y = MakeLeaf(1);
  for (int i = 0; i < 100'000; ++i) y = Keeps::Apply(y);
  EXPECT_EQ(NodeOf(y)->topological_nr(), 100'000u);
}

}  // namespace
}  // namespace twingrad

// Views, writes in place, and the gradients through both: //autograd/graph:view.h by whole runs, on
// small numbers.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/base/test_errors.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/strided.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/view.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

using ::testing::StartsWith;

Tensor Vector(const std::vector<double>& values, bool requires_grad) {
  Tensor v = Tensor::FromData<double>({static_cast<int64_t>(values.size())}, values);
  if (requires_grad) SetRequiresGrad(v, true);
  return v;
}

std::vector<double> Elements(const Tensor& tensor) {
  const Tensor copy = tensor.IsContiguous() ? tensor : ops::Clone(tensor);
  return std::vector<double>(copy.data<double>(), copy.data<double>() + copy.numel());
}

Tensor SumOf(const Tensor& a) { return ops::Sum(a, {}, false); }

std::vector<double> GradElements(const Tensor& leaf) { return Elements(GradOf(leaf)); }

TEST(StridedTest, GatherAndScatterAreAdjoint) {
  Tensor base = Vector({1, 2, 3, 4, 5, 6}, false);
  Tensor view = base.AsStrided({2, 2}, {1, 2}, 1);  // 2 4 / 3 5
  auto map = sync::MakeShared<const ViewMap>(base, view);
  EXPECT_EQ(Elements(Gather(base, map)), (std::vector<double>{2, 4, 3, 5}));
  Tensor part = Tensor::FromData<double>({2, 2}, {10, 20, 30, 40});
  EXPECT_EQ(Elements(Scatter(part, map)), (std::vector<double>{0, 10, 30, 20, 40, 0}));
  EXPECT_EQ(Elements(Replace(base, part, map)), (std::vector<double>{1, 10, 30, 20, 40, 6}));
  EXPECT_EQ(Elements(Replace(base, Tensor(), map)), (std::vector<double>{1, 0, 0, 0, 0, 6}));
}

TEST(StridedTest, RepeatedElementsAddUp) {
  Tensor base = Vector({1, 2}, false);
  auto map = sync::MakeShared<const ViewMap>(base, base.AsStrided({3, 2}, {0, 1}, 0));
  EXPECT_EQ(Elements(Scatter(Tensor::Ones({3, 2}, DType::kF64), map)), (std::vector<double>{3, 3}));
}

TEST(StridedTest, TheBaseMayBeStridedItself) {
  Tensor memory = Vector({1, 2, 3, 4, 5, 6}, false);
  Tensor base = memory.AsStrided({3, 2}, {1, 3}, 0);  // 1 4 / 2 5 / 3 6
  Tensor view = memory.AsStrided({2}, {1}, 4);        // 5 6: base elements 3 and 5
  ViewMap map(base, view);
  EXPECT_EQ(map.index(), (std::vector<int64_t>{3, 5}));
  Tensor part = memory.AsStrided({2}, {1}, 0);
  EXPECT_EQ(KindOf([&] { ViewMap(part, view); }), ErrorKind::kInvalidArgument);
}

// Rules: L5.
TEST(ViewTest, AViewOfAViewIsAViewOfTheBase) {
  Tensor x = Vector({1, 2, 3, 4}, true);
  Tensor a = ops::Mul(x, x);
  Tensor v = ops::Slice(a, 0, 1, 4, 1);
  Tensor w = ops::Slice(v, 0, 1, 3, 1);
  EXPECT_TRUE(IsView(w));
  EXPECT_TRUE(ViewBase(w).IsSameAs(a));
  EXPECT_TRUE(ViewBase(a).IsSameAs(a));
  Backward({SumOf(w)});
  EXPECT_EQ(GradElements(x), (std::vector<double>{0, 0, 6, 8}));
}

// Rules: E17, L3.
TEST(ViewTest, AWriteThroughAViewReachesBaseAndOtherViews) {
  Tensor x = Vector({1, 2, 3}, true);
  Tensor w = Tensor::Scalar(10);
  SetRequiresGrad(w, true);
  Tensor a = ops::Clone(x);
  Tensor first = ops::Slice(a, 0, 0, 2, 1);
  Tensor last = ops::Slice(a, 0, 1, 3, 1);
  ops::MulInPlace(first, w);  // a = 10 20 3
  EXPECT_EQ(Elements(last), (std::vector<double>{20, 3}));
  EXPECT_EQ(GradientEdge(a).function->name(), "CopySlices");
  EXPECT_EQ(GradientEdge(last).function->name(), "RegeneratedView");
  EXPECT_EQ(GradientEdge(last), GradientEdge(last));
  Backward({SumOf(ops::Mul(last, last))});  // d/dlast = 40 6
  EXPECT_EQ(GradElements(x), (std::vector<double>{0, 400, 6}));
  EXPECT_EQ(GradOf(w).item<double>(), 80);
}

// Rules: L4.
TEST(ViewTest, SecondDerivativesPassThroughWritesToViews) {
  Tensor x = Vector({2, 3}, true);
  Tensor a = ops::Clone(x);
  Tensor v = ops::Slice(a, 0, 0, 1, 1);
  ops::MulInPlace(v, x.AsStrided({1}, {1}, 0));  // constant 2: a = 4 3
  ops::ExpInPlace(v);                            // a = e^4 3
  Tensor y = SumOf(a);
  VariableList g = Grad({y}, {x}, {}, {.create_graph = true});
  const double e = Elements(a)[0];
  EXPECT_DOUBLE_EQ(Elements(g[0])[0], 2 * e);
  VariableList h = Grad({SumOf(g[0])}, {x});
  EXPECT_DOUBLE_EQ(Elements(h[0])[0], 4 * e);
  EXPECT_EQ(Elements(h[0])[1], 0);
}

// Rules: L7.
TEST(ViewTest, AWriteToAPlainBaseMakesItAndItsViewsRequireGrad) {
  Tensor x = Vector({5}, true);
  Tensor base = Vector({1, 2}, false);
  Tensor v = ops::Slice(base, 0, 0, 1, 1);
  EXPECT_FALSE(RequiresGrad(v));
  ops::MulInPlace(v, x);
  EXPECT_TRUE(RequiresGrad(base));
  EXPECT_TRUE(RequiresGrad(v));
  Backward({SumOf(base)});
  EXPECT_EQ(GradElements(x), (std::vector<double>{1}));
}

// Rules: L2.
TEST(ViewTest, WritesAreRefusedWhereTheGraphForbidsThem) {
  Tensor x = Vector({1, 2}, true);
  EXPECT_EQ(KindOf([&] { ops::NegInPlace(x); }), ErrorKind::kLeafInPlace);
  Tensor v = ops::Slice(x, 0, 0, 1, 1);
  EXPECT_EQ(KindOf([&] { ops::NegInPlace(v); }), ErrorKind::kLeafInPlace);
  Tensor a = ops::Mul(x, x);
  Tensor made_without;
  {
    GradModeGuard no_grad(false);
    ops::NegInPlace(x);
    made_without = ops::Slice(a, 0, 0, 1, 1);
  }
  EXPECT_EQ(x.version(), 1u);
  Tensor one = Vector({1}, true);
  EXPECT_EQ(KindOf([&] { ops::MulInPlace(made_without, one); }), ErrorKind::kInvalidArgument);
  GradModeGuard no_grad(false);
  ops::MulInPlace(made_without, one.Detach());
}

// Rules: L7.
TEST(ViewTest, NoWriteThroughAViewIsLost) {
  // Not recorded by itself, for neither operand requires grad; but the base does.
  Tensor x = Vector({1, 2}, true);
  Tensor a = ops::Mul(x, x);
  Tensor made_without;
  {
    GradModeGuard no_grad(false);
    made_without = ops::Slice(a, 0, 0, 1, 1);
  }
  EXPECT_FALSE(RequiresGrad(made_without));
  EXPECT_EQ(KindOf([&] { ops::NegInPlace(made_without); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(a.version(), 0u);
  Backward({SumOf(a)});
  EXPECT_EQ(GradElements(x), (std::vector<double>{2, 4}));

  // The view is older than its base's wish for gradients.
  Tensor base = Vector({3, 4}, false);
  Tensor v = ops::Slice(base, 0, 0, 1, 1);
  EXPECT_FALSE(RequiresGrad(v));
  SetRequiresGrad(base, true);
  EXPECT_TRUE(RequiresGrad(v));
  EXPECT_FALSE(IsLeaf(v));
  EXPECT_EQ(KindOf([&] { ops::NegInPlace(v); }), ErrorKind::kLeafInPlace);
  EXPECT_EQ(base.version(), 0u);
  Backward({SumOf(ops::Mul(v, v))});
  EXPECT_EQ(GradElements(base), (std::vector<double>{6, 0}));
}

// Rules: L6.
TEST(ViewTest, OriginsForbidWritesAndPassToViewsOfViews) {
  Tensor x = Vector({1, 2}, true);
  const std::pair<ViewOrigin, const char*> kOrigins[] = {
      {ViewOrigin::kNoGrad,
       "[view] a view that was made without grad mode is written in grad mode"},
      {ViewOrigin::kInferenceMode, "[view] a view that was made in inference mode is written"},
      {ViewOrigin::kMultiOutput, "[view] a view that is one of several results of a node is writ"},
      {ViewOrigin::kCustomFunction, "[view] a view that a custom function returned, or an operand"},
  };
  for (const auto& [origin, text] : kOrigins) {
    Tensor a = ops::Mul(x, x);
    Tensor v = ops::Slice(a, 0, 0, 2, 1);
    SetViewOrigin(v, origin);
    Tensor chained = ops::Slice(v, 0, 0, 1, 1);
    for (Tensor view : {v, chained}) {
      EXPECT_THAT(MessageOf(ErrorKind::kInvalidArgument, [&] { ops::NegInPlace(view); }),
                  StartsWith(text));
    }
    EXPECT_EQ(a.version(), 0u);
    ops::NegInPlace(a);
    // What functions of the user gave has its own backward, which a new node would go past.
    const bool renewed = origin == ViewOrigin::kNoGrad || origin == ViewOrigin::kInferenceMode;
    if (renewed) {
      EXPECT_NO_THROW(ops::Neg(chained)) << text;
    } else {
      EXPECT_EQ(KindOf([&] { ops::Neg(chained); }), ErrorKind::kInvalidArgument) << text;
    }
  }
}

// Rules: L2.
TEST(ViewTest, ElementsThatShareAPlaceAreNotWritten) {
  Tensor wide = ops::Expand(Vector({1}, false), {3});
  EXPECT_EQ(KindOf([&] { ops::NegInPlace(wide); }), ErrorKind::kInvalidArgument);
}

// Rules: H6.
TEST(ViewTest, RetainGradFollowsAWriteAndHooksStay) {
  Tensor x = Vector({3}, true);
  Tensor a = ops::Mul(x, x);  // 9
  RetainGrad(a);
  int hook_calls = 0;
  RegisterHook(a, [&](const Tensor& g) {
    ++hook_calls;
    EXPECT_EQ(Elements(g), (std::vector<double>{2}));  // of the old contents
    return g;
  });
  ops::MulInPlace(a, Tensor::Full({1}, 2, DType::kF64));
  Backward({SumOf(a)});
  EXPECT_EQ(hook_calls, 1);
  EXPECT_EQ(GradElements(a), (std::vector<double>{1}));
  EXPECT_EQ(GradElements(x), (std::vector<double>{12}));
}

}  // namespace
}  // namespace twingrad

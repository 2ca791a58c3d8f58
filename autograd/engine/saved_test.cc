// What nodes save, by whole runs: saved-tensor hooks through the operations, notices of release,
// detaching in place, inference tensors, and no leaks.

#include <any>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/inference_mode.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

struct Log {
  std::vector<double> packed;
  std::vector<double> unpacked;
};

// Keeps a number in place of a tensor; gives it back times `by`.
SavedTensorHooks Scaling(Log& log, double by) {
  return {.pack =
              [&log](const Tensor& tensor) {
                log.packed.push_back(tensor.item<double>());
                return std::any(tensor.item<double>());
              },
          .unpack =
              [&log, by](const std::any& packed) {
                const auto number = std::any_cast<double>(packed);
                log.unpacked.push_back(number);
                return Tensor::Scalar(number * by);
              }};
}

SavedTensorHooks Throwing() {
  return {.pack = [](const Tensor&) -> std::any { throw Error(ErrorKind::kUser, "[user] no"); },
          .unpack = [](const std::any&) { return Tensor(); }};
}

double GradValue(const Tensor& leaf) { return GradOf(leaf).item<double>(); }

TEST(SavedTest, NodesGetWhatTheUnpackHookReturns) {
  Log log;
  Tensor x = MakeLeaf(3), w = MakeLeaf(5);
  Tensor y;
  {
    SavedTensorHooksGuard guard(Scaling(log, 10));
    y = ops::Exp(ops::Mul(x, w));
  }
  EXPECT_EQ(log.packed, (std::vector<double>{3, 5, y.item<double>()}));
  EXPECT_TRUE(log.unpacked.empty());
  Backward({y});
  EXPECT_EQ(log.unpacked, (std::vector<double>{y.item<double>(), 3, 5}));
  EXPECT_EQ(GradValue(x), 10 * y.item<double>() * 50);
  EXPECT_EQ(GradValue(w), 10 * y.item<double>() * 30);
}

// Rules: K7.
TEST(SavedTest, SecondDerivativesLeadThroughUnpackedTensors) {
  Log log;
  Tensor x = MakeLeaf(3);
  Tensor y;
  {
    SavedTensorHooksGuard guard(Scaling(log, 1));
    y = ops::Mul(ops::Mul(x, x), x);
  }
  const VariableList first = Grad({y}, {x}, {}, {.create_graph = true});
  EXPECT_EQ(first[0].item<double>(), 27);
  EXPECT_EQ(Grad({first[0]}, {x})[0].item<double>(), 18);
  Tensor e;
  {
    SavedTensorHooksGuard guard(Scaling(log, 1));
    e = ops::Exp(x);  // saves its own result
  }
  const VariableList slope = Grad({e}, {x}, {}, {.create_graph = true});
  EXPECT_EQ(Grad({slope[0]}, {x})[0].item<double>(), e.item<double>());
}

// Rules: K6.
TEST(SavedTest, HooksInForceDuringACallTakeWhatItSaves) {
  Log log;
  Tensor x = MakeLeaf(3);
  const Tensor y = ops::Mul(ops::Mul(x, x), x);
  SavedTensorHooksGuard guard(Scaling(log, 1));
  Grad({y}, {x}, {}, {.retain_graph = true});
  EXPECT_TRUE(log.packed.empty());
  const VariableList first = Grad({y}, {x}, {}, {.create_graph = true});
  EXPECT_FALSE(log.packed.empty());
  EXPECT_TRUE(log.unpacked.empty());
  EXPECT_EQ(Grad({first[0]}, {x})[0].item<double>(), 18);
  EXPECT_FALSE(log.unpacked.empty());
}

// What throws while it packs leaves tensors and graph as they were.
// Rules: K6.
TEST(SavedTest, AnOperationWhosePackHookThrowsHasDoneNothing) {
  Tensor x = MakeLeaf(0.5);
  Tensor y = ops::Add(x, x);
  const Edge before = GradientEdge(y);
  SavedTensorHooksGuard guard(Throwing());
  EXPECT_EQ(KindOf([&] { ops::Mul(x, x); }), ErrorKind::kUser);
  EXPECT_EQ(KindOf([&] { ops::Tanh(x); }), ErrorKind::kUser);
  const std::vector<std::function<void(Tensor&)>> writes = {
      ops::ExpInPlace, ops::SinInPlace, ops::TanhInPlace,
      [&](Tensor& a) { ops::MulInPlace(a, x); }};
  for (const auto& write : writes) {
    EXPECT_EQ(KindOf([&] { write(y); }), ErrorKind::kUser);
    EXPECT_EQ(y.item<double>(), 1);
    EXPECT_EQ(y.version(), 0u);
    EXPECT_EQ(GradientEdge(y), before);
  }
  ops::AddInPlace(y, x);  // saves nothing
  Backward({y});
  EXPECT_EQ(GradValue(x), 3);
}

// A write in place saves its result through the hooks as well.
TEST(SavedTest, ResultsOfWritesArePacked) {
  Log log;
  Tensor x = MakeLeaf(0);
  Tensor y = ops::Add(x, x);
  {
    SavedTensorHooksGuard guard(Scaling(log, 7));
    ops::ExpInPlace(y);
  }
  EXPECT_EQ(log.packed, (std::vector<double>{1}));
  EXPECT_EQ(y.item<double>(), 1);
  ops::AddInPlace(y, x);  // the version of what was packed does not matter
  Backward({y});
  EXPECT_EQ(GradValue(x), 7 * 2 + 1);
}

TEST(SavedTest, OneSavedTensorOfANodeGetsHooks) {
  Log log;
  Tensor x = MakeLeaf(3), w = MakeLeaf(5);
  const Tensor y = ops::Mul(x, w);
  const NodePtr node = GradientEdge(y).function;
  const std::vector<SavedVariable*> saved = node->SavedVariables();
  ASSERT_GE(saved.size(), 2u);
  saved[1]->RegisterHooks(node.get(), Scaling(log, 100));
  EXPECT_EQ(log.packed, (std::vector<double>{5}));
  Backward({y});
  EXPECT_EQ(GradValue(x), 500);
  EXPECT_EQ(GradValue(w), 3);
}

// Neither a result that its own node packs as it is nor a hook's closure keeps a graph alive.
// Rules: K10.
TEST(SavedTest, HooksMakeNoCycle) {
  const NodePtr end = MakePass({});
  {
    const SavedTensorHooks as_is = {
        .pack = [](const Tensor& t) { return std::any(t); },
        .unpack = [](const std::any& p) { return std::any_cast<Tensor>(p); }};
    SavedTensorHooksGuard guard(as_is);
    Tensor x = Tensor::Scalar(1);
    AutogradMeta::Of(x).node = end;
    Tensor y = ops::Tanh(ops::Exp(ops::Mul(x, x)));
    ops::SigmoidInPlace(y);
    EXPECT_GT(end->ReferenceCount(), 1u);
  }
  EXPECT_EQ(end->ReferenceCount(), 1u);
}

// A plain tensor that a node saved becomes a leaf, and its .grad gets a history through that node.
// Rules: K10.
TEST(SavedTest, APlainTensorThatIsMadeALeafAfterItWasSavedIsFreed) {
  const NodePtr end = MakePass({});
  {
    Tensor x = Tensor::Scalar(2);
    AutogradMeta::Of(x).node = end;
    Tensor c = Tensor::Scalar(3);
    const Tensor y = ops::Mul(x, c);
    SetRequiresGrad(c, true);
    Backward({ops::Mul(c, y)}, {}, {.create_graph = true});
    EXPECT_EQ(GradValue(c), 6);
    EXPECT_TRUE(RequiresGrad(GradOf(c)));
  }
  EXPECT_EQ(end->ReferenceCount(), 1u);
}

// Notes what it is told.
class NoticingNode final : public Node {
 public:
  explicit NoticingNode(std::string& log) : log_(log) { MakeExtras().wants_release_notice = true; }
  VariableList Apply(VariableList&& gradients) override {
    log_ += "apply ";
    return std::move(gradients);
  }
  void WillReleaseVariables() override { log_ += "will "; }
  void ReleaseVariables() override { log_ += "release "; }
  std::string_view name() const override { return "Noticing"; }

 private:
  std::string& log_;
};

// Rules: K5.
TEST(SavedTest, NodesThatAskAreToldBeforeTheyLoseWhatTheySaved) {
  std::string log;
  Tensor x = MakeLeaf(1), y = Tensor::Scalar(1);
  auto node = MakeNode<NoticingNode>(log);
  node->AddNextEdge(GradientEdge(x));
  RegisterPreHook(*node, [&log](const VariableList& g) {
    log += "pre ";
    return g;
  });
  RegisterPostHook(*node, [&log](VariableList results, const VariableList&) {
    log += "post ";
    return results;
  });
  SetHistory(y, node);
  Backward({y}, {}, {.retain_graph = true});
  EXPECT_EQ(log, "pre apply post ");
  log.clear();
  Backward({y});
  EXPECT_EQ(log, "pre will apply post release ");
}

// Rules: K4.
TEST(SavedTest, DetachingInPlaceLeavesWhatNodesSaved) {
  Tensor x = MakeLeaf(3);
  Tensor y = ops::Mul(x, x);
  RetainGrad(y);
  const Tensor z = ops::Mul(y, y);
  DetachInPlace(y);
  EXPECT_TRUE(IsLeaf(y));
  EXPECT_FALSE(RequiresGrad(y));
  const VariableList first = Grad({z}, {x}, {}, {.create_graph = true});
  EXPECT_EQ(first[0].item<double>(), 4 * 27);
  EXPECT_EQ(Grad({first[0]}, {x})[0].item<double>(), 12 * 9);
  EXPECT_FALSE(GradOf(y).defined());
  SetRequiresGrad(y, true);  // a leaf like any other
  Backward({ops::Mul(y, y)});
  EXPECT_EQ(GradValue(y), 18);
  EXPECT_FALSE(GradOf(x).defined());
  DetachInPlace(x);
  EXPECT_FALSE(RequiresGrad(x));
}

// Rules: K4.
TEST(SavedTest, ViewsAreNotDetachedInPlaceAndWrittenBasesTakeTheirViewsAlong) {
  Tensor x = Tensor::Full({2}, 3, DType::kF64);
  SetRequiresGrad(x, true);
  Tensor y = ops::Mul(x, x);
  Tensor view = ops::Select(y, 0, 0);
  EXPECT_EQ(KindOf([&] { DetachInPlace(view); }), ErrorKind::kInvalidArgument);
  ops::MulInPlace(y, x);
  DetachInPlace(y);
  EXPECT_FALSE(RequiresGrad(view));  // it shows what was written, which has no history any more
  EXPECT_FALSE(GradientEdge(view).is_valid());
}

// Rules: K8, L10.
TEST(SavedTest, InferenceTensorsServeWhereNothingIsSaved) {
  Tensor x = MakeLeaf(3), c;
  {
    InferenceMode mode;
    c = ops::Mul(x, x);
    EXPECT_FALSE(RequiresGrad(c));
    ops::AddInPlace(c, c);
  }
  EXPECT_EQ(c.item<double>(), 18);
  const Tensor sum = ops::Add(x, c);
  EXPECT_TRUE(RequiresGrad(sum));
  EXPECT_EQ(KindOf([&] { ops::Mul(x, c); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { ops::AddInPlace(c, c); }), ErrorKind::kInvalidArgument);
  Backward({ops::Add(sum, ops::Mul(x, ops::Clone(c)))});
  EXPECT_EQ(GradValue(x), 1 + 18);
}

// Rules: K6.
TEST(SavedTest, SeveralThreadsUnpackOneGraph) {
  Tensor y;
  Tensor x = MakeLeaf(3);
  {
    SavedTensorHooksGuard guard(
        {.pack = [](const Tensor& t) { return std::any(t.item<double>()); },
         .unpack = [](const std::any& p) { return Tensor::Scalar(std::any_cast<double>(p)); }});
    y = ops::Mul(ops::Mul(x, x), x);
  }
  const auto differentiate = [&] {
    for (int i = 0; i < 50; ++i) {
      const VariableList g = Grad({y}, {x}, {}, {.retain_graph = true});
      EXPECT_EQ(g[0].item<double>(), 27);
    }
  };
  sync::Thread other("other", differentiate);
  differentiate();
  other.Join();
}

}  // namespace
}  // namespace twingrad

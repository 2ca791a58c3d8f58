// Order, replacement, removal and errors of hooks, on a node by itself.

#include "autograd/graph/hooks.h"

#include <string>

#include <gtest/gtest.h>

#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {
namespace {

// A node, its result, and a gradient of that.
class HooksTest : public testing::Test {
 protected:
  HooksTest() { SetHistory(y, node); }
  void RunTensorHooks() { node->extras()->RunTensorHooks(*node, gradients); }

  NodePtr node = MakeNode<PassNode>();
  Tensor y = Tensor::Scalar(1);
  VariableList gradients = {Tensor::Scalar(5)};
};

// Rules: H1, H3.
TEST_F(HooksTest, TensorHooksRunInTheOrderOfRegistrationAndReplace) {
  std::string log;
  RegisterHook(y, [&](const Tensor& g) {
    log += "a";
    return Tensor::Scalar(g.item<double>() * 2);
  });
  RegisterHook(y, [&](const Tensor& g) {
    log += "b";
    return Tensor::Scalar(g.item<double>() + 1);
  });
  RunTensorHooks();
  EXPECT_EQ(log, "ab");
  EXPECT_EQ(gradients[0].item<double>(), 11);
}

TEST_F(HooksTest, EmptyFunctionsAreRefusedBeforeTheyAreCalled) {
  Tensor x = MakeLeaf(1);
  EXPECT_EQ(KindOf([&] { RegisterHook(x, nullptr); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { RegisterPreHook(*node, nullptr); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { RegisterPostHook(*node, nullptr); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { RegisterPostAccumulateGradHook(x, nullptr); }),
            ErrorKind::kInvalidArgument);
}

// Rules: H4, H13.
TEST_F(HooksTest, AHookMayMakeAGradientUndefinedButNotTheReverse) {
  RegisterHook(y, [](const Tensor&) { return Tensor(); });
  RunTensorHooks();
  EXPECT_FALSE(gradients[0].defined());
  RegisterHook(y, [](const Tensor&) { return Tensor::Scalar(1); });
  EXPECT_EQ(KindOf([&] { RunTensorHooks(); }), ErrorKind::kHook);
}

// Rules: H7, H13.
TEST_F(HooksTest, ResultsOfAnotherTypeOrNumberAreErrors) {
  RegisterHook(y, [](const Tensor&) { return Tensor::Zeros({2}, DType::kF64); });
  EXPECT_EQ(KindOf([&] { RunTensorHooks(); }), ErrorKind::kHook);
  RegisterPreHook(*node, [](const VariableList&) { return VariableList(3); });
  EXPECT_EQ(KindOf([&] { node->extras()->RunPreHooks(*node, gradients); }), ErrorKind::kHook);
}

// Rules: H11.
TEST_F(HooksTest, RemovedHooksRunNoMoreEvenWhenRemovedByAHook) {
  int calls = 0;
  HookHandle second;
  RegisterHook(y, [&](const Tensor& g) {
    Remove(second);
    return g;
  });
  second = RegisterHook(y, [&](const Tensor& g) {
    ++calls;
    return g;
  });
  RunTensorHooks();
  EXPECT_EQ(calls, 0);
  Remove(second);
  Remove(HookHandle());
}

// Rules: H11.
TEST_F(HooksTest, AHookAddedDuringACallRunsFromTheNextOn) {
  int calls = 0;
  RegisterHook(y, [&](const Tensor& g) {
    RegisterHook(y, [&](const Tensor& h) {
      ++calls;
      return h;
    });
    return g;
  });
  RunTensorHooks();
  EXPECT_EQ(calls, 0);
  RunTensorHooks();
  EXPECT_EQ(calls, 1);
}

// Rules: H5.
TEST_F(HooksTest, RetainGradStoresCopiesAndSums) {
  GradModeGuard no_grad(false);
  RetainGrad(y);
  RetainGrad(y);
  node->extras()->StoreRetained(gradients);
  EXPECT_EQ(GradOf(y).item<double>(), 5);
  EXPECT_FALSE(GradOf(y).HasSameStorage(gradients[0]));
  node->extras()->StoreRetained({Tensor()});
  node->extras()->StoreRetained(gradients);
  EXPECT_EQ(GradOf(y).item<double>(), 10);
}

// Rules: H12.
TEST_F(HooksTest, RegistrationChecksItsTensor) {
  Tensor plain = Tensor::Scalar(1);
  auto hook = [](const Tensor& g) { return g; };
  EXPECT_EQ(KindOf([&] { RegisterHook(plain, hook); }), ErrorKind::kNoGraph);
  EXPECT_EQ(KindOf([&] { RetainGrad(plain); }), ErrorKind::kNoGraph);
  EXPECT_EQ(KindOf([&] { RegisterPostAccumulateGradHook(y, [](const Tensor&) {}); }),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { RegisterPostAccumulateGradHook(plain, [](const Tensor&) {}); }),
            ErrorKind::kNoGraph);
  Tensor leaf = MakeLeaf(1);
  RetainGrad(leaf);  // nothing to do
}

// Rules: H8.
TEST_F(HooksTest, PostHooksSeeBothSidesAndReplaceResults) {
  EXPECT_FALSE(node->MakeExtras().HasPostHooks());
  RegisterPostHook(*node, [](VariableList results, const VariableList& g) {
    results[0] = Tensor::Scalar(results[0].item<double>() + g[0].item<double>());
    return results;
  });
  EXPECT_TRUE(node->extras()->HasPostHooks());
  VariableList results = {Tensor::Scalar(1)};
  node->extras()->RunPostHooks(*node, results, {Tensor::Scalar(10)});
  EXPECT_EQ(results[0].item<double>(), 11);
}

}  // namespace
}  // namespace twingrad

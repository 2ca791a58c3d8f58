// Order, replacement, removal and errors of hooks, on a node by itself.

#include "autograd/graph/hooks.h"

#include <string>

#include <gtest/gtest.h>

#include "autograd/graph/grad_mode.h"
#include "autograd/graph/test_nodes.h"

namespace twingrad {
namespace {

Tensor Result(const NodePtr& node) {
  Tensor y = Tensor::Scalar(1);
  SetHistory(y, node);
  return y;
}

// Rules: H1, H3.
TEST(HooksTest, TensorHooksRunInTheOrderOfRegistrationAndReplace) {
  NodePtr node = MakeNode<PassNode>();
  Tensor y = Result(node);
  std::string log;
  RegisterHook(y, [&](const Tensor& g) {
    log += "a";
    return Tensor::Scalar(g.item<double>() * 2);
  });
  RegisterHook(y, [&](const Tensor& g) {
    log += "b";
    return Tensor::Scalar(g.item<double>() + 1);
  });
  VariableList gradients = {Tensor::Scalar(5)};
  node->extras()->RunTensorHooks(*node, gradients);
  EXPECT_EQ(log, "ab");
  EXPECT_EQ(gradients[0].item<double>(), 11);
}

TEST(HooksTest, EmptyFunctionsAreRefusedBeforeTheyAreCalled) {
  Tensor x = MakeLeaf(1);
  NodePtr node = MakePass({});
  EXPECT_EQ(KindOf([&] { RegisterHook(x, nullptr); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { RegisterPreHook(*node, nullptr); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { RegisterPostHook(*node, nullptr); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { RegisterPostAccumulateGradHook(x, nullptr); }),
            ErrorKind::kInvalidArgument);
}

// Rules: H4, H13.
TEST(HooksTest, AHookMayMakeAGradientUndefinedButNotTheReverse) {
  NodePtr node = MakeNode<PassNode>();
  Tensor y = Result(node);
  RegisterHook(y, [](const Tensor&) { return Tensor(); });
  VariableList gradients = {Tensor::Scalar(5)};
  node->extras()->RunTensorHooks(*node, gradients);
  EXPECT_FALSE(gradients[0].defined());
  RegisterHook(y, [](const Tensor&) { return Tensor::Scalar(1); });
  EXPECT_EQ(KindOf([&] { node->extras()->RunTensorHooks(*node, gradients); }), ErrorKind::kHook);
}

// Rules: H7, H13.
TEST(HooksTest, ResultsOfAnotherTypeOrNumberAreErrors) {
  NodePtr node = MakeNode<PassNode>();
  Tensor y = Result(node);
  RegisterHook(y, [](const Tensor&) { return Tensor::Zeros({2}, DType::kF64); });
  VariableList gradients = {Tensor::Scalar(5)};
  EXPECT_EQ(KindOf([&] { node->extras()->RunTensorHooks(*node, gradients); }), ErrorKind::kHook);
  RegisterPreHook(*node, [](const VariableList&) { return VariableList(3); });
  EXPECT_EQ(KindOf([&] { node->extras()->RunPreHooks(*node, gradients); }), ErrorKind::kHook);
}

// Rules: H11.
TEST(HooksTest, RemovedHooksRunNoMoreEvenWhenRemovedByAHook) {
  NodePtr node = MakeNode<PassNode>();
  Tensor y = Result(node);
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
  VariableList gradients = {Tensor::Scalar(5)};
  node->extras()->RunTensorHooks(*node, gradients);
  EXPECT_EQ(calls, 0);
  Remove(second);
  Remove(HookHandle());
}

// Rules: H11.
TEST(HooksTest, AHookAddedDuringACallRunsFromTheNextOn) {
  NodePtr node = MakeNode<PassNode>();
  Tensor y = Result(node);
  int calls = 0;
  RegisterHook(y, [&](const Tensor& g) {
    RegisterHook(y, [&](const Tensor& h) {
      ++calls;
      return h;
    });
    return g;
  });
  VariableList gradients = {Tensor::Scalar(5)};
  node->extras()->RunTensorHooks(*node, gradients);
  EXPECT_EQ(calls, 0);
  node->extras()->RunTensorHooks(*node, gradients);
  EXPECT_EQ(calls, 1);
}

// Rules: H5.
TEST(HooksTest, RetainGradStoresCopiesAndSums) {
  GradModeGuard no_grad(false);
  NodePtr node = MakeNode<PassNode>();
  Tensor y = Result(node);
  RetainGrad(y);
  RetainGrad(y);
  VariableList gradients = {Tensor::Scalar(5)};
  node->extras()->StoreRetained(gradients);
  EXPECT_EQ(twingrad::Grad(y).item<double>(), 5);
  EXPECT_FALSE(twingrad::Grad(y).HasSameStorage(gradients[0]));
  node->extras()->StoreRetained({Tensor()});
  node->extras()->StoreRetained(gradients);
  EXPECT_EQ(twingrad::Grad(y).item<double>(), 10);
}

// Rules: H12.
TEST(HooksTest, RegistrationChecksItsTensor) {
  Tensor plain = Tensor::Scalar(1);
  auto hook = [](const Tensor& g) { return g; };
  EXPECT_EQ(KindOf([&] { RegisterHook(plain, hook); }), ErrorKind::kNoGraph);
  EXPECT_EQ(KindOf([&] { RetainGrad(plain); }), ErrorKind::kNoGraph);
  Tensor y = Result(MakeNode<PassNode>());
  EXPECT_EQ(KindOf([&] { RegisterPostAccumulateGradHook(y, [](const Tensor&) {}); }),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { RegisterPostAccumulateGradHook(plain, [](const Tensor&) {}); }),
            ErrorKind::kNoGraph);
  Tensor leaf = MakeLeaf(1);
  RetainGrad(leaf);  // nothing to do
}

// Rules: H8.
TEST(HooksTest, PostHooksSeeBothSidesAndReplaceResults) {
  NodePtr node = MakeNode<PassNode>();
  EXPECT_FALSE(node->MakeExtras().HasPostHooks());
  RegisterPostHook(*node, [](VariableList results, const VariableList& gradients) {
    results[0] = Tensor::Scalar(results[0].item<double>() + gradients[0].item<double>());
    return results;
  });
  EXPECT_TRUE(node->extras()->HasPostHooks());
  VariableList results = {Tensor::Scalar(1)};
  node->extras()->RunPostHooks(*node, results, {Tensor::Scalar(10)});
  EXPECT_EQ(results[0].item<double>(), 11);
}

}  // namespace
}  // namespace twingrad

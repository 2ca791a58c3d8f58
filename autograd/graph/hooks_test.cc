// Order, replacement, removal and errors of hooks, on a node by itself.

#include "autograd/graph/hooks.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

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
  NodeExtras::RunPostHooks(*node, node->extras()->post_hooks.Current(), results,
                           {Tensor::Scalar(10)});
  EXPECT_EQ(results[0].item<double>(), 11);
}

// Rules: H4.
TEST_F(HooksTest, HooksThatReturnNothingChangeNothing) {
  double seen = 0;
  RegisterHook(y, [&](const Tensor& g) { seen += g.item<double>(); });
  RegisterPreHook(*node, [&](const VariableList& g) { seen += g[0].item<double>(); });
  RegisterPostHook(*node, [&](const VariableList& results, const VariableList& g) {
    seen += results[0].item<double>() + g[0].item<double>();
  });
  RunTensorHooks();
  node->extras()->RunPreHooks(*node, gradients);
  VariableList results = gradients;
  NodeExtras::RunPostHooks(*node, node->extras()->post_hooks.Current(), results, gradients);
  EXPECT_EQ(seen, 20);
  EXPECT_EQ(gradients[0].item<double>(), 5);
  EXPECT_EQ(results[0].item<double>(), 5);
}

// Rules: H13.
TEST_F(HooksTest, MessagesNameTheHook) {
  RegisterHook(y, [](const Tensor&) {});
  RegisterHook(y, [](const Tensor&) { return Tensor::Zeros({2}, DType::kF64); });
  try {
    RunTensorHooks();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 30), "[hook] tensor hook 1 of Pass r")
        << error.what();
  }
}

// Rules: I14.
TEST_F(HooksTest, AHookThatWritesItsGradientInPlaceIsAnError) {
  const auto write = [](const Tensor& g) {
    g.mutable_data<double>()[0] = 7;
    g.BumpVersion();
  };
  const ScopedHook hook(RegisterHook(y, write));
  EXPECT_EQ(KindOf([&] { RunTensorHooks(); }), ErrorKind::kHook);
  const ScopedHook pre(RegisterPreHook(*node, [&](const VariableList& given) { write(given[0]); }));
  EXPECT_EQ(KindOf([&] { node->extras()->RunPreHooks(*node, gradients); }), ErrorKind::kHook);
  const ScopedHook post(RegisterPostHook(
      *node, [&](const VariableList& results, const VariableList&) { write(results[0]); }));
  VariableList results = {Tensor::Scalar(1)};
  EXPECT_EQ(KindOf([&] {
              NodeExtras::RunPostHooks(*node, node->extras()->post_hooks.Current(), results,
                                       gradients);
            }),
            ErrorKind::kHook);
}

// What a hook owns can own the hook: y -> node -> hook -> y.
// Rules: H11.
TEST_F(HooksTest, RemovalFreesWhatTheHookOwns) {
  auto owned = std::make_shared<int>(0);
  const HookHandle handle = RegisterHook(y, [owned, y = y](const Tensor&) { ++*owned; });
  RegisterPostHook(*node, [](const VariableList&, const VariableList&) {});
  RunTensorHooks();
  EXPECT_EQ(*owned, 1);
  EXPECT_EQ(owned.use_count(), 2);
  Remove(handle);
  EXPECT_EQ(owned.use_count(), 1);
  RunTensorHooks();
  EXPECT_EQ(*owned, 1);
}

// Rules: H11.
TEST_F(HooksTest, AHookThatRemovesItselfIsFreedWhenItReturns) {
  auto owned = std::make_shared<int>(0);
  HookHandle handle;
  handle = RegisterHook(y, [&handle, owned](const Tensor&) {
    Remove(handle);
    ++*owned;
  });
  RunTensorHooks();
  EXPECT_EQ(*owned, 1);
  EXPECT_EQ(owned.use_count(), 1);
}

// Rules: H11.
TEST_F(HooksTest, HooksAreAddedAndRemovedWhileOthersRunThem) {
  std::atomic<int> calls{0};
  std::thread other([&] {
    for (int i = 0; i < 2000; ++i) {
      VariableList here = {Tensor::Scalar(5)};
      node->MakeExtras().RunTensorHooks(*node, here);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    const ScopedHook hook(RegisterHook(
        y, [&calls, owned = std::make_shared<int>(1)](const Tensor&) { calls += *owned; }));
  }
  other.join();
  EXPECT_TRUE(node->extras()->tensor_hooks.IsEmpty());
}

TEST_F(HooksTest, AScopedHookEndsWithItsBlockAndCanBeMoved) {
  int calls = 0;
  {
    ScopedHook outer((HookHandle()));
    {
      ScopedHook inner(RegisterHook(y, [&](const Tensor&) { ++calls; }));
      outer = std::move(inner);
    }
    RunTensorHooks();
  }
  RunTensorHooks();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace twingrad

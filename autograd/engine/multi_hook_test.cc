// Hooks on several tensors: what they see, once a call, whatever other calls do.

#include "autograd/engine/multi_hook.h"

#include <gtest/gtest.h>

#include <vector>

#include "autograd/engine/front_end.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

// z = 2 a + b with a = x x, b = x + x at x = 3.
struct Graph {
  Tensor x = MakeLeaf(3);
  Tensor a = ops::Mul(x, x);
  Tensor b = ops::Add(x, x);
  Tensor z = ops::Add(ops::Add(a, a), b);
};

BackwardOptions Keep() { return {.retain_graph = true}; }

double ValueOf(const Tensor& tensor) { return tensor.defined() ? tensor.item<double>() : -1; }

// Rules: H15.
TEST(MultiHookTest, AllRunsOnceWhenTheLastHasPassed) {
  Graph g;
  std::vector<std::vector<double>> seen;
  const auto handles = RegisterAllGradsHook({g.a, g.x, g.b}, [&](const auto& gradients) {
    seen.push_back({ValueOf(gradients[0]), ValueOf(gradients[1]), ValueOf(gradients[2])});
  });
  Backward({g.z}, {}, Keep());
  EXPECT_EQ(seen, (std::vector<std::vector<double>>{{2, 14, 1}}));
  // %b alone is reached; x is only captured.
  Grad({g.b}, {g.x}, {}, {.retain_graph = true});
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1], (std::vector<double>{-1, 2, 1}));
  Remove(handles);
  Backward({g.z}, {}, Keep());
  EXPECT_EQ(seen.size(), 2u);
}

// Rules: H15.
TEST(MultiHookTest, AnyRunsOnceWithTheFirst) {
  Graph g;
  std::vector<double> seen;
  RegisterAnyGradHook({g.x, g.z, g.a},
                      [&](const Tensor& gradient) { seen.push_back(ValueOf(gradient)); });
  Backward({g.z}, {}, Keep());
  Backward({g.a}, {}, Keep());
  EXPECT_EQ(seen, (std::vector<double>{1, 1}));
}

// Rules: H15.
TEST(MultiHookTest, AFailedCallAndANestedOneDoNotDisturbOthers) {
  Graph g;
  int all = 0, any = 0;
  bool fails = true, nests = true;
  RegisterAllGradsHook({g.a, g.x}, [&](const auto&) { ++all; });
  RegisterAnyGradHook({g.a, g.x}, [&](const Tensor&) { ++any; });
  RegisterHook(g.b, [&](const Tensor&) {
    if (fails) throw Error(ErrorKind::kUser, "[test] stop");
    if (nests) Backward({g.a}, {}, Keep());
  });
  EXPECT_EQ(KindOf([&] { Backward({g.z}, {}, Keep()); }), ErrorKind::kUser);
  EXPECT_EQ(all, 0);
  fails = false;
  any = 0;
  Backward({g.z}, {}, Keep());
  EXPECT_EQ(all, 2);  // of the nested call and of its outer one
  EXPECT_EQ(any, 2);
  nests = false;
  Backward({g.z}, {}, Keep());
  EXPECT_EQ(all, 3);
}

// Rules: H15.
TEST(MultiHookTest, TensorsWhoseGraphIsGoneDoNotCount) {
  const Tensor x = MakeLeaf(3);
  int all = 0;
  {
    const Tensor gone = ops::Mul(x, x);
    RegisterAllGradsHook({gone, x}, [&](const auto&) { ++all; });
  }
  Backward({ops::Neg(x)});
  EXPECT_EQ(all, 1);
}

TEST(MultiHookTest, ChecksWhatItIsGiven) {
  const Tensor plain = Tensor::Scalar(1), x = MakeLeaf(1);
  const auto nothing = [](const Tensor&) {};
  EXPECT_EQ(KindOf([&] { RegisterAnyGradHook({x, plain}, nothing); }), ErrorKind::kNoGraph);
  EXPECT_EQ(KindOf([&] { RegisterAnyGradHook({}, nothing); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { RegisterAllGradsHook({x}, nullptr); }), ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace twingrad

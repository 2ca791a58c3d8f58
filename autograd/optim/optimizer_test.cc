// What all optimizers share, shown on Sgd: groups, gradients, versions, state,
// refusals.

#include "autograd/optim/optimizer.h"

#include <functional>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "autograd/optim/sgd.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using Doubles = std::vector<double>;

Tensor Of(std::initializer_list<double> numbers) {
  return Leaf(Tensor::FromData<double>({static_cast<int64_t>(numbers.size())}, numbers));
}

TEST(Optimizer, MovesOnlyParametersWithGradientsAndByGroup) {
  const Tensor a = Of({1, 2});
  const Tensor b = Of({3});
  const Tensor c = Of({5});
  Sgd sgd({{{a, c}, {.learning_rate = 0.5}}, {{b}, {.learning_rate = 0.25}}});
  Backward({Sum(a * a) + Sum(2 * b)});
  sgd.Step();
  EXPECT_EQ(Elements(a), (Doubles{0, 0}));
  EXPECT_EQ(Elements(b), (Doubles{2.5}));
  EXPECT_EQ(Elements(c), (Doubles{5}));
  EXPECT_EQ(sgd.Parameters().size(), 3u);
  EXPECT_TRUE(sgd.Parameters()[1].IsSameAs(c));
  sgd.SetOptions({.learning_rate = 1}, 1);
  sgd.Step();
  EXPECT_EQ(Elements(b), (Doubles{0.5}));
}

TEST(Optimizer, StepBumpsTheVersionOnceSoOldGraphsAreRefused) {
  const Tensor a = Of({3});
  Sgd sgd({a}, {.learning_rate = 0.1, .momentum = 0.5, .weight_decay = 0.1});
  const Tensor y = a * a;
  Backward({y}, {}, {.retain_graph = true});
  const uint32_t before = a.version();
  sgd.Step();
  EXPECT_EQ(a.version(), before + 1);
  EXPECT_TRUE(IsLeaf(a));
  EXPECT_TRUE(RequiresGrad(a));
  EXPECT_EQ(KindOf([&] { Backward({y}); }), ErrorKind::kVersion);
}

TEST(Optimizer, ZeroGradDropsOrZeroes) {
  const Tensor a = Of({3});
  Sgd sgd({a}, {});
  Backward({a * a});
  const Tensor gradient = GradOf(a);
  sgd.ZeroGrad(/*to_zeros=*/true);
  EXPECT_TRUE(GradOf(a).IsSameAs(gradient));
  EXPECT_EQ(Elements(gradient), (Doubles{0}));
  sgd.ZeroGrad();
  EXPECT_FALSE(GradOf(a).defined());
  sgd.ZeroGrad();
  Backward({a * a}, {}, {.create_graph = true});
  const Tensor with_history = GradOf(a);
  sgd.ZeroGrad(/*to_zeros=*/true);
  EXPECT_EQ(Elements(with_history), (Doubles{6}));
  EXPECT_EQ(Elements(GradOf(a)), (Doubles{0}));
}

TEST(Optimizer, GradientsWithHistoryLeaveNoneOnParameters) {
  const Tensor a = Of({3});
  Sgd sgd({a}, {.learning_rate = 0.5, .momentum = 0.5});
  Backward({a * a}, {}, {.create_graph = true});
  sgd.Step();
  EXPECT_TRUE(IsLeaf(a));
  EXPECT_FALSE(RequiresGrad(sgd.State().at("0.momentum")));
}

TEST(Optimizer, SparseGradientsCountAsDenseOnes) {
  const Tensor table = Leaf(Tensor::FromData<double>({3, 1}, {1, 2, 3}));
  Sgd sgd({table}, {.learning_rate = 0.5, .momentum = 0.5});
  const Tensor rows = Tensor::FromData<int64_t>({3}, {2, 0, 2});
  for (int step = 1; step <= 2; ++step) {
    sgd.ZeroGrad();
    Backward({Sum(Embedding(table, rows, /*sparse=*/true))});
    ASSERT_TRUE(GradOf(table).is_sparse());
    sgd.Step();
  }
  EXPECT_EQ(Elements(table), (Doubles{-0.25, 2, 0.5}));
  sgd.ZeroGrad(/*to_zeros=*/true);
  EXPECT_EQ(Elements(GradOf(table)), (Doubles{0, 0, 0}));
}

TEST(Optimizer, StateGoesOnWhereItWasSaved) {
  const SgdOptions options = {.learning_rate = 0.1, .momentum = 0.9};
  const Tensor a = Of({1, 2});
  const Tensor b = Of({1, 2});
  Sgd whole({a}, options);
  Sgd first({b}, options);
  const auto step = [](Sgd& sgd, const Tensor& x) {
    sgd.ZeroGrad();
    Backward({Sum(x * x * x)});
    sgd.Step();
  };
  for (int i = 0; i < 4; ++i) step(whole, a);
  for (int i = 0; i < 2; ++i) step(first, b);
  const NamedTensors state = first.State();
  EXPECT_EQ(state.size(), 2u);
  EXPECT_EQ(Item(state.at("0.step")), 2);
  Sgd second({b}, options);
  second.LoadState(state);
  for (int i = 0; i < 2; ++i) step(second, b);
  EXPECT_EQ(Elements(a), Elements(b));
}

TEST(Optimizer, RefusesStateOfOthersAndKeepsItsOwn) {
  const Tensor a = Of({1, 2});
  Sgd sgd({a}, {.momentum = 0.9});
  const Tensor step = Tensor::Scalar(1, DType::kI64);
  const Tensor two = Tensor::Zeros({2}, DType::kF64);
  const std::vector<std::pair<ErrorKind, NamedTensors>> kWrong = {
      {ErrorKind::kInvalidArgument, {}},
      {ErrorKind::kInvalidArgument, {{"0.step", two}}},
      {ErrorKind::kInvalidArgument, {{"0.step", Tensor::Scalar(-1, DType::kI64)}}},
      {ErrorKind::kInvalidArgument, {{"0.step", step}, {"0.speed", two}}},
      {ErrorKind::kInvalidArgument, {{"0.step", step}, {"1.step", step}}},
      {ErrorKind::kShape, {{"0.step", step}, {"0.momentum", Tensor::Zeros({3}, DType::kF64)}}},
      {ErrorKind::kDType, {{"0.step", step}, {"0.momentum", Tensor::Zeros({2}, DType::kF32)}}},
      {ErrorKind::kDevice,
       {{"0.step", step}, {"0.momentum", Tensor::Zeros({2}, DType::kF64, Device::Sim(0))}}},
  };
  for (const auto& [kind, state] : kWrong) {
    EXPECT_EQ(KindOf([&, s = &state] { sgd.LoadState(*s); }), kind);
    EXPECT_EQ(Item(sgd.State().at("0.step")), 0);
  }
}

TEST(Optimizer, RefusesParametersThatItCannotMove) {
  const Tensor a = Of({1});
  const auto made_of = [](const std::vector<Tensor>& parameters) {
    return KindOf([&] { Sgd(parameters, SgdOptions{}); });
  };
  EXPECT_EQ(made_of({Tensor()}), ErrorKind::kUndefined);
  EXPECT_EQ(made_of({a * 2}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(made_of({Tensor::Scalar(1)}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(made_of({a, a}), ErrorKind::kInvalidArgument);
  Sgd sgd({a}, {});
  EXPECT_EQ(KindOf([&] { sgd.AddGroup({{a}, {}}); }), ErrorKind::kInvalidArgument);
  sgd.AddGroup({{Of({2})}, {}});
  EXPECT_EQ(sgd.Parameters().size(), 2u);
}

}  // namespace
}  // namespace twingrad

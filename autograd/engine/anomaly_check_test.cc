// Runs under anomaly mode, alike with and without workers: which NaN is an error, and what the
// errors of nodes say about where the node was made.

#include "autograd/engine/anomaly_check.h"

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/anomaly.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/warning.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The text of the Error(kAnomaly) that `action` throws.
std::string AnomalyIn(const std::function<void()>& action) {
  return MessageOf(ErrorKind::kAnomaly, action);
}

// The parameter is the number of device threads.
class AnomalyRunTest : public testing::TestWithParam<int> {
 protected:
  // sqrt(x) * 0 at 0: the derivative of sqrt is infinite, times 0.
  Tensor NanAtZero(Device device = Device::Sim(1)) {
    const Tensor x = MakeLeaf(0, device);
    AnomalyLabel label("the loss");
    return ops::Mul(ops::Sqrt(x), On(device, 0));
  }
  void Run(const Tensor& root, bool retain_graph = false) {
    Backward({root}, {}, {.retain_graph = retain_graph, .engine = &engine_});
  }

  Engine engine_{{.device_threads = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Threads, AnomalyRunTest, testing::Values(0, 2));

// Rules: F4, N1, N2.
TEST_P(AnomalyRunTest, ANanIsAnErrorThatSaysWhereItsNodeWasMade) {
  DetectAnomalyGuard anomaly;
  const std::string text = AnomalyIn([&] { Run(NanAtZero()); });
  EXPECT_THAT(text, HasSubstr("SqrtBackward returned nan in its result 0 of 1;"));
  EXPECT_THAT(text, HasSubstr("\n  in SqrtBackward, made in the loss\n    at "));
  EXPECT_THAT(text, HasSubstr("NanAtZero"));
}

// Rules: N2.
TEST_P(AnomalyRunTest, OnlyTheModeOfTheCallerAndItsSwitchDecide) {
  Tensor y = NanAtZero();
  Run(y, /*retain_graph=*/true);
  {
    DetectAnomalyGuard anomaly(/*check_nan=*/false);
    Run(y, /*retain_graph=*/true);
  }
  DetectAnomalyGuard anomaly;
  EXPECT_THAT(AnomalyIn([&] { Run(y); }),
              HasSubstr("in SqrtBackward, made where anomaly mode was off"));
}

// Rules: N2.
TEST_P(AnomalyRunTest, TheCheckSeesWhatPostHooksReturnAndComesAfterTheRelease) {
  DetectAnomalyGuard anomaly({.capture_stacks = false});
  const Device device = Device::Sim(0);
  const auto replaced_by = [&](double before, double after) {
    NodePtr node =
        MakeFunction([=](FunctionNode&, VariableList) { return VariableList{On(device, before)}; },
                     {Edge(MakeEnd([](const VariableList&) {}, On(device, 0)), 0)}, On(device, 0));
    RegisterPostHook(
        *node, [=](VariableList, const VariableList&) { return VariableList{On(device, after)}; });
    engine_.Execute({Edge(node, 0)}, {On(device, 1)}, false, false, true);
  };
  replaced_by(kNan, 2);
  AnomalyIn([&] { replaced_by(2, kNan); });

  const Tensor y = NanAtZero();
  AnomalyIn([&] { Run(y); });
  EXPECT_EQ(KindOf([&] { Run(y); }), ErrorKind::kFreed);
}

// Rules: N2.
TEST_P(AnomalyRunTest, SeedsAndLeavesAreNotChecked) {
  DetectAnomalyGuard anomaly;
  Tensor x = MakeLeaf(3, Device::Sim(1));
  Backward({x}, {On(Device::Sim(1), kNan)}, {.engine = &engine_});
  EXPECT_TRUE(std::isnan(GradOf(x).item<double>()));
  // With several roots the seeds are what the node above them returns.
  EXPECT_THAT(
      AnomalyIn([&] {
        Backward({x, x}, {On(Device::Sim(1), 1), On(Device::Sim(1), kNan)}, {.engine = &engine_});
      }),
      HasSubstr("GraphRoot returned nan in its result 1 of 2"));
}

// Rules: F4, N1.
TEST_P(AnomalyRunTest, WhatInducedANodeIsListed) {
  DetectAnomalyGuard anomaly({.capture_stacks = false});
  const Tensor x = MakeLeaf(0, Device::Sim(2));
  const Tensor y = [&] {
    AnomalyLabel label("the forward pass");
    return ops::Mul(ops::Mul(x, x), ops::Sqrt(ops::Mul(x, x)));
  }();
  DetectAnomalyGuard no_check({.check_nan = false, .capture_stacks = false});
  const Tensor g = Grad({y}, {x}, {}, {.create_graph = true, .engine = &engine_})[0];
  RegisterHook(g, [](const Tensor&) -> Tensor {
    throw Error(ErrorKind::kUser, "[test] planned; nothing is allowed; look below");
  });
  try {
    Run(g);
    FAIL() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUser);
    EXPECT_THAT(error.what(), HasSubstr("[test] planned"));
    EXPECT_THAT(error.what(), HasSubstr("\n  induced by "));
    EXPECT_THAT(error.what(), HasSubstr(", made in the forward pass"));
  }
}

// Rules: F4.
TEST_P(AnomalyRunTest, OtherExceptionsKeepTheirTypeAndComeWithAWarning) {
  CollectedWarnings seen;
  WarningHandlerScope scope(seen);
  const auto run = [&] {
    AnomalyLabel label("a node that throws");
    NodePtr node = MakeEnd([](const VariableList&) { throw std::out_of_range("planned"); },
                           On(Device::Sim(0), 0));
    engine_.Execute({Edge(node, 0)}, {On(Device::Sim(0), 1)}, false, false, true);
  };
  EXPECT_THROW(run(), std::out_of_range);
  EXPECT_TRUE(seen.warnings().empty());
  DetectAnomalyGuard anomaly;
  EXPECT_THROW(run(), std::out_of_range);
  ASSERT_EQ(seen.warnings().size(), 1u);
  EXPECT_THAT(seen.Messages()[0], HasSubstr("in Function, made in a node that throws"));
}

// Rules: F4, N1.
TEST_P(AnomalyRunTest, EachCallOfANestedErrorAddsItsNode) {
  DetectAnomalyGuard anomaly({.capture_stacks = false});
  NodePtr outer;
  {
    AnomalyLabel label("the outer graph");
    outer = MakeEnd([&](const VariableList&) { Run(NanAtZero()); }, On(Device::Sim(0), 0));
  }
  const std::string text = AnomalyIn(
      [&] { engine_.Execute({Edge(outer, 0)}, {On(Device::Sim(0), 1)}, false, true, true); });
  const size_t inner_at = text.find("in SqrtBackward, made in the loss");
  const size_t outer_at = text.find("\n  in Function, made in the outer graph");
  EXPECT_NE(inner_at, std::string::npos) << text;
  EXPECT_NE(outer_at, std::string::npos) << text;
  EXPECT_LT(inner_at, outer_at);
}

}  // namespace
}  // namespace twingrad

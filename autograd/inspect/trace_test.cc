// Traces: every node that ran is there once, nested calls lie inside, costs add up, errors leave
// nothing behind.

#include "autograd/inspect/trace.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace twingrad {
namespace {

using nlohmann::json;

Tensor X() { return Leaf(Tensor::FromData<double>({2}, {1, 2})); }

TEST(Trace, HasEachNodeOnceInOrder) {
  Trace trace;
  Engine engine({.observer = &trace});
  Backward({Sum(Exp(X()) * 2)}, {}, {.engine = &engine});
  const json events = json::parse(trace.ChromeJson())["traceEvents"];
  ASSERT_EQ(events.size(), 4u);
  double end = 0;
  std::vector<std::string> names;
  for (const json& event : events) {
    names.push_back(event["name"]);
    EXPECT_EQ(event["ph"], "X");
    EXPECT_EQ(event["cat"], "node");
    EXPECT_EQ(event["tid"], 1);
    EXPECT_GE(double(event["ts"]) + 0.001, end);  // one after the other, to the digits printed
    EXPECT_GE(double(event["dur"]), 0);
    end = double(event["ts"]) + double(event["dur"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"SumBackward", "MulBackward", "ExpBackward",
                                             "AccumulateGrad"}));
}

TEST(Trace, CostsAreSortedAndCountEachNanosecondOnce) {
  Trace trace;
  Engine engine({.observer = &trace});
  const Tensor x = X();
  Tensor y = x;
  for (int i = 0; i < 5; ++i) y = Tanh(y);
  const Tensor inner = Sum(x * x);
  RegisterHook(y, [&](const Tensor& g) {
    Grad({inner}, {x}, {}, {.retain_graph = true, .engine = &engine});
    return g;
  });
  Backward({Sum(y)}, {}, {.engine = &engine});
  const std::vector<NodeCost> costs = trace.Costs();
  sync::Duration total{0};
  int64_t count = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (i > 0) {
      EXPECT_LE(costs[i].total, costs[i - 1].total);
    }
    if (costs[i].name == "TanhBackward") {
      EXPECT_EQ(costs[i].count, 5);
    }
    EXPECT_GE(costs[i].total.count(), 0);
    EXPECT_DOUBLE_EQ(costs[i].mean_us() * static_cast<double>(costs[i].count) * 1000,
                     static_cast<double>(costs[i].total.count()));
    total += costs[i].total;
    count += costs[i].count;
  }
  const json events = json::parse(trace.ChromeJson())["traceEvents"];
  EXPECT_EQ(static_cast<int64_t>(events.size()), count);
  // The nested call lies inside the first Tanh, whose row in the timeline covers it.
  double outer = 0;
  for (const json& event : events) {
    if (event["args"]["task"] == events.back()["args"]["task"]) outer += double(event["dur"]);
  }
  EXPECT_NEAR(static_cast<double>(total.count()) / 1000, outer, 0.001 * double(count));
  EXPECT_EQ(trace.CostTable().substr(0, 4), "node");
  EXPECT_NE(trace.CostTable().find("TanhBackward"), std::string::npos);
  trace.Clear();
  EXPECT_TRUE(trace.Costs().empty());
}

TEST(Trace, CapturesAreMarkedAndErrorsEndTheirNode) {
  Trace trace;
  Engine engine({.observer = &trace});
  const Tensor x = X();
  Grad({Sum(Exp(x))}, {x}, {}, {.engine = &engine});
  EXPECT_EQ(json::parse(trace.ChromeJson())["traceEvents"].back()["cat"], "capture");
  trace.Clear();
  const Tensor y = Exp(x);
  RegisterHook(y, [](const Tensor&) -> Tensor { throw Error(ErrorKind::kUser, "stop"); });
  EXPECT_THROW(Backward({Sum(y)}, {}, {.engine = &engine}), Error);
  EXPECT_EQ(trace.Costs().size(), 2u);
  trace.Clear();
  Backward({Sum(Exp(x))}, {}, {.engine = &engine});
  EXPECT_EQ(trace.Costs().size(), 3u);
}

TEST(Trace, WorkersHaveRowsOfTheirOwn) {
  Trace trace;
  Engine engine({.device_threads = 1, .observer = &trace});
  const Tensor x = X();
  Backward({Sum(Exp(To(x, Device::Sim(0))))}, {}, {.engine = &engine});
  const json events = json::parse(trace.ChromeJson())["traceEvents"];
  int rows = 0;
  for (const json& event : events) rows = std::max(rows, int(event["tid"]));
  EXPECT_EQ(rows, 2);
}

TEST(Trace, NamesAreEscaped) {
  class Odd final : public Node {
   public:
    VariableList Apply(VariableList&& g) override { return std::move(g); }
    std::string_view name() const override { return "a \"b\"\n\\"; }
  };
  Trace trace;
  const auto node = MakeNode<Odd>();
  const Evaluation evaluation{1, 0, *node};
  trace.OnEvaluate(evaluation, true);
  trace.OnEvaluated(evaluation);
  trace.OnEvaluated(evaluation);  // one too many is no matter
  EXPECT_EQ(json::parse(trace.ChromeJson())["traceEvents"][0]["name"], "a \"b\"\n\\");
}

}  // namespace
}  // namespace twingrad

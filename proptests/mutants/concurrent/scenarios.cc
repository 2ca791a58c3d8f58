#include "proptests/mutants/concurrent/scenarios.h"

#include <chrono>
#include <exception>
#include <functional>
#include <stdexcept>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/engine/call_future.h"
#include "autograd/engine/engine.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/backend.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/thread.h"
#include "autograd/sync/user_code.h"

namespace twingrad::mutants {
namespace {

constexpr char kPlanned[] = "planned";

// Of every engine that a scenario makes; null but while its nodes are counted.
EngineObserver* observer = nullptr;

EngineOptions Workers(int count) { return {.device_threads = count, .observer = observer}; }

// Passes gradients on, or throws. On real threads it takes its time first.
class SlowNode final : public Node {
 public:
  SlowNode(int milliseconds, bool throws) : milliseconds_(milliseconds), throws_(throws) {}
  VariableList Apply(VariableList&& gradients) override {
    if constexpr (!sync::kIsModel) {
      const auto end = sync::Now() + std::chrono::milliseconds(milliseconds_);
      while (sync::Now() < end) {
      }
    }
    if (throws_) throw std::runtime_error(kPlanned);
    return VariableList(num_outputs(), gradients[0]);
  }
  std::string_view name() const override { return "Slow"; }

 private:
  const int milliseconds_;
  const bool throws_;
};

Tensor One(Device device) { return Tensor::Scalar(1, DType::kF64, device); }

Tensor Leaf(Device device) {
  Tensor leaf = One(device);
  SetRequiresGrad(leaf, true);
  return leaf;
}

Edge Slow(Device device, const std::vector<Edge>& next, int milliseconds, bool throws = false) {
  NodePtr node = MakeNode<SlowNode>(milliseconds, throws);
  node->AddInput(One(device));
  node->SetNextEdges(next);
  return Edge(node, 0);
}

// Runs backward from these roots, with a one for each; "" or what went wrong.
std::string Backward(Engine& engine, const std::vector<Edge>& roots, bool keep_graph = false) {
  std::vector<Tensor> seeds;
  for (const Edge& root : roots) seeds.push_back(One(root.function->device()));
  try {
    engine.Execute(roots, seeds, keep_graph, /*create_graph=*/false, /*accumulate_grad=*/true);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string Differs(const Tensor& leaf, double expected) {
  const Tensor grad = GradOf(leaf);
  if (!grad.defined()) return "[bits] .grad is undefined";
  const double value = grad.item<double>();
  if (value == expected) return "";
  return absl::StrCat("[bits] .grad is ", value, ", not ", expected);
}

// The one worker hands its last node to the caller and ends after it.
std::string CompletionByTheWorker() {
  Engine engine(Workers(1));
  const Tensor x = Leaf(Device::Cpu());
  const Tensor y = ops::To(x, Device::Sim(0));
  if (std::string wrong = Backward(engine, {GradientEdge(y)}); !wrong.empty()) return wrong;
  return Differs(x, 1);
}

// An error leaves a node in the queue of a worker that is then shut down.
std::string ShutdownWithWorkLeft() {
  Engine engine(Workers(1));
  const Device device = Device::Sim(0);
  const Edge left = Slow(device, {}, 0);
  const Edge fails = Slow(device, {}, 0, /*throws=*/true);
  const std::string error = Backward(engine, {left, fails});
  return error == kPlanned ? "" : absl::StrCat("[error] the caller got: ", error);
}

// The engine is stopped while another thread runs backward.
std::string StopBesideARun() {
  Engine engine(Workers(1));
  const Tensor x = Leaf(Device::Cpu());
  const Tensor y = ops::To(x, Device::Sim(0));
  std::string wrong;
  sync::Thread caller("caller", [&] { wrong = Backward(engine, {GradientEdge(y)}); });
  engine.Stop();
  caller.Join();
  return wrong.empty() ? Differs(x, 1) : wrong;
}

// Two workers complete one slot.
std::string TwoIntoOneSlot() {
  Engine engine(Workers(2));
  const Tensor x = Leaf(Device::Cpu());
  const Tensor a = ops::To(x, Device::Sim(0));
  const Tensor b = ops::To(x, Device::Sim(1));
  const Edge slow = Slow(Device::Sim(1), {GradientEdge(b)}, 1);
  if (std::string wrong = Backward(engine, {GradientEdge(a), slow}); !wrong.empty()) {
    return absl::StrCat("[error] ", wrong);
  }
  return Differs(x, 2);
}

// Two callers add to the .grad of one leaf.
std::string TwoCallersOneLeaf() {
  Engine engine(Workers(0));
  const Tensor x = Leaf(Device::Cpu());
  const Edge slow = Slow(Device::Cpu(), {GradientEdge(x)}, 1);
  std::string wrong;
  sync::Thread other("caller", [&] { wrong = Backward(engine, {GradientEdge(x)}); });
  const std::string mine = Backward(engine, {slow});
  other.Join();
  if (!mine.empty() || !wrong.empty()) return absl::StrCat("[error] ", mine, wrong);
  return Differs(x, 2);
}

// Two callers over one leaf whose hook takes what has arrived and empties .grad.
std::string StepsInAHook() {
  Engine engine(Workers(0));
  const Tensor x = Leaf(Device::Cpu());
  const Edge slow = Slow(Device::Cpu(), {GradientEdge(x)}, 1);
  double stepped = 0;
  RegisterPostAccumulateGradHook(x, [&](const Tensor& grad) {
    stepped += grad.item<double>();
    SetGrad(x, Tensor());
  });
  std::string wrong;
  sync::Thread other("caller", [&] { wrong = Backward(engine, {GradientEdge(x)}); });
  const std::string mine = Backward(engine, {slow});
  other.Join();
  if (!mine.empty() || !wrong.empty()) return absl::StrCat("[error] ", mine, wrong);
  return stepped == 2 ? "" : absl::StrCat("[error] the steps add up to ", stepped, ", not 2");
}

// Two callers run one chain, whose nodes belong to whoever claimed them first.
std::string TwoCallersOneGraph() {
  Engine engine(Workers(0));
  const Tensor x = Leaf(Device::Cpu());
  // From different roots: from one, both give a node the same index, and may write each other's.
  const Edge lower = Slow(Device::Cpu(), {GradientEdge(x)}, 1);
  const Edge chain = Slow(Device::Cpu(), {lower}, 1);
  std::string wrong;
  sync::Thread other("caller", [&] { wrong = Backward(engine, {lower}); });
  const std::string mine = Backward(engine, {chain});
  other.Join();
  if (!mine.empty() || !wrong.empty()) return absl::StrCat("[error] ", mine, wrong);
  return Differs(x, 2);
}

// The last node to end is a worker's, and fails.
std::string FailureOfTheLast() {
  Engine engine(Workers(1));
  const Tensor x = Leaf(Device::Cpu());
  const Edge slow = Slow(Device::Cpu(), {GradientEdge(x)}, 1);
  const Edge fails = Slow(Device::Sim(0), {}, 0, /*throws=*/true);
  const std::string error = Backward(engine, {slow, fails});
  return error == kPlanned ? "" : absl::StrCat("[error] the caller got: ", error);
}

// One worker fails while another accumulates.
std::string FailureBesideALeaf() {
  Engine engine(Workers(2));
  const Tensor x = Leaf(Device::Sim(1));
  const Edge fails = Slow(Device::Sim(0), {}, 3, /*throws=*/true);
  const std::string error = Backward(engine, {GradientEdge(x), fails});
  if (error != kPlanned) return absl::StrCat("[error] the caller got: ", error);
  const bool had_grad = GradOf(x).defined();
  engine.Stop();
  if (GradOf(x).defined() == had_grad) return "";
  return "[frozen] .grad has changed after the call had thrown";
}

// Two callers run one graph, and the first who is done releases what it has saved.
std::string TwoCallersOneProduct() {
  Engine engine(Workers(0));
  const Tensor x = Leaf(Device::Cpu());
  const Edge product = GradientEdge(ops::Mul(x, x));
  std::string wrong;
  sync::Thread other("caller", [&] { wrong = Backward(engine, {product}); });
  const std::string mine = Backward(engine, {product});
  other.Join();
  for (const std::string& error : {mine, wrong}) {
    if (!error.empty() && !absl::StrContains(error, "were released")) {
      return absl::StrCat("[error] ", error);
    }
  }
  return mine.empty() || wrong.empty() ? "" : "[error] both were too late";
}

// One caller keeps the graph that another releases.
std::string KeepingBesideReleasing() {
  Engine engine(Workers(0));
  const Tensor x = Leaf(Device::Cpu());
  const Edge product = GradientEdge(ops::Mul(x, x));
  std::string wrong;
  sync::Thread other("caller", [&] { wrong = Backward(engine, {product}); });
  const std::string mine = Backward(engine, {product}, /*keep_graph=*/true);
  other.Join();
  if (!wrong.empty()) return absl::StrCat("[error] ", wrong);
  if (!mine.empty() && !absl::StrContains(mine, "were released")) {
    return absl::StrCat("[error] ", mine);
  }
  return "";
}

// Two callers meet a view whose base was written, so that its node is to be made anew.
std::string TwoCallersOneView() {
  Engine engine(Workers(0));
  const Tensor x = Leaf(Device::Cpu());
  Tensor base = ops::Neg(x);
  const Tensor view = ops::View(base, {1});
  ops::NegInPlace(base);
  const auto run = [&] {
    if (!RequiresGrad(view)) return std::string("the view does not require grad");
    try {
      engine.Execute({GradientEdge(view)}, {Tensor::Ones({1}, DType::kF64)}, /*keep_graph=*/false,
                     /*create_graph=*/false, /*accumulate_grad=*/true);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  std::string wrong;
  sync::Thread other("caller", [&] { wrong = run(); });
  const std::string mine = run();
  other.Join();
  if (!mine.empty() || !wrong.empty()) return absl::StrCat("[error] ", mine, wrong);
  return Differs(x, 2);
}

// A callback and what it owns belong to the user, who may do anything there.
std::string CallbackAfterARun() {
  Engine engine(Workers(1));
  const Tensor x = Leaf(Device::Sim(0));
  RegisterHook(x, [](const Tensor& gradient) {
    Engine::QueueCallback(
        [object = sync::UserObject()] { sync::UserCode("the callback of a scenario"); });
    return gradient;
  });
  const std::string error = Backward(engine, {GradientEdge(x)});
  return error.empty() ? "" : absl::StrCat("[error] the caller got: ", error);
}

// A gradient is captured on the worker's thread.
std::string CaptureByTheWorker() {
  Engine engine(Workers(1));
  const Tensor x = Leaf(Device::Sim(0));
  const Edge slow = Slow(Device::Sim(0), {GradientEdge(x)}, 0);
  VariableList results;
  try {
    results = engine.Execute({slow}, {One(Device::Sim(0))}, /*keep_graph=*/false,
                             /*create_graph=*/false, /*accumulate_grad=*/false, {GradientEdge(x)});
  } catch (const std::exception& error) {
    return absl::StrCat("[error] the caller got: ", error.what());
  }
  return results[0].item<double>() == 1 ? "" : "[bits] another gradient than 1 was captured";
}

// Two threads that have served calls wait for more, of which one comes.
std::string CallAfterTwoCalls() {
  Engine engine(Workers(0));
  const Tensor x = Leaf(Device::Cpu());
  const auto start = [&] {
    return engine.ExecuteAsync({GradientEdge(x)}, {One(Device::Cpu())}, /*keep_graph=*/false,
                               /*create_graph=*/false, /*accumulate_grad=*/true);
  };
  const CallFuture one = start();
  const CallFuture other = start();
  one.Wait();
  other.Wait();
  start().Wait();
  return Differs(x, 3);
}

constexpr Scenario kScenarios[] = {
    {"completion_by_the_worker", 2, CompletionByTheWorker},
    {"shutdown_with_work_left", 3, ShutdownWithWorkLeft},
    {"stop_beside_a_run", 2, StopBesideARun},
    {"two_into_one_slot", 5, TwoIntoOneSlot},
    {"two_callers_one_leaf", 2, TwoCallersOneLeaf},
    {"steps_in_a_hook", 2, StepsInAHook},
    {"two_callers_one_graph", 3, TwoCallersOneGraph},
    {"failure_of_the_last", 4, FailureOfTheLast},
    {"failure_beside_a_leaf", 3, FailureBesideALeaf},
    {"callback_after_a_run", 1, CallbackAfterARun},
    {"two_callers_one_product", 2, TwoCallersOneProduct},
    {"keeping_beside_releasing", 2, KeepingBesideReleasing},
    {"two_callers_one_view", 4, TwoCallersOneView},
    {"capture_by_the_worker", 2, CaptureByTheWorker},
    {"call_after_two_calls", 1, CallAfterTwoCalls},
};

}  // namespace

absl::Span<const Scenario> Scenarios() { return kScenarios; }

void ObserveScenarios(EngineObserver* of_engines) { observer = of_engines; }

const Scenario* FindScenario(std::string_view name) {
  for (const Scenario& scenario : kScenarios) {
    if (scenario.name == name) return &scenario;
  }
  return nullptr;
}

}  // namespace twingrad::mutants

#include "proptests/conformance/facts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/reference/recount.h"

namespace twingrad::conformance {
namespace {

using protocol::Fact;
using protocol::Hello;
using twingrad::program::CallRecord;
using twingrad::program::Observation;
using twingrad::reference::TwinResult;

// When a stale view gets its new node, and so its place in the order, is each engine's own.
bool HasRegeneratedViews(const Observation& observed) {
  for (const CallRecord& call : observed.calls) {
    for (const auto& node : call.nodes) {
      if (node.name.role == twingrad::program::NodeRole::kRegeneratedView) return true;
    }
  }
  return false;
}

// Facts that are not shown are as expected.
void FillValues(const Hello& hello, const Observation& expected, Observation& observed) {
  for (size_t i = 0; i < observed.values.size() && i < expected.values.size(); ++i) {
    if (!hello.Has(Fact::kVersions)) observed.values[i].version = expected.values[i].version;
    if (!hello.Has(Fact::kRequiresGrad)) {
      observed.values[i].requires_grad = expected.values[i].requires_grad;
    }
  }
}

void FillHooks(const Hello& hello, const Observation& expected, Observation& observed) {
  if (hello.Has(Fact::kHooks)) return;
  for (size_t i = 0; i < observed.calls.size() && i < expected.calls.size(); ++i) {
    observed.calls[i].hooks = expected.calls[i].hooks;
  }
}

void FillErrors(const Hello& hello, const Observation& expected, Observation& observed) {
  if (hello.Has(Fact::kErrors) || !observed.error || !expected.error) return;
  if (observed.error->statement == expected.error->statement) {
    observed.error->error = expected.error->error;
  }
}

// A view's node that was replaced before anybody could see it has no number in the engine.
void NumberRegeneratedViews(std::vector<CallRecord>& calls) {
  for (CallRecord& call : calls) {
    std::vector<twingrad::program::NodeName*> names;
    for (auto& node : call.nodes) {
      if (node.name.role == twingrad::program::NodeRole::kRegeneratedView) {
        names.push_back(&node.name);
      }
    }
    std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) {
      return std::pair(a->statement, a->index) < std::pair(b->statement, b->index);
    });
    for (size_t i = 0; i < names.size(); ++i) {
      const bool another = i > 0 && names[i - 1]->statement == names[i]->statement;
      names[i]->index = another ? names[i - 1]->index + 1 : 0;
    }
  }
}

// What no root reaches may have no node in the engine, and then its place in the graph is unknown.
void PredictOnlyWhatIsShown(const Observation& observed, TwinResult& expected) {
  auto& predicted = expected.call_predicted;
  for (size_t i = 0; i < observed.calls.size() && i < predicted.size(); ++i) {
    const auto& inputs = observed.calls[i].inputs;
    if (std::any_of(inputs.begin(), inputs.end(), [](const auto& edge) { return edge.node < 0; })) {
      predicted[i] = false;
    }
  }
}

}  // namespace

judge::Needs Shown(const Hello& hello, bool twin, bool predicted, const Observation& observed) {
  judge::Needs shown = 0;
  if (twin) shown |= judge::need::kTwin;
  if (!hello.Has(Fact::kGraph)) return shown;
  shown |= judge::need::kCalls | judge::need::kGraph;
  if (predicted) shown |= judge::need::kPrediction;
  if (predicted && hello.Has(Fact::kOrder) && !HasRegeneratedViews(observed)) {
    shown |= judge::need::kOrder;
  }
  if (hello.Has(Fact::kHooks)) shown |= judge::need::kHooks;
  return shown;
}

void FillOrder(const Hello& hello, Observation& observed) {
  if (hello.Has(Fact::kOrder)) return;
  for (CallRecord& call : observed.calls) {
    const auto recount = twingrad::reference::RecountCall(call);
    call.executed.clear();
    for (size_t n = 0; n < recount.executed.size(); ++n) {
      if (recount.executed[n]) call.executed.push_back(static_cast<int32_t>(n));
    }
  }
}

void FillFacts(const Hello& hello, TwinResult& expected, Observation& observed) {
  FillValues(hello, expected.observation, observed);
  FillErrors(hello, expected.observation, observed);
  FillHooks(hello, expected.observation, observed);
  PredictOnlyWhatIsShown(observed, expected);
  NumberRegeneratedViews(observed.calls);
  NumberRegeneratedViews(expected.observation.calls);
}

}  // namespace twingrad::conformance

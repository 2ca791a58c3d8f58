#include "proptests/conformance/facts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/reference/recount.h"

namespace twingrad::conformance {
namespace {

using protocol::Fact;
using protocol::Hello;
using twingrad::program::CallRecord;
using twingrad::program::HookRecord;
using twingrad::program::NodeRecord;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::reference::TwinResult;

bool IsRegeneratedView(const NodeRecord& node) {
  return node.name.role == twingrad::program::NodeRole::kRegeneratedView;
}

// When a stale view gets its new node, and so its place in the order, is each engine's own.
bool HasRegeneratedViews(const Observation& observed) {
  return std::ranges::any_of(observed.calls, [](const CallRecord& call) {
    return std::ranges::any_of(call.nodes, IsRegeneratedView);
  });
}

// A view's node that was replaced before anybody could see it has no number in the engine.
void NumberRegeneratedViews(std::vector<CallRecord>& calls) {
  for (CallRecord& call : calls) {
    std::vector<twingrad::program::NodeName*> names;
    for (NodeRecord& node : call.nodes) {
      if (IsRegeneratedView(node)) names.push_back(&node.name);
    }
    std::ranges::sort(names, [](const auto* a, const auto* b) {
      return std::pair(a->statement, a->index) < std::pair(b->statement, b->index);
    });
    for (size_t i = 0; i < names.size(); ++i) {
      const bool another = i > 0 && names[i - 1]->statement == names[i]->statement;
      names[i]->index = another ? names[i - 1]->index + 1 : 0;
    }
  }
}

// What no root reaches may have no node in the engine, and then its place in the graph is unknown.
// Where a gradient has a history in the engine that is of zeros alone, and none by the twin, the
// engine has nodes that create_graph made.
void PredictOnlyWhatIsShown(const Observation& observed, TwinResult& expected) {
  auto& predicted = expected.call_predicted;
  for (size_t i = 0; i < observed.calls.size() && i < predicted.size(); ++i) {
    const CallRecord& call = observed.calls[i];
    const auto unknown = [](const auto& edge) { return edge.node < 0; };
    const auto made = [](const NodeRecord& node) {
      return node.name.role == twingrad::program::NodeRole::kBackward;
    };
    if (std::ranges::any_of(call.inputs, unknown) || std::ranges::any_of(call.nodes, made)) {
      predicted[i] = false;
    }
  }
}

bool IsZero(const twingrad::program::TensorData& data) {
  return twingrad::IsFloating(data.dtype) &&
         std::ranges::all_of(data.bits, [](uint64_t bits) { return bits << 1 == 0; });
}

// Of ready nodes that are equal in rank a queue without an order among equals gives another when a
// nested call has used it meanwhile; this happens where calls stand within calls.
void OrderOnlyWhatIsRanked(TwinResult& expected) {
  const auto& calls = expected.observation.calls;
  expected.call_in_any_order.resize(std::max(expected.call_in_any_order.size(), calls.size()));
  for (const CallRecord& call : calls) {
    if (call.outer >= 0) expected.call_in_any_order[static_cast<size_t>(call.outer)] = true;
  }
}

}  // namespace

// Of a value that is hooked in the one graph and of which the other has no node, or no gradient
// comes to it.
bool TakeZerosForAbsentHooks(const Program& program, const CallRecord& expected,
                             CallRecord& observed) {
  const auto is_of = [](int32_t statement) {
    return [statement](const HookRecord& record) { return record.statement == statement; };
  };
  const auto calls_back = [&](const HookRecord& record) {
    const auto& statement = program.statements[static_cast<size_t>(record.statement)];
    return statement.Get<std::string>(twingrad::program::Key::kDo) == "callback";
  };
  const auto may_be_absent = [&](const HookRecord& record) {
    return record.gradient_defined ? IsZero(record.gradient) : !calls_back(record);
  };
  const auto has = [&](const std::vector<HookRecord>& records, int32_t statement) {
    return std::ranges::any_of(records, is_of(statement));
  };
  // A final callback sees nothing, and is absent with the hook that has asked for it alone.
  const auto all_may_be_absent = [&](const std::vector<HookRecord>& records, int32_t statement) {
    int64_t zeros = 0, callbacks = 0;
    for (const HookRecord& record : records) {
      if (record.statement != statement) continue;
      if (record.gradient_defined && !IsZero(record.gradient)) return false;
      zeros += record.gradient_defined ? 1 : 0;
      callbacks += !record.gradient_defined && calls_back(record) ? 1 : 0;
    }
    return callbacks <= zeros;
  };
  const auto is_once = [&](const std::vector<HookRecord>& records, int32_t statement) {
    return std::ranges::count_if(records, is_of(statement)) == 1;
  };
  bool differed = false;
  std::vector<HookRecord> hooks;
  for (const HookRecord& record : observed.hooks) {
    const bool surplus = !has(expected.hooks, record.statement) &&
                         all_may_be_absent(observed.hooks, record.statement);
    differed |= surplus;
    if (!surplus) hooks.push_back(record);
  }
  for (const HookRecord& record : expected.hooks) {
    if (has(observed.hooks, record.statement)) continue;
    if (!all_may_be_absent(expected.hooks, record.statement)) continue;
    differed = true;
    hooks.push_back(record);
  }
  for (HookRecord& record : hooks) {
    const auto own = std::ranges::find_if(expected.hooks, is_of(record.statement));
    const bool once = own != expected.hooks.end() && is_once(expected.hooks, record.statement) &&
                      is_once(hooks, record.statement);
    if (!once || own->gradient_defined == record.gradient_defined) continue;
    if (!may_be_absent(*own) || !may_be_absent(record)) continue;
    record.gradient_defined = own->gradient_defined;
    record.gradient = own->gradient;
    differed = true;
  }
  if (differed) observed.hooks = std::move(hooks);
  return differed;
}

judge::Needs Shown(const Hello& hello, bool twin, bool predicted, const Observation& observed) {
  judge::Needs shown = 0;
  if (twin) shown |= judge::need::kTwin;
  if (hello.Has(Fact::kErrors)) shown |= judge::need::kSurvived;
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
  const Observation& twin = expected.observation;
  if (!hello.Has(Fact::kAccessors)) observed.accessors.clear();
  for (size_t i = 0; i < std::min(observed.values.size(), twin.values.size()); ++i) {
    auto& value = observed.values[i];
    if (!hello.Has(Fact::kVersions)) value.version = twin.values[i].version;
    if (!hello.Has(Fact::kRequiresGrad)) value.requires_grad = twin.values[i].requires_grad;
  }
  for (size_t i = 0; i < std::min(observed.calls.size(), twin.calls.size()); ++i) {
    if (!hello.Has(Fact::kHooks)) observed.calls[i].hooks = twin.calls[i].hooks;
  }
  if (!hello.Has(Fact::kErrors) && observed.error && twin.error &&
      observed.error->statement == twin.error->statement) {
    observed.error->error = twin.error->error;
  }
  PredictOnlyWhatIsShown(observed, expected);
  OrderOnlyWhatIsRanked(expected);
  NumberRegeneratedViews(observed.calls);
  NumberRegeneratedViews(expected.observation.calls);
}

bool Holds(const Program& program, twingrad::program::Opcode op) {
  return std::ranges::count(program.statements, op, &twingrad::program::Statement::op) > 0;
}

bool CreatesGraph(const Program& program) {
  return std::ranges::any_of(program.statements, [](const auto& s) {
    return s.template Get<bool>(twingrad::program::Key::kCreateGraph);
  });
}

bool TakeZerosForAbsent(const Program& program, const TwinResult& expected, Observation& observed) {
  const Observation& twin = expected.observation;
  bool differed = false;
  for (size_t i = 0; i < observed.calls.size() && i < twin.calls.size(); ++i) {
    if (expected.call_predicted[i]) continue;
    differed |= TakeZerosForAbsentHooks(program, twin.calls[i], observed.calls[i]);
  }
  for (size_t i = 0; i < observed.values.size() && i < twin.values.size(); ++i) {
    const auto& e = twin.values[i];
    auto& o = observed.values[i];
    if (e.defined != o.defined && IsZero(e.defined ? e.data : o.data)) {
      o = e;
      differed = true;
    }
    if (e.grad_defined == o.grad_defined || !IsZero(e.grad_defined ? e.grad : o.grad)) continue;
    o.grad_defined = e.grad_defined;
    o.grad = e.grad;
    differed = true;
  }
  return differed;
}

}  // namespace twingrad::conformance

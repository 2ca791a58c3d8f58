// Two runs of one Program, bit by bit.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/region.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

constexpr std::string_view kOracle = "determinism";

Verdict Differs(const Program& program, int statement, const std::string& what,
                const std::string& names) {
  return Disagree(
      kOracle,
      absl::StrCat("determinism: ", what, "\n  ", LineOf(program, statement), "\n  ", names, "\n"),
      {statement});
}

std::string BitsText(const std::string& what, const Difference& difference, const TensorData& a,
                     const TensorData& b) {
  if (difference.kind == Difference::Kind::kType) {
    return absl::StrCat(what, "\n  one  ", TypeText(a.dtype, a.shape), "\n  other ",
                        TypeText(b.dtype, b.shape));
  }
  return absl::StrCat(what, " at element ", difference.index, "\n  one   ",
                      ElementText(a, difference.index), "\n  other ",
                      ElementText(b, difference.index));
}

// What differs of one value, if anything.
std::optional<Verdict> FindDifference(const Program& program, ValueId value, const ValueRecord& a,
                                      const ValueRecord& b, bool compare_grad,
                                      const std::string& names) {
  const auto differs = [&](const std::string& what) {
    return Differs(program, StatementOf(program, value), what, names);
  };
  if (a.defined != b.defined || a.requires_grad != b.requires_grad || a.version != b.version) {
    return differs("whether the value is defined or requires grad, or its version");
  }
  if (a.defined) {
    const Difference d = CompareBits(a.data, b.data);
    if (d) return differs(BitsText("value", d, a.data, b.data));
  }
  if (!compare_grad) return std::nullopt;
  if (a.grad_defined != b.grad_defined) return differs("whether .grad is defined");
  if (a.grad_defined) {
    const Difference d = CompareBits(a.grad, b.grad);
    if (d) return differs(BitsText(".grad", d, a.grad, b.grad));
  }
  return std::nullopt;
}

// Whether the call ended with the error of the run, or a hook made it in the course of that one.
bool Failed(const Observation& run, size_t call) {
  return run.error.has_value() &&
         run.error->statement == program::OutermostStatement(run.calls, call);
}

// How many calls stand before the one that failed.
size_t CompleteCalls(const Observation& run) {
  size_t count = 0;
  while (count < run.calls.size() && !Failed(run, count)) ++count;
  return count;
}

// The log with hooks of different nodes, and final callbacks, in a fixed order.
std::vector<const HookRecord*> Sorted(const CallRecord& call) {
  std::vector<const HookRecord*> hooks;
  for (const HookRecord& record : call.hooks) hooks.push_back(&record);
  std::stable_sort(hooks.begin(), hooks.end(), [](const HookRecord* x, const HookRecord* y) {
    if (x->node != y->node) return x->node < y->node;
    return x->node < 0 && x->statement < y->statement;
  });
  return hooks;
}

// Whether a .grad that sections add to has a history depends on which of them was last, and with it
// whether a later sum with it makes a node: those that create_graph made are numbered otherwise.
bool IsOneNode(const NodeName& a, const NodeName& b, bool sections) {
  const bool numbered = sections && a.role == NodeRole::kBackward && b.role == NodeRole::kBackward;
  return numbered ? a.statement == b.statement : a == b;
}

Verdict JudgeCall(const Program& program, const CallRecord& a, const CallRecord& b,
                  const std::string& names, const reference::TwinResult* expected) {
  // Of sections that use one view, timing decides which makes its node anew.
  if (a.order_keys != b.order_keys && !HasSections(program)) {
    return Differs(
        program, a.statement,
        absl::StrCat("how many order keys the call took, ", a.order_keys, " and ", b.order_keys),
        names);
  }
  const bool sections = HasSections(program);
  bool same_nodes = a.nodes.size() == b.nodes.size();
  for (size_t i = 0; same_nodes && i < a.nodes.size(); ++i) {
    same_nodes = IsOneNode(a.nodes[i].name, b.nodes[i].name, sections) &&
                 a.nodes[i].next_edges == b.nodes[i].next_edges;
  }
  if (!same_nodes) return Differs(program, a.statement, "the nodes of the call", names);
  if (a.dependencies != b.dependencies || a.needed != b.needed) {
    return Differs(program, a.statement, "the counts of the call", names);
  }
  const std::vector<const HookRecord*> x = Sorted(a);
  const std::vector<const HookRecord*> y = Sorted(b);
  bool same = x.size() == y.size();
  for (size_t i = 0; same && i < x.size(); ++i) {
    const bool shared = expected != nullptr && expected->IsSharedRead(a.statement, x[i]->statement);
    same = x[i]->statement == y[i]->statement && x[i]->gradient_defined == y[i]->gradient_defined &&
           (shared || !CompareBits(x[i]->gradient, y[i]->gradient));
  }
  return same ? Agree(kOracle) : Differs(program, a.statement, "the hooks of the call", names);
}

// Why timing may decide what the thread sections of this Program leave; empty: it does not.
std::string TimingOfSections(const Program& program, const Observation& a, const Observation& b,
                             const reference::TwinResult* expected) {
  if (!HasSections(program)) return "";
  if (expected == nullptr || expected->skipped) return "nobody says what its sections may show";
  if (expected->order_reaches_values) return "the order of sums reaches other values";
  if (!expected->uncertain_hooks.empty()) return "sections add or remove one another's hooks";
  for (const Observation* observed : {&a, &b}) {
    for (const ErrorRecord& error : observed->survived) {
      const auto& contended = expected->contended_calls;
      if (std::find(contended.begin(), contended.end(), error.statement) != contended.end()) {
        return "which call has released a graph depends on timing";
      }
    }
  }
  return "";
}

}  // namespace

Verdict JudgeDeterminism(const Program& program, const Observation& a, const Observation& b,
                         bool threads, const std::string& names,
                         const reference::TwinResult* expected) {
  if (const std::string timing = TimingOfSections(program, a, b, expected); !timing.empty()) {
    return Skip(kOracle, timing);
  }
  if (threads && expected != nullptr && expected->single_thread_only) {
    return Skip(kOracle, "hooks act on others, or calls fail, in an order that timing decides");
  }
  if (threads && !a.survived.empty() && !b.survived.empty() &&
      a.survived[0].statement == b.survived[0].statement) {
    return Skip(kOracle, "the Program goes on after an error whose effect may depend on timing");
  }
  if (a.error.has_value() != b.error.has_value()) {
    const int statement = a.error ? a.error->statement : b.error->statement;
    return Differs(program, statement, "whether there is an error", names);
  }
  const bool failed = a.error.has_value();
  if (a.survived.empty() != b.survived.empty() ||
      (!a.survived.empty() && a.survived[0].statement != b.survived[0].statement)) {
    const ErrorRecord& survived = a.survived.empty() ? b.survived[0] : a.survived[0];
    return Differs(program, survived.statement, "which error the Program survives first", names);
  }
  const bool loose = failed && threads;
  if (failed && a.error->statement != b.error->statement) {
    return Differs(program, a.error->statement, "the statement of the error", names);
  }
  if (failed && !loose && a.error->error != b.error->error) {
    return Differs(program, a.error->statement, "the class of the error", names);
  }
  // A call that failed may have been cut short before or after a hook's own calls.
  const size_t calls = loose ? CompleteCalls(a) : a.calls.size();
  if (a.values.size() != b.values.size() || calls != (loose ? CompleteCalls(b) : b.calls.size())) {
    return Differs(program, 0, "the number of values or calls", names);
  }
  for (size_t i = 0; i < a.values.size(); ++i) {
    const bool any_order = expected != nullptr && i < expected->grad_in_any_order.size() &&
                           expected->grad_in_any_order[i];
    auto different = FindDifference(program, static_cast<ValueId>(i), a.values[i], b.values[i],
                                    !loose && !any_order, names);
    if (different) return *std::move(different);
  }
  for (size_t i = 0; i < calls; ++i) {
    if (Failed(a, i)) continue;
    Verdict verdict = JudgeCall(program, a.calls[i], b.calls[i], names, expected);
    if (verdict.outcome == Outcome::kDisagree) return verdict;
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles

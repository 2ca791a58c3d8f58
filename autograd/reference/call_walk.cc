// The walk of a call: nodes in the order of the ready queue, and what arrives at the leaves.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/reference/call.h"

namespace twingrad::reference {

using program::CallRecord;
using program::NodeRole;
using program::ValueId;

void Call::Walk() {
  if (roots_.size() == 1) {
    Contribution first{seeds_[0], nullptr};
    states_[roots_[0]].first = states_[roots_[0]].last = interpreter_.arena().New(first);
  }
  const bool hooks = roots_.size() == 1 && interpreter_.rules().roots_run_hooks;
  if (Delivers(start_) || hooks)
    ready_.push_back({calculus_.nodes()[start_].key, arrivals_++, start_});
  while (!ready_.empty()) {
    std::pop_heap(ready_.begin(), ready_.end());
    const Ready next = ready_.back();
    ready_.pop_back();
    within_.reset();
    if (calculus_.nodes()[next.node].within) within_ = next.arrival;
    EvaluateOrStop(next.node);
    if (error_.has_value() && !order_is_open_ && !fails_beside_) return;
  }
}

void Call::EvaluateOrStop(NodeId node) {
  try {
    Evaluate(node);
  } catch (const Raised& raised) {
    StopAt(node, raised.error);
  }
}

void Call::StopAt(NodeId node, ErrorKind error) {
  states_[node].dead = true;
  states_[node].error = error;
  if (fails_beside_ && error == ErrorKind::kFreed && interpreter_.group() != nullptr) {
    interpreter_.group()->NoteFailsAnyway(index_);
  }
  if (!error_.has_value()) error_ = error;
}

void Call::Evaluate(NodeId id) {
  calculus_.EnterNode(id);
  if (interpreter_.group() != nullptr) interpreter_.group()->NoteEvaluated(id);
  const bool writes_view = calculus_.nodes()[id].name.role == NodeRole::kCopySlices;
  const bool has_ports =
      calculus_.nodes()[id].custom != nullptr || !calculus_.nodes()[id].parts.empty();
  if (has_ports && !writes_view) return EvaluateSeveral(id);
  State& state = states_[id];
  absl::InlinedVector<Variable, 4> terms;
  for (const Contribution* c = state.first; c != nullptr; c = c->next) {
    terms.push_back(c->gradient);
  }
  Variable gradient;
  if (!terms.empty()) gradient = AddAll(terms);
  CheckSumForNan(terms, gradient);
  const DialectRules& rules = interpreter_.rules();
  if (!Executes(id)) {
    if (rules.captures_run_hooks) {
      RunTensorHooks(id, gradient);
      StoreRetained(id, gradient);
    }
    StoreCaptures(id, {&gradient, 1});
    return;
  }
  NoteExecuted(id);
  if (rules.defects.captures_miss_hooks) StoreCaptures(id, {&gradient, 1});
  RunTensorHooks(id, gradient);
  if (!rules.defects.captures_miss_hooks) StoreCaptures(id, {&gradient, 1});
  if (!rules.pre_hooks_before_retain_grad) StoreRetained(id, gradient);
  if (NodeHooks* hooks = interpreter_.hooks_of(id)) RunHooks(id, hooks->pre, gradient);
  if (rules.pre_hooks_before_retain_grad) StoreRetained(id, gradient);
  ApplyNode(id, gradient);
}

void Call::NoteExecuted(NodeId id) {
  if (error_.has_value()) return;
  states_[id].executed = true;
  CallRecord& record = interpreter_.result().observation.calls[call_];
  if (predicted_) record.executed.push_back(states_[id].record);
}

void Call::ApplyNode(NodeId id, const Variable& gradient) {
  const Node node = calculus_.nodes()[id];
  const size_t count = node.edges.size();
  absl::Span<Variable> results;
  if (node.name.role == NodeRole::kAccumulateGrad) {
    Accumulate(id, gradient);
  } else if (node.name.role == NodeRole::kGraphRoot) {
    results = absl::MakeSpan(seeds_);
  } else if (node.custom != nullptr) {
    Variable* const base = interpreter_.arena().New(Variable());
    if (gradient.defined()) *base = ApplyCustomToView(id, gradient);
    results = absl::MakeSpan(base, 1);
    if (node.edges[0] == kNoNode || !Delivers(calculus_.MainOf(node.edges[0]))) *base = {};
  } else {
    // Without a gradient, what a write through a view saved is not checked.
    if (gradient.defined() || node.name.role != NodeRole::kCopySlices) {
      CheckSaved(id);
      NoteUnpacked(id);
    }
    auto* wanted = interpreter_.arena().Allocate<bool>(count);
    for (size_t k = 0; k < count; ++k) {
      wanted[k] = node.edges[k] != kNoNode && Delivers(calculus_.MainOf(node.edges[k]));
    }
    results = calculus_.Differentiate(id, gradient, absl::MakeConstSpan(wanted, count));
  }
  Leave(id, gradient, results);
}

void Call::Leave(NodeId id, const Variable& gradient, absl::Span<Variable> results) {
  RunPostHooks(id, gradient, results);
  if (!keep_graph_ && (!error_.has_value() || fails_beside_)) Release(id);
  const Node& node = calculus_.nodes()[id];
  CheckForNan(node, gradient, results);
  const absl::Span<const NodeId> edges = node.edges;
  for (size_t k = 0; k < edges.size(); ++k) {
    if (edges[k] != kNoNode) Deliver(edges[k], results[k]);
  }
}

void Call::Release(NodeId id) {
  Node& node = calculus_.nodes()[id];
  (fails_beside_ ? node.may_be_freed : node.freed) = true;
  if (interpreter_.group() != nullptr && calculus_.nodes()[id].saves) {
    interpreter_.group()->NoteRelease(id, Outermost().index_);
  }
}

void Call::CheckSaved(NodeId id) const {
  const Node& node = calculus_.nodes()[id];
  SectionGroup* const group = interpreter_.group();
  if (group != nullptr && node.saves) group->NoteNeed(id, Outermost().index_);
  const bool freed = node.freed && (group == nullptr || !group->IsReleasedBeside(id));
  if (node.saves && freed) throw Raised{ErrorKind::kFreed};
  if (node.saves && node.may_be_freed && group == nullptr) {
    throw Skipped{"a call needs what a failed call of a thread section may have released"};
  }
  for (const SavedVersion& saved : node.saved) {
    if (interpreter_.storage(saved.storage).version == saved.version) continue;
    // It may as well have saved what it made of that operand.
    if (node.name.role == program::NodeRole::kBackward) {
      throw Skipped{"what create_graph's nodes have saved of an operand that was written since"};
    }
    // What unpacks a view requests its node before it looks at the version.
    const ValueId view = saved.unrenewed_view;
    const bool renews = view != program::kNoValue &&
                        interpreter_.tensor(interpreter_.tensor(view).base).requires_grad;
    throw Raised{renews ? ErrorKind::kInvalidArgument : ErrorKind::kVersion};
  }
}

void Call::Deliver(NodeId edge, const Variable& gradient) {
  const NodeId id = calculus_.MainOf(edge);
  State& state = states_[id];
  --state.outstanding;
  if (!Delivers(id)) return;
  if (gradient.defined()) {
    State& input = states_[edge];
    auto* added = interpreter_.arena().New(Contribution{gradient, nullptr});
    (input.first == nullptr ? input.first : input.last->next) = added;
    input.last = added;
  }
  if (state.outstanding > 0) return;
  const Node& node = calculus_.nodes()[id];
  const bool first = node.within || node.name.role == NodeRole::kAccumulateGrad;
  const uint64_t arrival = within_.value_or(arrivals_++);
  ready_.push_back({first ? UINT64_MAX : node.key, arrival, id});
  std::push_heap(ready_.begin(), ready_.end());
}

void Call::Accumulate(NodeId id, const Variable& gradient) {
  if (!gradient.defined()) return;
  const ValueId leaf = calculus_.nodes()[id].leaf;
  if (interpreter_.group() != nullptr && interpreter_.tensor(leaf).grad_misfits) {
    throw Skipped{"which thread section finds a .grad of another layout depends on timing"};
  }
  AddToGrad(leaf, gradient, /*in_place=*/!create_graph_);
  if (std::exchange(interpreter_.tensor(leaf).grad_misfits, false) && !create_graph_) {
    NoteWarning(id, program::WarningSource::kLayout, -1);
  }
  if (NodeHooks* hooks = interpreter_.hooks_of(id)) {
    if (interpreter_.tensor(leaf).grad_in_any_order && !hooks->accumulate.empty()) {
      interpreter_.result().order_reaches_values = true;
    }
    // Those that are there now, as in RunHooks; but each sees `.grad` as the one before left it,
    // whose call may have added to it.
    const std::vector<int32_t> now = hooks->accumulate;
    for (const int32_t hook : now) {
      Variable grad = interpreter_.tensor(leaf).grad;
      SectionGroup* const group = interpreter_.group();
      // That it reads none is certain.
      const bool reads = grad.defined() || fails_beside_;
      if (group != nullptr && reads && !interpreter_.hook(hook).removed) {
        group->NoteRead(leaf, index_, interpreter_.hook(hook).statement, outer_ != nullptr);
      }
      RunHook(id, hook, grad);
    }
  }
}

// `.grad` of a leaf (in place: it keeps its history) or of a value that retains it.
void Call::AddToGrad(ValueId value, const Variable& gradient, bool in_place) {
  Tensor& tensor = interpreter_.tensor(value);
  const bool happens = !error_.has_value() || fails_beside_;  // else only under another timing
  if (SectionGroup* group = interpreter_.group(); group != nullptr && happens) {
    group->NoteAddition(value, gradient, !fails_beside_);
  }
  interpreter_.CheckGradIsCertain(value);
  const Variable old = tensor.grad;
  if (fails_beside_) return interpreter_.NoteUncertain(value, gradient);
  Variable grad;
  if (!old.defined()) {
    grad = calculus_.Gather(gradient, {nullptr, gradient.data->size}, tensor.shape);
    grad.storage = -1;
  } else {
    grad = calculus_.Apply(Primitive::kAdd, old, gradient);
    if (in_place) {
      grad.tracked = old.tracked;
      grad.node = old.node;
    }
  }
  if (order_is_open_) {
    // In another order an error may come before this, or after it.
    const bool before = !error_.has_value();
    Outermost().other_grads_.emplace_back(value, before ? old : grad);
    if (!before) return;
  }
  tensor.grad = grad;
}

// What may have been added may have been taken away again.
void Call::EmptyGrad(ValueId leaf) {
  const bool happens = !error_.has_value() || fails_beside_;
  if (interpreter_.group() != nullptr && happens) interpreter_.group()->NoteEmptied(leaf);
  if (!error_.has_value()) return interpreter_.tensor(leaf).ReplaceGrad({});
  if (fails_beside_) return interpreter_.NoteUncertainIsEmptied(leaf);
  Outermost().other_grads_.back().second = {};
}

void Call::StoreRetained(NodeId id, const Variable& gradient) {
  NodeHooks* hooks = interpreter_.hooks_of(id);
  if (hooks == nullptr || !gradient.defined()) return;
  for (const ValueId value : hooks->retained) AddToGrad(value, gradient, /*in_place=*/false);
}

void Call::StoreCaptures(NodeId id, absl::Span<const Variable> gradients) {
  for (int32_t c = states_[id].captures; c >= 0; c = captures_[c].next) {
    const Variable& gradient = gradients[input_nodes_[captures_[c].input] - id];
    Variable& captured = captured_[captures_[c].input];
    captured = gradient;
    // What is returned is a copy with a node of its own (A16).
    if (gradient.tracked) {
      captured = calculus_.Gather(gradient, {nullptr, gradient.data->size}, gradient.data->shape);
    }
  }
}

}  // namespace twingrad::reference

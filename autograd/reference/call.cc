#include "autograd/reference/call.h"

#include <algorithm>
#include <new>
#include <utility>

namespace twingrad::reference {

using program::CallRecord;
using program::Key;
using program::kNoValue;
using program::NodeRole;
using program::Opcode;
using program::ValueId;

Call::Call(Interpreter& interpreter, const program::Statement& statement, int32_t index,
           Call* outer)
    : interpreter_(interpreter),
      calculus_(interpreter.calculus()),
      statement_(statement),
      index_(index),
      outer_(outer),
      is_grad_(statement.op == Opcode::kGrad),
      create_graph_(statement.Get<bool>(Key::kCreateGraph)),
      keep_graph_(statement.Get<bool>(Key::kRetainGraph, create_graph_)) {}

void Call::Run() {
  const SavedHooks* hooks = interpreter_.saved_hooks();
  if (create_graph_ && hooks != nullptr && hooks->action != HookAction::kRecord) {
    throw Skipped{"a call with create_graph under hooks that change what is saved"};
  }
  TwinResult& result = interpreter_.result();
  call_ = static_cast<int32_t>(result.observation.calls.size());
  CallRecord& record = result.observation.calls.emplace_back();
  record.statement = index_;
  record.outer = outer_ == nullptr ? -1 : outer_->call_;
  record.keep_graph = keep_graph_;
  record.create_graph = create_graph_;
  record.accumulate_grad = !is_grad_;
  result.call_predicted.push_back(true);
  result.call_in_any_order.push_back(false);
  result.hook_bounds.emplace_back();
  if (outer_ == nullptr) calculus_.BeginCall(index_, create_graph_);
  TakeArguments();
  Prepare();
  if (interpreter_.IsToFail(index_)) {
    fails_beside_ = true;
    error_ = ErrorKind::kFreed;
  }
  Walk();
  if (!error_.has_value()) RunCallbacks();
  if (outer_ == nullptr) calculus_.EndCall();
  if (error_.has_value()) {
    FindLegalErrors();
    NoteOtherGrads();
    throw Raised{*error_};
  }
  if (outer_ != nullptr) return;
  result.grad_alternatives.clear();
  DeliverResults();
}

// The checks in the order of the README.
void Call::TakeArguments() {
  absl::Span<const ValueId> seeds;
  if (const auto* given = statement_.Find(Key::kSeeds)) {
    seeds = std::get<std::vector<ValueId>>(*given);
  }
  if (const auto* given = statement_.Find(Key::kInputs)) {
    has_inputs_ = true;
    inputs_ = std::get<std::vector<ValueId>>(*given);
  }
  const auto check = [this](ValueId value) {
    if (value != kNoValue && !interpreter_.tensor(value).defined) {
      throw Raised{ErrorKind::kUndefined};
    }
  };
  for (const ValueId root : statement_.operands) check(root);
  for (const ValueId seed : seeds) check(seed);
  for (const ValueId input : inputs_) check(input);
  if (has_inputs_ && inputs_.empty()) throw Raised{ErrorKind::kInvalidArgument};
  TakeSeeds(seeds);
  for (const ValueId root : statement_.operands) {
    roots_.push_back(interpreter_.GradientEdge(root));
    if (roots_.back() == kNoNode) throw Raised{ErrorKind::kNoGraph};
  }
  TakeInputs();
}

void Call::TakeSeeds(absl::Span<const ValueId> seeds) {
  const size_t roots = statement_.operands.size();
  if (!seeds.empty() && seeds.size() != roots) throw Raised{ErrorKind::kGradCount};
  for (size_t r = 0; r < roots; ++r) {
    const ValueId root = statement_.operands[r];
    const ValueId seed = seeds.empty() ? kNoValue : seeds[r];
    if (!interpreter_.RequiresGrad(root)) {
      if (!interpreter_.rules().seeds_come_first) throw Raised{ErrorKind::kNoGraph};
      if (seed == kNoValue) continue;  // the graph will be missed
    }
    seeds_.push_back(TakeSeed(root, seed));
  }
}

Variable Call::TakeSeed(ValueId root, ValueId seed) {
  const Tensor& of = interpreter_.tensor(root);
  Variable variable;
  if (seed == kNoValue) {
    if (of.map.size != 1 && outer_ == nullptr) throw Raised{ErrorKind::kImplicitSeed};
    variable.data = Filled(interpreter_.arena(), of.dtype, of.shape, of.map.size, 1);
    return variable;
  }
  const Tensor& given = interpreter_.tensor(seed);
  if (*given.shape != *of.shape) throw Raised{ErrorKind::kShape};
  const bool cast = given.dtype != of.dtype;
  if (cast && interpreter_.rules().seeds_have_the_type_of_roots) {
    throw Raised{ErrorKind::kDType};
  }
  if (given.device != of.device) throw Raised{ErrorKind::kDevice};
  variable = interpreter_.Read(seed);
  if (create_graph_) {
    variable.node = interpreter_.GradientEdge(seed);
    variable.tracked = variable.node != kNoNode;
  }
  if (cast) {
    variable = calculus_.Apply(Primitive::kCast, {.dtype = of.dtype}, variable);
  }
  return variable;
}

void Call::TakeInputs() {
  for (const ValueId input : inputs_) {
    if (!interpreter_.RequiresGrad(input)) throw Raised{ErrorKind::kNoGraph};
  }
  for (const ValueId input : inputs_) {
    NodeId edge = interpreter_.GradientEdge(input);
    if (!is_grad_) interpreter_.RetainGrad(input);
    if (edge == kNoNode) {  // requires grad, but no edge leads there: cannot be reached
      Node nothing;
      nothing.name = {NodeRole::kIdentity, index_, 0};
      edge = calculus_.AddNode(nothing);
    }
    input_nodes_.push_back(edge);
  }
}

void Call::Prepare() {
  start_ = calculus_.MainOf(roots_[0]);
  if (roots_.size() > 1) {
    Node root;
    root.name = {NodeRole::kGraphRoot, index_, 0};
    root.edges = absl::MakeConstSpan(roots_);
    start_ = calculus_.AddNode(root);
  }
  states_.resize(calculus_.nodes().size());
  if (is_grad_) captures_.resize(input_nodes_.size());
  for (size_t i = captures_.size(); i-- > 0;) {  // so that those of one node are in order
    int32_t& first = states_[calculus_.MainOf(input_nodes_[i])].captures;
    captures_[i] = {static_cast<int32_t>(i), first};
    first = static_cast<int32_t>(i);
  }
  captured_.resize(is_grad_ ? inputs_.size() : 0);
  CountDependencies();
  FindInputsBeside();
  if (Filtered()) MarkNeeded();
  FindDevices();
  RecordGraph();
}

// Edges lead from younger nodes to older ones, so that a pass by age sees producers first.
void Call::CountDependencies() {
  const std::vector<Node>& nodes = calculus_.nodes();
  int32_t least = 0;
  for (size_t i = 0; i < input_nodes_.size(); ++i) {
    const int32_t nr = nodes[input_nodes_[i]].topological_nr;
    least = i == 0 ? nr : std::min(least, nr);
  }
  states_[start_].reachable = states_[start_].expanded = states_[start_].counted = true;
  for (NodeId n = start_; n >= 0; --n) {
    if (!states_[n].reachable) continue;
    states_[n].expanded = states_[n].counted && nodes[n].topological_nr >= least;
    for (const NodeId edge : nodes[n].edges) {
      if (edge == kNoNode) continue;
      const NodeId next = calculus_.MainOf(edge);
      states_[next].reachable = true;
      if (!states_[n].expanded) continue;
      states_[next].counted = true;
      states_[next].outstanding = ++states_[next].dependencies;
    }
    predicted_ &= nodes[n].name.role != NodeRole::kBackward;
  }
}

// Inputs that no root reaches, and what is below them, are listed as well, because the depth of the
// lowest input decides what is pruned.
void Call::FindInputsBeside() {
  for (const NodeId input : input_nodes_) states_[calculus_.MainOf(input)].beside = true;
  for (NodeId n = static_cast<NodeId>(states_.size()) - 1; n >= 0; --n) {
    if (!states_[n].beside) continue;
    for (const NodeId next : calculus_.nodes()[n].edges) {
      if (next != kNoNode) states_[calculus_.MainOf(next)].beside = true;
    }
    predicted_ &= calculus_.nodes()[n].name.role != NodeRole::kBackward;
  }
}

// A node executes if the gradients it makes are wanted: a pass from the leaves upwards.
void Call::MarkNeeded() {
  for (const NodeId input : input_nodes_) states_[calculus_.MainOf(input)].needed = !is_grad_;
  const std::vector<Node>& nodes = calculus_.nodes();
  for (NodeId n = 0; n <= start_; ++n) {
    if (!states_[n].expanded) continue;
    for (const NodeId next : nodes[n].edges) {
      if (next != kNoNode && Delivers(calculus_.MainOf(next))) states_[n].needed = true;
    }
  }
}

void Call::RecordGraph() {
  TwinResult& result = interpreter_.result();
  result.call_predicted[call_] = predicted_;
  if (!predicted_) return;
  const std::vector<Node>& nodes = calculus_.nodes();
  CallRecord& record = result.observation.calls[call_];
  const auto is_recorded = [](const State& state) { return state.reachable || state.beside; };
  const auto count = static_cast<size_t>(std::ranges::count_if(states_, is_recorded));
  record.nodes.reserve(count);
  record.dependencies.reserve(count);
  record.executed.reserve(count);
  for (NodeId n = static_cast<NodeId>(states_.size()) - 1; n >= 0; --n) {
    State& state = states_[n];
    if (!is_recorded(state)) continue;
    state.record = static_cast<int32_t>(record.nodes.size());
    program::NodeRecord& node = record.nodes.emplace_back();
    node.name = nodes[n].name;
    node.num_inputs = nodes[n].name.role == NodeRole::kGraphRoot ? 0 : nodes[n].num_inputs;
    record.dependencies.push_back(state.dependencies == 0 ? -1 : state.dependencies);
    if (Filtered()) record.needed.push_back(state.needed);
  }
  const auto edge = [this](NodeId to) {
    if (to == kNoNode) return program::EdgeRecord{-1, 0};
    const NodeId node = calculus_.MainOf(to);
    return program::EdgeRecord{states_[node].record, to - node};
  };
  for (NodeId n = static_cast<NodeId>(states_.size()) - 1; n >= 0; --n) {
    if (states_[n].record < 0) continue;
    for (const NodeId next : nodes[n].edges) {
      record.nodes[states_[n].record].next_edges.push_back(edge(next));
    }
  }
  for (const NodeId root : roots_) record.roots.push_back(edge(root));
  for (const NodeId input : input_nodes_) record.inputs.push_back(edge(input));
}

void Call::DeliverResults() {
  if (!is_grad_) return;
  const bool materialize = statement_.Get<bool>(Key::kMaterialize);
  const bool allow_unused = materialize || statement_.Get<bool>(Key::kAllowUnused);
  std::vector<ValueId> zeros;
  for (size_t i = 0; i < captured_.size(); ++i) {
    if (captured_[i].defined()) continue;
    if (!allow_unused) throw Raised{ErrorKind::kUnusedInput};
    if (!materialize) continue;
    const Tensor& input = interpreter_.tensor(inputs_[i]);
    captured_[i].data = Filled(interpreter_.arena(), input.dtype, input.shape, input.map.size, 0);
    zeros.push_back(statement_.results[i]);
  }
  for (size_t i = 0; i < captured_.size(); ++i) {
    interpreter_.DefineGradient(statement_.results[i], captured_[i], inputs_[i]);
  }
  // Leaves that require grad, where gradients have a history (A15).
  for (const ValueId value : zeros) interpreter_.tensor(value).requires_grad = create_graph_;
}

}  // namespace twingrad::reference

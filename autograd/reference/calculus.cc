#include "autograd/reference/calculus.h"

#include <algorithm>
#include <new>

#include "autograd/program/op_facts.h"
#include "autograd/reference/primitive_row.h"

namespace twingrad::reference {
namespace {

template <typename T>
absl::Span<T> CopyToArena(Arena& arena, const T* from, size_t count) {
  T* to = arena.Allocate<T>(count);
  for (size_t i = 0; i < count; ++i) new (&to[i]) T(from[i]);
  return absl::MakeSpan(to, count);
}

// The variables of a step that its derivative needs.
template <typename F>
void ForEachSaved(const Step& step, F save) {
  program::Saves saves = RowOf(step.primitive).saves;
  // The weights of a statement are its own.
  const bool own = step.out.step >= 0 || step.arguments.unsaved;
  if (step.primitive == Primitive::kWeigh && own) saves &= ~program::kSavesB;
  const Variable* in = step.in;
  const auto has = [saves](program::Saves bits) { return (saves & bits) != 0; };
  if (has(program::kSavesA) || (has(program::kSavesAForB) && in[1].tracked)) save(in[0]);
  if (has(program::kSavesB) || (has(program::kSavesBForA) && in[0].tracked) ||
      (has(program::kSavesBForB) && in[1].tracked)) {
    save(in[1]);
  }
  if (has(program::kSavesC)) save(in[2]);
  if (has(program::kSavesResult) || (has(program::kSavesResultForB) && in[1].tracked)) {
    save(step.out);
  }
  if (has(program::kSavesOwn) && step.arguments.picks) save(Variable());
}

}  // namespace

NodeId Calculus::AddNode(const Node& node) {
  Node& added = nodes_.emplace_back(node);
  added.key = next_key_++;
  for (const NodeId next : node.edges) {
    if (next != kNoNode) {
      added.topological_nr = std::max(added.topological_nr, nodes_[next].topological_nr + 1);
    }
  }
  return static_cast<NodeId>(nodes_.size()) - 1;
}

void Calculus::MakePorts(NodeId id, int32_t inputs) {
  nodes_[id].num_inputs = inputs;
  for (int32_t k = 1; k < inputs; ++k) {
    Node port = nodes_[id];
    port.port_of = id;
    nodes_.push_back(port);
  }
}

void Calculus::BeginStatement() {
  in_statement_ = true;
  steps_.clear();
}

absl::Span<Step> Calculus::TakeSteps() {
  in_statement_ = false;
  return CopyToArena(arena_, steps_.data(), steps_.size());
}

void Calculus::BeginCall(int32_t statement, bool create_graph) {
  create_graph_ = create_graph;
  call_ = statement;
  nodes_of_call_ = 0;
}

// Also after an error in the middle of a statement or call.
void Calculus::EndCall() {
  create_graph_ = in_statement_ = false;
  lenient_ = true;
}

Variable Calculus::Record(Primitive primitive, const Variable* in,
                          const PrimitiveArguments& arguments, const Array* data) {
  Variable out;
  out.data = data;
  bool tracked = false;
  const int inputs = RowOf(primitive).differentiable;
  for (int k = 0; k < inputs; ++k) tracked |= in[k].tracked;
  if (!tracked || !(in_statement_ || create_graph_)) return out;
  out.tracked = true;
  Step step{primitive, {in[0], in[1], in[2]}, out, arguments};
  if (in_statement_) {
    out.step = static_cast<int16_t>(steps_.size());
    step.out = out;
    steps_.push_back(step);
    return out;
  }
  out.node = static_cast<NodeId>(nodes_.size());
  auto* edges = arena_.Allocate<NodeId>(inputs);
  for (int k = 0; k < inputs; ++k) {
    edges[k] = in[k].tracked ? in[k].node : kNoNode;
    step.in[k].operand = in[k].tracked ? static_cast<int16_t>(k) : int16_t{-1};
    step.in[k].step = -1;
  }
  step.out = out;
  AddBackwardNode(absl::MakeConstSpan(edges, inputs), absl::MakeConstSpan(arena_.New(step), 1), {});
  return out;
}

NodeId Calculus::AddBackwardNode(absl::Span<const NodeId> edges, absl::Span<const Step> steps,
                                 absl::Span<const Variable> terms) {
  Node node;
  node.name = {program::NodeRole::kBackward, call_, nodes_of_call_++};
  node.device = device_;
  node.edges = edges;
  node.steps = steps;
  node.terms = terms;
  node.saved = SavedOf(steps, &node.saves);
  if (packing_ != nullptr) {
    node.packing = packing_;
    node.saved = {};
  }
  return AddNode(node);
}

Variable Calculus::Apply(Primitive primitive, const PrimitiveArguments& arguments,
                         const Variable& a, const Variable& b, const Variable& c) {
  const Variable in[3] = {a, b, c};
  const Array* arrays[3] = {a.data, b.data, c.data};
  const Array* data = Evaluate(arena_, primitive, arrays, arguments, !in_statement_ && lenient_);
  Variable out = Record(primitive, in, arguments, data);
  if (primitive == Primitive::kGather) {
    out.storage = a.storage;
    out.version = a.version;
    if (!out.tracked) out.operand = a.operand;
  }
  return out;
}

Variable Calculus::Constant(const Array* array) const {
  Variable constant;
  constant.data = array;
  return constant;
}

Variable Calculus::Constant(double value, const Variable& like) {
  const Array& a = *like.data;
  return Constant(Filled(arena_, a.dtype, a.shape, a.size, value));
}

Variable Calculus::AddAll(absl::Span<const Variable> terms, bool lenient) {
  if (terms.size() == 1) return terms[0];
  auto* arrays = arena_.Allocate<const Array*>(terms.size());
  bool tracked = false;
  for (size_t i = 0; i < terms.size(); ++i) {
    arrays[i] = terms[i].data;
    tracked |= terms[i].tracked;
  }
  Variable out;
  out.data = SumOf(arena_, absl::MakeConstSpan(arrays, terms.size()), lenient);
  if (!tracked || !create_graph_) return out;
  out.tracked = true;
  out.node = static_cast<NodeId>(nodes_.size());
  auto* edges = arena_.Allocate<NodeId>(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    edges[i] = terms[i].tracked ? terms[i].node : kNoNode;
  }
  AddBackwardNode(absl::MakeConstSpan(edges, terms.size()), {},
                  CopyToArena(arena_, terms.data(), terms.size()));
  return out;
}

void Calculus::AlsoSave(NodeId id, const Variable& operand) {
  Node& node = nodes_[id];
  if (node.packing != nullptr) return;
  const size_t count = node.saved.size();
  auto* saved = arena_.Allocate<SavedVersion>(count + 1);
  std::copy(node.saved.begin(), node.saved.end(), saved);
  saved[count] = {operand.storage, operand.version, operand.unrenewed_view};
  node.saved = absl::MakeConstSpan(saved, count + 1);
}

absl::Span<const SavedVersion> Calculus::SavedOf(absl::Span<const Step> steps, bool* saves) {
  size_t count = 0;
  for (const Step& step : steps) {
    ForEachSaved(step, [&](const Variable& v) {
      *saves = true;
      count += v.storage >= 0 ? 1 : 0;
    });
  }
  auto* saved = arena_.Allocate<SavedVersion>(count);
  size_t next = 0;
  for (const Step& step : steps) {
    ForEachSaved(step, [&](const Variable& v) {
      if (v.storage >= 0) saved[next++] = {v.storage, v.version, v.unrenewed_view};
    });
  }
  return absl::MakeConstSpan(saved, count);
}

}  // namespace twingrad::reference

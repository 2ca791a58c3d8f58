#include "autograd/reference/calculus.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "autograd/base/check.h"
#include "autograd/reference/group_primitives.h"

namespace twingrad::reference {
namespace {

// How many inputs of a primitive a gradient can reach.
int DifferentiableInputs(Primitive primitive) {
  switch (primitive) {
    case Primitive::kAdd:
    case Primitive::kSubtract:
    case Primitive::kMultiply:
    case Primitive::kDivide:
    case Primitive::kPower:
    case Primitive::kMaximum:
    case Primitive::kMinimum:
    case Primitive::kSquaredDifference:
    case Primitive::kSelect:
    case Primitive::kWeigh:
    case Primitive::kOverwrite:
      return 2;
    case Primitive::kNegate:
    case Primitive::kExp:
    case Primitive::kLog:
    case Primitive::kSqrt:
    case Primitive::kSin:
    case Primitive::kCos:
    case Primitive::kTanh:
    case Primitive::kSigmoid:
    case Primitive::kRelu:
    case Primitive::kAbs:
    case Primitive::kSign:
    case Primitive::kClamp:
    case Primitive::kDivideCount:
    case Primitive::kCast:
    case Primitive::kGather:
    case Primitive::kScatterAdd:
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
    case Primitive::kAddAll:
      return 1;
  }
  std::abort();  // Every primitive has returned.
}

template <typename T>
absl::Span<T> CopyToArena(Arena& arena, const T* from, size_t count) {
  T* to = arena.Allocate<T>(count);
  for (size_t i = 0; i < count; ++i) new (&to[i]) T(from[i]);
  return absl::MakeSpan(to, count);
}

// The variables of a step that its derivative needs, by the rules of the README.
template <typename F>
void ForEachSaved(const Step& step, F save) {
  const Variable* in = step.in;
  switch (step.primitive) {
    case Primitive::kMultiply:
      if (in[1].tracked) save(in[0]);
      if (in[0].tracked) save(in[1]);
      return;
    case Primitive::kDivide:
      if (in[1].tracked) save(in[0]);
      return save(in[1]);
    case Primitive::kPower:
      save(in[0]);
      save(in[1]);
      if (in[1].tracked) save(step.out);
      return;
    case Primitive::kMaximum:
    case Primitive::kMinimum:
    case Primitive::kSquaredDifference:
      save(in[0]);
      return save(in[1]);
    case Primitive::kGather:
    case Primitive::kScatterAdd:
      if (step.arguments.picks) save(Variable());
      return;
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
      save(in[0]);
      return save(step.out);
    case Primitive::kSelect:
      return save(in[2]);
    case Primitive::kWeigh:
      return save(in[1]);
    case Primitive::kExp:
    case Primitive::kSqrt:
    case Primitive::kTanh:
    case Primitive::kSigmoid:
    case Primitive::kRelu:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
      return save(step.out);
    case Primitive::kLog:
    case Primitive::kSin:
    case Primitive::kCos:
    case Primitive::kAbs:
    case Primitive::kClamp:
      return save(in[0]);
    case Primitive::kAdd:
    case Primitive::kSubtract:
    case Primitive::kNegate:
    case Primitive::kSign:
    case Primitive::kDivideCount:
    case Primitive::kCast:
    case Primitive::kOverwrite:
    case Primitive::kAddAll:
      return;
  }
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
void Calculus::EndCall() { create_graph_ = in_statement_ = false; }

Variable Calculus::Record(Primitive primitive, const Variable* in,
                          const PrimitiveArguments& arguments, const Array* data) {
  Variable out;
  out.data = data;
  bool tracked = false;
  const int inputs = DifferentiableInputs(primitive);
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
  return AddNode(node);
}

Variable Calculus::Apply(Primitive primitive, const Variable& a, const Variable& b,
                         const Variable& c, const PrimitiveArguments& arguments) {
  const Variable in[3] = {a, b, c};
  const Array* arrays[3] = {a.data, b.data, c.data};
  const Array* data = Evaluate(arena_, primitive, arrays, arguments, !in_statement_);
  Variable out = Record(primitive, in, arguments, data);
  if (primitive == Primitive::kGather) {
    out.storage = a.storage;
    out.version = a.version;
  }
  return out;
}

Variable Calculus::Gather(const Variable& a, const IndexMap& map, const Shape* shape) {
  PrimitiveArguments arguments;
  arguments.map = map;
  arguments.shape = shape;
  return Apply(Primitive::kGather, a, {}, {}, arguments);
}

Variable Calculus::ScatterAdd(const Variable& a, const IndexMap& map, const Shape* shape) {
  PrimitiveArguments arguments;
  arguments.map = map;
  arguments.shape = shape;
  return Apply(Primitive::kScatterAdd, a, {}, {}, arguments);
}

Variable Calculus::Constant(double value, const Variable& like) {
  const Array& a = *like.data;
  Variable constant;
  constant.data = Filled(arena_, a.dtype, a.shape, a.size, value);
  return constant;
}

Variable Calculus::AddAll(absl::Span<const Variable> terms) {
  if (terms.size() == 1) return terms[0];
  auto* arrays = arena_.Allocate<const Array*>(terms.size());
  bool tracked = false;
  for (size_t i = 0; i < terms.size(); ++i) {
    arrays[i] = terms[i].data;
    tracked |= terms[i].tracked;
  }
  Variable out;
  out.data = SumOf(arena_, absl::MakeConstSpan(arrays, terms.size()));
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
  const size_t count = node.saved.size();
  auto* saved = arena_.Allocate<SavedVersion>(count + 1);
  std::copy(node.saved.begin(), node.saved.end(), saved);
  saved[count] = {operand.storage, operand.version};
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
      if (v.storage >= 0) saved[next++] = {v.storage, v.version};
    });
  }
  return absl::MakeConstSpan(saved, count);
}

absl::Span<Variable> Calculus::Differentiate(NodeId id, const Variable& g,
                                             absl::Span<const bool> wanted) {
  const Node node = nodes_[id];  // a copy: recording may move the nodes
  const size_t count = node.edges.size();
  auto* results = arena_.Allocate<Variable>(count);
  for (size_t k = 0; k < count; ++k) new (&results[k]) Variable();
  const absl::Span<Variable> span = absl::MakeSpan(results, count);
  if (!g.defined()) return span;
  if (node.zeros_to_first && node.name.role != program::NodeRole::kCopySlices && wanted[0]) {
    span[0] = Constant(0, g);
  }
  if (!node.terms.empty()) {
    for (size_t k = 0; k < count; ++k) {
      if (wanted[k]) span[k] = g;
    }
    return span;
  }
  if (node.name.role != program::NodeRole::kCopySlices) {
    DifferentiateSteps(id, g, wanted, span);
    const bool viewed = node.name.role == program::NodeRole::kRegeneratedView;
    if (viewed && g.data->size == 0 && rules_.empty_views_lose_history) span[0].tracked = false;
    return span;
  }
  // A write through a view: the written places of the base's gradient go through the operation,
  // what the old contents get takes their place.
  auto* inner_wanted = arena_.Allocate<bool>(count);
  std::copy(wanted.begin(), wanted.end(), inner_wanted);
  const Variable slice = Gather(g, node.slice, node.slice_shape);
  DifferentiateSteps(id, slice, absl::MakeConstSpan(inner_wanted, count), span);
  if (wanted[0]) {
    PrimitiveArguments arguments;
    arguments.map = node.slice;
    const Variable old = span[0].defined() ? span[0] : Constant(0, slice);
    span[0] = Apply(Primitive::kOverwrite, g, old, {}, arguments);
  }
  return span;
}

// With create_graph each operand's gradient gets a history of its own, as in an engine: terms of
// second order that met in a step's gradient could cancel there, one by one, where an engine has
// rounded the sum of either operand's.
void Calculus::DifferentiateSteps(NodeId id, const Variable& g, absl::Span<const bool> wanted,
                                  absl::Span<Variable> results) {
  if (!create_graph_) return WalkSteps(id, g, wanted, results);
  auto* one = arena_.Allocate<bool>(wanted.size());
  for (size_t k = 0; k < wanted.size(); ++k) {
    std::fill_n(one, wanted.size(), false);
    one[k] = wanted[k];
    if (one[k]) WalkSteps(id, g, absl::MakeConstSpan(one, wanted.size()), results);
  }
}

void Calculus::WalkSteps(NodeId id, const Variable& g, absl::Span<const bool> wanted,
                         absl::Span<Variable> results) {
  const absl::Span<const Step> steps = nodes_[id].steps;
  if (steps.empty()) return;
  const size_t count = steps.size();
  auto* gradients = arena_.Allocate<Variable>(count);
  auto* leads = arena_.Allocate<bool>(count);  // to a wanted operand
  const auto is_wanted = [&](const Variable& in) {
    if (!in.tracked) return false;
    return in.step >= 0 ? leads[in.step] : in.operand >= 0 && wanted[in.operand];
  };
  for (size_t s = 0; s < count; ++s) {
    new (&gradients[s]) Variable();
    leads[s] =
        std::any_of(steps[s].in, steps[s].in + DifferentiableInputs(steps[s].primitive), is_wanted);
  }
  gradients[count - 1] = g;
  for (size_t s = count; s-- > 0;) {
    const Step& step = steps[s];
    if (!gradients[s].defined()) continue;
    const int inputs = DifferentiableInputs(step.primitive);
    for (int k = 0; k < inputs; ++k) {
      const Variable& in = step.in[k];
      if (!is_wanted(in)) continue;
      Variable& target = in.step >= 0 ? gradients[in.step] : results[in.operand];
      const Variable term = Derivative(id, step, k, gradients[s]);
      target = target.defined() ? Apply(Primitive::kAdd, target, term) : term;
    }
  }
}

Variable Calculus::Unpack(NodeId id, const Variable& saved) {
  Variable result;
  result.data = saved.data;
  if (!create_graph_ || !saved.tracked) {
    result.storage = saved.storage;
    result.version = saved.version;
    return result;
  }
  const absl::Span<const Step> steps = nodes_[id].steps;
  if (saved.step >= 0 && saved.step + 1 < static_cast<int>(steps.size())) {
    // What was made on the way, an operand that was broadcast say: made again, with history.
    const Step& step = steps[saved.step];
    Variable in[3];
    for (int k = 0; k < 3 && step.in[k].defined(); ++k) in[k] = Unpack(id, step.in[k]);
    return Apply(step.primitive, in[0], in[1], in[2], step.arguments);
  }
  result = saved;
  if (saved.step >= 0) {
    result.node =
        nodes_[id].name.role == program::NodeRole::kCopySlices ? EdgeOfWrittenView(id) : id;
  }
  result.operand = result.step = -1;
  return result;
}

// The result of a write through a view is a view of the base as the write left it.
NodeId Calculus::EdgeOfWrittenView(NodeId copy_slices) {
  const Node& node = nodes_[copy_slices];
  if (node.written_view != kNoNode) return node.written_view;
  Step step;
  step.primitive = Primitive::kGather;
  step.in[0].data = node.base_like;
  step.in[0].tracked = step.out.tracked = true;
  step.in[0].operand = 0;
  step.in[0].node = copy_slices;
  step.arguments.map = node.slice;
  step.arguments.shape = node.slice_shape;
  return AddBackwardNode(absl::MakeConstSpan(arena_.New(copy_slices), 1),
                         absl::MakeConstSpan(arena_.New(step), 1), {});
}

Variable Calculus::Derivative(NodeId id, const Step& step, int which, const Variable& g) {
  const auto in = [&](int k) { return Unpack(id, step.in[k]); };
  switch (step.primitive) {
    case Primitive::kAdd:
    case Primitive::kAddAll:
      return g;
    case Primitive::kSubtract:
      return which == 0 ? g : Apply(Primitive::kNegate, g);
    case Primitive::kMultiply:
      return Apply(Primitive::kMultiply, g, in(1 - which));
    case Primitive::kDivide:
      return DerivativeOfQuotient(id, step, which, g);
    case Primitive::kWeigh:
      // No gradient reaches the weight; where it has history, zeros do.
      return which == 1 ? Constant(0, g) : DerivativeOfMap(id, step, g);
    case Primitive::kPower:
      return DerivativeOfPower(id, step, which, g);
    case Primitive::kMaximum:
    case Primitive::kMinimum: {
      Variable weight;
      weight.data = MaximumWeight(arena_, step.in[0].data, step.in[1].data, which,
                                  step.primitive == Primitive::kMinimum);
      return Apply(Primitive::kWeigh, g, weight);
    }
    case Primitive::kSquaredDifference: {
      const Variable difference = Apply(Primitive::kSubtract, in(which), in(1 - which));
      return Apply(Primitive::kMultiply, g,
                   Apply(Primitive::kMultiply, Constant(2, difference), difference));
    }
    case Primitive::kSelect: {
      const Variable zero = Constant(0, g);
      return which == 0 ? Apply(Primitive::kSelect, g, zero, in(2))
                        : Apply(Primitive::kSelect, zero, g, in(2));
    }
    case Primitive::kOverwrite: {
      if (which == 1) return Gather(g, step.arguments.map, step.in[1].data->shape);
      Variable zero;
      const Array& values = *step.in[1].data;
      zero.data = Filled(arena_, values.dtype, values.shape, values.size, 0);
      return Apply(Primitive::kOverwrite, g, zero, {}, step.arguments);
    }
    case Primitive::kNegate:
    case Primitive::kExp:
    case Primitive::kLog:
    case Primitive::kSqrt:
    case Primitive::kSin:
    case Primitive::kCos:
    case Primitive::kTanh:
    case Primitive::kSigmoid:
    case Primitive::kRelu:
    case Primitive::kAbs:
    case Primitive::kSign:
    case Primitive::kClamp:
    case Primitive::kDivideCount:
    case Primitive::kCast:
    case Primitive::kGather:
    case Primitive::kScatterAdd:
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
      return DerivativeOfMap(id, step, g);
  }
  std::abort();  // Every primitive has returned.
}

// Of primitives with one differentiable input.
Variable Calculus::DerivativeOfMap(NodeId id, const Step& step, const Variable& g) {
  const auto in = [&] { return Unpack(id, step.in[0]); };
  const auto result = [&] { return Unpack(id, step.out); };
  const auto times = [&](const Variable& factor) { return Apply(Primitive::kMultiply, g, factor); };
  const auto weighed = [&](const Array* weight) {
    Variable constant;
    constant.data = weight;
    return Apply(Primitive::kWeigh, g, constant);
  };
  switch (step.primitive) {
    case Primitive::kNegate:
      return Apply(Primitive::kNegate, g);
    case Primitive::kExp:
      return times(result());
    case Primitive::kLog:
      return Apply(Primitive::kDivide, g, in());
    case Primitive::kSqrt: {
      const Variable r = result();
      return Apply(Primitive::kDivide, g, Apply(Primitive::kMultiply, Constant(2, r), r));
    }
    case Primitive::kSin:
      return times(Apply(Primitive::kCos, in()));
    case Primitive::kCos:
      return Apply(Primitive::kNegate, times(Apply(Primitive::kSin, in())));
    case Primitive::kTanh: {
      const Variable r = result();
      return times(Apply(Primitive::kSubtract, Constant(1, r), Apply(Primitive::kMultiply, r, r)));
    }
    case Primitive::kSigmoid: {
      const Variable r = result();
      return times(Apply(Primitive::kMultiply, r, Apply(Primitive::kSubtract, Constant(1, r), r)));
    }
    case Primitive::kRelu:
      return DerivativeOfSign(ReluWeight(arena_, step.out.data), result(), g);
    case Primitive::kAbs:
      return DerivativeOfSign(SignOf(arena_, step.in[0].data), in(), g);
    case Primitive::kSign:
      return Constant(0, g);
    case Primitive::kClamp: {
      bool kink = false;
      return weighed(ClampWeight(arena_, step.in[0].data, step.arguments, &kink,
                                 rules_.clamp_is_flat_at_limits));
    }
    case Primitive::kWeigh:
      return Apply(Primitive::kWeigh, g, Unpack(id, step.in[1]));
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
      return DerivativeOfGroups(id, step, g);
    case Primitive::kDivideCount:
      return step.arguments.late ? g : Shared(g, step.arguments.count);
    case Primitive::kCast: {
      PrimitiveArguments arguments;
      arguments.dtype = step.in[0].data->dtype;
      return Apply(Primitive::kCast, g, {}, {}, arguments);
    }
    case Primitive::kGather:
    case Primitive::kScatterAdd:
      return DerivativeOfPlaces(step, g);
    case Primitive::kAdd:
    case Primitive::kSubtract:
    case Primitive::kMultiply:
    case Primitive::kDivide:
    case Primitive::kPower:
    case Primitive::kMaximum:
    case Primitive::kMinimum:
    case Primitive::kSquaredDifference:
    case Primitive::kSelect:
    case Primitive::kOverwrite:
    case Primitive::kAddAll:
      break;  // of several inputs: Derivative()
  }
  std::abort();  // Every primitive has returned.
}

}  // namespace twingrad::reference

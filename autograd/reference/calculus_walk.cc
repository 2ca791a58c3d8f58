// Running a node: the gradient goes through its steps from the last to the first.

#include <algorithm>
#include <new>

#include "absl/types/span.h"
#include "autograd/reference/calculus.h"
#include "autograd/reference/primitive_row.h"

namespace twingrad::reference {
namespace {

// Whether all formulas of the derivative are NaN at the same points, so that a NaN among what
// follows exactly is one on every engine: a product's are, and whichever way a quotient's is
// divided, 0 meets 0 or infinity, or infinity itself.
bool AgreeOnNan(Primitive primitive) {
  return primitive == Primitive::kMultiply || primitive == Primitive::kDivide;
}

}  // namespace

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
    const bool loses = viewed && rules_.defects.empty_views_lose_history;
    if (loses && g.data->size == 0) span[0].tracked = false;
    return span;
  }
  // A write through a view: the written places of the base's gradient go through the operation and
  // are replaced by the gradient of the old contents.
  auto* inner_wanted = arena_.Allocate<bool>(count);
  std::copy(wanted.begin(), wanted.end(), inner_wanted);
  const Variable slice = Gather(g, node.slice, node.slice_shape);
  DifferentiateSteps(id, slice, absl::MakeConstSpan(inner_wanted, count), span);
  if (wanted[0]) {
    const Variable old = span[0].defined() ? span[0] : Constant(0, slice);
    span[0] = Apply(Primitive::kOverwrite, {.map = node.slice}, g, old);
  }
  return span;
}

// With create_graph each operand's gradient gets a history of its own, as in an engine. If the
// operands shared a history, second-order terms could cancel one by one in a step's gradient,
// whereas an engine rounds the sum for each operand first.
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
  const bool elementwise = nodes_[id].elementwise;
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
        std::any_of(steps[s].in, steps[s].in + RowOf(steps[s].primitive).differentiable, is_wanted);
  }
  gradients[count - 1] = g;
  for (size_t s = count; s-- > 0;) {
    const Step& step = steps[s];
    if (!gradients[s].defined()) continue;
    const PrimitiveRow& row = RowOf(step.primitive);
    for (int k = 0; k < row.differentiable; ++k) {
      const Variable& in = step.in[k];
      if (!is_wanted(in)) continue;
      Variable& target = in.step >= 0 ? gradients[in.step] : results[in.operand];
      lenient_ = !(elementwise && AgreeOnNan(step.primitive));
      const Variable term = row.derivative({*this, id, step, k, {this, gradients[s]}}).v;
      lenient_ = true;
      // What the step that made the operand multiplies the sum by, another engine multiplies the
      // terms by.
      const PrimitiveArguments regrouped = {
          .in_product = in.step >= 0 && steps[in.step].arguments.in_product,
          .may_underflow = in.step >= 0 && steps[in.step].arguments.may_underflow};
      target = target.defined() ? Apply(Primitive::kAdd, regrouped, target, term) : term;
    }
  }
}

// What an unpack hook makes of a tensor that was packed.
const Array* Calculus::Unpacked(const Packing* packing, const Array* saved) {
  if (packing == nullptr || !packing->scales || !IsFloating(saved->dtype)) return saved;
  const double by = Rounded(packing->by, FormatOf(saved->dtype));
  const Array* in[3] = {saved, Filled(arena_, saved->dtype, saved->shape, saved->size, by),
                        nullptr};
  return Evaluate(arena_, Primitive::kMultiply, in, {}, /*lenient=*/true);
}

Variable Calculus::Unpack(NodeId id, const Variable& saved) {
  // A constant of the op's own is no tensor that is packed.
  if (saved.storage < 0 && saved.step < 0 && saved.operand < 0 && !saved.tracked) return saved;
  const Packing* packing = nodes_[id].packing;
  const absl::Span<const Step> steps = nodes_[id].steps;
  const bool has_history = create_graph_ && saved.tracked;
  const bool is_inner = saved.step >= 0 && saved.step + 1 < static_cast<int>(steps.size());
  if (is_inner && (has_history || (packing != nullptr && packing->scales))) {
    const Step& step = steps[saved.step];
    Variable in[3];
    for (int k = 0; k < 3 && step.in[k].defined(); ++k) in[k] = Unpack(id, step.in[k]);
    const Variable out = Apply(step.primitive, step.arguments, in[0], in[1], in[2]);
    const bool broadcasts = step.primitive == Primitive::kGather && nodes_[id].elementwise;
    if (broadcasts && out.tracked) nodes_[out.node].within = true;
    return out;
  }
  Variable result;
  if (!has_history) {
    result.data = Unpacked(packing, saved.data);
    if (packing == nullptr) result.storage = saved.storage;
    result.version = saved.version;
    return result;
  }
  result = saved;
  result.data = Unpacked(packing, saved.data);
  if (packing != nullptr) result.storage = -1;  // of a copy
  if (saved.step >= 0 || saved.node == id) {
    result.node =
        nodes_[id].name.role == program::NodeRole::kCopySlices ? EdgeOfWrittenView(id) : id;
  }
  result.operand = result.step = -1;
  return result;
}

const Array* Calculus::UnpackElements(NodeId id, const Variable& saved) {
  const Packing* packing = nodes_[id].packing;
  return packing == nullptr || !packing->scales ? saved.data : Unpack(id, saved).data;
}

Step Calculus::ViewStep(const Array* base_like, NodeId base, const IndexMap& map,
                        const Shape* shape) {
  Step step;
  step.primitive = Primitive::kGather;
  step.in[0].data = base_like;
  step.in[0].tracked = step.out.tracked = true;
  step.in[0].operand = 0;
  step.in[0].node = base;
  step.arguments = {.map = map, .shape = shape};
  return step;
}

// The result of a write through a view is a view of the base as the write left it.
NodeId Calculus::EdgeOfWrittenView(NodeId copy_slices) {
  const Node& node = nodes_[copy_slices];
  if (node.written_view != kNoNode) return node.written_view;
  const Step step = ViewStep(node.base_like, copy_slices, node.slice, node.slice_shape);
  return AddBackwardNode(absl::MakeConstSpan(arena_.New(copy_slices), 1),
                         absl::MakeConstSpan(arena_.New(step), 1), {});
}

}  // namespace twingrad::reference

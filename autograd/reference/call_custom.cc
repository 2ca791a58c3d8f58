// Nodes with several results in a call: custom functions, whose backward makes something of a
// gradient for each of them, and parts of a tensor, whose gradients make the whole one's.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/reference/call.h"
#include "autograd/reference/custom.h"

namespace twingrad::reference {

// Hooks of all results, in the order of registration.
void Call::RunHooksOfAll(NodeId id, absl::Span<Variable> gradients) {
  std::vector<std::pair<int32_t, int32_t>> hooks;  // hook, result
  for (int32_t k = 0; k < static_cast<int32_t>(gradients.size()); ++k) {
    const NodeHooks* own = interpreter_.hooks_of(id + k);
    if (own == nullptr) continue;
    for (const int32_t hook : own->tensor) hooks.emplace_back(hook, k);
  }
  std::sort(hooks.begin(), hooks.end());
  for (const auto& [hook, k] : hooks) RunHook(id, hook, gradients[k]);
}

void Call::StoreRetainedOfAll(NodeId id, absl::Span<const Variable> gradients) {
  for (int32_t k = 0; k < static_cast<int32_t>(gradients.size()); ++k) {
    StoreRetained(id + k, gradients[k]);
  }
}

void Call::EvaluateSeveral(NodeId id) {
  const auto count = calculus_.nodes()[id].num_inputs;
  auto* first = interpreter_.arena().Allocate<Variable>(count);
  const absl::Span<Variable> gradients = absl::MakeSpan(first, static_cast<size_t>(count));
  for (int32_t k = 0; k < count; ++k) {
    new (&gradients[k]) Variable();
    std::vector<Variable> terms;
    for (const Contribution* c = states_[id + k].first; c != nullptr; c = c->next) {
      terms.push_back(c->gradient);
    }
    if (!terms.empty()) gradients[k] = AddAll(terms);
    CheckSumForNan(terms, gradients[k]);
  }
  const DialectRules& rules = interpreter_.rules();
  if (!Executes(id)) {
    if (rules.captures_run_hooks) {
      RunHooksOfAll(id, gradients);
      StoreRetainedOfAll(id, gradients);
    }
    return StoreCaptures(id, gradients);
  }
  NoteExecuted(id);
  if (rules.defects.captures_miss_hooks) StoreCaptures(id, gradients);
  RunHooksOfAll(id, gradients);
  if (!rules.defects.captures_miss_hooks) StoreCaptures(id, gradients);
  if (!rules.pre_hooks_before_retain_grad) StoreRetainedOfAll(id, gradients);
  if (const NodeHooks* hooks = interpreter_.hooks_of(id)) {
    const std::vector<int32_t> now = hooks->pre;
    for (const int32_t hook : now) RunPreHook(id, hook, gradients);
  }
  if (rules.pre_hooks_before_retain_grad) StoreRetainedOfAll(id, gradients);
  const Variable seen = gradients[0];
  if (!calculus_.nodes()[id].parts.empty()) {
    Variable whole = WholeOf(id, gradients);
    return Leave(id, seen, absl::MakeSpan(&whole, 1));
  }
  ApplyCustom(id, gradients);
  Leave(id, seen, gradients);
}

// The gradient of what was parted: zeros where no gradient came.
Variable Call::WholeOf(NodeId id, absl::Span<const Variable> gradients) {
  const Node node = calculus_.nodes()[id];
  Variable whole;
  const NodeId edge = node.edges[0];
  if (edge == kNoNode || !Delivers(calculus_.MainOf(edge))) return whole;
  for (size_t k = 0; k < gradients.size(); ++k) {
    if (!gradients[k].defined()) continue;
    if (!whole.defined()) {
      const Array& like = *node.base_like;
      whole =
          calculus_.Constant(Filled(interpreter_.arena(), like.dtype, like.shape, like.size, 0));
    }
    whole = calculus_.Apply(Primitive::kOverwrite, {.map = node.parts[k]}, whole, gradients[k]);
  }
  return whole;
}

// A pre-hook is shown the first gradient and acts on all of them.
void Call::RunPreHook(NodeId id, int32_t hook, absl::Span<Variable> gradients) {
  if (IsGone(hook)) return;
  NoteHook(id, hook, gradients[0]);
  ActOnOthers(id, interpreter_.hook(hook));
  for (Variable& gradient : gradients) Act(interpreter_.hook(hook), &gradient);
}

// Without `gradients`, whichever they are.
std::optional<ErrorKind> Call::CustomThrows(NodeId id,
                                            const absl::Span<const Variable>* gradients) const {
  const Node& node = calculus_.nodes()[id];
  const CustomRule& rule = *node.custom;
  if (rule.action == CustomAction::kThrow) return ErrorKind::kUser;
  if (rule.action == CustomAction::kWrongCount) return ErrorKind::kGradCount;
  if (rule.action != CustomAction::kWrongShape) return std::nullopt;
  // What is returned has one dimension more, each of size 2: it is summed where that can be the
  // result of broadcasting.
  if (rule.keeps_undefined && gradients == nullptr) {
    throw Skipped{"whether gradients that do not fit are made at all"};
  }
  for (size_t k = 0; k < rule.results.size(); ++k) {
    if (!rule.results[k].tracked) continue;
    if (gradients != nullptr && !(*gradients)[k].defined()) continue;  // returned as it is
    const Array& like = *rule.results[k].data;
    const bool fits = std::all_of(like.shape->begin(), like.shape->end(),
                                  [](int64_t size) { return size == 1 || size == 2; });
    if (!fits && node.edges[k] != kNoNode) return ErrorKind::kShape;
  }
  return std::nullopt;
}

// Of a function that wrote a view: what it makes of the written places' gradient replaces it in the
// base's.
Variable Call::ApplyCustomToView(NodeId id, const Variable& gradient) {
  const Node node = calculus_.nodes()[id];
  const Variable slice = calculus_.Gather(gradient, node.slice, node.slice_shape);
  Variable part = slice;
  ApplyCustom(id, absl::MakeSpan(&part, 1));
  if (!part.defined()) part = calculus_.Constant(0, slice);
  return calculus_.Apply(Primitive::kOverwrite, {.map = node.slice}, gradient, part);
}

// Replaces the gradients of the results by those of the operands.
void Call::ApplyCustom(NodeId id, absl::Span<Variable> gradients) {
  const Node node = calculus_.nodes()[id];
  const CustomRule& rule = *node.custom;
  const auto fill = [&](size_t k, double value) {
    const Array& like = *rule.results[k].data;
    return calculus_.Constant(
        Filled(interpreter_.arena(), like.dtype, like.shape, like.size, value));
  };
  for (size_t k = 0; k < gradients.size(); ++k) {
    if (!gradients[k].defined() && rule.results[k].tracked && !rule.keeps_undefined) {
      gradients[k] = fill(k, 0);
    }
  }
  for (const Variable& gradient : gradients) NoteGradient(id, rule.statement, gradient);
  ActOnOthers(id, rule.acting);
  CheckSaved(id);
  NoteUnpacked(id);
  const absl::Span<const Variable> taken = gradients;
  if (const auto error = CustomThrows(id, &taken)) throw Raised{*error};
  for (size_t k = 0; k < gradients.size(); ++k) {
    Variable& g = gradients[k];
    if (!g.defined()) continue;
    const DType dtype = g.data->dtype;
    switch (rule.action) {
      case CustomAction::kScale:
        g = Scaled(g, rule.by);
        break;
      case CustomAction::kUndefined:
        g = {};
        break;
      case CustomAction::kWrongShape:
        g = fill(k, 0);
        break;
      case CustomAction::kNan:
        g = fill(k, std::numeric_limits<double>::quiet_NaN());
        break;
      case CustomAction::kWrongDType: {
        const DType other = dtype == DType::kF64 ? DType::kF32 : DType::kF64;
        g = calculus_.Apply(Primitive::kCast, {.dtype = other}, g);
        if (node.edges[k] != kNoNode) g = calculus_.Apply(Primitive::kCast, {.dtype = dtype}, g);
        break;
      }
      case CustomAction::kSquare: {
        const Variable x = calculus_.Unpack(id, rule.saved[k]);
        g = calculus_.Apply(Primitive::kMultiply, g,
                            calculus_.Apply(Primitive::kMultiply, x, calculus_.Constant(2, x)));
        break;
      }
      case CustomAction::kExp:
        g = calculus_.Apply(Primitive::kMultiply, g, calculus_.Unpack(id, rule.saved[k]));
        break;
      case CustomAction::kPass:
      case CustomAction::kThrow:
      case CustomAction::kWrongCount:
      case CustomAction::kBackward:
      case CustomAction::kWarn:
        break;
    }
  }
}

}  // namespace twingrad::reference

// What disturbances and errors reach: the variables, and so the elements of gradients, of which
// nothing is known because of them.
//
// A gradient with respect to a variable is disturbed by what stands between the roots and it: by
// those disturbances that the roots' history holds and that depend on the variable. Dependence is
// read from tangents. A derivative of 0 passes on zeros whatever a linear map makes of what comes
// in; only NaN passes it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/signature.h"
#include "autograd/reference/dual_interpreter.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Statement;
using program::ValueId;

// The tangents of a value's history, whatever the mode.
const Tangents* DualInterpreter::History(ValueId value) {
  if (!values_[value].defined) return nullptr;
  const bool grad_mode = std::exchange(grad_mode_, true);
  const Tangents* tangents = Read(value).tangents;
  grad_mode_ = grad_mode;
  return tangents;
}

// Where rounding made a derivative 0, what is left of it lies within the bounds.
void DualInterpreter::Extend(Reach& reach, const Tangents* tangents, bool zeros) const {
  if (tangents == nullptr || tangents->size == 0) return;
  const Tangents& t = *tangents;
  if (reach.size() < static_cast<size_t>(t.end)) reach.resize(static_cast<size_t>(t.end), kNone);
  const auto raise = [&](int32_t j, Dependence to) {
    uint8_t& at = reach[static_cast<size_t>(t.begin + j)];
    at = std::max(at, static_cast<uint8_t>(to));
  };
  for (int32_t i = 0; i < t.size; ++i) {
    const double* row = t.FirstOf(i);
    for (int32_t j = 0; j < t.width(); ++j) {
      if (row[j] != 0 || std::isinf(t.first_error[i])) raise(j, kSome);
      if (zeros) raise(j, kZero);
      if (std::isinf(t.second_error[i])) raise(j, kBent);
    }
    const int32_t first = t.support[i].begin - t.begin, last = t.support[i].end - t.begin;
    for (int32_t r = first; t.second != nullptr && r < last; ++r) {
      const double* second = t.SecondOf(i) + t.Row(r);
      for (int32_t j = r; j < last; ++j) {
        if (second[j] == 0) continue;
        raise(r, kBent);
        raise(j, kBent);
      }
    }
  }
}

// `through`: the history of what the statement computes with.
void DualInterpreter::NoteDisturbance(const Statement& statement,
                                      const std::vector<const Tangents*>& through) {
  const StatementPlan& plan = plan_.statements[static_cast<size_t>(statement_)];
  Active active{plan.disturbance, plan.bit, statement.Get<std::string>(Key::kId), {}, kNoValue, {}};
  const bool is_hook = program::SignatureOf(statement.op).category == Category::kHook;
  if (is_hook) {
    active.on = {statement.operands[0]};
    // A hook on a node acts on the gradients of all its results.
    const ValueId on = active.on[0];
    for (const int32_t maker : {plan_.Owner(on).custom, plan_.values[on].parted}) {
      if (statement.op == Opcode::kHook || maker < 0) continue;
      const auto& results = program_.statements[static_cast<size_t>(maker)].results;
      active.on.insert(active.on.end(), results.begin(), results.end());
    }
  }
  if (plan.disturbance == Disturbance::kAdds) {
    active.target = statement.Get<std::vector<ValueId>>(Key::kTarget)[0];
  } else {
    const bool zeros = plan.disturbance == Disturbance::kNan;
    for (const Tangents* tangents : through) Extend(active.reach, tangents, zeros);
    for (const ValueId value : active.on) Extend(active.reach, History(value), zeros);
  }
  active_.push_back(std::move(active));
}

DualInterpreter::Disturbed DualInterpreter::DisturbedBy(const Statement& statement) {
  const StatementPlan& call = plan_.statements[static_cast<size_t>(statement_)];
  Disturbed disturbed;
  disturbed.obscures = call.obscures;
  Disturbances reached = call.reached;
  int level = 0;
  for (const ValueId root : statement.operands) {
    level = std::max(level, plan_.Owner(root).level);
  }
  // Calls within the call, and calls within these.
  std::vector<bool> followed(active_.size());
  for (size_t k = 0; k < active_.size(); ++k) {
    const Active& active = active_[k];
    if (followed[k] || (active.bit & reached) == 0 || active.target == kNoValue) continue;
    followed[k] = disturbed.adds = true;
    reached |= plan_.Owner(active.target).upstream;
    level = std::max(level, plan_.Owner(active.target).level);
    Extend(disturbed.grads, History(active.target), false);
    k = static_cast<size_t>(-1);  // what was passed over may be reached now
  }
  for (const Active& active : active_) {
    if ((active.bit & reached) == 0) continue;
    Reach& into = disturbed.gradients;
    into.resize(std::max(into.size(), active.reach.size()), kNone);
    for (size_t j = 0; j < active.reach.size(); ++j) into[j] = std::max(into[j], active.reach[j]);
    // What was written since may lie upstream as well.
    const bool changes = active.kind == Disturbance::kChanges;
    for (const ValueId value : active.on) {
      if (changes) Extend(into, History(value), false);
    }
  }
  // A derivative of a gradient reads second derivatives.
  Reach& gradients = disturbed.gradients;
  Reach& grads = disturbed.grads;
  if (level > 0) std::replace(gradients.begin(), gradients.end(), uint8_t{kBent}, uint8_t{kSome});
  if (!disturbed.adds) return disturbed;
  // What disturbs gradients disturbs those of the calls within, too.
  grads.resize(std::max(grads.size(), gradients.size()), kNone);
  for (size_t j = 0; j < gradients.size(); ++j) grads[j] = std::max(grads[j], gradients[j]);
  ExtendBySingular(grads);
  return disturbed;
}

Jets DualInterpreter::Excused(const DualValue& input, const Jets& gradient, const Reach& reach,
                              bool has_history, Variables history) {
  const int32_t size = gradient.value->size;
  Array* excused = NewArray(arena_, gradient.value->dtype, gradient.value->shape, size);
  excused->e = arena_.Allocate<double>(size);
  std::vector<bool> hidden(static_cast<size_t>(size));
  bool any = false;
  for (int32_t j = 0; j < size; ++j) {
    const auto variable = static_cast<size_t>(input.first_variable + j);
    const uint8_t reached = variable < reach.size() ? reach[variable] : uint8_t{kNone};
    excused->v[j] = gradient.value->v[j];
    double& e = excused->e[j] = gradient.value->e == nullptr ? 0 : gradient.value->e[j];
    if (reached == kSome) excused->v[j] = 0;
    if (reached == kSome || (reached == kZero && e != 0 && e != kOrNan)) e = kUnknown;
    if (reached == kZero && e == 0) e = std::isfinite(excused->v[j]) ? kOrNan : kUnknown;
    hidden[static_cast<size_t>(j)] = reached != kNone;
    any |= reached != kNone;
  }
  if (!any) return gradient;
  const bool hides = has_history || gradient.tangents != nullptr;
  return {excused, hides ? tangents_.Hidden(gradient.tangents, hidden, history.begin, history.end)
                         : nullptr};
}

// Of contents of which nothing is known.
Jets DualInterpreter::Unknown(const Jets& like, bool has_history) {
  const Array& array = *like.value;
  if (!IsFloating(array.dtype)) return like;
  Array* unknown = NewArray(arena_, array.dtype, array.shape, array.size);
  unknown->e = arena_.Allocate<double>(array.size);
  std::fill(unknown->v, unknown->v + array.size, 0.0);
  std::fill(unknown->e, unknown->e + array.size, kUnknown);
  if (!has_history || order_ < 2) return {unknown, nullptr};
  const std::vector<bool> all(static_cast<size_t>(array.size), true);
  return {unknown, tangents_.Hidden(nullptr, all, 0, variables_)};
}

void DualInterpreter::AddUnknown(ValueId value, const Reach& reach, bool has_history) {
  DualValue& to = values_[value];
  if (to.first_variable < 0) {
    to.grad_known = false;
    return;
  }
  // Hooks may make it undefined, after a gradient of 0 too.
  if (IsEmptied(value, false)) to.grad_known = false;
  const auto begin = reach.begin() + std::min<ptrdiff_t>(to.first_variable, std::ssize(reach));
  const auto end =
      reach.begin() + std::min<ptrdiff_t>(to.first_variable + to.map.size, std::ssize(reach));
  if (std::all_of(begin, end, [](uint8_t at) { return at == kNone; })) return;
  if (to.grad.value == nullptr) {
    to.grad.value = Filled(arena_, DType::kF64, to.shape, to.map.size, 0);
  }
  Reach all = reach;
  std::replace(all.begin(), all.end(), uint8_t{kZero}, uint8_t{kSome});
  to.grad = Excused(to, to.grad, all, has_history && order_ > 1, {0, variables_});
}

void DualInterpreter::AddOfOthers(const Disturbed& disturbed, bool create_graph) {
  if (!disturbed.adds) return;
  for (size_t v = 0; v < values_.size(); ++v) {
    if (!values_[v].defined) continue;
    if (plan_.values[v].leaf) {
      AddUnknown(static_cast<ValueId>(v), disturbed.grads, create_graph);
    } else if (values_[v].retains_grad) {
      values_[v].grad_known = false;
    }
  }
}

// Where a slope is infinite or no number, a gradient of 0 that reaches it may become NaN.
void DualInterpreter::ExtendBySingular(Reach& reach) const {
  if (!tangents_.AnySingular()) return;
  reach.resize(std::max(reach.size(), static_cast<size_t>(variables_)), kNone);
  for (int32_t k = 0; k < variables_; ++k) {
    uint8_t& at = reach[static_cast<size_t>(k)];
    if (tangents_.Singular(k) > 0) at = std::max(at, static_cast<uint8_t>(kSome));
  }
}

}  // namespace twingrad::reference

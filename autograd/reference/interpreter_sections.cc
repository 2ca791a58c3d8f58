// Thread sections: one after another, then what timing may have made of them. See sections.h.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/region.h"
#include "autograd/reference/interpreter.h"

namespace twingrad::reference {

using program::Begins;
using program::RegionKind;
using program::ValueId;

namespace {

// More calls that may fail and add to one `.grad` have too many outcomes.
constexpr size_t kMostUncertain = 6;

}  // namespace

void Interpreter::BeginSection() {
  if (!group_.has_value()) {
    int32_t values = 0;
    for (int32_t s = 0; s < statement_; ++s) {
      values += static_cast<int32_t>(program_.statements[s].results.size());
    }
    group_.emplace(static_cast<NodeId>(calculus_.nodes().size()), values, sections_);
    group_begin_ = statement_;
    grads_before_group_.resize(values);
    for (ValueId value = 0; value < values; ++value)
      grads_before_group_[value] = tensors_[value].grad;
  }
  ++sections_;
  group_->BeginSection();
}

// Sections that follow one another are of one group.
void Interpreter::EndSection(int32_t end) {
  const auto next = static_cast<size_t>(end) + 1;
  const bool goes_on =
      next < program_.statements.size() && Begins(program_.statements[next], RegionKind::kThread);
  if (!goes_on) EndGroup();
}

void Interpreter::EndGroup() {
  const SectionGroup group = *std::move(group_);
  group_.reset();
  if (group.MissesRetained()) {
    throw Skipped{
        "which node of a view keeps its gradient depends on the timing of thread sections"};
  }
  for (const int32_t index : group.UncertainHooks()) {
    const Hook& hook = *hooks_[index];
    if (hook.action != HookAction::kRecord) {
      throw Skipped{"a thread section adds or removes a hook that does more than record"};
    }
    result_.uncertain_hooks.push_back({hook.statement, group_begin_});
  }
  for (const ValueId view : group.ContestedViews()) {
    contested_nodes_.push_back(calculus_.nodes()[tensors_[view].node].name);
    result_.order_reaches_values = true;
  }
  const std::vector<int32_t> contended = group.ContendedCalls();
  if (!several_devices_at_work_ && !group.MayAllFail(result_.freed_calls)) {
    result_.freed_calls_are_legal = false;
  }
  result_.contended_calls.insert(result_.contended_calls.end(), contended.begin(), contended.end());
  for (const ValueId value : group.Added()) {
    NoteSharedReads(value, group.AdditionsTo(value), group.ReadsOf(value));
    SumAdditions(value, group.AdditionsTo(value));
  }
}

// `.grad` as a sum in any order. What a call that fails may have added is an alternative.
void Interpreter::SumAdditions(ValueId value,
                               const std::vector<SectionGroup::Addition>& additions) {
  const Variable before = grads_before_group_[value];
  std::vector<const Array*> certain, uncertain;
  if (before.defined()) certain.push_back(before.data);
  bool several = false;
  size_t emptied = 0;
  for (const SectionGroup::Addition& addition : additions) {
    several |= addition.section != additions[0].section;
    emptied += addition.emptied ? 1 : 0;
    (addition.certain ? certain : uncertain).push_back(addition.gradient.data);
  }
  if (emptied > 0 && (several || !uncertain.empty())) {
    if (emptied < additions.size()) {
      throw Skipped{"hooks make a .grad undefined after some of several sections' additions alone"};
    }
    // Whichever was last. Where none is certain it may be as before.
    if (emptied == uncertain.size() && before.defined()) NoteOtherGrad(value, {});
    return;
  }
  if (uncertain.size() > kMostUncertain) {
    throw Skipped{"too many calls of thread sections that may fail add to one .grad"};
  }
  Tensor& tensor = tensors_[value];
  if (several && certain.size() > 1) {
    tensor.grad.data = SumOf(arena_, absl::MakeConstSpan(certain));
    tensor.grad_in_any_order |= tensor.grad.data->e != nullptr;
  }
  if (uncertain.empty()) return;
  tensor.grad_is_uncertain = true;
  for (uint32_t chosen = 1; chosen < 1u << uncertain.size(); ++chosen) {
    std::vector<const Array*> terms = certain;
    for (size_t i = 0; i < uncertain.size(); ++i) {
      if ((chosen >> i & 1) != 0) terms.push_back(uncertain[i]);
    }
    AddAlternative(value, terms);
  }
}

// A section's own `.grad` takes its additions in the order of the Program.
void Interpreter::NoteUncertain(ValueId value, const Variable& gradient) {
  if (group_->IsSharedValue(value)) return;
  Tensor& tensor = tensors_[value];
  tensor.grad_is_uncertain = true;
  std::vector<const Array*> terms;
  if (tensor.grad.defined()) terms.push_back(tensor.grad.data);
  terms.push_back(gradient.data);
  AddAlternative(value, terms);
}

void Interpreter::NoteUncertainIsEmptied(ValueId value) {
  if (group_->IsSharedValue(value)) return;
  left_by_failures_.back() = {value, false, {}, {}};
}

void Interpreter::AddAlternative(ValueId value, const std::vector<const Array*>& terms) {
  const Array* sum = SumOf(arena_, absl::MakeConstSpan(terms));
  left_by_failures_.push_back({value, true, ContentsOf(*sum), Bounds(*sum)});
  left_by_failures_.back().data.shape = *tensors_[value].shape;
}

void Interpreter::NoteOtherGrad(ValueId value, const Variable& grad) {
  tensors_[value].grad_is_uncertain = true;
  if (grad.defined()) return AddAlternative(value, {grad.data});
  left_by_failures_.push_back({value, false, {}, {}});
}

bool Interpreter::IsToFail(int32_t call) const {
  return std::find(result_.freed_calls.begin(), result_.freed_calls.end(), call) !=
         result_.freed_calls.end();
}

void Interpreter::CheckGradIsCertain(ValueId value) const {
  if (!tensors_[value].grad_is_uncertain) return;
  throw Skipped{"a .grad is used that a failed call may have added to, or not"};
}

}  // namespace twingrad::reference

// What follows from what thread sections did. See sections.h.

#include "autograd/reference/sections.h"

#include <algorithm>

#include "autograd/reference/interpreter.h"

namespace twingrad::reference {

using program::ValueId;

void SectionGroup::NoteNode(std::vector<Mark>& marks, NodeId node, int32_t call) const {
  const Mark mark{node, section_, call};
  if (!IsShared(node)) return;
  if (std::find(marks.begin(), marks.end(), mark) == marks.end()) marks.push_back(mark);
}

void SectionGroup::NoteValue(std::vector<Mark>& marks, ValueId value) const {
  const Mark mark{value, section_};
  if (!IsSharedValue(value)) return;
  if (std::find(marks.begin(), marks.end(), mark) == marks.end()) marks.push_back(mark);
}

void SectionGroup::NoteAddition(ValueId value, const Variable& gradient, bool certain) {
  if (!IsSharedValue(value)) return;
  additions_.push_back({value, section_, gradient, certain});
}

void SectionGroup::NoteEmptied(ValueId value) {
  if (!IsSharedValue(value)) return;
  const auto own = std::find_if(additions_.rbegin(), additions_.rend(), [&](const Addition& a) {
    return a.value == value && a.section == section_;
  });
  own->emptied = true;
}

void SectionGroup::NoteRead(ValueId leaf, int32_t call, int32_t hook, bool nested) {
  if (!IsSharedValue(leaf)) return;
  const auto additions = std::count_if(additions_.begin(), additions_.end(), [&](const auto& a) {
    return a.value == leaf && a.section == section_;
  });
  reads_.push_back({leaf, section_, call, hook, nested, static_cast<int32_t>(additions)});
}
void SectionGroup::NoteNeed(NodeId node, int32_t call) { NoteNode(needs_, node, call); }
void SectionGroup::NoteRelease(NodeId node, int32_t call) { NoteNode(releases_, node, call); }
void SectionGroup::NoteEvaluated(NodeId node) { NoteNode(evaluated_, node); }
void SectionGroup::NoteLeft(NodeId node) { NoteNode(left_, node); }
void SectionGroup::NoteHooked(NodeId node, int32_t hook) { NoteNode(hooked_, node, hook); }
void SectionGroup::NoteEdge(ValueId view) { NoteValue(edges_, view); }
void SectionGroup::NoteRegenerated(ValueId view, NodeId node) {
  NoteValue(regenerated_, view);
  if (IsSharedValue(view)) regenerated_nodes_.push_back(node);
}

bool SectionGroup::IsRegenerated(NodeId node) const {
  const auto& made = regenerated_nodes_;
  return std::find(made.begin(), made.end(), node) != made.end();
}

bool SectionGroup::IsShared(NodeId node) const {
  return node < nodes_ || IsRegenerated(node) ||
         std::find(accumulators_.begin(), accumulators_.end(), node) != accumulators_.end();
}

void SectionGroup::NoteRemoved(int32_t hook) { removed_.push_back({hook, section_}); }
void SectionGroup::NoteFired(int32_t hook) {
  const Mark mark{hook, section_};
  if (std::find(fired_.begin(), fired_.end(), mark) == fired_.end()) fired_.push_back(mark);
}

bool SectionGroup::IsRemovedBeside(int32_t hook) const {
  const auto is_own = [&](const Mark& mark) { return mark.section == section_; };
  bool removed = false, own = false;
  for (const Mark& mark : removed_) {
    if (mark.what != hook) continue;
    removed = true;
    own |= is_own(mark);
  }
  return removed && !own;
}

bool SectionGroup::IsReleasedBeside(NodeId node) const {
  bool beside = false;
  for (const Mark& release : releases_) {
    if (release.what != node) continue;
    if (release.section == section_) return false;
    beside = true;
  }
  return beside;
}

bool SectionGroup::Meet(const std::vector<Mark>& a, const std::vector<Mark>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const Mark& x) {
    return std::any_of(b.begin(), b.end(),
                       [&x](const Mark& y) { return x.what == y.what && x.section != y.section; });
  });
}

std::vector<int32_t> SectionGroup::UncertainHooks() const {
  std::vector<int32_t> hooks;
  for (const Mark& hooked : hooked_) {
    if (Meet({hooked}, evaluated_) || Meet({hooked}, hooked_)) hooks.push_back(hooked.call);
  }
  for (const Mark& removed : removed_) {
    if (Meet({removed}, fired_)) hooks.push_back(removed.what);
  }
  return hooks;
}

std::vector<ValueId> SectionGroup::ContestedViews() const {
  std::vector<ValueId> views;
  for (const Mark& view : regenerated_) {
    if (Meet({view}, edges_)) views.push_back(view.what);
  }
  return views;
}

std::vector<int32_t> SectionGroup::ContendedCalls() const {
  std::vector<int32_t> calls;
  for (const Mark& need : needs_) {
    if (Meet({need}, releases_)) calls.push_back(need.call);
  }
  std::sort(calls.begin(), calls.end());
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  return calls;
}

bool SectionGroup::MayAllFail(const std::vector<int32_t>& calls) const {
  const auto fails = [&calls](const Mark& mark) {
    return std::find(calls.begin(), calls.end(), mark.call) != calls.end();
  };
  bool any = false;
  for (const Mark& need : needs_) {
    const bool anyway = std::find(failing_.begin(), failing_.end(), need.call) != failing_.end();
    if (!fails(need) || anyway) continue;
    any = true;
    for (const Mark& release : releases_) {
      if (!fails(release) && Meet({need}, {release})) return true;
    }
  }
  return !any;
}

std::vector<ValueId> SectionGroup::Added() const {
  std::vector<ValueId> values;
  for (const Addition& addition : additions_) values.push_back(addition.value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<SectionGroup::Addition> SectionGroup::AdditionsTo(ValueId value) const {
  std::vector<Addition> additions;
  for (const Addition& addition : additions_) {
    if (addition.value == value) additions.push_back(addition);
  }
  return additions;
}

std::vector<SectionGroup::Read> SectionGroup::ReadsOf(ValueId leaf) const {
  std::vector<Read> reads;
  for (const Read& read : reads_) {
    if (read.leaf == leaf) reads.push_back(read);
  }
  return reads;
}

}  // namespace twingrad::reference

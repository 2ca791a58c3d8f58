#include "autograd/runner/node_names.h"

#include <algorithm>
#include <string_view>

#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"

namespace twingrad::runner {

using program::NodeName;
using program::NodeRole;

void NodeNames::BeginStatement(int32_t index, bool is_call) {
  starts_.push_back({CurrentThread().next_order_key, index, is_call});
}

void NodeNames::NoteLeaf(const Tensor& leaf) {
  leaves_.emplace_back(AutogradMeta::Find(leaf)->leaf->slot.get(), starts_.back().statement);
}

void NodeNames::NoteOperand(const Tensor& value, int32_t defined_at, int32_t nr, int32_t results) {
  AutogradMeta* meta = value.defined() ? AutogradMeta::Find(value) : nullptr;
  if (meta == nullptr || meta->view == nullptr) return;
  uint64_t key = 0;
  {
    // The node as it is: asking for the gradient edge could make a new one.
    sync::MutexLock lock(meta->view->mutex);
    const NodePtr& node = meta->view->node.Read();
    if (node == nullptr) return;
    key = node->sequence_nr();
  }
  const Start& now = starts_.back();
  const bool is_new = key >= now.key || IsOfAnotherSection(key);
  if (!is_new || now.statement == defined_at || FindRegenerated(key) != nullptr) return;
  const int32_t index = TimesRegenerated(defined_at, nr, results) * results + nr;
  regenerated_.push_back({key, {NodeRole::kRegeneratedView, defined_at, index}});
}

// Sections do not see one another's values; a node that another one made is that of a view from
// before them all.
bool NodeNames::IsOfAnotherSection(uint64_t key) const {
  return key >= first_key_ && key < starts_.front().key;
}

void NodeNames::Adopt(const NodeNames& section) {
  starts_.insert(starts_.end(), section.starts_.begin(), section.starts_.end());
  leaves_.insert(leaves_.end(), section.leaves_.begin(), section.leaves_.end());
  for (const Regenerated& made : section.regenerated_) {
    if (FindRegenerated(made.key) == nullptr) regenerated_.push_back(made);
  }
}

const int32_t* NodeNames::LeafOf(const GradSlot* slot) const {
  for (const auto& [of_leaf, statement] : leaves_) {
    if (of_leaf == slot) return &statement;
  }
  return outer_ == nullptr ? nullptr : outer_->LeafOf(slot);
}

const NodeNames::Regenerated* NodeNames::FindRegenerated(uint64_t key) const {
  for (const Regenerated& made : regenerated_) {
    if (made.key == key) return &made;
  }
  return outer_ == nullptr ? nullptr : outer_->FindRegenerated(key);
}

int32_t NodeNames::TimesRegenerated(int32_t statement, int32_t nr, int32_t results) const {
  int32_t times = outer_ == nullptr ? 0 : outer_->TimesRegenerated(statement, nr, results);
  for (const Regenerated& made : regenerated_) {
    times += made.name.statement == statement && made.name.index % results == nr ? 1 : 0;
  }
  return times;
}

// The statement that was running when the key was taken. A section's keys lie above all those that
// were taken before it.
const NodeNames::Start* NodeNames::StartOf(uint64_t key) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), key,
                                      [](uint64_t k, const Start& s) { return k < s.key; });
  if (after != starts_.begin()) return &*(after - 1);
  return outer_ == nullptr ? nullptr : outer_->StartOf(key);
}

NodeName NodeNames::NameOf(const Node& node) const {
  const uint64_t key = node.sequence_nr();
  if (key == kAccumulateOrderKey) {
    const GradSlot* const slot = static_cast<const AccumulateGrad&>(node).slot();
    if (const int32_t* leaf = LeafOf(slot)) return {NodeRole::kAccumulateGrad, *leaf, 0};
  }
  const std::string_view name = node.name();
  if (name == "GraphRoot") return {NodeRole::kGraphRoot, starts_.back().statement, 0};
  if (const Regenerated* made = FindRegenerated(key)) return made->name;
  const Start* start = StartOf(key);
  if (start == nullptr) return {NodeRole::kIdentity, -1, 0};
  const auto index = static_cast<int32_t>(key - start->key);
  if (start->is_call) return {NodeRole::kBackward, start->statement, index};
  if (name == "CopySlices") return {NodeRole::kCopySlices, start->statement, 0};
  return {NodeRole::kStatement, start->statement, 0};
}

}  // namespace twingrad::runner

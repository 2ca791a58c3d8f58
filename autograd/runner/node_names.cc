#include "autograd/runner/node_names.h"

#include <algorithm>

#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"

namespace twingrad::runner {

using program::NodeName;
using program::NodeRole;

void NodeNames::BeginStatement(int32_t index, bool is_call) {
  starts_.push_back({CurrentThread().next_order_key, index, is_call});
}

void NodeNames::NoteLeaf(const Tensor& leaf) {
  accumulators_.emplace_back(GradientEdge(leaf).function.get(), starts_.back().statement);
}

void NodeNames::NoteOperand(const Tensor& value, int32_t defined_at) {
  AutogradMeta* meta = value.defined() ? AutogradMeta::Find(value) : nullptr;
  if (meta == nullptr || meta->view == nullptr) return;
  uint64_t key = 0;
  {
    // The node as it is: asking for the gradient edge could make a new one.
    sync::MutexLock lock(meta->view->mutex);
    if (meta->view->node == nullptr) return;
    key = meta->view->node->sequence_nr();
  }
  const Start& now = starts_.back();
  if (key < now.key || now.statement == defined_at) return;
  int32_t index = 0;
  for (const Regenerated& made : regenerated_) {
    if (made.key == key) return;
    if (made.name.statement == defined_at) ++index;
  }
  regenerated_.push_back({key, {NodeRole::kRegeneratedView, defined_at, index}});
}

NodeName NodeNames::NameOf(const Node& node) const {
  const uint64_t key = node.sequence_nr();
  if (key == kAccumulateOrderKey) {
    for (const auto& [accumulator, statement] : accumulators_) {
      if (accumulator == &node) return {NodeRole::kAccumulateGrad, statement, 0};
    }
  }
  if (node.name() == "GraphRoot") return {NodeRole::kGraphRoot, starts_.back().statement, 0};
  for (const Regenerated& made : regenerated_) {
    if (made.key == key) return made.name;
  }
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), key,
                                      [](uint64_t k, const Start& s) { return k < s.key; });
  if (after == starts_.begin()) return {NodeRole::kIdentity, -1, 0};
  const Start& start = *(after - 1);
  const auto index = static_cast<int32_t>(key - start.key);
  if (start.is_call) return {NodeRole::kBackward, start.statement, index};
  if (node.name() == "CopySlices") return {NodeRole::kCopySlices, start.statement, 0};
  return {NodeRole::kStatement, start.statement, 0};
}

}  // namespace twingrad::runner

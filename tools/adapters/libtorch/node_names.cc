#include "tools/adapters/libtorch/node_names.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <string>

namespace twingrad::libtorch {

using program::NodeName;
using program::NodeRole;
using torch::autograd::AccumulateGrad;

bool NodeNames::Knows(Node* node) const {
  const auto it = names_.find(node);
  return it != names_.end() && !it->second.node.expired();
}

void NodeNames::Note(const NodePtr& top, NodeRole role, int32_t statement) {
  std::vector<NodePtr> open = {top};
  while (!open.empty()) {
    const NodePtr node = std::move(open.back());
    open.pop_back();
    if (!node || Knows(node.get())) continue;
    if (dynamic_cast<AccumulateGrad*>(node.get()) != nullptr) continue;
    NodeName name{role, statement, 0};
    name.index = counts_[{role, statement}]++;
    names_[node.get()] = {Weak(node), name};
    const auto& edges = node->next_edges();
    for (auto it = edges.rbegin(); it != edges.rend(); ++it) open.push_back(it->function);
    // What it stands on is of the same statement, but not a view made anew or a write through one.
    if (role != NodeRole::kBackward) role = NodeRole::kStatement;
  }
}

NodeName NodeNames::NameOf(Node* node, int32_t call) const {
  if (const auto* accumulate = dynamic_cast<AccumulateGrad*>(node)) {
    const auto it = leaves_.find(accumulate->variable.unsafeGetTensorImpl());
    return {NodeRole::kAccumulateGrad, it == leaves_.end() ? -1 : it->second, 0};
  }
  if (Knows(node)) return names_.at(node).name;
  if (node->name().find("GraphRoot") != std::string::npos) return {NodeRole::kGraphRoot, call, 0};
  return {NodeRole::kIdentity, call, 0};
}

}  // namespace twingrad::libtorch

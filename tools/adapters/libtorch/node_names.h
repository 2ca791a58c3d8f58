// Names libtorch's nodes by the statements of a Program, without holding any of them.
//
// After each statement the new nodes are found by walking from its values' grad_fn, read without
// making a stale view's node anew. A node that died and one made later at its address are told
// apart. One thread.

#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autograd/program/observation.h"
#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {

class NodeNames {
 public:
  // `leaf`, a TensorImpl, is defined by `statement`.
  void NoteLeaf(const void* leaf, int32_t statement) { leaves_[leaf] = statement; }
  // New nodes at `top` and below it get this role and statement.
  void Note(const NodePtr& top, program::NodeRole role, int32_t statement);
  // Whether it has a name.
  bool Knows(Node* node) const;
  // Nodes of the engine itself are named after `call`.
  program::NodeName NameOf(Node* node, int32_t call) const;

 private:
  struct Named {
    WeakNode node = NoNode();
    program::NodeName name;
  };

  std::unordered_map<Node*, Named> names_;
  std::unordered_map<const void*, int32_t> leaves_;
  std::map<std::pair<program::NodeRole, int32_t>, int32_t> counts_;
};

}  // namespace twingrad::libtorch

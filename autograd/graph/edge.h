// Edge: where a gradient goes, the input `input_nr` of the node `function`.

#pragma once

#include <cstdint>
#include <utility>

#include "autograd/sync/ref_count.h"

namespace twingrad {

class Node;
using NodePtr = sync::IntrusivePtr<Node>;

struct Edge {
  NodePtr function;  // null: nothing needs this gradient
  uint32_t input_nr = 0;

  Edge() = default;
  Edge(NodePtr node, uint32_t nr) : function(std::move(node)), input_nr(nr) {}
  bool is_valid() const { return static_cast<bool>(function); }
  bool operator==(const Edge&) const = default;
};

}  // namespace twingrad

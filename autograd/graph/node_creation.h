// Node-creation hooks: functions of the user that see every new node.
//
//   NodeCreationHookGuard guard([&](Node& node) { layer_of[&node] = current_layer; });
//   Tensor y = Mul(a, b);                    // the hook gets the node of `y`
//
// While a guard lives, its hook gets each node that is made on this thread, once, when the node is
// complete: with its edges, the types of its inputs and what it saved. Of nested guards the outer
// hooks run first. A call of the engine takes the hooks along to every thread that evaluates its
// nodes, so they see the nodes that create_graph makes too; asynchronous calls do not, because the
// guard may end before them. The accumulator of a leaf counts when it is made, and that is once.
// Seen are nodes of graphs only, not what the engine makes for the time of a call.
//
// The operation has happened when the hook runs. What the hook throws leaves the operation, and
// hooks further inwards do not run. An operation that records is an Error(kInvalidArgument) inside
// a hook; compute without grad mode there.
//
// A class derived from Node is announced by who makes it: RecordNode does, and AnnounceNode
// otherwise, once the node is complete and with no lock held.
//
// Threads: a guard belongs to its thread. Its hook may run on several threads at once where a call
// uses several. Without guards nothing is spent but a branch an operation that records.

#pragma once

#include <functional>

#include "autograd/graph/node.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {

using NodeCreationHook = std::function<void(Node& node)>;

// One guard in force; Modes points to the innermost one.
struct NodeCreationFrame {
  const NodeCreationHook* hook = nullptr;  // null: a hook is running
  const NodeCreationFrame* outer = nullptr;
};

// Error(kInvalidArgument) on an empty function.
class [[nodiscard]] NodeCreationHookGuard {
 public:
  explicit NodeCreationHookGuard(NodeCreationHook hook);
  ~NodeCreationHookGuard() { CurrentThread().modes.node_creation = frame_.outer; }
  NodeCreationHookGuard(const NodeCreationHookGuard&) = delete;
  NodeCreationHookGuard& operator=(const NodeCreationHookGuard&) = delete;

 private:
  const NodeCreationHook hook_;
  NodeCreationFrame frame_;
};

}  // namespace twingrad

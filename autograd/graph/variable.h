// Variables: tensors with a place in the backward graph.
//
//   SetRequiresGrad(x, true);                 // a leaf
//   SetHistory(y, node);                      // y is the node's result
//   Edge edge = GradientEdge(y);              // where gradients of y go
//
// A variable is a Tensor whose meta is an AutogradMeta or, where that would hold nothing but the
// node whose first result the tensor is, the node. It owns its graph: a result owns its node,
// nodes own nodes nearer to the leaves, a leaf owns its accumulator. Nothing in the graph owns a
// variable (saved variables keep data and edge alone), so there is no cycle, not even through
// `.grad`.
//
// Threads: reading a variable's graph from several threads is safe; changing it is the caller's to
// order.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "autograd/graph/edge.h"
#include "autograd/graph/grad_slot.h"
#include "autograd/graph/gradient_edge.h"
#include "autograd/graph/node.h"
#include "autograd/graph/view_origin.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/mutex.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

inline bool RequiresGrad(const Tensor& tensor);
// Error(kInvalidArgument) on a result of recorded operations, or where the type is not floating.
void SetRequiresGrad(const Tensor& tensor, bool requires_grad);
// Makes a result of recorded operations, or a leaf, a leaf that does not require grad. Nodes keep
// what they saved of it, with its place in the graph. Error(kInvalidArgument) on a view.
void DetachInPlace(const Tensor& tensor);
// Whether the tensor is no result of recorded operations.
bool IsLeaf(const Tensor& tensor);
// Of a leaf that requires grad, before a `.grad` is locked to which the leaf is added: a recorded
// sum asks for the accumulators of its terms, whose making takes locks of theirs, and two leaves
// may be each other's gradients. Of anything else nothing.
void MakeAccumulator(const Tensor& term);

// `.grad`: a handle to the very tensor, undefined if there is none.
Tensor GradOf(const Tensor& tensor);
// A sparse `.grad` of a dense tensor is allowed. Error(kShape) unless it has the tensor's shape,
// device and dtype (or that of SetGradDType, leaf.h); kInvalidArgument if gradients cannot be added
// into it: its elements overlap, or it shares memory with the tensor.
void SetGrad(const Tensor& tensor, Tensor grad);

// Makes `result` the result `output_nr` of `node` and adds the matching input to the node. Outputs
// are given in order; every one once.
void SetHistory(const Tensor& result, NodePtr node, uint32_t output_nr = 0);

// Whether an operation on these tensors records: grad mode is on and one of them requires grad.
template <class... Tensors>
bool ShouldRecord(const Tensors&... tensors) {
  return CurrentThread().modes.grad_mode && (RequiresGrad(tensors) || ...);
}

// Makes `result` the result of `node`, whose edges lead to the operands. Without an announcement:
// where a lock is held.
template <class... Tensors>
void RecordQuietly(NodePtr node, const Tensor& result, const Tensors&... operands) {
  (node->AddNextEdge(GradientEdge(operands)), ...);
  SetHistory(result, std::move(node));
}
// The same, and announces the node, which is complete then.
template <class... Tensors>
void RecordNode(NodePtr node, const Tensor& result, const Tensors&... operands) {
  Node& made = *node;
  RecordQuietly(std::move(node), result, operands...);
  AnnounceNode(made);
}
// Announces the node of a result that was just made quietly, if it has one.
void AnnounceNodeOf(const Tensor& result);

// Of a view: what it shows of which base, and its place in the graph, made anew after writes.
struct ViewInfo {
  Tensor base;  // not itself a view
  ViewOrigin origin = ViewOrigin::kDefault;
  sync::Mutex mutex{"view"};
  sync::Cell<NodePtr> node AG_GUARDED_BY(mutex);
  sync::Cell<uint32_t> output_nr AG_GUARDED_BY(mutex);
  // The storage's version that `node` belongs to.
  sync::Cell<uint32_t> version AG_GUARDED_BY(mutex);
};

// What a leaf that requires grad, or a tensor that retains its gradient, has besides.
struct LeafInfo {
  sync::IntrusivePtr<GradSlot> slot = sync::MakeIntrusive<GradSlot>();
  // The dtype of gradients, nullopt for any, where it was set (leaf.h); else the leaf's.
  bool has_grad_dtype = false;
  std::optional<DType> grad_dtype;
  sync::Mutex mutex{"leaf"};
  // Made at first use; `accumulator` owns it, `ready_accumulator` is for readers without the lock.
  sync::Cell<NodePtr> accumulator AG_GUARDED_BY(mutex);
  sync::Atomic<Node*> ready_accumulator{nullptr};

  static void* operator new(size_t bytes) { return pool::Allocate(bytes); }
  static void operator delete(void* block, size_t bytes) { pool::Free(block, bytes); }

  ~LeafInfo() { slot->Close(); }
};

class AutogradMeta final : public TensorMeta {
 public:
  // Of the tensor, made if there is none; changes the tensor then.
  static AutogradMeta& Of(const Tensor& tensor);
  // Null where there is none, or only a node.
  static AutogradMeta* Find(const Tensor& tensor) {
    // Only this class and nodes are ever attached to a tensor; the tag says which it is.
    return tensor.impl()->meta_tag() ? nullptr : static_cast<AutogradMeta*>(tensor.impl()->meta());
  }
  // The node that is in the place of all this; null where there is none.
  static Node* LoneNode(const Tensor& tensor) {
    return tensor.impl()->meta_tag() ? static_cast<Node*>(tensor.impl()->meta()) : nullptr;
  }
  // Makes a tensor without a place in a graph the result `output_nr` of `node`.
  static void SetNode(const Tensor& tensor, NodePtr node, uint32_t output_nr);

  LeafInfo& MakeLeafInfo() {
    if (leaf == nullptr) leaf = std::make_unique<LeafInfo>();
    return *leaf;
  }

  static void* operator new(size_t bytes) { return pool::Allocate(bytes); }
  static void operator delete(void* block, size_t bytes) { pool::Free(block, bytes); }

  NodePtr node;  // that made the tensor; of views it is in `view`
  uint32_t output_nr = 0;
  bool requires_grad = false;  // of leaves
  bool retains_grad = false;
  std::unique_ptr<LeafInfo> leaf;
  std::unique_ptr<ViewInfo> view;
};

// What RequiresGrad says where there is an AutogradMeta.
bool RequiresGradByMeta(const Tensor& tensor, AutogradMeta& meta);
inline bool RequiresGrad(const Tensor& tensor) {
  if (!tensor.defined() || tensor.impl()->meta() == nullptr) return false;
  AutogradMeta* meta = AutogradMeta::Find(tensor);
  return meta == nullptr || RequiresGradByMeta(tensor, *meta);
}

// Moves retain_grad of a tensor from its node `before` (null: it had none) to `after`.
void MoveRetained(const AutogradMeta& meta, const Node* before, Node& after,
                  uint32_t output_nr = 0);
// Makes `tensor`, which is no view, the result `output_nr` of the node that a write made; moves
// retain_grad there. No input is added.
void ReplaceNode(const Tensor& tensor, NodePtr node, uint32_t output_nr = 0);

}  // namespace twingrad

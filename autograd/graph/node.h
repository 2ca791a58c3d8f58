// Node: a function of the backward graph. It turns gradients of its forward operation's results
// into gradients of the operands.
//
//   class NegNode : public Node {
//     VariableList Apply(VariableList&& g) override { return {Neg(g[0])}; }
//     std::string_view name() const override { return "Neg"; }
//   };
//   auto node = MakeNode<NegNode>();
//   node->AddNextEdge(GradientEdge(x));
//   SetHistory(y, node);
//
// Threads: edges and metadata are fixed before the node is first run. Apply may run on several
// threads at once (tasks may share graphs), so it changes nothing but saved variables, which lock
// themselves. Destruction does not recurse along the graph, however deep it is. A node's own fields
// fill two cache lines, which lie side by side; what counting and delivering write is in the first.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/base/inlined_vector.h"
#include "autograd/base/span.h"
#include "autograd/device/stream.h"
#include "autograd/graph/edge.h"
#include "autograd/graph/thread_state.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/ref_count.h"
#include "autograd/sync/watch.h"
#include "autograd/tensor/pool.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

using Variable = Tensor;
using VariableList = InlinedVector<Tensor, 2>;

class NodeExtras;
class SavedVariable;

class Node : public TensorMeta {
 public:
  Node() : Node(NextOrderKey()) {}
  explicit Node(uint64_t order_key) : order_key_(order_key), inline_edges_() {}
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // One gradient an input (undefined: zero) to one gradient an edge (undefined: zero). It may write
  // only gradients that nobody else holds: see IsPrivate (basic_nodes.h).
  virtual VariableList Apply(VariableList&& gradients) = 0;
  // Gives up saved variables; called after a run that does not keep the graph.
  virtual void ReleaseVariables() {}
  // Announces that, after the Apply that follows, saved variables will be given up. Called only on
  // nodes that asked for it: MakeExtras().wants_release_notice, before the node is first run.
  virtual void WillReleaseVariables() {}
  // What the node saves, in the order of its code, with empty ones: for hooks on single ones.
  virtual std::vector<SavedVariable*> SavedVariables() { return {}; }
  virtual std::string_view name() const = 0;

  Span<const Edge> next_edges() const {
    edge_accesses_.Add(this, /*writes=*/false, sync::Site::current());
    return {Edges(), num_edges_};
  }
  const Edge& next_edge(size_t i) const { return next_edges()[i]; }
  uint32_t num_outputs() const {
    edge_accesses_.Add(this, /*writes=*/false, sync::Site::current());
    return num_edges_;
  }
  // Edges are added from the leaves up: once an edge leads to this node, whose topological number
  // the other node has then read, adding one is Error(kInvalidArgument).
  void AddNextEdge(Edge edge) {
    edge_accesses_.Add(this, /*writes=*/true, sync::Site::current());
    if (edge.is_valid()) RaiseAbove(*edge.function);
    if (num_edges_ >= kInlineEdges) [[unlikely]]
      return AddHeapEdge(std::move(edge));
    inline_edges_[num_edges_++] = std::move(edge);
  }
  void SetNextEdges(Span<const Edge> edges);
  // Replaces one edge before the node is first run; with the same error.
  void SetNextEdge(size_t i, Edge edge);

  // Adds an input for the gradient of `result` and returns its number.
  // Error(kDType) where the result is not floating.
  uint32_t AddInput(const Tensor& result) {
    if (!IsFloating(result.dtype())) [[unlikely]]
      RefuseInput(result);
    if (!result.device().IsCpu() && device_.IsCpu()) [[unlikely]]
      SetDevice(result.device());
    if (num_inputs_ > 0) [[unlikely]]
      return AddMetadata(InputMetadata(result));
    first_input_ = InputMetadata(result);
    return num_inputs_++;
  }
  // Adds an input that no edge may lead to: of a result that has no gradient.
  uint32_t AddUnusedInput();
  uint32_t num_inputs() const { return num_inputs_; }
  // Whether ReleaseVariables does nothing.
  bool SavesNothing() const { return saves_nothing_; }
  const InputMetadata& input_metadata(uint32_t input_nr) const {
    return input_nr == 0 ? first_input_ : (*more_inputs_)[input_nr - 1];
  }

  // The dtype that gradients of an input have, if not that of the result: see InputMetadata. Before
  // the node is run.
  void SetInputGradDType(uint32_t input_nr, std::optional<DType> dtype);

  // Ready nodes run in descending order of it.
  uint64_t sequence_nr() const {
    const sync::WatchScope watching;  // it decides an order, never who may do what
    return order_key_.Load(sync::kRelaxed);
  }
  // A call that made nodes on several threads sets their keys at its end, when another call may
  // have found them through a `.grad`: which key that one reads changes the order of its nodes.
  void set_sequence_nr(uint64_t key) {
    const sync::WatchScope watching;
    order_key_.Store(key, sync::kRelaxed);
  }
  // The longest path to a node without edges.
  uint32_t topological_nr() const { return topological_nr_; }
  // That of the first input that is not on the CPU, else the CPU.
  Device device() const { return device_; }
  // That of its device which was current when that input was added: the node runs on it, and what
  // it gives is ready there. The CPU's where device() is the CPU.
  Stream stream() const { return {device_, stream_id_}; }
  // Whether any node of this process has been on a device.
  static bool DevicesAreUsed();

  // Whether the running task wants the gradient of edge i; outside a task, whether the edge is
  // valid.
  bool TaskShouldComputeOutput(size_t i) const {
    const Edge& edge = next_edge(i);
    if (!edge.is_valid()) return false;
    const ExecutionFilter* filter = CurrentThread().filter;
    return filter == nullptr || filter->ShouldExecute(edge.function.get());
  }

  // Hooks and other rare features; null while there are none.
  NodeExtras* extras() const { return extras_.Load(sync::kAcquire); }
  NodeExtras& MakeExtras();
  // Takes those of a node that this one replaces; there must be none yet.
  void AdoptExtras(Node& from);

  // (task, dense index) of the task that holds the node; see engine/graph_task.h.
  sync::Atomic<uint64_t>& claim() const { return claim_; }

  void AddRef() const { references_.Increment(); }
  void Release() const {
    if (references_.Decrement()) const_cast<Node*>(this)->Dispose();
  }
  uint32_t ReferenceCount() const { return references_.Value(); }
  // A tensor that has no more to it than its node has the node itself for its meta: see variable.h.
  void Drop() final { Release(); }

  static void* operator new(size_t bytes) { return pool::Allocate(BlockBytes(bytes)); }
  static void operator delete(void* block, size_t bytes) { pool::Free(block, BlockBytes(bytes)); }

 private:
  template <class T, class... Arguments>
  friend sync::IntrusivePtr<T> MakeNode(Arguments&&... arguments);

  static constexpr uint32_t kInlineEdges = 2;

  // Whole cache lines, so that the pool's blocks begin with one.
  static constexpr size_t BlockBytes(size_t bytes) { return (bytes + 63) & ~size_t{63}; }

  void Dispose();
  void SetDevice(Device device);
  uint32_t AddMetadata(InputMetadata metadata);
  [[noreturn]] void RefuseInput(const Tensor& result) const;
  // Makes the node's topological number fit a further edge to `target`.
  void RaiseAbove(const Node& target) {
    // Only a watch for mistakes: it orders nothing, and no interleaving can change what it finds in
    // a program that makes none.
    const sync::WatchScope watching;
    if (has_parent_.Load(sync::kRelaxed)) [[unlikely]]
      RefuseEdge(target);
    if (topological_nr_ <= target.topological_nr_) topological_nr_ = target.topological_nr_ + 1;
    if (!target.has_parent_.Load(sync::kRelaxed)) target.has_parent_.Store(true, sync::kRelaxed);
  }
  [[noreturn]] void RefuseEdge(const Node& target) const;
  // The edge after the first kInlineEdges, or one after that.
  void AddHeapEdge(Edge edge);
  const Edge* Edges() const { return num_edges_ <= kInlineEdges ? inline_edges_ : heap_edges_; }
  Edge* MutableEdges() { return const_cast<Edge*>(Edges()); }

  sync::RefCount references_;
  uint32_t num_edges_ = 0;
  mutable sync::Atomic<uint64_t> claim_{0};
  sync::Atomic<uint64_t> order_key_;
  union {
    Edge inline_edges_[kInlineEdges];
    Edge* heap_edges_;  // all of them once there are more than kInlineEdges
  };
  // End of the first cache line.
  InputMetadata first_input_;
  std::unique_ptr<std::vector<InputMetadata>> more_inputs_;
  sync::Atomic<NodeExtras*> extras_{nullptr};
  uint32_t num_inputs_ = 0;
  uint32_t topological_nr_ = 0;
  Device device_;
  // Whether an edge leads here. A node can get its parents from several threads.
  mutable sync::Atomic<bool> has_parent_{false};
  bool saves_nothing_ = false;  // set by MakeNode
  union {
    uint32_t stream_id_ = 0;
    Node* next_to_destroy_;  // once nobody will run the node any more
  };
  [[no_unique_address]] sync::CellAccesses edge_accesses_;
};

// Where atomics are no wider than what they hold.
static_assert(sizeof(Node) == 128 || sizeof(sync::Atomic<uint64_t>) > sizeof(uint64_t),
              "a node's own fields fill two cache lines");

// What a thread does with a new node where it notes them: under anomaly mode, and where keys are
// provisional.
void NoteNewNode(const NodePtr& node);

// Makes a node of type T. Nodes are made in no other way.
template <class T, class... Arguments>
sync::IntrusivePtr<T> MakeNode(Arguments&&... arguments) {
  auto node = sync::IntrusivePtr<T>::Adopt(new T(std::forward<Arguments>(arguments)...));
  // A class that does not override the function has its base's.
  if constexpr (std::is_same_v<decltype(&T::ReleaseVariables), void (Node::*)()>) {
    static_cast<Node&>(*node).saves_nothing_ = true;
  }
  const ThreadState& thread = CurrentThread();
  // One branch for both.
  if ((thread.provisional != nullptr) | thread.modes.anomaly) [[unlikely]]
    NoteNewNode(node);
  return node;
}

// Shows a complete node to the node-creation hooks in force (node_creation.h), with no lock held.
// Every maker of nodes calls it once for each.
void RunNodeCreationHooks(Node& node);
inline void AnnounceNode(Node& node) {
  if (CurrentThread().modes.node_creation != nullptr) [[unlikely]]
    RunNodeCreationHooks(node);
}

}  // namespace twingrad

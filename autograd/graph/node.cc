// Edges, inputs and the destruction of nodes. See node.h.

#include "autograd/graph/node.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "autograd/base/check.h"
#include "autograd/base/error.h"
#include "autograd/graph/anomaly.h"
#include "autograd/graph/hooks.h"
#include "autograd/sync/watch.h"

namespace twingrad {
namespace {

// Room for edges on the heap is a power of two from this on.
constexpr uint32_t kFirstHeapRoom = 4;

bool IsFullHeapRoom(uint32_t count) {
  return count >= kFirstHeapRoom && (count & (count - 1)) == 0;
}

// Only ever set. It decides whether devices are looked for, never what is found there.
constinit sync::Atomic<bool> devices_are_used{false};

}  // namespace

bool Node::DevicesAreUsed() {
  const sync::WatchScope watching;
  return devices_are_used.Load(sync::kRelaxed);
}

void Node::SetDevice(Device device) {
  const sync::WatchScope watching;
  device_ = device;
  stream_id_ = CurrentStream(device).id;
  if (!devices_are_used.Load(sync::kRelaxed)) devices_are_used.Store(true, sync::kRelaxed);
}

Node::~Node() {
  if (num_edges_ <= kInlineEdges) [[likely]] {
    std::destroy_n(inline_edges_, kInlineEdges);
  } else {
    delete[] heap_edges_;
  }
  delete extras_.Load(sync::kAcquire);
}

void Node::Dispose() {
  ThreadState& thread = CurrentThread();
  if (thread.destroying) {
    // Further up, a node of this thread is being destroyed: its loop takes this one too. So the
    // stack stays flat for chains of nodes, saved tensors and their nodes of any length.
    next_to_destroy_ = thread.to_destroy;
    thread.to_destroy = this;
    return;
  }
  thread.destroying = true;
  delete this;
  while (thread.to_destroy != nullptr) {
    Node* node = thread.to_destroy;
    thread.to_destroy = node->next_to_destroy_;
    delete node;
  }
  thread.destroying = false;
}

void Node::RefuseEdge(const Node& target) const {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[graph] ", name(), " was to get an edge to ", target.name(),
                           " after an edge to itself was made, whose node has read its "
                           "topological number ",
                           topological_nr_,
                           "; graphs are built from the leaves up; add all edges of a node "
                           "before those that lead to it"));
}

void Node::AddHeapEdge(Edge edge) {
  if (num_edges_ == kInlineEdges) {
    Edge* edges = new Edge[kFirstHeapRoom];
    std::move(inline_edges_, inline_edges_ + kInlineEdges, edges);
    std::destroy_n(inline_edges_, kInlineEdges);
    heap_edges_ = edges;
  } else if (IsFullHeapRoom(num_edges_)) {
    Edge* larger = new Edge[size_t{num_edges_} * 2];
    std::move(heap_edges_, heap_edges_ + num_edges_, larger);
    delete[] heap_edges_;
    heap_edges_ = larger;
  }
  heap_edges_[num_edges_++] = std::move(edge);
}

void Node::SetNextEdges(Span<const Edge> edges) {
  AG_CHECK(num_edges_ == 0, "[graph] edges of a node are set twice");
  for (const Edge& edge : edges) AddNextEdge(edge);
}

void Node::SetNextEdge(size_t i, Edge edge) {
  edge_accesses_.Add(this, /*writes=*/true, sync::Site::current());
  AG_CHECK(i < num_edges_, "[graph] edge ", i, " of ", num_edges_);
  if (edge.is_valid()) RaiseAbove(*edge.function);
  MutableEdges()[i] = std::move(edge);
}

uint32_t Node::AddMetadata(InputMetadata metadata) {
  if (num_inputs_ == 0) {
    first_input_ = std::move(metadata);
  } else {
    if (more_inputs_ == nullptr) more_inputs_ = std::make_unique<std::vector<InputMetadata>>();
    more_inputs_->push_back(std::move(metadata));
  }
  return num_inputs_++;
}

void NoteNewNode(const NodePtr& node) {
  if (CurrentThread().modes.anomaly) NoteOrigin(*node);
  if (auto* made = CurrentThread().provisional; made != nullptr) made->push_back(node);
}

void Node::RefuseInput(const Tensor& result) const {
  throw Error(ErrorKind::kDType,
              absl::StrCat("[graph] a result of ", DTypeName(result.dtype()),
                           " was to become differentiable by ", name(),
                           "; only floating results have gradients; leave it without a node"));
}

uint32_t Node::AddUnusedInput() { return AddMetadata(InputMetadata()); }

void Node::SetInputGradDType(uint32_t input_nr, std::optional<DType> dtype) {
  AG_CHECK(input_nr < num_inputs_, "[graph] input ", input_nr, " of ", num_inputs_);
  InputMetadata& place = input_nr == 0 ? first_input_ : (*more_inputs_)[input_nr - 1];
  place.SetGradDType(dtype);
}

void Node::AdoptExtras(Node& from) {
  AG_CHECK(extras() == nullptr, "[graph] hooks are moved to a node that has some");
  extras_.Store(from.extras(), sync::kRelease);
  from.extras_.Store(nullptr, sync::kRelease);
}

NodeExtras& Node::MakeExtras() {
  NodeExtras* extras = extras_.Load(sync::kAcquire);
  if (extras != nullptr) return *extras;
  auto fresh = std::make_unique<NodeExtras>();
  if (extras_.CompareExchangeStrong(extras, fresh.get(), sync::kAcqRel, sync::kAcquire)) {
    return *fresh.release();
  }
  return *extras;
}

}  // namespace twingrad

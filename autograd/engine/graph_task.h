// GraphTask: one call of the engine, as data: its nodes in a dense array and what the call asked
// for.
//
// Each node reachable from the roots has a dense index. The node holds (task, index) in its claim
// word, taken by compare-exchange. A word is only a hint where to look: whoever wrote it, the index
// is right if the task's state there is that of the node. So calls over one graph from one root,
// which meet its nodes in one order, share the words of the first, and the others write nothing.
// Where another live task holds a node under another index, this task keeps the index in a map of
// its own, so a nested or concurrent task never disturbs a running one. The arrays come from a
// cache of the thread and return to it.
//
// Threads: one thread builds the task (ComputeDependencies, MarkNeeded). After that the nodes are
// only read, by any thread of the run. `first_gradient` and `more_gradients` belong to a local run
// (local_run.cc); a shared run keeps gradients in slots of its own.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "autograd/base/span.h"
#include "autograd/engine/array_allocator.h"
#include "autograd/engine/gradient_streams.h"
#include "autograd/engine/observer.h"
#include "autograd/engine/ready_heap.h"
#include "autograd/engine/task_id.h"
#include "autograd/graph/edge.h"
#include "autograd/graph/node.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/warning.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/shared.h"

namespace twingrad {

struct NodeState {
  enum Flag : uint32_t { kApply = 1, kCapture = 2, kVisited = 4 };
  static constexpr uint32_t kExecutes = kApply | kCapture;

  Node* node = nullptr;
  // The gradient of input 0.
  Tensor first_gradient;
  // Contributions that are still to come: at first, the counted edges into the node.
  uint32_t pending = 0;
  // Where the gradients of inputs 1.. begin in more_gradients.
  uint32_t more_begin = 0;
  uint32_t flags = kApply;
  // Where its part of TaskArrays::targets begins.
  uint32_t targets_begin = 0;

  bool Executes() const { return (flags & kExecutes) != 0; }
};

// Arrays that tasks of one thread use one after the other.
struct TaskArrays {
  std::vector<NodeState, ArrayAllocator<NodeState>> states;
  std::vector<Tensor> more_gradients;
  // Of a task that has outputs: the indices to which the counted edges lead, node by node.
  std::vector<uint32_t, ArrayAllocator<uint32_t>> targets;
  // Of its run on one thread.
  ReadyHeap ready;

  // Takes the thread's spare arrays, or makes some; all empty, with room for as many states as the
  // thread's task before had.
  static std::unique_ptr<TaskArrays> Take();
  static void GiveBack(std::unique_ptr<TaskArrays> arrays);
};

// Where a run of several threads keeps the gradients that wait for their nodes.
class GradientBuffers {
 public:
  virtual VariableList Look(uint32_t index) = 0;

 protected:
  ~GradientBuffers() = default;
};

// What something outside the engine keeps for the duration of one task.
struct TaskAttachment {
  virtual ~TaskAttachment() = default;
};

struct ExecuteArguments {
  Span<const Edge> roots;
  Span<const Tensor> seeds;
  bool keep_graph = false;
  bool create_graph = false;
  bool accumulate_grad = false;
  Span<const Edge> outputs;
};

class GraphTask final : public ExecutionFilter, public WarningHandler {
 public:
  static constexpr uint32_t kNotFound = UINT32_MAX;

  // Checks the seeds and makes the root; the arguments outlive the task.
  GraphTask(const ExecuteArguments& arguments, EngineObserver* observer);
  ~GraphTask();
  GraphTask(const GraphTask&) = delete;
  GraphTask& operator=(const GraphTask&) = delete;

  const ExecuteArguments& arguments() const { return arguments_; }
  EngineObserver* observer() const { return observer_; }
  uint64_t number() const { return id_.number(); }
  // Of every thread that evaluates its nodes: the caller's, but for grad mode.
  const Modes& modes() const { return modes_; }
  bool ChecksNan() const { return modes_.anomaly && modes_.check_nan; }
  // Whether nobody looks at the evaluation of its nodes: no observer, no check, no streams.
  bool IsPlain() const { return is_plain_; }

  // Finds out whether nodes have streams, once it is known which execute.
  void FindStreams(bool warns_of_leaves);
  // Null where no node that executes is on a device.
  GradientStreams* streams() const { return streams_.get(); }

  auto& states() { return arrays_->states; }
  const auto& states() const { return std::as_const(arrays_->states); }
  std::vector<Tensor>& more_gradients() { return arrays_->more_gradients; }
  ReadyHeap& ready() { return arrays_->ready; }
  // Of a task that has outputs, where the counted edges lead (TaskArrays); those of one node.
  auto& targets() { return arrays_->targets; }
  Span<const uint32_t> TargetsOf(size_t index) const {
    const size_t begin = states()[index].targets_begin;
    const size_t end =
        index + 1 < states().size() ? states()[index + 1].targets_begin : arrays_->targets.size();
    return {arrays_->targets.data() + begin, end - begin};
  }
  // Where a run on one thread keeps the gradient of an input.
  Tensor& GradientOf(NodeState& state, uint32_t input_nr) {
    return input_nr == 0 ? state.first_gradient
                         : arrays_->more_gradients[state.more_begin + input_nr - 1];
  }

  // Where to look for a node.
  static uint32_t HintOf(const Node& node) {
    return static_cast<uint32_t>(node.claim().Load(sync::kRelaxed));
  }
  // The dense index of a node, kNotFound if it is not in the task. Index 0 is the root.
  uint32_t IndexOf(const Node* node) const {
    const uint32_t index = HintOf(*node);
    if (IsAt(index, node)) [[likely]]
      return index;
    return IndexElsewhere(node);
  }
  // The same for the node that an edge of `from` leads to. Edges added during the call may lead to
  // a node that is not in the task: Error(kInvalidArgument).
  uint32_t TargetOf(const Node& from, const Edge& edge) const {
    const uint32_t index = IndexOf(edge.function.get());
    if (index == kNotFound) [[unlikely]]
      ThrowForeignEdge(from, edge);
    return index;
  }
  // TargetOf where the node's word says something else.
  [[gnu::noinline]] uint32_t TargetElsewhere(const Node& from, const Edge& edge) const;
  [[noreturn]] static void ThrowForeignEdge(const Node& from, const Edge& edge);
  // For a node whose edges are not those that were counted.
  [[noreturn]] static void ThrowChangedEdges(const Node& node);
  // The same as IndexOf, giving the node an index if it has none. In dependencies.cc, whose loop it
  // is a part of. AddRoot comes first, for the root.
  uint32_t FindOrAdd(Node* node);
  void AddRoot();

  // The one gradient that the root starts with: which input of it, and the value. For a GraphRoot,
  // which has no inputs, nothing.
  Node* root() const { return root_.get(); }
  uint32_t root_input() const { return root_input_; }
  Tensor TakeRootSeed() { return std::move(root_seed_); }

  // The gradients that wait for the node, without taking them. Any thread of the run.
  VariableList InputBuffers(uint32_t index) const;
  // In a run on one thread the sum of the gradients that have come by edges like this one to a node
  // that has not begun, in its place; else null.
  Tensor* SumSoFar(const Edge& edge);
  // Set before the run of several threads whose buffers they are.
  void SetBuffers(GradientBuffers* buffers) { buffers_ = buffers; }

  // Whether only part of the graph is executed.
  bool has_filter() const { return !arguments_.outputs.empty(); }
  bool ShouldExecute(const Node* node) const override;

  // Captures, by state; filled while needed nodes are marked.
  void AddCapture(uint32_t index, uint32_t input_nr, uint32_t output);
  void SortCaptures();
  // Copies to the results what the node captures of these gradients; `last_use`: it may move them.
  void Capture(uint32_t index, VariableList& gradients, bool last_use) AG_EXCLUDES(mutex_);
  VariableList TakeResults() AG_EXCLUDES(mutex_);

  void AddCallback(std::function<void()> callback) AG_EXCLUDES(mutex_);
  // Runs the callbacks in order, including those they add, with no lock held.
  void RunCallbacks() AG_EXCLUDES(mutex_);

  // What this task keeps for the owner of `key`, made at first use; destroyed with the task.
  sync::SharedPtr<TaskAttachment> Attachment(
      const void* key, const std::function<sync::SharedPtr<TaskAttachment>()>& make)
      AG_EXCLUDES(mutex_);

  // Keeps a warning of a node, hook or callback, on any thread of the run.
  void Handle(const Warning& warning) override AG_EXCLUDES(mutex_);
  // Puts the warnings of the nodes into the order of one thread. The caller, after a shared run.
  void SortWarnings();
  // Hands the warnings to this thread's handler, which may throw. The caller, at the end.
  void ReplayWarnings();

 private:
  struct CaptureEntry {
    uint32_t index;
    uint32_t input_nr;
    uint32_t output;
  };

  struct KeptWarning {
    uint64_t order_key;  // of the node that its thread would have made next
    Warning warning;
  };

  bool IsAt(uint32_t index, const Node* node) const {
    return index < states().size() && states()[index].node == node;
  }
  // Of a node whose word says something else.
  uint32_t IndexElsewhere(const Node* node) const AG_EXCLUDES(mutex_);
  // Whether the next index is that under which `holder` holds a node that is not in the task.
  bool Borrows(uint32_t holder, uint32_t index) const {
    return holder == lender_ && index == states().size() && elsewhere_ == nullptr;
  }
  // FindOrAdd of a task that has indices elsewhere than in the words of nodes; kNotFound if it may
  // claim the node.
  [[gnu::noinline]] uint32_t FindOrAddBeside(Node* node, uint32_t holder, uint32_t index);
  // Adds a node that `holder` holds under `index`.
  [[gnu::noinline]] uint32_t AddUnclaimed(Node* node, uint32_t holder, uint32_t index);
  // Once the words of `lender_` may be written by others: claims the nodes that were borrowed so
  // far, or puts all into the map.
  void StopBorrowing();
  bool ClaimBorrowed();
  [[gnu::always_inline]] uint32_t AddState(Node* node) {
    const uint32_t index = static_cast<uint32_t>(states().size());
    NodeState& state = states().emplace_back();
    state.node = node;
    if (node->num_inputs() > 1) [[unlikely]]
      AddMoreGradients(state);
    return index;
  }
  [[gnu::noinline]] void AddMoreGradients(NodeState& state);
  Tensor CapturedCopy(Tensor& gradient, bool may_take) const;

  const ExecuteArguments arguments_;
  EngineObserver* const observer_;
  Modes modes_;
  bool is_plain_;
  TaskId id_;
  NodePtr root_;
  uint32_t root_input_ = 0;
  Tensor root_seed_;
  std::unique_ptr<TaskArrays> arrays_;
  std::unique_ptr<GradientStreams> streams_;
  GradientBuffers* buffers_ = nullptr;  // null: in the arrays
  struct Map;
  // The indices of nodes that other live tasks hold under other ones; null where there are none.
  std::unique_ptr<Map> elsewhere_;
  // The task, alive or not, whose words serve as this one's for the nodes that it holds. While it
  // lives they stay as they are, so a node with another word is none of these.
  uint32_t lender_ = TaskId::kNobody;
  std::vector<CaptureEntry> captures_;

  mutable sync::Mutex mutex_{"graph_task"};
  sync::Cell<VariableList> results_ AG_GUARDED_BY(mutex_);
  sync::Cell<std::vector<std::function<void()>>> callbacks_ AG_GUARDED_BY(mutex_);
  sync::Cell<std::vector<std::pair<const void*, sync::SharedPtr<TaskAttachment>>>> attachments_
      AG_GUARDED_BY(mutex_);
  // Of all nodes: made when the word of one that was borrowed has been written since.
  mutable sync::Cell<std::unique_ptr<Map>> all_ AG_GUARDED_BY(mutex_);
  // Added to under mutex_; the caller has it alone once the run is over.
  sync::Cell<std::vector<KeptWarning>> warnings_;
};

}  // namespace twingrad

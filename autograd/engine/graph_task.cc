// Claims, captures and callbacks of a task. See graph_task.h.

#include "autograd/engine/graph_task.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/engine/validate.h"
#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/variable.h"
#include "autograd/sync/thread_local.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

// A thread that goes on with large graphs keeps its arrays, which would cost page faults anew. One
// that has turned to smaller graphs gives larger ones than this back to the system.
constexpr size_t kAlwaysKept = size_t{8} << 20;  // bytes

// Elements of so many bytes that an array of which `used` were used may keep room for.
size_t RoomToKeep(size_t used, size_t bytes) { return std::max(4 * used, kAlwaysKept / bytes); }

template <class Array>
void Empty(Array& array) {
  const size_t room = RoomToKeep(array.size(), sizeof(array[0]));
  array.clear();
  if (array.capacity() > room) array.shrink_to_fit();
}

// Whether the thread's Spare is gone: destructors of static objects, which may run tasks, come
// after those of the main thread's locals.
AG_THREAD_LOCAL(bool, SpareIsGone, false);

struct Spare {
  std::unique_ptr<TaskArrays> arrays;
  size_t last_states = 0;  // that the thread's last task had
  ~Spare() { SpareIsGone() = true; }
};
AG_THREAD_LOCAL(Spare, ThreadSpare);

void CheckEdges(Span<const Edge> edges, std::string_view what) {
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].is_valid() || edges[i].input_nr < edges[i].function->num_inputs()) continue;
    throw Error(
        ErrorKind::kInvalidArgument,
        absl::StrCat("[engine] ", what, " ", i, " is input ", edges[i].input_nr, " of ",
                     edges[i].function->name(), ", which has ", edges[i].function->num_inputs(),
                     "; inputs count from 0; use GradientEdge"));
  }
}

}  // namespace

std::unique_ptr<TaskArrays> TaskArrays::Take() {
  if (SpareIsGone()) return std::make_unique<TaskArrays>();
  std::unique_ptr<TaskArrays> arrays = std::move(ThreadSpare().arrays);
  if (arrays == nullptr) arrays = std::make_unique<TaskArrays>();
  // Room that is not used costs address space only.
  arrays->states.reserve(ThreadSpare().last_states);
  return arrays;
}

void TaskArrays::GiveBack(std::unique_ptr<TaskArrays> arrays) {
  // Dropping gradients may end graphs, and so run other tasks' code: first everything, then the
  // cache.
  const size_t num_states = arrays->states.size();
  Empty(arrays->states);
  Empty(arrays->more_gradients);
  Empty(arrays->targets);
  arrays->ready.Empty(RoomToKeep(num_states, ReadyHeap::kBytesANode));
  if (SpareIsGone()) return;
  ThreadSpare().last_states = num_states;
  ThreadSpare().arrays = std::move(arrays);
}

struct GraphTask::Map {
  absl::flat_hash_map<const Node*, uint32_t> indices;

  void AddAll(const TaskArrays& arrays) {
    indices.reserve(arrays.states.size());
    for (uint32_t i = 0; i < arrays.states.size(); ++i) indices.emplace(arrays.states[i].node, i);
  }
  uint32_t Find(const Node* node) const {
    const auto it = indices.find(node);
    return it == indices.end() ? kNotFound : it->second;
  }
};

GraphTask::GraphTask(const ExecuteArguments& arguments, EngineObserver* observer)
    : arguments_(arguments),
      observer_(observer),
      modes_(CurrentThread().modes),
      is_plain_(observer == nullptr && !ChecksNan()),
      arrays_(TaskArrays::Take()) {
  modes_.grad_mode = arguments.create_graph && !modes_.inference;
  modes_.warning_handler = this;
  modes_.anomaly_label = nullptr;
  CheckEdges(arguments.roots, "root");
  CheckEdges(arguments.outputs, "output");
  VariableList seeds(arguments.seeds.begin(), arguments.seeds.end());
  ValidateGradients(arguments.roots, seeds, "the call");
  if (arguments.roots.size() == 1 && arguments.roots[0].is_valid()) {
    root_ = arguments.roots[0].function;
    root_input_ = arguments.roots[0].input_nr;
    root_seed_ = std::move(seeds[0]);
  } else {
    root_ = MakeNode<GraphRoot>(arguments.roots, std::move(seeds));
  }
  sync::MutexLock lock(mutex_);
  if (!arguments.accumulate_grad) results_.Mutable().resize(arguments.outputs.size());
}

GraphTask::~GraphTask() { TaskArrays::GiveBack(std::move(arrays_)); }

void GraphTask::FindStreams(bool warns_of_leaves) {
  streams_ = GradientStreams::Of(*this, warns_of_leaves);
  if (streams_ == nullptr) return;
  is_plain_ = false;
  if (root_->num_inputs() > 0) streams_->AddSeed(*root_, root_input_, root_seed_);
}

void GraphTask::ThrowForeignEdge(const Node& from, const Edge& edge) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[engine] an edge of ", from.name(), " leads to ", edge.function->name(),
                           ", which is not in the graph of the running call; the edges of a node "
                           "are fixed while calls use it; add edges before the call"));
}

void GraphTask::ThrowChangedEdges(const Node& node) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[engine] ", node.name(),
                           " got more gradients than edges led to it when the call began; the "
                           "edges of a node are fixed while calls use it; add edges before the "
                           "call"));
}

uint32_t GraphTask::FindOrAddBeside(Node* node, uint32_t holder, uint32_t index) {
  if (Borrows(holder, index)) return AddState(node);
  // This node was borrowed if the lender has ended and another task has taken it over. The word of
  // that task, which was read with acquire, makes the lender's end visible too.
  if (lender_ != TaskId::kNobody && holder != lender_ && !TaskId::IsAlive(lender_)) StopBorrowing();
  // Its holder may have ended after this task met the node first.
  if (elsewhere_ != nullptr) {
    if (const uint32_t known = elsewhere_->Find(node); known != kNotFound) return known;
  }
  if (id_.claim_id() != 0 && !TaskId::IsAlive(holder)) return kNotFound;
  return AddUnclaimed(node, holder, index);
}

uint32_t GraphTask::AddUnclaimed(Node* node, uint32_t holder, uint32_t index) {
  const uint32_t mine = static_cast<uint32_t>(states().size());
  // One lender a task: the map is filled with what was borrowed at most once.
  const bool lends = lender_ == holder || (lender_ == TaskId::kNobody && elsewhere_ == nullptr);
  if (holder != 0 && index == mine && lends) {
    lender_ = holder;
  } else {
    if (elsewhere_ == nullptr) elsewhere_ = std::make_unique<Map>();
    elsewhere_->indices.emplace(node, mine);
  }
  return AddState(node);
}

void GraphTask::StopBorrowing() {
  if (!ClaimBorrowed()) {
    if (elsewhere_ == nullptr) elsewhere_ = std::make_unique<Map>();
    elsewhere_->AddAll(*arrays_);
  }
  lender_ = TaskId::kNobody;
}

bool GraphTask::ClaimBorrowed() {
  if (id_.claim_id() == 0) return false;
  for (uint32_t i = 0; i < states().size(); ++i) {
    uint64_t word = uint64_t{lender_} << 32 | i;
    const uint64_t mine = uint64_t{id_.claim_id()} << 32 | i;
    const bool is_mine =
        states()[i].node->claim().CompareExchangeStrong(word, mine, sync::kAcqRel, sync::kRelaxed);
    // Another task has taken it over, unless it was not borrowed and its index is in the map.
    if (is_mine || word == mine) continue;
    if (elsewhere_ == nullptr || elsewhere_->Find(states()[i].node) == kNotFound) return false;
  }
  return true;
}

void GraphTask::AddMoreGradients(NodeState& state) {
  state.more_begin = static_cast<uint32_t>(more_gradients().size());
  more_gradients().resize(more_gradients().size() + state.node->num_inputs() - 1);
}

uint32_t GraphTask::IndexElsewhere(const Node* node) const {
  if (elsewhere_ != nullptr) {
    if (const uint32_t index = elsewhere_->Find(node); index != kNotFound) return index;
  }
  if (lender_ == TaskId::kNobody) return kNotFound;
  sync::MutexLock lock(mutex_);
  if (all_.Read() == nullptr) {
    auto all = std::make_unique<Map>();
    all->AddAll(*arrays_);
    all_.Write(std::move(all));
  }
  return all_.Read()->Find(node);
}

uint32_t GraphTask::TargetElsewhere(const Node& from, const Edge& edge) const {
  const uint32_t index = IndexElsewhere(edge.function.get());
  if (index == kNotFound) ThrowForeignEdge(from, edge);
  return index;
}

VariableList GraphTask::InputBuffers(uint32_t index) const {
  if (buffers_ != nullptr) return buffers_->Look(index);
  const NodeState& state = states()[index];
  VariableList gradients;
  for (uint32_t i = 0; i < state.node->num_inputs(); ++i) {
    gradients.push_back(i == 0 ? state.first_gradient
                               : arrays_->more_gradients[state.more_begin + i - 1]);
  }
  return gradients;
}

Tensor* GraphTask::SumSoFar(const Edge& edge) {
  const uint32_t index = IndexOf(edge.function.get());
  if (buffers_ != nullptr || index == kNotFound || !states()[index].Executes()) return nullptr;
  return &GradientOf(states()[index], edge.input_nr);
}

bool GraphTask::ShouldExecute(const Node* node) const {
  const uint32_t index = IndexOf(node);
  return index != kNotFound && states()[index].Executes();
}

void GraphTask::AddCapture(uint32_t index, uint32_t input_nr, uint32_t output) {
  captures_.push_back({index, input_nr, output});
  states()[index].flags |= NodeState::kCapture;
}

void GraphTask::SortCaptures() {
  std::sort(captures_.begin(), captures_.end(), [](const CaptureEntry& a, const CaptureEntry& b) {
    return std::tie(a.index, a.output) < std::tie(b.index, b.output);
  });
}

Tensor GraphTask::CapturedCopy(Tensor& gradient, bool may_take) const {
  if (!gradient.defined()) return Tensor();
  // What is recorded must not depend on who else happens to hold the gradient at this moment, and
  // its memory may be that of another result, of a seed, or of what the new graph has saved.
  if (ShouldRecord(gradient)) {
    Tensor copy = GradientClone(gradient);
    AnnounceNodeOf(copy);
    return copy;
  }
  return may_take && IsPrivate(gradient) ? std::move(gradient) : kernels::Clone(gradient);
}

void GraphTask::Capture(uint32_t index, VariableList& gradients, bool last_use) {
  auto it = std::lower_bound(
      captures_.begin(), captures_.end(), index,
      [](const CaptureEntry& entry, uint32_t wanted) { return entry.index < wanted; });
  for (; it != captures_.end() && it->index == index; ++it) {
    // Two captures of one gradient must not share memory.
    const bool is_last = std::none_of(it + 1, captures_.end(), [&](const CaptureEntry& other) {
      return other.index == index && other.input_nr == it->input_nr;
    });
    Tensor value = CapturedCopy(gradients[it->input_nr], last_use && is_last);
    sync::MutexLock lock(mutex_);
    results_.Mutable()[it->output] = std::move(value);
  }
}

VariableList GraphTask::TakeResults() {
  sync::MutexLock lock(mutex_);
  return std::move(results_.Mutable());
}

void GraphTask::AddCallback(std::function<void()> callback) {
  sync::MutexLock lock(mutex_);
  callbacks_.Mutable().push_back(std::move(callback));
}

sync::SharedPtr<TaskAttachment> GraphTask::Attachment(
    const void* key, const std::function<sync::SharedPtr<TaskAttachment>()>& make) {
  sync::SharedPtr<TaskAttachment> made;
  while (true) {
    {
      sync::MutexLock lock(mutex_);
      for (const auto& [of, attachment] : attachments_.Read()) {
        if (of == key) return attachment;
      }
      if (made != nullptr) {
        attachments_.Mutable().emplace_back(key, made);
        return made;
      }
    }
    made = make();
  }
}

void GraphTask::RunCallbacks() {
  for (size_t i = 0;; ++i) {
    std::function<void()> callback;
    {
      sync::MutexLock lock(mutex_);
      if (i == callbacks_.Read().size()) return;
      callback = std::move(callbacks_.Mutable()[i]);
    }
    callback();
  }
}

void GraphTask::Handle(const Warning& warning) {
  sync::MutexLock lock(mutex_);
  warnings_.Mutable().push_back({CurrentThread().next_order_key, warning});
}

void GraphTask::SortWarnings() {
  if (warnings_.Read().empty()) return;
  std::stable_sort(
      warnings_.Mutable().begin(), warnings_.Mutable().end(),
      [](const KeptWarning& a, const KeptWarning& b) { return a.order_key < b.order_key; });
}

void GraphTask::ReplayWarnings() {
  if (warnings_.Read().empty()) [[likely]]
    return;
  const std::vector<KeptWarning> warnings = std::move(warnings_.Mutable());
  for (const KeptWarning& kept : warnings) Warn(kept.warning);
}

}  // namespace twingrad

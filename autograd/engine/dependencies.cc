// Claiming nodes, counting dependencies, marking what is needed, simulating the ready queue. See
// dependencies.h.

#include "autograd/engine/dependencies.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "autograd/base/span.h"
#include "autograd/engine/ready_heap.h"

namespace twingrad {
namespace {

uint32_t LowestOutput(const GraphTask& task) {
  uint32_t lowest = 0;
  bool first = true;
  for (const Edge& output : task.arguments().outputs) {
    const uint32_t number = output.is_valid() ? output.function->topological_nr() : 0;
    lowest = first ? number : std::min(lowest, number);
    first = false;
  }
  return lowest;
}

std::vector<uint32_t> CountDependencies(const GraphTask& task) {
  const uint32_t lowest = LowestOutput(task);
  std::vector<uint32_t> counts(task.states().size());
  for (const NodeState& state : task.states()) {
    if (lowest != 0 && state.node->topological_nr() < lowest) continue;
    for (const Edge& edge : state.node->next_edges()) {
      if (edge.is_valid()) ++counts[task.TargetOf(*state.node, edge)];
    }
  }
  return counts;
}

}  // namespace

// Whoever held the root first, there or not, has met the nodes from there on in this task's order.
void GraphTask::AddRoot() {
  const uint64_t word = root()->claim().Load(sync::kAcquire);
  const uint32_t holder = static_cast<uint32_t>(word >> 32);
  if (holder != 0 && static_cast<uint32_t>(word) == 0) lender_ = holder;
  FindOrAdd(root());
}

uint32_t GraphTask::FindOrAdd(Node* node) {
  // A claim publishes that its task lives: who sees it must also see the task's place in the table
  // of TaskId, or it would take a living task for a dead one.
  uint64_t word = node->claim().Load(sync::kAcquire);
  while (true) {
    const uint32_t index = static_cast<uint32_t>(word);
    if (IsAt(index, node)) return index;
    const uint32_t holder = static_cast<uint32_t>(word >> 32);
    // A word of its own that is wrong was left by a task with the same id, four thousand million
    // tasks ago.
    if (holder != id_.claim_id() || holder == 0) {
      if (lender_ != TaskId::kNobody || elsewhere_ != nullptr || id_.claim_id() == 0) [[unlikely]] {
        const uint32_t found = FindOrAddBeside(node, holder, index);
        if (found != kNotFound) return found;
      } else if (TaskId::IsAlive(holder)) [[unlikely]] {
        return AddUnclaimed(node, holder, index);
      }
    }
    const uint64_t mine = uint64_t{id_.claim_id()} << 32 | static_cast<uint32_t>(states().size());
    if (node->claim().CompareExchangeStrong(word, mine, sync::kAcqRel, sync::kAcquire)) {
      return AddState(node);
    }
  }
}

namespace {

// Nodes of one graph are made one after the other, and so lie in memory: where an edge leads to a
// near one, what lies a few steps further on will often be met soon. A wrong guess costs a fetch.
inline void Prefetch(const Node* from, const Node* to) {
  constexpr intptr_t kNear = 2048;
  constexpr intptr_t kSteps = 4;
  const intptr_t at = reinterpret_cast<intptr_t>(to);
  const intptr_t step = at - reinterpret_cast<intptr_t>(from);
  if (step < -kNear || step > kNear) return;
  const auto* guess = reinterpret_cast<const char*>(at + kSteps * step);
  __builtin_prefetch(guess, 1);
  __builtin_prefetch(guess + 64, 0);
}

// With what finds a node and makes its state in the loop itself. Of a task that has outputs it
// notes where edges lead, so that MarkNeeded need not touch the nodes again, and marks nothing yet.
template <bool kHasFilter>
[[gnu::flatten]] void Count(GraphTask& task) {
  const uint32_t lowest = LowestOutput(task);
  auto& states = task.states();
  task.AddRoot();
  // Nodes are appended as they are met: the array is its own queue.
  for (size_t i = 0; i < states.size(); ++i) {
    Node* node = states[i].node;
    if constexpr (kHasFilter) {
      states[i].flags = 0;
      states[i].targets_begin = static_cast<uint32_t>(task.targets().size());
      if (node->topological_nr() < lowest) continue;
    }
    for (const Edge& edge : node->next_edges()) {
      if (!edge.is_valid()) continue;
      Prefetch(node, edge.function.get());
      const uint32_t target = task.FindOrAdd(edge.function.get());
      ++states[target].pending;
      if constexpr (kHasFilter) task.targets().push_back(target);
    }
  }
}

// A node is to be applied if one of its children executes. Where nodes stand before all that they
// lead to, but for what leads nowhere, one pass from the last to the first tells: when it comes to
// a node it has met its children. False where they do not; what is marked by then is right.
bool MarkFromTheLast(GraphTask& task) {
  auto& states = task.states();
  for (size_t i = states.size(); i-- > 0;) {
    for (const uint32_t child : task.TargetsOf(i)) {
      if (child <= i && !task.TargetsOf(child).empty()) return false;
      if (states[child].Executes()) states[i].flags |= NodeState::kApply;
    }
  }
  return true;
}

// The same, depth first.
void MarkDepthFirst(GraphTask& task) {
  auto& states = task.states();
  struct Frame {
    uint32_t index;
    uint32_t next_target;
  };
  std::vector<Frame> stack = {{0, 0}};
  states[0].flags |= NodeState::kVisited;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    NodeState& state = states[frame.index];
    const Span<const uint32_t> targets = task.TargetsOf(frame.index);
    if (frame.next_target == targets.size()) {
      const bool executes = state.Executes();
      stack.pop_back();
      if (executes && !stack.empty()) states[stack.back().index].flags |= NodeState::kApply;
      continue;
    }
    const uint32_t child = targets[frame.next_target++];
    if ((states[child].flags & NodeState::kVisited) != 0) {
      if (states[child].Executes()) state.flags |= NodeState::kApply;
      continue;
    }
    states[child].flags |= NodeState::kVisited;
    stack.push_back({child, 0});
  }
}

}  // namespace

void ComputeDependencies(GraphTask& task) {
  task.has_filter() ? Count</*kHasFilter=*/true>(task) : Count</*kHasFilter=*/false>(task);
}

void MarkNeeded(GraphTask& task) {
  if (!task.has_filter()) return;
  const Span<const Edge> outputs = task.arguments().outputs;
  for (uint32_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_valid()) continue;
    const uint32_t index = task.IndexOf(outputs[i].function.get());
    if (index == GraphTask::kNotFound) continue;  // no root reaches it
    if (task.arguments().accumulate_grad) {
      task.states()[index].flags |= NodeState::kApply;
    } else {
      task.AddCapture(index, outputs[i].input_nr, i);
    }
  }
  task.SortCaptures();
  if (!MarkFromTheLast(task)) MarkDepthFirst(task);
}

Ranks ComputeRanks(const GraphTask& task, uint32_t evaluated) {
  std::vector<uint32_t> pending = CountDependencies(task);
  const auto& states = task.states();
  Ranks ranks;
  ranks.rank.resize(states.size());
  uint32_t edges_total = 0;
  uint32_t slots_total = 0;
  for (const NodeState& state : states) {
    ranks.edge_begin.push_back(edges_total);
    ranks.slot_begin.push_back(slots_total);
    edges_total += state.node->num_outputs();
    slots_total += state.node->num_inputs();
  }
  ranks.edge_begin.push_back(edges_total);
  ranks.ordinal.resize(edges_total);
  ranks.slot_size.resize(slots_total);
  ranks.slot_added.resize(slots_total);

  ReadyHeap ready;
  if (states[0].Executes()) ready.Push(0, 0);
  while (!ready.IsEmpty()) {
    const uint32_t index = ready.Pop();
    const NodeState& state = states[index];
    ranks.rank[index] = ranks.count++;
    if ((state.flags & NodeState::kApply) == 0) continue;
    const Span<const Edge> edges = state.node->next_edges();
    for (size_t i = 0; i < edges.size(); ++i) {
      if (!edges[i].is_valid()) continue;
      const uint32_t target = task.TargetOf(*state.node, edges[i]);
      const uint32_t slot = ranks.slot_begin[target] + edges[i].input_nr;
      ranks.ordinal[ranks.edge_begin[index] + i] = ranks.slot_size[slot]++;
      if (ranks.rank[index] < evaluated) ++ranks.slot_added[slot];
      const bool executes = states[target].Executes();
      if (--pending[target] == 0 && executes) {
        ready.Push(states[target].node->sequence_nr(), target);
      }
    }
  }
  return ranks;
}

namespace {

// Lists the nodes of a view as it meets them.
class NodeListing {
 public:
  NodeListing(const GraphTask& task, GraphView& view) : task_(task), view_(view) {
    const size_t count = task.states().size();
    view.nodes.reserve(count + task.arguments().outputs.size());
    view.edges.reserve(2 * count);
    view.places.assign(count, kNotListed);
  }

  ViewEdge Follow(const Edge& edge) {
    return {edge.is_valid() ? PlaceOf(edge.function.get()) : kNotListed, edge.input_nr};
  }
  // Lists all that is reached from what is listed by now.
  void FollowAll() {
    for (; followed_ < view_.nodes.size(); ++followed_) {
      for (const Edge& edge : view_.nodes[followed_]->next_edges()) {
        view_.edges.push_back(Follow(edge));
      }
    }
  }
  int32_t PlaceOf(const Node* node) {
    const uint32_t index = task_.IndexOf(node);
    int32_t& place = index == GraphTask::kNotFound
                         ? beside_.try_emplace(node, kNotListed).first->second
                         : view_.places[index];
    if (place == kNotListed) {
      place = static_cast<int32_t>(view_.nodes.size());
      view_.nodes.push_back(node);
    }
    return place;
  }

 private:
  static constexpr int32_t kNotListed = -1;

  const GraphTask& task_;
  GraphView& view_;
  size_t followed_ = 0;
  absl::flat_hash_map<const Node*, int32_t> beside_;  // places of nodes that are not in the task
};

void NoteCounts(const GraphTask& task, GraphView& view) {
  view.dependencies.reserve(view.nodes.size());
  if (task.has_filter()) view.needed.reserve(view.nodes.size());
  for (size_t place = 0; place < view.nodes.size(); ++place) {
    const uint32_t index = task.IndexOf(view.nodes[place]);
    const NodeState* state = index == GraphTask::kNotFound ? nullptr : &task.states()[index];
    const bool has_entry = state != nullptr && state->pending > 0;
    view.dependencies.push_back(has_entry ? static_cast<int32_t>(state->pending) : -1);
    if (!task.has_filter()) continue;
    // An output that no root reaches is wanted as well, in vain.
    const bool is_output =
        view.accumulate_grad &&
        std::any_of(view.outputs.begin(), view.outputs.end(), [place](const ViewEdge& output) {
          return output.node == static_cast<int32_t>(place);
        });
    view.needed.push_back(state != nullptr ? (state->flags & NodeState::kApply) != 0 : is_output);
  }
}

}  // namespace

GraphView ViewOf(const GraphTask& task) {
  const ExecuteArguments& arguments = task.arguments();
  GraphView view;
  view.task = task.number();
  view.keep_graph = arguments.keep_graph;
  view.create_graph = arguments.create_graph;
  view.accumulate_grad = arguments.accumulate_grad;
  NodeListing listing(task, view);
  // What the roots reach, then outputs beside it: the lowest output decides what is pruned.
  const int32_t root = listing.PlaceOf(task.root());
  listing.FollowAll();
  if (task.root()->num_inputs() > 0) {
    view.roots.push_back({root, task.root_input()});
  } else {  // a GraphRoot, which leads to them
    view.roots.assign(view.edges.begin(), view.edges.begin() + task.root()->num_outputs());
  }
  for (const Edge& output : arguments.outputs) {
    view.outputs.push_back(listing.Follow(output));
    listing.FollowAll();
  }
  NoteCounts(task, view);
  return view;
}

}  // namespace twingrad

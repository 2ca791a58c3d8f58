// Simulating the ready queue. See ranks.h.

#include "autograd/engine/ranks.h"

#include "absl/types/span.h"
#include "autograd/engine/ready_heap.h"

namespace twingrad {

Ranks ComputeRanks(const GraphTask& task) {
  const std::vector<NodeState>& states = task.states();
  Ranks ranks;
  ranks.rank.resize(states.size());
  std::vector<uint32_t> pending;
  pending.reserve(states.size());
  uint32_t edges_total = 0;
  uint32_t slots_total = 0;
  for (const NodeState& state : states) {
    pending.push_back(state.pending);
    ranks.edge_begin.push_back(edges_total);
    ranks.slot_begin.push_back(slots_total);
    edges_total += state.node->num_outputs();
    slots_total += state.node->num_inputs();
  }
  ranks.ordinal.resize(edges_total);
  ranks.slot_size.resize(slots_total);

  ReadyHeap ready;
  if ((states[0].flags & NodeState::kExecutes) != 0) ready.Push(0, 0);
  while (!ready.IsEmpty()) {
    const uint32_t index = ready.Pop();
    const NodeState& state = states[index];
    ranks.rank[index] = ranks.count++;
    if ((state.flags & NodeState::kApply) == 0) continue;
    const absl::Span<const Edge> edges = state.node->next_edges();
    for (size_t i = 0; i < edges.size(); ++i) {
      if (!edges[i].is_valid()) continue;
      const uint32_t target = task.IndexOf(edges[i].function.get());
      const uint32_t slot = ranks.slot_begin[target] + edges[i].input_nr;
      ranks.ordinal[ranks.edge_begin[index] + i] = ranks.slot_size[slot]++;
      const bool executes = (states[target].flags & NodeState::kExecutes) != 0;
      if (--pending[target] == 0 && executes) {
        ready.Push(states[target].node->sequence_nr(), target);
      }
    }
  }
  return ranks;
}

}  // namespace twingrad

// Explores all moves of all threads from every state, each state once; see legal_orders.h.
#include "proptests/interleave/engine/legal_orders.h"

#include <algorithm>
#include <map>
#include <utility>

namespace twingrad::interleave {

namespace {

enum class Phase : uint8_t { kTaken, kBegun, kDelivered };

struct State {
  std::vector<int> pending;                // by node: deliveries to come
  std::vector<std::vector<int>> queues;    // by thread, sorted by index
  std::vector<int> running;                // by thread: the node it has taken, -1
  std::vector<std::vector<int>> to_queue;  // by thread: what it still has to queue, last first
  std::vector<Phase> phases;               // by thread: of that node

  friend auto operator<=>(const State&, const State&) = default;
};

class Explorer {
 public:
  explicit Explorer(const std::vector<OrderedNode>& nodes) : nodes_(nodes) {}

  std::set<std::vector<int>> Run() {
    int threads = 1;
    State state;
    state.pending.resize(nodes_.size());
    for (const OrderedNode& node : nodes_) {
      threads = std::max(threads, node.thread + 1);
      for (int target : node.targets) ++state.pending[static_cast<size_t>(target)];
    }
    const auto count = static_cast<size_t>(threads);
    state.queues.resize(count);
    state.running.resize(count, -1);
    state.to_queue.resize(count);
    state.phases.resize(count, Phase::kTaken);
    Queue(state, 0);
    return From(state);
  }

 private:
  using Orders = std::set<std::vector<int>>;

  void Queue(State& state, int node) const {
    std::vector<int>& queue = state.queues[static_cast<size_t>(ThreadOf(node))];
    queue.insert(std::upper_bound(queue.begin(), queue.end(), node), node);
  }
  int ThreadOf(int node) const { return nodes_[static_cast<size_t>(node)].thread; }

  // The orders of the nodes that have not begun yet.
  const Orders& From(const State& state) {
    const auto [found, is_new] = known_.try_emplace(state);
    if (!is_new) return found->second;
    Orders orders;
    bool at_end = true;
    for (size_t thread = 0; thread < state.running.size(); ++thread) {
      State next = state;
      int begun = -1;
      if (!Move(next, thread, &begun)) continue;
      at_end = false;
      for (const std::vector<int>& rest : From(next)) {
        std::vector<int> order = rest;
        if (begun >= 0) order.insert(order.begin(), begun);
        orders.insert(std::move(order));
      }
    }
    if (at_end) orders.insert(std::vector<int>());
    return known_[state] = std::move(orders);
  }

  // The next move of a thread; false if it has none.
  bool Move(State& state, size_t thread, int* begun) const {
    if (state.running[thread] < 0) {
      std::vector<int>& queue = state.queues[thread];
      if (queue.empty()) return false;
      const auto first = std::max_element(queue.begin(), queue.end(), [this](int a, int b) {
        return nodes_[static_cast<size_t>(a)].key < nodes_[static_cast<size_t>(b)].key;
      });
      state.running[thread] = *first;
      queue.erase(first);
      state.phases[thread] = Phase::kTaken;
      return true;
    }
    if (state.phases[thread] == Phase::kTaken) {
      state.phases[thread] = Phase::kBegun;
      *begun = state.running[thread];
      return true;
    }
    if (state.phases[thread] == Phase::kBegun) {
      state.phases[thread] = Phase::kDelivered;
      const OrderedNode& node = nodes_[static_cast<size_t>(state.running[thread])];
      for (int target : node.targets) {
        if (--state.pending[static_cast<size_t>(target)] > 0) continue;
        state.to_queue[thread].insert(state.to_queue[thread].begin(), target);
      }
    } else if (!state.to_queue[thread].empty()) {
      Queue(state, state.to_queue[thread].back());
      state.to_queue[thread].pop_back();
    }
    if (state.to_queue[thread].empty()) state.running[thread] = -1;
    return true;
  }

  const std::vector<OrderedNode>& nodes_;
  std::map<State, Orders> known_;
};

}  // namespace

std::set<std::vector<int>> LegalOrders(const std::vector<OrderedNode>& nodes) {
  return Explorer(nodes).Run();
}

}  // namespace twingrad::interleave

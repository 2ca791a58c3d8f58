#include "proptests/interleave/engine/legal_orders.h"

#include <compare>
#include <iterator>
#include <map>
#include <utility>

namespace twingrad::interleave {

namespace {

enum class Phase : uint8_t { kTaken, kBegun, kDelivered };

struct Thread {
  std::set<std::pair<uint64_t, int>> queue;  // nodes with their keys
  int running = -1;                          // the node it has taken
  Phase phase = Phase::kTaken;               // of that node
  std::vector<int> to_queue;                 // what it still has to queue, last first

  friend auto operator<=>(const Thread&, const Thread&) = default;
};

struct State {
  std::vector<int> pending;  // by node: deliveries to come
  std::vector<Thread> threads;

  friend auto operator<=>(const State&, const State&) = default;
};

class Explorer {
 public:
  explicit Explorer(const std::vector<OrderedNode>& nodes) : nodes_(nodes) {}

  std::set<std::vector<int>> Run() {
    State state;
    state.pending.resize(nodes_.size());
    for (const OrderedNode& node : nodes_) {
      const auto thread = static_cast<size_t>(node.thread);
      if (state.threads.size() <= thread) state.threads.resize(thread + 1);
      for (int target : node.targets) ++state.pending[static_cast<size_t>(target)];
    }
    Queue(state, 0);
    return From(state);
  }

 private:
  using Orders = std::set<std::vector<int>>;

  const OrderedNode& NodeAt(int index) const { return nodes_[static_cast<size_t>(index)]; }
  void Queue(State& state, int index) const {
    const OrderedNode& node = NodeAt(index);
    state.threads[static_cast<size_t>(node.thread)].queue.emplace(node.key, index);
  }

  // The orders of the nodes that have not begun yet.
  const Orders& From(const State& state) {
    const auto [found, is_new] = known_.try_emplace(state);
    if (!is_new) return found->second;
    Orders orders;
    bool at_end = true;
    for (size_t thread = 0; thread < state.threads.size(); ++thread) {
      State next = state;
      int begun = -1;
      if (!Move(next, next.threads[thread], &begun)) continue;
      at_end = false;
      for (std::vector<int> order : From(next)) {
        if (begun >= 0) order.insert(order.begin(), begun);
        orders.insert(std::move(order));
      }
    }
    if (at_end) orders.emplace();
    return known_[state] = std::move(orders);
  }

  // The next move of a thread; false if it has none.
  bool Move(State& state, Thread& thread, int* begun) const {
    if (thread.running < 0) {
      if (thread.queue.empty()) return false;
      thread.running = thread.queue.rbegin()->second;
      thread.queue.erase(std::prev(thread.queue.end()));
      thread.phase = Phase::kTaken;
      return true;
    }
    if (thread.phase == Phase::kTaken) {
      thread.phase = Phase::kBegun;
      *begun = thread.running;
      return true;
    }
    if (thread.phase == Phase::kBegun) {
      thread.phase = Phase::kDelivered;
      for (int target : NodeAt(thread.running).targets) {
        if (--state.pending[static_cast<size_t>(target)] > 0) continue;
        thread.to_queue.insert(thread.to_queue.begin(), target);
      }
    } else if (!thread.to_queue.empty()) {
      Queue(state, thread.to_queue.back());
      thread.to_queue.pop_back();
    }
    if (thread.to_queue.empty()) thread.running = -1;
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

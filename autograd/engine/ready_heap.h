// ReadyHeap: the ready nodes of a run on one thread, highest order key first, equal keys first in
// first out.
//
// Nodes that become ready in ascending order of key, as those of a fan do, go to a plain stack;
// only the others cost a sift. Used by one thread.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace twingrad {

class ReadyHeap {
 public:
  bool IsEmpty() const { return stack_.empty() && heap_.empty(); }

  void Push(uint64_t order_key, uint32_t index) {
    const Item item{order_key, arrivals_++, index};
    if (stack_.empty() || stack_.back().order_key < order_key) {
      stack_.push_back(item);
    } else {
      heap_.push_back(item);
      std::push_heap(heap_.begin(), heap_.end(), RunsLater);
    }
  }

  // The heap must not be empty.
  uint32_t Pop() {
    if (heap_.empty() || (!stack_.empty() && RunsLater(heap_.front(), stack_.back()))) {
      const uint32_t index = stack_.back().index;
      stack_.pop_back();
      return index;
    }
    std::pop_heap(heap_.begin(), heap_.end(), RunsLater);
    const uint32_t index = heap_.back().index;
    heap_.pop_back();
    return index;
  }

 private:
  struct Item {
    uint64_t order_key;
    uint32_t arrival;
    uint32_t index;
  };
  // Whether `b` runs before `a`.
  static bool RunsLater(const Item& a, const Item& b) {
    if (a.order_key != b.order_key) return a.order_key < b.order_key;
    return a.arrival > b.arrival;
  }

  std::vector<Item> stack_;  // ascending
  std::vector<Item> heap_;
  uint32_t arrivals_ = 0;
};

}  // namespace twingrad

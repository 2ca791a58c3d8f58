// ReadyHeap: the ready nodes of a run on one thread, highest order key first, equal keys first in
// first out.
//
// The next node is kept apart, so that where there is only one it goes nowhere else. Nodes that
// become ready in ascending order of key, as those of a fan do, go to a plain stack; only the
// others cost a sift. Used by one thread.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/engine/array_allocator.h"

namespace twingrad {

class ReadyHeap {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  static constexpr size_t kBytesANode = 16;

  bool IsEmpty() const { return next_.index == kNone; }
  size_t Size() const { return IsEmpty() ? 0 : 1 + stack_.size() + heap_.size(); }

  void Push(uint64_t order_key, uint32_t index) {
    const Item item{order_key, arrivals_++, index};
    if (IsEmpty()) {
      next_ = item;
    } else {
      PushBeside(item);
    }
  }

  // What Pop gives next. For both, the heap must not be empty.
  uint32_t First() const { return next_.index; }
  uint32_t Pop() {
    const uint32_t index = next_.index;
    if (stack_.empty() && heap_.empty()) {
      next_.index = kNone;
    } else {
      FindNext();
    }
    return index;
  }

  // Drops what is ready; room for more than so many nodes, on its stack or its heap, is given back.
  void Empty(size_t most_room) {
    next_.index = kNone;
    arrivals_ = 0;
    for (auto* items : {&stack_, &heap_}) {
      items->clear();
      if (items->capacity() > most_room) items->shrink_to_fit();
    }
  }

 private:
  struct Item {
    uint64_t order_key;
    uint32_t arrival;
    uint32_t index;
  };
  static_assert(sizeof(Item) == kBytesANode);
  // Out of line, as FindNext: where one node at a time is ready, the caller's loop has no use for
  // it.
  [[gnu::noinline]] void PushBeside(Item item) {
    if (next_.order_key < item.order_key) {
      // Runs before whatever waits, so the stack stays in order.
      stack_.push_back(next_);
      next_ = item;
    } else {
      heap_.push_back(item);
      std::push_heap(heap_.begin(), heap_.end(), RunsLater);
    }
  }
  [[gnu::noinline]] void FindNext() {
    if (heap_.empty() || (!stack_.empty() && RunsLater(heap_.front(), stack_.back()))) {
      next_ = stack_.back();
      stack_.pop_back();
      return;
    }
    std::pop_heap(heap_.begin(), heap_.end(), RunsLater);
    next_ = heap_.back();
    heap_.pop_back();
  }
  // Whether `b` runs before `a`.
  static bool RunsLater(const Item& a, const Item& b) {
    if (a.order_key != b.order_key) return a.order_key < b.order_key;
    return a.arrival > b.arrival;
  }

  Item next_{0, 0, kNone};
  std::vector<Item, ArrayAllocator<Item>> stack_;  // ascending
  std::vector<Item, ArrayAllocator<Item>> heap_;
  uint32_t arrivals_ = 0;
};

}  // namespace twingrad

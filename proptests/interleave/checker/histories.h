// Histories<T>: what a checker records about each live object, looked up by the object's Identity.
//
//   Histories<Clock> clocks;
//   if (Clock* clock = clocks.Find(identity)) ...      // null: nothing is kept
//   clocks.Get(identity).Join(mine);                    // made if there is none
//
// The identity holds an index, which is valid only if the entry at that index names the same
// identity. So an index left over from an earlier execution, or from another checker, finds
// nothing. Entries and their memory are reused: an execution like the previous one allocates
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::interleave {

// T::Clear() must restore the state of a new T.
template <class T>
class Histories {
 public:
  using Identity = twingrad::sync::model::Identity;

  T* Find(const Identity& object) {
    const size_t index = size_t{object.slot} - 1;  // slot 0 wraps around and is out of range
    return index < used_ && entries_[index].object == &object ? &entries_[index].history : nullptr;
  }
  T& Get(const Identity& object) {
    T* const found = Find(object);
    return found != nullptr ? *found : Make(object);
  }
  void Forget(const Identity& object) {
    if (Find(object) == nullptr) return;
    const uint32_t index = object.slot - 1;
    entries_[index].object = nullptr;
    free_.push_back(index);
    object.slot = 0;
  }
  // Forgets every object.
  void Clear() {
    used_ = 0;
    free_.clear();
  }

 private:
  struct Entry {
    const Identity* object = nullptr;
    T history;
  };

  T& Make(const Identity& object) {
    uint32_t index = 0;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else {
      index = static_cast<uint32_t>(used_++);
      if (entries_.size() < used_) entries_.resize(used_);
    }
    Entry& entry = entries_[index];
    entry.object = &object;
    entry.history.Clear();
    object.slot = index + 1;
    return entry.history;
  }

  std::vector<Entry> entries_;
  size_t used_ = 0;  // entries used in this execution
  std::vector<uint32_t> free_;
};

}  // namespace twingrad::interleave

// Histories<T>: what a checker keeps of each live object, found through the object's Identity.
//
//   Histories<Clock> clocks;
//   if (Clock* clock = clocks.Find(identity)) ...      // null: nothing is kept
//   clocks.Get(identity).Join(mine);                    // made if there is none
//
// The identity holds an index, which counts only where the entry there names that identity: one
// that is left over from an earlier execution, or from another checker, finds nothing. Entries are
// used again, with the room that they have taken: an execution like the one before allocates
// nothing.
#ifndef PROPTESTS_INTERLEAVE_CHECKER_HISTORIES_H_
#define PROPTESTS_INTERLEAVE_CHECKER_HISTORIES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::interleave {

// T has a Clear(), after which it is as good as new.
template <class T>
class Histories {
 public:
  using Identity = twingrad::sync::model::Identity;

  T* Find(const Identity& object) {
    const size_t index = size_t{object.slot} - 1;  // that of slot 0 is beyond all
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
  // Of every object.
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
  size_t used_ = 0;  // of the entries, in this execution
  std::vector<uint32_t> free_;
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_CHECKER_HISTORIES_H_

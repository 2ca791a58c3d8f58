#include "proptests/interleave/checker/memory_model.h"

#include <algorithm>

namespace twingrad::interleave {

using sync::model::Acquires;
using sync::model::Releases;

namespace {

// Whether a compare-exchange that expects this value may find that one: the latest in any case,
// older ones only if it fails on them.
bool MayFind(bool is_latest, uint64_t value, const uint64_t* expected) {
  return is_latest || expected == nullptr || value != *expected;
}

}  // namespace

void MemoryModel::Begin(Memory memory) {
  memory_ = memory;
  locations_.Clear();
  fences_.clear();
  sequential_.Clear();
  has_sequential_ = false;
}

MemoryModel::Location& MemoryModel::LocationOf(const Object& object) {
  Location& location = locations_.Get(object.identity);
  if (location.stores.empty()) {
    location.stores.emplace_back();
    location.stores.back().value = object.latest;
    location.stores.back().id = location.next_id++;
  }
  return location;
}

MemoryModel::Location* MemoryModel::Known(const Object& object) {
  Location* location = locations_.Find(object.identity);
  return location != nullptr && !location->stores.empty() ? location : nullptr;
}

// Most atomics are counts of references that one thread uses: no need to keep anything of them.
bool MemoryModel::OrdersNothing(ThreadId thread, const Object& object, Order order) {
  if (memory_ != Memory::kSequential || Releases(order) || Known(object) != nullptr) return false;
  const auto index = static_cast<size_t>(thread);
  return fences_.size() <= index || !fences_[index].has_released;
}

MemoryModel::Fences& MemoryModel::FencesOf(ThreadId thread) {
  const auto index = static_cast<size_t>(thread);
  if (fences_.size() <= index) fences_.resize(index + 1);
  return fences_[index];
}

size_t MemoryModel::Floor(ThreadId thread, const Location& location, bool is_sequential) const {
  const Clock& clock = threads_.ClockOf(thread);
  const bool sees_sequential = is_sequential && has_sequential_;
  const auto visible = [&](ThreadId other, uint32_t time) {
    return clock.Sees(other, time) || (sees_sequential && sequential_.Sees(other, time));
  };
  size_t place = location.stores.size() - 1;
  for (; place > 0; --place) {
    const StoreRecord& store = location.stores[place];
    if (visible(store.thread, store.time)) break;
    if (is_sequential && store.id == location.sequential) break;
    const auto has_read = [&](const Read& read) {
      return read.id == store.id && visible(read.thread, read.time);
    };
    if (std::any_of(location.reads.begin(), location.reads.end(), has_read)) break;
  }
  return place;
}

int MemoryModel::Readable(ThreadId thread, const Object& object, Order order,
                          const uint64_t* expected) {
  if (memory_ == Memory::kSequential) return 1;
  const Location& location = LocationOf(object);
  const size_t latest = location.stores.size() - 1;
  int count = 0;
  for (size_t place = Floor(thread, location, IsSequential(order)); place <= latest; ++place) {
    if (MayFind(place == latest, location.stores[place].value, expected)) ++count;
  }
  return count;
}

uint64_t MemoryModel::Load(ThreadId thread, const Object& object, Order order,
                           const uint64_t* expected, int chosen) {
  if (memory_ == Memory::kSequential) {
    const bool succeeds = expected != nullptr && object.latest == *expected;
    Location* known = succeeds ? nullptr : Known(object);
    if (known != nullptr) Acquire(thread, known->stores.back(), order);
    return object.latest;
  }
  Location& location = LocationOf(object);
  const size_t latest = location.stores.size() - 1;
  size_t place = latest;
  while (chosen > 0) {
    --place;
    if (MayFind(false, location.stores[place].value, expected)) --chosen;
  }
  const StoreRecord& store = location.stores[place];
  if (expected != nullptr && store.value == *expected) return store.value;
  NoteRead(thread, location, place);
  if (IsSequential(order)) NoteSequential(location, place);
  Acquire(thread, store, order);
  return store.value;
}

int MemoryModel::Places(ThreadId thread, const Object& object, Order order) {
  if (memory_ == Memory::kSequential || IsSequential(order)) return 1;
  const Location& location = LocationOf(object);
  const size_t floor = Floor(thread, location, false);
  int count = 1;
  for (size_t place = location.stores.size() - 1; place > floor; --place) {
    if (!location.stores[place].is_update) ++count;
  }
  return count;
}

bool MemoryModel::Store(ThreadId thread, const Object& object, Order order, uint64_t value,
                        int chosen) {
  if (OrdersNothing(thread, object, order)) return true;
  Location& location = LocationOf(object);
  size_t place = location.stores.size();
  const bool is_latest = chosen == 0;
  while (chosen > 0) {
    if (!location.stores[--place].is_update) --chosen;
  }
  StoreRecord& store = Insert(thread, location, place, value);
  if (IsSequential(order)) NoteSequential(location, location.stores.size() - 1);
  Release(thread, store, order);
  return is_latest;
}

void MemoryModel::Update(ThreadId thread, const Object& object, Order order, uint64_t value) {
  if (OrdersNothing(thread, object, order)) return;
  Location& location = LocationOf(object);
  const StoreRecord& before = location.stores.back();
  Acquire(thread, before, order);
  if (memory_ == Memory::kSequential) {
    // The release sequence goes on in the one record there is.
    StoreRecord& store = location.stores.back();
    store.value = value;
    Release(thread, store, order);
    return;
  }
  const bool continues = before.is_released;
  const Clock released = continues ? before.released : Clock();
  StoreRecord& store = Insert(thread, location, location.stores.size(), value);
  store.is_update = true;
  store.is_released = continues;
  if (continues) store.released = released;
  if (IsSequential(order)) NoteSequential(location, location.stores.size() - 1);
  Release(thread, store, order);
}

void MemoryModel::StoreQuietly(const Object& object, uint64_t value) {
  Location* location = Known(object);
  if (location != nullptr) Insert(0, *location, location->stores.size(), value).time = 0;
}

MemoryModel::StoreRecord& MemoryModel::Insert(ThreadId thread, Location& location, size_t place,
                                              uint64_t value) {
  if (memory_ == Memory::kSequential) {
    place = 0;
  } else {
    if (location.stores.size() == kHistory) {
      const uint32_t oldest = location.stores.front().id;
      std::erase_if(location.reads, [oldest](const Read& read) { return read.id == oldest; });
      location.stores.erase(location.stores.begin());
      if (place > 0) --place;
    }
    location.stores.emplace(location.stores.begin() + static_cast<ptrdiff_t>(place));
  }
  StoreRecord& store = location.stores[place];
  store.value = value;
  store.id = location.next_id++;
  store.thread = thread;
  store.time = threads_.TimeOf(thread);
  store.is_update = store.is_released = false;
  return store;
}

void MemoryModel::NoteRead(ThreadId thread, Location& location, size_t place) {
  if (memory_ == Memory::kSequential) return;
  const uint32_t id = location.stores[place].id;
  const uint32_t time = threads_.TimeOf(thread);
  for (Read& read : location.reads) {
    if (read.thread != thread || read.time != time) continue;
    read.id = id;  // what the thread reads later is never older
    return;
  }
  location.reads.push_back({thread, time, id});
}

void MemoryModel::NoteSequential(Location& location, size_t place) {
  if (memory_ == Memory::kSequential) return;
  const StoreRecord& store = location.stores[place];
  for (size_t later = place + 1; later < location.stores.size(); ++later) {
    if (location.stores[later].id == location.sequential) return;
  }
  location.sequential = store.id;
  uint32_t& time = sequential_.times[static_cast<size_t>(store.thread)];
  time = std::max(time, store.time);
  has_sequential_ = true;
}

void MemoryModel::Acquire(ThreadId thread, const StoreRecord& store, Order order) {
  if (!store.is_released) return;
  if (Acquires(order)) {
    threads_.ClockOf(thread).Join(store.released, threads_.thread_count());
  } else {
    Fences& fences = FencesOf(thread);
    fences.acquirable.Join(store.released, threads_.thread_count());
    fences.has_acquirable = true;
  }
}

void MemoryModel::Release(ThreadId thread, StoreRecord& store, Order order) {
  if (Releases(order)) {
    if (!store.is_released) store.released.Clear();
    store.released.Join(threads_.ClockOf(thread), threads_.thread_count());
    store.is_released = true;
    threads_.Tick(thread);
    return;
  }
  const auto index = static_cast<size_t>(thread);
  if (fences_.size() <= index || !fences_[index].has_released) return;
  if (!store.is_released) store.released.Clear();
  store.released.Join(fences_[index].released, threads_.thread_count());
  store.is_released = true;
}

void MemoryModel::Fence(ThreadId thread, Order order) {
  Clock& clock = threads_.ClockOf(thread);
  const size_t count = threads_.thread_count();
  Fences& fences = FencesOf(thread);
  if (Acquires(order) && fences.has_acquirable) clock.Join(fences.acquirable, count);
  if (IsSequential(order)) {
    clock.JoinView(sequential_, count);
    sequential_.Join(clock, count);
    has_sequential_ = true;
  }
  if (!Releases(order)) return;
  fences.released = clock;
  fences.has_released = true;
  threads_.Tick(thread);
}

}  // namespace twingrad::interleave

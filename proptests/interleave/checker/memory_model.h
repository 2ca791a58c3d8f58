// MemoryModel: which values a load may read, and what atomics order, by the C++20 memory model.
//
//   memory.Begin(Memory::kBuffered);
//   int count = memory.Readable(thread, object, order, nullptr);      // 1: the latest alone
//   uint64_t bits = memory.Load(thread, object, order, chosen);       // 0: the latest, 1: older,
//   ...
//
// Under Memory::kSequential every load reads the latest store, in the order of the execution. Under
// Memory::kBuffered a location keeps its last stores in modification order, and a load may read any
// that coherence leaves: none older than a store that happens before the load, or than what a read
// that happens before it has read. A store that is not seq_cst may take its place before others in
// the modification order, unless one of those happens before it. Read-modify-writes read the
// latest; a compare-exchange may also fail on an older value. Release sequences are those of C++20:
// a store heads one, read-modify-writes of any thread continue it, other stores end it.
//
// Sequentially consistent accesses and fences take effect in the order of the execution: a seq_cst
// load reads nothing older than what an earlier seq_cst access of the location read or wrote, and
// what happens before a seq_cst fence or is accessed by a seq_cst access is visible to what follows
// a later fence. Where C++ leaves more open, this is stronger.
//
// Either way an access orders what its memory order says and no more, so that the race detector,
// whose clocks this moves, finds plain accesses that are only ordered by luck.
//
// Not modelled: load buffering (a load that reads a store which comes later in the execution), and
// stores older than the last kHistory of a location. So defects may be missed; what is found is
// possible in C++20. golden/litmus has the outcomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/sync/model/scheduler.h"
#include "proptests/interleave/checker/clock.h"
#include "proptests/interleave/checker/race_detector.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class MemoryModel {
 public:
  using Object = sync::model::AtomicObject;
  using Order = sync::model::MemoryOrder;

  // The stores of a location that are kept: the latest and the older ones a load may read.
  static constexpr size_t kHistory = 8;

  // Shares the clocks of the threads, which must live longer.
  explicit MemoryModel(RaceDetector& threads) : threads_(threads) {}

  // Forgets everything, for a new execution. After the detector's own Reset.
  void Begin(Memory memory);

  // How many stores the load may read. With `expected`, the load of a compare-exchange: only
  // stores of other values, and the latest.
  int Readable(ThreadId thread, const Object& object, Order order, const uint64_t* expected);
  // Reads the `chosen`-th of them, from the latest on. Orders nothing if it is *expected.
  uint64_t Load(ThreadId thread, const Object& object, Order order, const uint64_t* expected,
                int chosen);
  // How many places in the modification order a store may take.
  int Places(ThreadId thread, const Object& object, Order order);
  // Takes the `chosen`-th of them, from the end; whether the store is now the latest.
  bool Store(ThreadId thread, const Object& object, Order order, uint64_t value, int chosen);
  void Update(ThreadId thread, const Object& object, Order order, uint64_t value);
  void Fence(ThreadId thread, Order order);
  // A store that orders nothing, of a thread that only observes.
  void StoreQuietly(const Object& object, uint64_t value);

  // Call when the object is destroyed.
  void Forget(const Identity& object) { locations_.Forget(object); }

 private:
  // One store. The next read-modify-write continues its release sequence.
  struct StoreRecord {
    uint64_t value = 0;
    uint32_t id = 0;  // counts the stores of the location
    ThreadId thread = 0;
    uint32_t time = 0;         // of the thread; 0: what the object was built with, visible to all
    bool is_update = false;    // nothing may come between it and the store before
    bool is_released = false;  // `released` holds what an acquiring load gets to know
    Clock released;
  };
  // `thread` has read or written the store `id` at its own time `time`.
  struct Read {
    ThreadId thread;
    uint32_t time;
    uint32_t id;
  };
  struct Location {
    void Clear() {
      stores.clear();
      reads.clear();
      next_id = sequential = 0;
    }
    std::vector<StoreRecord> stores;  // in modification order; at most kHistory
    std::vector<Read> reads;
    uint32_t next_id = 0;
    uint32_t sequential = 0;  // id of the latest store that a seq_cst access read or wrote
  };
  // What fences keep of a thread.
  struct Fences {
    Clock released;    // at its last release fence
    Clock acquirable;  // of the stores that it has read without acquiring them
    bool has_released = false;
    bool has_acquirable = false;
  };

  static bool IsSequential(Order order) { return order == std::memory_order_seq_cst; }
  Location& LocationOf(const Object& object);
  // Null if nothing is kept of the object.
  Location* Known(const Object& object);
  // Whether a store or an update need not be noted at all.
  bool OrdersNothing(ThreadId thread, const Object& object, Order order);
  Fences& FencesOf(ThreadId thread);
  // The place of the oldest store that the thread may still read.
  size_t Floor(ThreadId thread, const Location& location, bool is_sequential) const;
  void NoteRead(ThreadId thread, Location& location, size_t place);
  void NoteSequential(Location& location, size_t place);
  void Acquire(ThreadId thread, const StoreRecord& store, Order order);
  // Gives the store what an acquiring load gets to know of its thread.
  void Release(ThreadId thread, StoreRecord& store, Order order);
  StoreRecord& Insert(ThreadId thread, Location& location, size_t place, uint64_t value);

  RaceDetector& threads_;
  Memory memory_ = Memory::kSequential;
  Histories<Location> locations_;
  std::vector<Fences> fences_;  // by thread; shorter if none was needed
  Clock sequential_;            // what the seq_cst fences and accesses so far make visible
  bool has_sequential_ = false;
};

}  // namespace twingrad::interleave

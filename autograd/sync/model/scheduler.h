// What the model back end asks of a scheduler: the joint between production code and the checker.
//
// Compiled against the model, the types of autograd/sync keep their state in plain fields and call
// the Scheduler before each visible operation; it decides which thread goes on. All threads of an
// execution run on one OS thread, one at a time, and change hands only inside these calls. The
// checker that implements it lives in proptests/interleave; production code knows this header only
// through autograd/sync.
//
// Outside an execution (Current() is null: static initialisation, a test's own main) operations
// take effect at once; one that would have to wait aborts, since nobody could end the wait.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace twingrad::sync::model {

using ThreadId = int;  // dense in one execution; 0 runs the body of the execution
inline constexpr ThreadId kNoThread = -1;

using TimePoint = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

enum class OperationKind : uint8_t {
  kLock,
  kTryLock,
  kUnlock,
  kWait,
  kNotifyOne,
  kNotifyAll,
  kAtomicLoad,
  kAtomicStore,
  kAtomicUpdate,
  kCellRead,
  kCellWrite,
  kSpawn,
  kJoin,
  kSleep,
  kYield,
  kFence,
  kWork,  // of an activity
};

using MemoryOrder = std::memory_order;

constexpr bool Acquires(MemoryOrder order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
constexpr bool Releases(MemoryOrder order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

// "lock", "wait", "notify_one", ...
const char* OperationName(OperationKind kind);

// One visible operation: what, on which object, from which source line.
struct Operation {
  OperationKind kind;
  const void* object;
  const char* name;  // of the object, "" where it has none; outlives the execution
  std::source_location where;
  ThreadId holder = kNoThread;  // of a mutex that is waited for; of a join, the thread joined
};

// What orders memory, or is accessed in the order that others make, has one as its last member:
// where the scheduler keeps what it knows of the object. The next object at its address has another
// and starts with no history.
class Identity {
 public:
  constexpr Identity() = default;
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;
  constexpr ~Identity();

  // The scheduler's to use; 0 until it has something to keep. It may be of an earlier execution.
  mutable uint32_t slot = 0;
};

// An atomic as the scheduler sees it; values travel as bits.
struct AtomicObject {
  const Identity& identity;
  uint64_t latest;  // its value, the last in its modification order
};

// A piece of work of an activity (autograd/sync/activity.h): who does it, and what it is.
struct ActivityStep {
  std::string activity, work;
};

// Which thread-local; of static storage.
class LocalKey {
 private:
  friend class LocalTable;
  uint32_t number_ = 0;  // from 1 on, given at the first use
};

// Thread-locals of one modelled thread.
class LocalTable {
 public:
  using Create = void* (*)();
  using Destroy = void (*)(void*);

  LocalTable() = default;
  LocalTable(const LocalTable&) = delete;
  LocalTable& operator=(const LocalTable&) = delete;
  ~LocalTable() { Clear(); }

  // The object under `key`, created at its first use.
  void* Get(LocalKey& key, Create create, Destroy destroy) {
    void* const object = key.number_ < objects_.size() ? objects_[key.number_] : nullptr;
    return object != nullptr ? object : Make(key, create, destroy);
  }
  // Destroys the objects, the youngest first, those included that a destructor creates meanwhile.
  void Clear();

 private:
  struct Made {
    uint32_t number;
    Destroy destroy;
  };
  void* Make(LocalKey& key, Create create, Destroy destroy);

  std::vector<void*> objects_;  // by number of the key; null if there is none
  std::vector<Made> made_;      // in the order of their creation
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // A scheduling point: other threads may run before `operation` takes effect.
  virtual void Step(const Operation& operation) = 0;
  // Parks the caller until operation.object is woken (true) or the deadline has passed (false).
  // A wait on a condition variable may end with no wake-up.
  virtual bool Wait(const Operation& operation, std::optional<TimePoint> deadline) = 0;
  // Whether `operation`, a weak compare-exchange or an attempt to lock, is to fail for no reason.
  virtual bool FailsWithoutReason(const Operation& operation) = 0;
  // Makes one thread, chosen by the scheduler, or all threads parked on `object` runnable.
  virtual void WakeOne(const void* object) = 0;
  virtual void WakeAll(const void* object) = 0;

  virtual ThreadId Spawn(std::string name, std::function<void()> body,
                         std::source_location where) = 0;
  virtual void Join(ThreadId thread, std::source_location where) = 0;
  ThreadId CurrentThread() const { return running_.thread; }
  LocalTable& Locals() const { return *running_.locals; }

  // Which of the activities in `able`, a set of bits, goes on now: with `waited_for`, one of them,
  // any; without (-1), any or none (-1). A decision, also while the calling thread is quiet.
  virtual int ChooseActivity(uint64_t able, int waited_for) = 0;
  // The activity goes on by what `describe` tells.
  virtual void NoteActivity(int activity, const std::function<ActivityStep()>& describe,
                            std::source_location where) = 0;

  // Virtual time: moves only when no thread can run.
  virtual TimePoint Now() const = 0;

  // While quiet, what the calling thread does is no scheduling point and orders nothing, though it
  // may still wait. Returns what was set before.
  bool SetQuiet(bool quiet) { return std::exchange(running_.is_quiet, quiet); }
  bool IsQuiet() const { return running_.is_quiet; }

  // What locks order: everything before a Release of `object` happens before everything after a
  // later Acquire of it.
  virtual void Acquire(const Identity& object) = 0;
  virtual void Release(const Identity& object) = 0;
  // What a load reads: the latest value or an older one that the memory model still allows. With
  // `expected`, that of a compare-exchange: either *expected, and then that is the latest value and
  // nothing is ordered yet (Update follows), or another one.
  virtual uint64_t Load(const AtomicObject& object, MemoryOrder order,
                        const uint64_t* expected = nullptr) = 0;
  // A store. Whether its value is now the latest; else others come after it in the modification
  // order.
  virtual bool Store(const AtomicObject& object, MemoryOrder order, uint64_t value) = 0;
  // A read-modify-write, which reads the latest value and makes its own the latest.
  virtual void Update(const AtomicObject& object, MemoryOrder order, uint64_t value) = 0;
  virtual void Fence(MemoryOrder order) = 0;
  // A plain access (kCellRead or kCellWrite) that must be ordered with the conflicting ones. It is
  // no step: no other thread runs before it.
  virtual void Access(const Operation& operation, const Identity& cell) = 0;
  // An object of which something is kept ends.
  virtual void Forget(const Identity& object) = 0;

  // A mutex begins or ends its life; what is not destroyed by the end of the execution is a leak of
  // the object that holds it.
  virtual void Born(const char* name) = 0;
  virtual void Died(const char* name) = 0;

  // The calling thread is about to run code of the user's: fails the execution if it holds a mutex.
  virtual void UserCode(const char* what) = 0;

  // An object that carries an Inspected is whole, or is about to be destroyed.
  virtual void Appear(const std::type_info& type, const void* object) = 0;
  virtual void Vanish(const std::type_info& type, const void* object) = 0;

  // Runs at the end of the execution, the youngest first, on thread 0; `completed` is false when
  // the execution has failed, whose objects must be left alone.
  virtual void AtEnd(std::function<void(bool completed)> action) = 0;

  // Ends the execution as a failure; does not return to the caller.
  [[noreturn]] virtual void Fail(std::string message) = 0;

 protected:
  // The thread that runs, to be set where threads change hands. Most calls that ask for it are in
  // the midst of other work, so asking is no virtual call.
  struct Running {
    ThreadId thread = 0;
    bool is_quiet = false;
    LocalTable* locals = nullptr;
  };
  Running running_;
};

// The scheduler of the running execution; null outside one.
inline Scheduler* current_scheduler = nullptr;
inline Scheduler* Current() { return current_scheduler; }
inline void SetCurrent(Scheduler* scheduler) { current_scheduler = scheduler; }

constexpr Identity::~Identity() {
  if (slot == 0) return;
  if (Scheduler* scheduler = Current()) scheduler->Forget(*this);
}

inline LocalTable process_locals;
// The thread-locals of the running modelled thread, or of the process outside an execution.
inline LocalTable& CurrentLocals() {
  Scheduler* scheduler = Current();
  return scheduler != nullptr ? scheduler->Locals() : process_locals;
}

// Outside an execution the action never runs: the process ends first.
inline void AtEndOfExecution(std::function<void(bool completed)> action) {
  if (Scheduler* scheduler = Current()) scheduler->AtEnd(std::move(action));
}

// A wait that nobody could end, or misuse of an object: fails the execution, or aborts outside one.
[[noreturn]] void Misuse(const std::string& message, std::source_location where);

}  // namespace twingrad::sync::model

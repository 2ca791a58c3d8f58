// ExecutionOutcome: how one execution ended, with the decisions that led there.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/sync/model/scheduler.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

using sync::model::Operation;
using sync::model::OperationKind;
using sync::model::ThreadId;

enum class OutcomeKind : uint8_t {
  kPassed,
  kDeadlock,        // no thread can continue
  kLostWakeUp,      // ... because a notify came when it could not help who waits now
  kLeakedThread,    // the body ended before one of its threads
  kLeakedObject,    // the execution ended before an object with a mutex was destroyed
  kStepBudget,      // a livelock, or a budget too small
  kRace,            // two unordered accesses to a cell
  kException,       // an exception left a thread
  kInvariant,       // a rule on the state of the code under test is broken (state_rules.h)
  kFailedCheck,     // interleave::Check, or misuse of a synchronisation object
  kDivergedReplay,  // the execution does not follow the recorded schedule
  kLockHeld,        // code of the user's runs while its thread holds a mutex
  kLockOrder,       // mutexes are taken in orders that could make threads wait for one another
};

// "passed", "deadlock", ...
std::string_view OutcomeName(OutcomeKind kind);

// One operation; events are in the order in which they took effect. Kept if recording is on.
struct Event {
  enum class Phase : uint8_t { kDone, kParked, kWoken, kTimedOut };

  ThreadId thread;
  Operation operation;
  Phase phase;
  bool switched;  // another thread ran just before
};

struct ExecutionOutcome {
  OutcomeKind kind = OutcomeKind::kPassed;
  std::string message;  // empty when passed
  // Of a deadlock or a lost wake-up, what each thread waits for; of a race, the two source lines;
  // of a leak, the mutexes' names, as of a lock held or of a lock order; of an invariant, its name.
  // Sorted and without duplicates, so that two executions that fail in the same way have equal
  // places.
  std::vector<std::string> places;
  int64_t steps = 0;
  int64_t switches = 0;
  Trace decisions;
  std::vector<Event> events;
  std::vector<std::string> thread_names;

  bool ok() const { return kind == OutcomeKind::kPassed; }
};

// "lock ready_queue at autograd/engine/ready_queue.cc:37".
std::string PlaceText(const Operation& operation);

// Whether both have the same events: threads, operations, source lines and phases. Addresses of
// objects are not compared.
bool SameEvents(const ExecutionOutcome& a, const ExecutionOutcome& b);

// The last `limit` events, one per line: thread, operation, object's name, source line.
std::string FormatEvents(const ExecutionOutcome& outcome, size_t limit);

}  // namespace twingrad::interleave

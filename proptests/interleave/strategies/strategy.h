// Strategy: answers the questions of an execution and so decides the interleaving. Decision: one
// answer; a Trace is all of them in order.
//
// Every choice that the model leaves open (which thread continues, which waiter a notify wakes,
// whether a wait ends without a wake-up) is a number below `alternatives`. All come from one
// stream, so a seed or a recorded trace determines the whole execution. `site` is a hash of what
// the deciding thread was about to do; a replay compares it to find where it diverges. A schedule
// file keeps kind, alternatives, chosen and site; the rest is for minimizing.
//
// A strategy serves one execution after another; Begin is called before each. Each implementation
// is in a file NAME_strategy.h; strategies.h has the table of those that can be chosen by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace twingrad::interleave {

enum class DecisionKind : uint8_t {
  kThread,    // the thread that continues, as its index among the runnable ones
  kWaiter,    // the thread that notify_one wakes, as its index among the waiting ones
  kSpurious,  // 1: this wait ends without a wake-up
  kTimeout,   // 1: this wait times out although other threads could still run
  kTryLock,   // 1: this attempt to lock a free mutex fails
  kWeakFail,  // 1: this weak compare-exchange of an equal value fails
  kStale,     // which of the stores that it may read a load reads, from the latest on
  kPlace,     // how many stores of the modification order this store comes before
  kSetting,   // in which of several settings the body runs, the plain one first
  kStream,    // what goes on of the work that runs beside the threads, or that the thread does
};
inline constexpr int kDecisionKinds = 10;

// What loads of atomics may read: the latest store alone, or what C++20 allows (memory_model.h of
// the checker).
enum class Memory : uint8_t { kSequential, kBuffered };

// "thread", "waiter", "spurious", ...
constexpr std::string_view DecisionName(DecisionKind kind) {
  constexpr std::string_view kNames[kDecisionKinds] = {
      "thread",    "waiter", "spurious", "timeout", "try_lock",
      "weak_fail", "stale",  "place",    "setting", "stream"};
  return kNames[static_cast<int>(kind)];
}

// Whether decisions of this kind choose a member of a set, that of `runnable`.
constexpr bool IsOfSet(DecisionKind kind) {
  return kind == DecisionKind::kThread || kind == DecisionKind::kStream;
}

// For kStream: the member of the set that is no work, but the thread, which goes on meanwhile. It
// is none if the thread waits for such work. Member i + 1 is what is numbered i.
inline constexpr int kHost = 0;

// The default schedule's choice: the running thread, at place `current`, while it can continue, and
// of the work beside it what is waited for; else the first alternative, with which nothing spurious
// happens.
constexpr int DefaultChoice(DecisionKind kind, int current) {
  return IsOfSet(kind) && current >= 0 ? current : 0;
}

struct Question {
  DecisionKind kind = DecisionKind::kThread;
  int alternatives = 2;  // at least 2
  // For kThread: the index of the running thread among the runnable ones, or -1 if it cannot
  // continue. For kStream: that of the thread, or else of the work it waits for.
  int current = -1;
  uint32_t site = 0;
  int thread = 0;         // the running thread
  int step = 0;           // its steps so far; (kind, thread, step) is unique in an execution
  uint64_t runnable = 0;  // for kThread: bit i is thread i; for kStream: see kHost
  bool yields = false;    // the running thread asks that others go first, as in a loop that waits
};

struct Decision {
  DecisionKind kind = DecisionKind::kThread;
  int alternatives = 0;  // at least 2: with one alternative there is nothing to decide
  int chosen = 0;
  uint32_t site = 0;
  // As in the Question: which thread decided, at which step, among which threads.
  int current = -1;
  int thread = 0;
  int step = 0;
  uint64_t runnable = 0;

  friend bool operator==(const Decision&, const Decision&) = default;
};

using Trace = std::vector<Decision>;

// Whether only Memory::kBuffered asks for decisions of this kind.
constexpr bool OfMemory(DecisionKind kind) {
  return kind == DecisionKind::kStale || kind == DecisionKind::kPlace;
}
// The memory under which the trace was recorded, as far as it mattered.
inline Memory MemoryOf(const Trace& trace) {
  const auto of_memory = [](const Decision& decision) { return OfMemory(decision.kind); };
  return std::any_of(trace.begin(), trace.end(), of_memory) ? Memory::kBuffered
                                                            : Memory::kSequential;
}

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual void Begin(uint64_t seed) = 0;
  // A number from 0 to alternatives - 1.
  virtual int Choose(const Question& question) = 0;
  // With parameters. From it, MakeStrategy of strategies.h makes a strategy that repeats the
  // execution.
  virtual std::string name() const = 0;
  // Of the execution that was begun. kStale and kPlace are asked for under kBuffered alone.
  virtual Memory memory() const { return Memory::kSequential; }
  // Why the execution must end; set once the strategy cannot answer any more.
  const std::string& error() const { return error_; }
  // If a replay set the error: the site of the decision that was recorded here; 0: none.
  uint32_t expected_site() const { return expected_site_; }

 protected:
  std::string error_;
  uint32_t expected_site_ = 0;
};

}  // namespace twingrad::interleave

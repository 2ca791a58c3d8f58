// Which processors the threads of this process may run on.
//
// Threads that hand work to each other wake each other up. On another processor that takes longer
// than most of the work, on the same one it is a switch of threads. So a worker that says so
// (CaseJudge::HandsOver) keeps them together on one processor; and lets go of them now and then, so
// that they also run at the same time.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <random>

#include <sched.h>

namespace twingrad::workers {

// Used by one thread, the one that has most to do. Threads that are made later run where the one
// that makes them may.
class Placement {
 public:
  // How long the calling thread was ready to run and had no processor.
  using Waited = std::function<std::chrono::nanoseconds()>;
  static std::chrono::nanoseconds WaitedSoFar();

  // Where the process may run now is where it may when it is let go.
  explicit Placement(Waited waited = WaitedSoFar);
  ~Placement() { LetGo(); }
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  // From now on all threads of the process run on one processor, until they are let go: at first
  // where the calling thread runs, later where it was the last time, or, if it had to wait there
  // for others, on one that chance picks.
  void KeepTogether();
  void LetGo();

 private:
  const Waited waited_;
  cpu_set_t all_;
  bool together_ = false;
  int processor_ = -1;  // the last one; -1: none yet
  bool had_to_wait_ = false;
  std::chrono::steady_clock::time_point since_;
  std::chrono::nanoseconds waited_before_ = {};
  std::minstd_rand chance_;  // decides nothing that a judge sees
};

// Whether a worker keeps its threads together while it has the chunk of this number, counted from
// its first: it lets go of them for one in twenty-four.
constexpr bool IsTogether(uint64_t chunk) { return chunk % 24 != 0; }

}  // namespace twingrad::workers

// StreamRaces: which work of a Program is in no order, by its statements alone.
//
//   const StreamRaces races = FindStreamRaces(program, FailuresOf(observation));
//   races.possible.contains({7, 3})    // statement 7 may touch memory that 3 is not done with
//   races.certain.contains(7)          // and touches some for certain
//
// A statement that computes is work of its device's current stream: it reads its operands and
// writes its result. What orders streams are events, `waits=1`, copies between devices and the
// host, which waits for a copy to the cpu. A call is to its caller work of the current streams: a
// node comes after what its forward statement came after and after what the current stream of its
// device did, and what comes after that stream later comes after the call. A node has one stream:
// what its forward statement used on another device it uses on the current one.
//
// Two answers, since a call may do more or less than its statement says. Possible is what is in no
// order if calls order nothing but what they promise their callers. Certain is what no call can
// have ordered, which may make all streams that had work wait for each other, and the host too
// where there are values on the cpu; of accesses to all of a value's memory. Pure functions; safe
// from any thread.

#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::reference {

// The work of two statements on one memory, one of which writes.
struct UnorderedPair {
  int32_t statement = -1;  // the later one
  int32_t other = -1;
  auto operator<=>(const UnorderedPair&) const = default;
};

struct StreamRaces {
  bool known = true;  // false: nothing is said of thread sections
  std::set<UnorderedPair> possible;
  std::set<int32_t> certain;  // the later statements
};

// The statements that failed in a run: those after which it went on, then that which ended it.
struct Failures {
  std::vector<int32_t> survived;
  int32_t last = -1;
};
Failures FailuresOf(const program::Observation& observed);

StreamRaces FindStreamRaces(const program::Program& program, const Failures& failures);

}  // namespace twingrad::reference

// What hooks and custom functions saw inside calls: which record of the engine's stands for which
// of the twin's, and whose gradient it is, so that its elements are judged as those of values are.
//
//   const std::vector<SeenGradient> seen = SeenGradients(program, expected, observed);
//   FindLegalAnswers(program, WatchesOf(seen));
//
// Pure functions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/twin.h"

namespace twingrad::conformance {

struct SeenGradient {
  size_t call = 0;                    // index into the calls of both
  size_t expected = 0, observed = 0;  // of the record in that call
  int32_t statement = -1;             // of the hook, or the custom function
  twingrad::program::ValueId value = twingrad::program::kNoValue;  // whose gradient it is
  // What the dual numbers know it by; call -1: they do not. So of nested calls, of what comes after
  // another hook of the value that changes it, and of custom functions that write.
  twingrad::reference::Watch watch;
  int32_t number = -1;  // among the watches

  bool IsKnown() const { return number >= 0; }
};

// Of records that both have, the n-th of a statement in a call for the n-th; without those of
// callbacks, of saved tensors, and of what several thread sections add to.
std::vector<SeenGradient> SeenGradients(const twingrad::program::Program& program,
                                        const twingrad::reference::TwinResult& expected,
                                        const twingrad::program::Observation& observed);

// By SeenGradient::number.
std::vector<twingrad::reference::Watch> WatchesOf(const std::vector<SeenGradient>& seen);

}  // namespace twingrad::conformance

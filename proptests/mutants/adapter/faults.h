// Faults: the defects that can be planted in the faulty adapter. Tests check that each is reported
// as the kind of defect that it is.
//
// Some change the Observation of a correct engine, some break the protocol or the process. Each
// shows only on Programs that provoke it, so that there is something to minimize.

#pragma once

#include <string_view>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::mutants {

struct Fault {
  std::string_view word;
  // Of the engine: changes what it showed. `after_error`: the Program before ended with an error.
  void (*spoil)(const program::Program& program, bool after_error,
                program::Observation& observation) = nullptr;
  // Of the process or the adapter: acted out before a Program that multiplies is run; writes to the
  // file descriptor `out`.
  void (*misbehave)(int out) = nullptr;
};

absl::Span<const Fault> Faults();
// Null if there is no fault of this name.
const Fault* FindFault(std::string_view word);

// Whether the Program provokes the faults that need a multiplication and a call.
bool Multiplies(const program::Program& program);

}  // namespace twingrad::mutants

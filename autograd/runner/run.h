// Runs a Program on the engine and yields what is to be seen of it.
//
//   Engine engine;
//   program::Observation seen = runner::Run(program, engine);
//
// The only place that joins programs and engine. Whatever the Program does, nothing is thrown: an
// error ends the run (unless a region of kind=try holds it) and stands in the Observation,
// statements that the engine does not run end it with kUnsupported. `expect` statements are passed
// over; see expect.h. Nothing of a run outlives it.
//
// Adjacent thread sections run at once, on threads of this run or lent ones. Calls are listed in
// the order of the Program all the same, and order keys follow that order too, so that timing
// decides only in which order the sections' calls add to a `.grad` that they share, and which of
// several calls that release one graph succeeds.
//
// The engine belongs to one run at a time: its observer is set for as long. Programs must be valid
// (program/analyze.h).

#pragma once

#include <cstdint>
#include <optional>

#include "autograd/engine/call_threads.h"
#include "autograd/engine/engine.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/sync/clock.h"

namespace twingrad::runner {

// That another thread stops the engine, from just before a call on: how far the call and those that
// follow have got by then is up to timing, and nobody may see a difference.
struct StopBeside {
  int32_t call = -1;  // a statement that is a call
  std::optional<sync::Duration> limit = std::nullopt;
};

struct RunOptions {
  // Graphs, counts, orders and hook logs of calls; without it only values and the error.
  bool record_calls = true;
  // Looks whether a .grad changes once a call has returned or thrown, until the next statement that
  // may write one; ends the engine's workers after the last statement and looks again. A change
  // ends the run and stands in the Observation as its late_write.
  bool check_frozen = false;
  // Runs adjacent thread sections one after another, each on its thread: what is seen then does not
  // depend on timing.
  bool one_section_at_a_time = false;
  std::optional<StopBeside> stop = std::nullopt;
  // Lends threads to sections, which then have none of their own; not for runs under the checker.
  CallThreads* section_threads = nullptr;
  // Compares the memory in use before and after. For engines without workers; a Program with thread
  // sections is left out.
  bool count_memory = false;
};

program::Observation Run(const program::Program& program, Engine& engine,
                         const RunOptions& options = {});

}  // namespace twingrad::runner

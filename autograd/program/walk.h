// Walk: runs the statements of a Program on an engine, one after another.
//
//   class Execution : public program::StatementRunner { ... };
//   program::Walk(program, execution, observation);
//
// Regions and errors work the same way on every engine, so they are handled here. A `no_grad`
// region switches grad mode off and its end restores it. An error ends the run, unless a `try`
// region encloses the statement: then the walk records the error in Observation::survived, leaves
// the regions inside, restores the grad mode that the region began with and continues after its
// end. Regions of other kinds are the runner's to open and close. `expect` statements are skipped.
// One thread; the Program must be valid.

#pragma once

#include <cstdint>
#include <optional>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/program/region.h"

namespace twingrad::program {

// What an engine does with a statement. Nothing here may throw.
class StatementRunner {
 public:
  virtual ~StatementRunner() = default;

  // Called before every statement, regions included; false ends the run at once.
  virtual bool BeforeStatement(int32_t index) = 0;
  // Runs a statement other than begin, end and expect; returns the error that it raised, if any.
  virtual std::optional<ErrorRecord> RunStatement(int32_t index) = 0;
  // Whether a region of kind=try catches errors of this class. It never catches kUnsupported.
  virtual bool IsSurvivable(ErrorKind error) const = 0;

  virtual bool grad_mode() const = 0;
  virtual void set_grad_mode(bool enabled) = 0;

  // Opens the region that statement `begin` begins, of a kind other than no_grad and try. Returns
  // the error that it raised, and then nothing is open. Unless overridden it refuses every kind.
  virtual std::optional<ErrorRecord> EnterRegion(int32_t begin, RegionKind kind);
  // Closes a region that EnterRegion opened: at its end, when an error leaves it, or when the run
  // is over; each once, the innermost first.
  virtual void LeaveRegion(int32_t begin, RegionKind kind);
};

// What EnterRegion returns for a kind that an engine does not run.
ErrorRecord RefuseRegion(int32_t begin, RegionKind kind);

// Fills `error` and `survived` of the Observation.
void Walk(const Program& program, StatementRunner& runner, Observation& observation);

}  // namespace twingrad::program

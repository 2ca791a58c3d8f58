// Walk: runs the statements of a Program on an engine, one after another.
//
//   class Execution : public program::StatementRunner { ... };
//   program::Walk(program, execution, observation);
//
// Regions and errors work the same way on every engine, so they are handled here. A `no_grad`
// region switches grad mode off and its end restores it. An error ends the run, unless a `try`
// region encloses the statement: then the walk records the error in Observation::survived, leaves
// the regions inside, restores the grad mode that the region began with and continues after its
// end. Thread sections that follow one another are handed to the runner together, which walks each
// on a thread of its own; an error that no `try` region of the section holds ends the section and
// is survived. The run goes on when all have ended. Regions of other kinds are the runner's to open
// and close. `expect` statements are skipped. One thread, but for sections; the Program must be
// valid.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/program/region.h"

namespace twingrad::program {

// How a thread section ended.
struct SectionEnd {
  std::optional<ErrorRecord> error;   // that nothing in the section held
  std::vector<ErrorRecord> survived;  // those that ended its try regions, in order
};

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

  // Runs each section with WalkSection on a thread of its own, with a runner of its own and the
  // modes of this thread, and returns when all have ended: how, in the order of the Program.
  // Nothing: the engine does not run sections.
  virtual std::optional<std::vector<SectionEnd>> RunSections(const std::vector<Section>& sections) {
    static_cast<void>(sections);
    return std::nullopt;
  }

  virtual bool grad_mode() const = 0;
  virtual void set_grad_mode(bool enabled) = 0;

  // Opens the region that statement `begin` begins, of a kind other than no_grad, try and thread.
  // Returns the error that it raised, and then nothing is open. Unless overridden it refuses every
  // kind.
  virtual std::optional<ErrorRecord> EnterRegion(int32_t begin, RegionKind kind);
  // Closes a region that EnterRegion opened: at its end, when an error leaves it, or when the run
  // is over; each once, the innermost first.
  virtual void LeaveRegion(int32_t begin, RegionKind kind);
};

// What EnterRegion returns for a kind that an engine does not run.
ErrorRecord RefuseRegion(int32_t begin, RegionKind kind);

// Fills `error` and `survived` of the Observation.
void Walk(const Program& program, StatementRunner& runner, Observation& observation);

// The statements of one thread section. Called by RunSections, on the section's thread.
SectionEnd WalkSection(const Program& program, const Section& section, StatementRunner& runner);

}  // namespace twingrad::program

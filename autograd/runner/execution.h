// Execution: the state of one run of a Program, statement by statement. Used by Run alone.
//
// program::Walk decides which statement runs next; Execution runs it on the engine. Values are
// tensors by id, undefined until their statement has run. The engine's exceptions become records in
// RunStatement. One thread, but for the hooks that the engine runs.
//
// A thread section has an Execution of its own, for its thread: names are the section's until it
// has ended, then its outer Execution takes them over. All share the Recorder, the handles of hooks
// and the values, of which a section defines only its own and no other sees those. The sections'
// Executions live as long as the run, because hooks that they registered do.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/engine/engine.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/node.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/thread_state.h"
#include "autograd/program/analyze.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/program/region.h"
#include "autograd/program/walk.h"
#include "autograd/runner/contents.h"
#include "autograd/runner/frozen_grads.h"
#include "autograd/runner/hook_actor.h"
#include "autograd/runner/hook_effect.h"
#include "autograd/runner/node_names.h"
#include "autograd/runner/recorder.h"
#include "autograd/runner/run.h"
#include "autograd/runner/streams.h"
#include "autograd/runner/warnings.h"
#include "autograd/sync/thread.h"

namespace twingrad::runner {

class Execution : private program::StatementRunner {
 public:
  Execution(const program::Program& program, Engine& engine, const RunOptions& options);
  ~Execution() override;
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Of a thread section inside what `outer` runs.
  Execution(Execution& outer, uint64_t first_key);

  // Runs the Program to its end or its error, then gives what was seen.
  program::Observation Run();

 private:
  bool BeforeStatement(int32_t index) override;
  std::optional<program::ErrorRecord> RunStatement(int32_t index) override;
  bool IsSurvivable(ErrorKind error) const override;
  std::optional<std::vector<program::SectionEnd>> RunSections(
      const std::vector<program::Section>& sections) override;
  bool grad_mode() const override;
  void set_grad_mode(bool enabled) override;
  std::optional<program::ErrorRecord> EnterRegion(int32_t begin, program::RegionKind kind) override;
  void LeaveRegion(int32_t begin, program::RegionKind kind) override;

  // A region of saved-tensor hooks (execution_saved.cc).
  SavedTensorHooks SavedHooksOf(int32_t begin);

  // Runs the section on this thread, which takes order keys from `first_key` on.
  program::SectionEnd RunSection(const program::Section& section, uint64_t first_key);

  // Runs one statement; the engine's errors are thrown. What searches for who catches one looks
  // through the tables of all functions on its way, which are short where functions are.
  [[gnu::noinline]] void Dispatch(const program::Statement& statement);
  [[gnu::noinline]] void Compute(const program::Statement& statement);
  void Leaf(const program::Statement& statement);
  void GradientStatement(const program::Statement& statement);
  void SetGradOf(const program::Statement& statement);
  void Custom(const program::Statement& statement);
  void AddHook(const program::Statement& statement);
  HookHandle AddTensorHook(const program::Statement& statement, const HookEffect& effect);
  HookHandle AddNodeHook(const program::Statement& statement, const HookEffect& effect);

  // Calls of the engine.
  [[gnu::noinline]] void Call(const program::Statement& statement);
  void Differentiate(const program::Statement& statement);
  void NoteEndOf(Recorder::Call& call, absl::Span<const program::ValueId> results,
                 int64_t held_blocks);
  void NoteFailureOf(Recorder::Call& call);
  int64_t HeldAfterFailure();
  // Stops the engine on a thread of its own, if that is to happen beside this statement.
  void StopBesideThis();
  VariableList ValuesOf(const program::Statement& statement, program::Key key) const;
  void NoteCallOperands(const program::Statement& statement);

  void Define(const program::Statement& statement, size_t result, Tensor value);
  void NoteOperand(program::ValueId value);
  program::Observation Observe();
  void ObserveValue(size_t id);
  template <class Look>
  void LookAtDevices(const Look& look);
  // With check_frozen: false, and the late write noted, if a .grad was written after a call had
  // ended; what to remember after a statement.
  bool IsFrozen();
  void NoteFrozen(const program::Statement& statement);
  void NoteFrozenAfterSections();

  const program::Program& program_;
  Engine& engine_;
  const RunOptions options_;
  program::Observation observation_;
  // Of the whole run; a section uses its outer Execution's.
  struct Shared {
    Shared(const program::Program& program, Engine& engine, const NodeNames& names,
           std::vector<program::CallRecord>& calls)
        : recorder(names, calls, program::DevicesOf(program)),
          warnings(program, recorder),
          values(program.names.size()),
          defined_at(program.names.size(), -1),
          actor(engine, recorder, warnings, values) {}
    Recorder recorder;
    ProgramWarnings warnings;
    std::vector<Tensor> values;       // by ValueId
    std::vector<int32_t> defined_at;  // by ValueId
    HookActor actor;
    sync::Thread stopper;  // see StopBeside
  };
  Execution* const outer_ = nullptr;
  NodeNames names_;
  const std::unique_ptr<Shared> own_;  // null in a section
  Shared& shared_;
  Recorder& recorder_;
  std::vector<Tensor>& values_;
  std::vector<int32_t>& defined_at_;
  HookActor& actor_;
  ProgramStreams streams_;
  // Of the open regions, the innermost last.
  std::vector<std::unique_ptr<SavedTensorHooksGuard>> saved_hooks_;
  FrozenGrads frozen_;
  Contents contents_;
  int32_t last_call_ = -1;
  int32_t statement_ = -1;
  // Of the thread before the run, or of a section; before each region that is open.
  const Modes modes_before_;
  std::vector<Modes> modes_before_regions_;
  std::vector<std::unique_ptr<Execution>> sections_;
};

}  // namespace twingrad::runner

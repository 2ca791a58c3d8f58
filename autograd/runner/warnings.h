// ProgramWarnings: the handler of warnings of a run; puts them into its Observation.
//
//   ProgramWarnings warnings(program, recorder);
//   CurrentThread().modes.warning_handler = &warnings;
//   warnings.Raise(node, at);       // in a hook with do=warn that statement `at` registered
//   observation.warnings = warnings.Take();
//
// Raise on any thread, several at once; Handle on those that make the calls.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "autograd/graph/node.h"
#include "autograd/graph/warning.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/runner/recorder.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/mutex.h"

namespace twingrad::runner {

class ProgramWarnings final : public WarningHandler {
 public:
  ProgramWarnings(const program::Program& program, const Recorder& recorder)
      : program_(program), recorder_(recorder) {}

  // Warns as statement `at` says, while `node` is evaluated.
  void Raise(const Node& node, int32_t at) AG_EXCLUDES(mutex_);
  void Handle(const Warning& warning) override AG_EXCLUDES(mutex_);
  // In the order of the calls' statements, each call's in the order of arrival.
  std::vector<program::WarningRecord> Take() AG_EXCLUDES(mutex_);

 private:
  const program::Program& program_;
  const Recorder& recorder_;
  sync::Mutex mutex_{"program_warnings"};
  // What the texts of raised warnings say, which is all that a handler is given of them.
  absl::flat_hash_map<std::string, program::WarningRecord> raised_ AG_GUARDED_BY(mutex_);
  std::vector<program::WarningRecord> given_ AG_GUARDED_BY(mutex_);
};

}  // namespace twingrad::runner

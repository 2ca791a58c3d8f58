// ScheduleFuzzer: runs an input, a Program and one of its schedules, on the engine under the
// checker.
//
//   ScheduleFuzzer fuzzer({.edges = counters, .extra = more});
//   fuzzer.Run(bytes);   // ends the process with a report if the engine does something wrong
//
// The same bytes give the same run, whatever ran before; a run that shows something new is repeated
// and must decide and show the same again. The explorers of the latest Programs are kept, so that a
// further schedule of one costs no more than that schedule. Belongs to one thread of a program that
// is built against the model.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "proptests/fuzzing/schedule_feedback.h"
#include "proptests/interleave/checker/lock_coverage.h"
#include "proptests/interleave/engine/program_run.h"

namespace twingrad::fuzzing {

struct FuzzerOptions {
  absl::Span<uint8_t> edges = {};  // as of ScheduleFeedback
  absl::Span<uint8_t> extra = {};
  size_t explorers = 128;  // kept
  // Of a Program's run on one thread. A longer Program is worth nothing: defects show in short
  // ones, of which as many runs take a fraction of the time.
  int64_t most_steps = 400;
  // Called for a failure, with the first words on it, and then with the whole report. Null: prints
  // both on standard error and ends the process after the second.
  std::function<void(const std::string& text)> report = nullptr;
};

class ScheduleFuzzer {
 public:
  explicit ScheduleFuzzer(FuzzerOptions options);

  // False if the input is worth nothing: no Program, one that the engine does not run, one that
  // takes no decision, or too long.
  bool Run(absl::Span<const uint8_t> input);

  int64_t runs() const { return runs_; }  // of inputs that were worth something
  const ScheduleFeedback& feedback() const { return feedback_; }
  // Of the latest input.
  const interleave::ProgramRun& run() const { return run_; }
  uint64_t fingerprint() const { return locks_.fingerprint(); }

 private:
  using Explorer = std::unique_ptr<interleave::ProgramExplorer>;
  using Kept = std::list<std::pair<std::string, Explorer>>;  // the latest first

  // Null if the bytes are no Program.
  interleave::ProgramExplorer* Find(absl::Span<const uint8_t> program);
  // Runs again, and fails unless that is the same run.
  void Repeat(interleave::ProgramExplorer& explorer, absl::Span<const uint8_t> schedule);
  void Report(interleave::ProgramExplorer& explorer, const interleave::ProgramRun& run);
  void Say(const std::string& text) const;

  const FuzzerOptions options_;
  ScheduleFeedback feedback_;
  interleave::LockCoverage locks_;
  Kept kept_;
  absl::flat_hash_map<std::string, Kept::iterator> by_bytes_;
  interleave::ProgramRun run_;
  int64_t runs_ = 0;
};

}  // namespace twingrad::fuzzing

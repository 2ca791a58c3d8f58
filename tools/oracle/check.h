// The verbs `check` and `explore`: run a campaign, make its findings small, write them down and
// print the summary.

#ifndef TOOLS_ORACLE_CHECK_H_
#define TOOLS_ORACLE_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "proptests/subjects/subject.h"
#include "proptests/workers/worker_process.h"
#include "tools/oracle/arguments.h"

namespace twingrad::oracle {

// Exit statuses of the tool.
inline constexpr int kNothingFound = 0;
inline constexpr int kFound = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kCannotStart = 3;
inline constexpr int kUnknown = 4;  // a recorded schedule does not fit the engine

// Returns the exit status. An error of the kind Unavailable means that an engine could not be
// started, any other wrong usage.
absl::StatusOr<int> RunCheck(const Arguments& arguments, subjects::Subject& subject);

// A seed that no run had before, for all practical purposes; print it.
uint64_t FreshSeed();

// What the flags say of workers that judge cases of `subject`; `folder` is for their recorders.
workers::WorkerCommand MakeWorkerCommand(const Arguments& arguments, const std::string& folder,
                                         const subjects::Subject& subject);

// What the flags say of the Programs.
subjects::CaseOptions OptionsOf(const Arguments& arguments);

// Makes its workers check this engine.
void SetEngine(const std::string& engine, workers::WorkerCommand* command);

// What --engine, --timeout and --memory say.
subjects::EngineChoice EngineOf(const Arguments& arguments);

}  // namespace twingrad::oracle

#endif  // TOOLS_ORACLE_CHECK_H_

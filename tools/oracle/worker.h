// The command that starts workers: this tool again, with the verb `worker`, which is here too.

#pragma once

#include <string>
#include <string_view>

#include "proptests/findings/finding.h"
#include "proptests/subjects/subject.h"
#include "proptests/workers/worker_process.h"
#include "tools/oracle/arguments.h"

namespace twingrad::oracle {

// The flags that decide what a seed generates; the verb `generate` takes them too.
inline constexpr std::string_view kGeneratorFlags[] = {"features", "ops",      "weights", "device",
                                                       "streams",  "elements", "rank"};

// The flags that decide which cases there are and by what they are judged; workers are given them.
inline constexpr std::string_view kCaseFlags[] = {
    "features", "ops",      "device",   "streams", "weights", "strategy", "schedules", "threads",
    "program",  "schedule", "elements", "rank",    "witness", "expected", "kernels"};

// What the flags say of workers that judge cases of `subject`, which outlives the command; `folder`
// is for their recorders.
workers::WorkerCommand MakeWorkerCommand(const Arguments& arguments, const std::string& folder,
                                         const subjects::Subject& subject);

// What the flags of `check` or `explore` say of the run, for its findings.
findings::Origin OriginOf(const Arguments& arguments, const workers::WorkerCommand& command);

// Makes them judge this engine; empty: the repository's.
void SetEngine(const std::string& engine, workers::WorkerCommand* command);

}  // namespace twingrad::oracle

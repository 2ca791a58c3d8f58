// A Finding: a Program that failed, minimized and written to a folder of its own.
//
// The folder holds program.txt (the smallest Program that still fails), original.txt (as found),
// report.txt (what a person reads first), expected.txt, actual.txt, finding.json (for machines and
// for `replay`) and graph.svg with the differing nodes marked, or graph.dot where graphviz is
// missing or would take too long. For a foreign engine it also holds snippet.py, the Program in
// PyTorch. Where others have to run in the same process first, they are before-1.txt and so on. The
// folder appears whole or not at all.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "proptests/workers/case.h"
#include "proptests/workers/prober.h"
#include "proptests/workers/worker_process.h"

namespace twingrad::findings {

// The run that found it: what is needed to repeat the finding.
struct Origin {
  std::string verb = "check";
  std::string engine;       // the value of --engine=; empty: the repository's engine
  uint64_t seed = 0;        // of the run
  bool seeded = true;       // false: the run followed a recorded schedule, which takes no seed
  std::string flags;        // ` --features=... --ops=...`, as given
  std::string case_flags;   // those of them that decide what a seed generates
  std::string limit_flags;  // ` --timeout=...`, as given
  workers::WorkerLimits limits;
  // Further members of finding.json, which `replay` reads.
  nlohmann::json settings = nlohmann::json::object();
};

struct Finding {
  workers::Failure failure;  // as found
  std::string program;       // minimized
  // What has to run in the same process before it, for it to fail; mostly nothing. Minimized too.
  std::vector<std::string> before;
  workers::CaseResult result;  // of the minimized one
  bool repeats = false;        // it failed in the same way when run again
  int probes = 0;              // Programs judged while minimizing
  Origin origin;
};

// A flaky failure gets this many chances to show again.
inline constexpr int kShrinkTries = 3;
// The file of a finding's folder that holds its schedule.
inline constexpr char kScheduleFile[] = "schedule.txt";

// Two failures of the same kind are one finding: same oracle, same statements after shrinking.
std::string KeyOf(const Finding& finding);

// Writes the folder under `parent` and returns its path. `note` receives a line if there is no
// picture.
absl::StatusOr<std::string> WriteFinding(const Finding& finding, const std::string& parent,
                                         workers::Prober& prober, std::string* note);

// The name of the file of a finding's folder that holds what runs before its Program, from 1 on.
std::string FileBefore(size_t number);

// The command that repeats the finding in `folder`.
std::string ReplayCommand(const std::string& folder);

}  // namespace twingrad::findings

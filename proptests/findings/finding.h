// A Finding: a Program that failed, made small and written to a folder of its own.
//
// The folder holds program.txt (the smallest Program that still fails), original.txt (as found),
// report.txt (what a person reads first), expected.txt, actual.txt, finding.json (for machines and
// for `replay`) and graph.svg with the differing nodes marked, or graph.dot where graphviz is
// missing or would take too long; where the engine is another's, also snippet.py, the Program in
// PyTorch. It appears whole or not at all.

#ifndef PROPTESTS_FINDINGS_FINDING_H_
#define PROPTESTS_FINDINGS_FINDING_H_

#include <chrono>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "proptests/subjects/subject.h"
#include "proptests/workers/channel.h"
#include "proptests/workers/prober.h"

namespace twingrad::oracle {

struct Finding {
  Failure failure;       // as found
  std::string program;   // shrunk
  Verdict verdict;       // of the shrunk one
  bool repeats = false;  // it failed in the same way when run again
  int probes = 0;        // Programs judged while shrinking
  std::string flags;     // ` --features=... --ops=...`, as given to the campaign
  std::string verb = "check";
  std::string engine;       // as --engine= says; empty: the repository's
  ExploreOptions explore;   // how it was, for `explore`
  std::string limit_flags;  // ` --timeout=...`, as given to the campaign
  WorkerLimits limits;
  uint64_t campaign_seed = 0;
};

// Two failures of the same kind are one finding: same oracle, same statements after shrinking.
std::string KeyOf(const Finding& finding);

struct ShrinkLimits {
  std::chrono::nanoseconds time = std::chrono::seconds(60);
  // Programs that hang are tried again with this limit, for there are many.
  std::chrono::nanoseconds timeout = std::chrono::seconds(1);
  std::function<bool()> interrupted = [] { return false; };
};

// Judges the Program again and, when it fails in the same way, makes it small, both in fresh
// workers; a Subject whose Verdict has a reproducer has done so itself.
absl::StatusOr<Finding> ShrinkFailure(Failure failure, Subject& subject, Prober& prober,
                                      const WorkerLimits& worker_limits,
                                      const ShrinkLimits& limits);

// Writes the folder under `parent`; returns its path. `note` receives a line when there is no
// picture.
absl::StatusOr<std::string> WriteFinding(const Finding& finding, const std::string& parent,
                                         Prober& prober, std::string* note);

// The command that repeats the finding in `folder`.
std::string ReplayCommand(const std::string& folder);

}  // namespace twingrad::oracle

#endif  // PROPTESTS_FINDINGS_FINDING_H_

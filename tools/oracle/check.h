// `oracle check` and `oracle explore`: run a campaign, minimize what fails, write it down and print
// the summary.

#pragma once

#include "absl/status/statusor.h"
#include "tools/oracle/flags.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

inline constexpr FlagSpec kCheckFlags[] = {
    kEngine,
    {"programs", "N", FlagType::kCount, "2000, or no limit with --time", "Programs to judge"},
    kSeed,
    kFeatures,
    kOps,
    kTime,
    kJobs,
    {"findings", "N", FlagType::kCount, "no limit", "ends the run after so many findings"},
    kElements,
    kRank,
    kTimeout,
    kMemory,
    kOut,
    {"report", "FILE", FlagType::kPath, "none",
     "JSON lines, appended; see proptests/findings/report.py"},
};
inline constexpr VerbSpec kCheck = {
    "check",
    "",
    "compares the engine with its twin on random Programs",
    "Runs random Programs through the engine and its witnesses, in worker processes, and compares\n"
    "all that they show. A Program on which they differ, or that crashes, hangs or takes too much\n"
    "memory, is a finding: it is minimized and written to a folder with a picture, and the run "
    "goes\n"
    "on. The summary at the end says what was compared. Ctrl-C ends the run with its summary.\n"
    "Failures of a foreign engine that golden/expected lists are no findings; above 2,000 "
    "Programs\n"
    "the run fails if they explain more than 2 %.\n",
    kCheckFlags,
    "check\ncheck --programs=100000 --jobs=2\ncheck --time=2h --out=/tmp/findings\n"
    "check --engine=libtorch\ncheck --engine='exec:python3 my_adapter.py'\n"
    "check --seed=7 --ops=mul,sum --features=view\n"};

inline constexpr FlagSpec kExploreFlags[] = {
    {"programs", "N", FlagType::kCount, "100, or no limit with --time, or 1 with --program",
     "Programs to explore"},
    kSchedules,
    kStrategy,
    kSeed,
    kThreads,
    kProgram,
    kSchedule,
    kFeatures,
    kOps,
    kTime,
    kJobs,
    {"timeout", "TIME", FlagType::kDuration, "10s and 2 ms a schedule",
     "a Program whose schedules run longer is a hang"},
    kMemory,
    kOut,
};
inline constexpr VerbSpec kExplore = {
    "explore",
    "",
    "runs the engine under schedules that decide every interleaving",
    "Runs each Program many times on the engine, compiled so that a scheduler decides which "
    "thread\n"
    "goes on at every lock, wait, notify and atomic access. A schedule that ends in a deadlock or "
    "a\n"
    "data race, or in another bit than a single thread computes, is a finding: Program and "
    "schedule\n"
    "are minimized and written to a folder with a picture, and the run goes on. The summary at "
    "the\n"
    "end says what was explored. Ctrl-C ends the run with its summary.\n",
    kExploreFlags,
    "explore --programs=100 --schedules=1000\nexplore --time=5m --jobs=2 --strategy=pct\n"
    "explore --program=program.txt --schedules=100000\n"
    "explore --program=program.txt --strategy=replay --schedule=schedule.txt\n"};

// Both verbs.
absl::StatusOr<int> Check(const Arguments& arguments, const subjects::SubjectFactory& make_subject);

}  // namespace twingrad::oracle

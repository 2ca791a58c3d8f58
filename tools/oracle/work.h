// `oracle worker`: the process in which the other verbs judge Programs. Help does not show it.

#pragma once

#include "absl/status/statusor.h"
#include "tools/oracle/flags.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

inline constexpr FlagSpec kWorkerFlags[] = {
    {"recorder", "FILE", FlagType::kPath, "none", "the flight recorder"},
    {"campaign", "FILE", FlagType::kPath, "none", "the programs not yet handed out"},
    kEngine,
    kTimeout,
    kMemory,
    kFeatures,
    kOps,
    kElements,
    kRank,
    kSchedules,
    kStrategy,
    kThreads,
    kProgram,
    kSchedule,
};
inline constexpr VerbSpec kWorker = {
    "worker",       "", "judges Programs for a parent process", "Started by the other verbs.\n",
    kWorkerFlags,   "",
    /*hidden=*/true};
absl::StatusOr<int> Work(const Arguments& arguments, const subjects::SubjectFactory& make_subject);

}  // namespace twingrad::oracle

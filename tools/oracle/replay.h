// `oracle replay`: repeats a finding.

#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tools/oracle/flags.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

inline constexpr FlagSpec kReplayFlags[] = {kTimeout, kMemory};
inline constexpr VerbSpec kReplay = {
    "replay",
    "DIR",
    "repeats a finding",
    "DIR is the folder of a finding. Judges its Program again, in a fresh worker. A finding of\n"
    "`explore` is repeated decision by decision. Exit status 0: it no longer fails; 1: it still "
    "does;\n"
    "4: its schedule does not fit this engine, so nothing is known.\n",
    kReplayFlags,
    "replay findings/twin-0000000000000007\n"};
absl::StatusOr<int> Replay(const Arguments& arguments,
                           const subjects::SubjectFactory& make_subject);

// Whether the finding in `folder` was found by `explore`.
bool IsOfExplore(const std::string& folder);

}  // namespace twingrad::oracle

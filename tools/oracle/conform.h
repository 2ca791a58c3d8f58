// `oracle conform`: all goldens on a foreign engine.
//
// Runs golden/programs and golden/findings in worker processes; prints a line for each golden that
// does not agree, and a summary. With --update the engine's list is rewritten in the workspace.

#pragma once

#include "absl/status/statusor.h"
#include "tools/oracle/flags.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

inline constexpr FlagSpec kConformFlags[] = {
    kForeignEngine,
    {"update", "", FlagType::kSwitch, "not given", "rewrites the engine's list in golden/expected"},
    kTimeout,
    kMemory,
};
inline constexpr VerbSpec kConform = {
    "conform",
    "",
    "runs all goldens on an engine, against the list of its known failures",
    "Judges every Program of golden/programs and golden/findings. "
    "golden/expected/NAME-VERSION.txt\n"
    "lists those that the engine is known to get wrong, and by which rule. The list is strict: "
    "the\n"
    "exit status is 1 if a golden fails that is not listed, one that is listed does not fail, or "
    "one\n"
    "fails by another rule.\n",
    kConformFlags,
    "conform --engine=libtorch\nconform --engine='exec:python3 my_adapter.py' --update\n"};
absl::StatusOr<int> Conform(const Arguments& arguments,
                            const subjects::SubjectFactory& make_subject);

}  // namespace twingrad::oracle

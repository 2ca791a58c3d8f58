// `oracle run`: executes one Program.

#pragma once

#include "absl/status/statusor.h"
#include "tools/oracle/flags.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

inline constexpr FlagSpec kRunFlags[] = {
    kEngine,
    // The repository's own engine runs in this process, where Ctrl-C is at hand.
    {"timeout", "TIME", FlagType::kDuration, "10s",
     "with --engine: a Program that runs longer is a hang"},
    {"memory", "SIZE", FlagType::kSize, "2G", "with --engine: one that grows beyond is a finding"},
};
inline constexpr VerbSpec kRun = {
    "run",
    "FILE",
    "executes one Program and prints its Observation",
    "FILE holds a Program; `-` is standard input. Prints every value and its .grad, and for each\n"
    "call of the engine the nodes, the dependency counts and the order of execution; on the\n"
    "repository's engine then the `expect` statements that are not met. Exit status 1: some are\n"
    "not.\n",
    kRunFlags,
    "run program.txt\nrun - < program.txt\n"};
absl::StatusOr<int> Run(const Arguments& arguments, const subjects::SubjectFactory& make_subject);

}  // namespace twingrad::oracle

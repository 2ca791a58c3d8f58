// `oracle generate`: prints a random Program.

#pragma once

#include "absl/status/statusor.h"
#include "tools/oracle/flags.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

inline constexpr FlagSpec kGenerateFlags[] = {
    {"seed", "N", FlagType::kSeed, "a fresh one", "of the Program; findings name theirs"},
    kEngine,
    kFeatures,
    kOps,
    kElements,
    kRank,
};
inline constexpr VerbSpec kGenerate = {
    "generate",
    "",
    "prints a random Program",
    "Prints the Program that `check` makes of this seed with these flags. With --engine that "
    "engine\n"
    "is started first: its Programs hold only what it claims to run.\n",
    kGenerateFlags,
    "generate --seed=7\ngenerate --ops=mul,sum\n"};
absl::StatusOr<int> Generate(const Arguments& arguments,
                             const subjects::SubjectFactory& make_subject);

}  // namespace twingrad::oracle

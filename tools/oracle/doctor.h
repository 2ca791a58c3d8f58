// `oracle doctor`: examines the adapter of a foreign engine, for its author.

#pragma once

#include "absl/status/statusor.h"
#include "tools/oracle/flags.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

inline constexpr FlagSpec kDoctorFlags[] = {kForeignEngine, kTimeout, kMemory};
inline constexpr VerbSpec kDoctor = {
    "doctor",
    "",
    "examines the adapter of an engine",
    "For the author of an adapter: shakes hands, prints what it understood, runs small Programs "
    "of\n"
    "each op that the hello claims, prints the engine's conventions, and names expected failures\n"
    "whose date has passed. Exit status 1: something is wrong, or an op that is claimed was "
    "refused\n"
    "every time. It stops after two hangs.\n",
    kDoctorFlags,
    "doctor --engine=libtorch\ndoctor --engine='exec:python3 my_adapter.py'\n"};
absl::StatusOr<int> Doctor(const Arguments& arguments,
                           const subjects::SubjectFactory& make_subject);

}  // namespace twingrad::oracle

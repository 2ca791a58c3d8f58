// `oracle doctor`: examines an adapter, for its author.

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

using subjects::ForeignEngine;
using subjects::Subject;

namespace {

absl::StatusOr<int> Doctor(const Arguments& arguments, Subject& subject) {
  const absl::StatusOr<ForeignEngine*> foreign =
      StartForeign(arguments, subject, "see `oracle doctor --help`");
  if (!foreign.ok()) return foreign.status();
  const ForeignEngine::Examination examination = (*foreign)->Examine();
  absl::PrintF("%s", examination.text);
  return examination.healthy ? kNothingFound : kFound;
}

constexpr FlagSpec kDoctorFlags[] = {kForeignEngine, kTimeout, kMemory};

}  // namespace

constinit const VerbSpec kDoctor = {
    .name = "doctor",
    .summary = "examines the adapter of an engine",
    .description = R"(
For the author of an adapter: shakes hands, prints what it understood, runs small Programs of
each op that the hello claims, prints the engine's conventions, and names expected failures
whose date has passed. Exit status 1: something is wrong, or an op that is claimed was refused
every time. It stops after two hangs.
)",
    .flags = kDoctorFlags,
    .examples = R"(
doctor --engine=libtorch
doctor --engine='exec:python3 my_adapter.py'
)",
    .run = Doctor,
};

}  // namespace twingrad::oracle

// `oracle generate`: prints the Program of a seed.

#include <cstdint>
#include <cstdio>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

using subjects::Subject;

namespace {

absl::StatusOr<int> Generate(const Arguments& arguments, Subject& subject) {
  if (arguments.Has("engine")) {
    if (absl::Status status = Start(subject); !status.ok()) return status;
  }
  std::optional<uint64_t> seed = arguments.Number("seed");
  if (!seed) {
    seed = FreshSeed();
    absl::FPrintF(stderr, "[oracle] seed %d\n", *seed);
  }
  absl::PrintF("%s", subject.source().Generate(*seed));
  return kNothingFound;
}

constexpr FlagSpec kGenerateFlags[] = {
    {"seed", "N", FlagType::kSeed, "a fresh one", "of the Program; findings name theirs"},
    kEngine,
    kFeatures,
    kOps,
    kWeights,
    kDevice,
    kStreams,
    kElements,
    kRank,
};

}  // namespace

constinit const VerbSpec kGenerate = {
    .name = "generate",
    .summary = "prints a random Program",
    .description = R"(
Prints the Program that `check` makes of this seed with these flags. With --engine that engine
is started first: its Programs hold only what it claims to run.
)",
    .flags = kGenerateFlags,
    .examples = R"(
generate --seed=7
generate --ops=mul,sum
)",
    .run = Generate,
};

}  // namespace twingrad::oracle

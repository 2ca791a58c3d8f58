#include "tools/oracle/generate.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include "absl/strings/str_format.h"

namespace twingrad::oracle {

absl::StatusOr<int> Generate(const Arguments& arguments,
                             const subjects::SubjectFactory& make_subject) {
  const absl::StatusOr<std::unique_ptr<subjects::Subject>> subject =
      ConfiguredSubject(arguments, make_subject);
  if (!subject.ok()) return subject.status();
  if (arguments.Has("engine")) {
    if (absl::Status status = Start(**subject); !status.ok()) return status;
  }
  std::optional<uint64_t> seed = arguments.Number("seed");
  if (!seed) {
    seed = FreshSeed();
    absl::FPrintF(stderr, "[oracle] seed %d\n", *seed);
  }
  absl::PrintF("%s", (*subject)->source().Generate(*seed));
  return kNothingFound;
}

}  // namespace twingrad::oracle

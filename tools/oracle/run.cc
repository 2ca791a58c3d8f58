#include "tools/oracle/run.h"

#include <memory>

#include "absl/strings/str_format.h"

namespace twingrad::oracle {

absl::StatusOr<int> Run(const Arguments& arguments, const subjects::SubjectFactory& make_subject) {
  const absl::StatusOr<std::unique_ptr<subjects::Subject>> made =
      ConfiguredSubject(arguments, make_subject);
  if (!made.ok()) return made.status();
  subjects::Subject& subject = **made;
  if (absl::Status status = LoadOperand(arguments, subject); !status.ok()) return status;
  if (absl::Status status = Start(subject); !status.ok()) return status;
  if (subject.runner() == nullptr) {
    return absl::InvalidArgumentError(
        "[oracle] this program runs Programs under many schedules only; allowed is `explore`; for "
        "`run` start tools/oracle/oracle");
  }
  const subjects::Runner::Seen seen = subject.runner()->Run();
  absl::PrintF("%s", seen.text);
  return seen.all_met ? kNothingFound : kFound;
}

}  // namespace twingrad::oracle

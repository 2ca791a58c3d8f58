#include "tools/oracle/doctor.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/adapters/named_adapters.h"

namespace twingrad::oracle {

absl::StatusOr<int> Doctor(const Arguments& arguments,
                           const subjects::SubjectFactory& make_subject) {
  const absl::StatusOr<std::unique_ptr<subjects::Subject>> made =
      ConfiguredSubject(arguments, make_subject);
  if (!made.ok()) return made.status();
  subjects::Subject& subject = **made;
  if (subject.foreign() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("[oracle] `doctor` is for the engines of others; allowed are ",
                     adapters::kForeignEngines, "; see `oracle doctor --help`"));
  }
  if (absl::Status status = Start(subject); !status.ok()) return status;
  const subjects::ForeignEngine::Examination examination = subject.foreign()->Examine();
  absl::PrintF("%s", examination.text);
  return examination.healthy ? kNothingFound : kFound;
}

}  // namespace twingrad::oracle

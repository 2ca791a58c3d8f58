#include "tools/oracle/conform.h"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proptests/conformance/conformance.h"
#include "proptests/workers/files.h"
#include "proptests/workers/prober.h"
#include "tools/adapters/named_adapters.h"
#include "tools/oracle/worker_command.h"

namespace twingrad::oracle {

using conformance::ExpectedFailures;
using conformance::GoldenVerdict;
using workers::Locate;
using workers::Prober;
using workers::ReadInput;
using workers::ResolvePath;
using workers::TemporaryFolder;
using workers::WriteFile;

namespace {

constexpr absl::Duration kTrust = absl::Hours(24 * 365);  // how long a new entry is believed

// Where the list lies in the sources, not in the copy beside the tool.
std::string InWorkspace(const std::string& path) {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return workspace != nullptr ? absl::StrCat(workspace, "/", path) : ResolvePath(path);
}

}  // namespace

absl::StatusOr<int> Conform(const Arguments& arguments,
                            const subjects::SubjectFactory& make_subject) {
  const absl::StatusOr<std::unique_ptr<subjects::Subject>> made =
      ConfiguredSubject(arguments, make_subject);
  if (!made.ok()) return made.status();
  subjects::Subject& subject = **made;
  if (subject.foreign() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "[oracle] `conform` is for the engines of others; allowed are ", adapters::kForeignEngines,
        "; the repository's own is run by `tools/bazel test //tools/golden/...`"));
  }
  if (absl::Status status = Start(subject); !status.ok()) return status;
  const std::string list = subject.foreign()->KnownFailures();
  std::string text;
  if (const std::string known = Locate(list); access(known.c_str(), R_OK) == 0) {
    absl::StatusOr<std::string> read = ReadInput(known);
    if (!read.ok()) return read.status();
    text = *std::move(read);
  }
  absl::StatusOr<ExpectedFailures> failures = conformance::ParseExpectedFailures(text);
  if (!failures.ok()) return failures.status();

  absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make("oracle");
  if (!folder.ok()) return folder.status();
  Prober prober(MakeWorkerCommand(arguments, folder->path(), subject));
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<std::vector<GoldenVerdict>> goldens =
      conformance::JudgeGoldens([&](std::string_view program) { return prober.Judge(program); });
  if (!goldens.ok()) return goldens.status();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  absl::PrintF("%s", conformance::OutcomesText(*goldens, seconds.count()));

  const std::vector<std::string> complaints = conformance::Complaints(*goldens, *failures);
  for (const std::string& complaint : complaints) absl::PrintF("\n%s\n", complaint);
  if (complaints.empty()) {
    absl::PrintF("all as %s says\n", list);
    return kNothingFound;
  }
  if (!arguments.Has("update")) {
    absl::PrintF("\n%d departures from %s; --update rewrites it\n", complaints.size(), list);
    return kFound;
  }
  const std::string until = absl::FormatTime("%Y-%m-%d", absl::Now() + kTrust, absl::UTCTimeZone());
  const std::string path = InWorkspace(list);
  if (absl::Status status = WriteFile(
          path, conformance::PrintExpectedFailures(
                    conformance::HeadOf(text), conformance::Revised(*goldens, *failures, until)));
      !status.ok()) {
    return status;
  }
  absl::PrintF("\nrewritten: %s; read it before you believe it\n", path);
  return kNothingFound;
}

}  // namespace twingrad::oracle

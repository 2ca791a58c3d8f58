// `oracle conform`: runs all goldens on an engine of others.

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proptests/conformance/conformance.h"
#include "proptests/workers/files.h"
#include "proptests/workers/prober.h"
#include "tools/oracle/verb.h"
#include "tools/oracle/worker.h"

namespace twingrad::oracle {

using subjects::ForeignEngine;
using subjects::Subject;
using workers::TemporaryFolder;

namespace {

constexpr absl::Duration kTrust = absl::Hours(24 * 365);  // how long a new entry is believed

// Where the list lies in the sources, not in the copy beside the tool.
std::string InWorkspace(const std::string& path) {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return workspace != nullptr ? absl::StrCat(workspace, "/", path) : workers::ResolvePath(path);
}

absl::StatusOr<int> Conform(const Arguments& arguments, Subject& subject) {
  const absl::StatusOr<ForeignEngine*> foreign = StartForeign(
      arguments, subject, "the repository's own is run by `tools/bazel test //tools/golden/...`");
  if (!foreign.ok()) return foreign.status();
  const std::string list = (*foreign)->KnownFailures();
  std::string text;
  if (const std::string known = workers::Locate(list); access(known.c_str(), R_OK) == 0) {
    absl::StatusOr<std::string> read = workers::ReadInput(known);
    if (!read.ok()) return read.status();
    text = *std::move(read);
  }
  absl::StatusOr<conformance::ExpectedFailures> failures = conformance::ParseExpectedFailures(text);
  if (!failures.ok()) return failures.status();

  absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make("oracle");
  if (!folder.ok()) return folder.status();
  workers::Prober prober(MakeWorkerCommand(arguments, folder->path(), subject));
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<std::vector<conformance::GoldenVerdict>> goldens =
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
  if (absl::Status status = workers::WriteFile(
          path, conformance::PrintExpectedFailures(
                    conformance::HeadOf(text), conformance::Revised(*goldens, *failures, until)));
      !status.ok()) {
    return status;
  }
  absl::PrintF("\nrewritten: %s; read it before you believe it\n", path);
  return kNothingFound;
}

constexpr FlagSpec kConformFlags[] = {
    kForeignEngine,
    {"update", "", FlagType::kSwitch, "not given", "rewrites the engine's list in golden/expected"},
    kTimeout,
    kMemory,
};

}  // namespace

constinit const VerbSpec kConform = {
    .name = "conform",
    .summary = "runs all goldens on an engine, against the list of its known failures",
    .description = R"(
Judges every Program of golden/programs and golden/findings. golden/expected/NAME-VERSION.txt
lists those that the engine is known to get wrong, and by which rule. The list is strict: the
exit status is 1 if a golden fails that is not listed, one that is listed does not fail, or one
fails by another rule.
)",
    .flags = kConformFlags,
    .examples = R"(
conform --engine=libtorch
conform --engine='exec:python3 my_adapter.py' --update
)",
    .run = Conform,
};

}  // namespace twingrad::oracle

#include "tools/oracle/conform.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proptests/conformance/conformance.h"
#include "proptests/workers/files.h"
#include "proptests/workers/prober.h"
#include "proptests/workers/repository_files.h"
#include "tools/oracle/worker_command.h"

namespace twingrad::oracle {

using workers::CaseResult;
using workers::Locate;
using workers::Prober;
using workers::ReadInput;
using workers::ResolvePath;
using workers::TemporaryFolder;
using workers::WriteFile;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolders[] = {"golden/programs", "golden/findings"};
constexpr absl::Duration kTrust = absl::Hours(24 * 365);  // how long a new entry is believed

absl::StatusOr<std::vector<fs::path>> Goldens() {
  std::vector<fs::path> paths;
  for (const std::string_view folder : kFolders) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(Locate(folder), error), end; it != end;
         it.increment(error)) {
      if (it->path().extension() == ".twin") paths.push_back(it->path());
    }
  }
  if (paths.empty()) {
    return absl::UnavailableError(
        "[oracle] no goldens below the working directory or beside this program; needed are "
        "golden/programs and golden/findings; start the tool by `tools/bazel run`");
  }
  std::sort(paths.begin(), paths.end(),
            [](const fs::path& a, const fs::path& b) { return a.stem() < b.stem(); });
  return paths;
}

absl::StatusOr<std::vector<GoldenVerdict>> Judge(Prober& prober) {
  absl::StatusOr<std::vector<fs::path>> paths = Goldens();
  if (!paths.ok()) return paths.status();
  std::vector<GoldenVerdict> goldens;
  for (const fs::path& path : *paths) {
    absl::StatusOr<std::string> text = ReadInput(path.string());
    if (!text.ok()) return text.status();
    absl::StatusOr<CaseResult> verdict = prober.Judge(*text);
    if (!verdict.ok()) return verdict.status();
    goldens.push_back({path.stem().string(), *std::move(verdict)});
    if (goldens.back().verdict.outcome.empty()) {  // it brought a worker down
      goldens.back().verdict.outcome = goldens.back().verdict.oracle;
    }
  }
  return goldens;
}

void PrintOutcomes(const std::vector<GoldenVerdict>& goldens, double seconds) {
  std::map<std::string, int> counts;
  for (const GoldenVerdict& golden : goldens) {
    const CaseResult& verdict = golden.verdict;
    ++counts[GotWrong(verdict) ? "wrong" : verdict.outcome];
    if (verdict.outcome == "agree") continue;
    const std::string first =
        std::vector<std::string>(absl::StrSplit(verdict.text, absl::MaxSplits('\n', 1)))[0];
    absl::PrintF("%-14s %-10s %s\n", golden.id, verdict.outcome, first);
  }
  absl::PrintF("goldens        %d in %.1f s:", goldens.size(), seconds);
  std::string_view separator = "";
  for (const auto& [outcome, count] : counts) {
    absl::PrintF("%s %s %d", std::exchange(separator, ","), outcome, count);
  }
  absl::PrintF("\n");
}

// The comment that the list begins with.
std::string HeadOf(std::string_view text) {
  std::string head;
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "#")) break;
    absl::StrAppend(&head, line, "\n");
  }
  return head;
}

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
    return absl::InvalidArgumentError(
        "[oracle] `conform` is for the engines of others; allowed are --engine=libtorch and "
        "--engine=exec:CMD; the repository's own is run by `tools/bazel test //tools/golden/...`");
  }
  if (absl::Status status = Start(subject); !status.ok()) return status;
  const std::string list = subject.foreign()->KnownFailures();
  std::string text;
  if (const std::string known = Locate(list); access(known.c_str(), R_OK) == 0) {
    absl::StatusOr<std::string> read = ReadInput(known);
    if (!read.ok()) return read.status();
    text = *std::move(read);
  }
  absl::StatusOr<ExpectedFailures> failures = ParseExpectedFailures(text);
  if (!failures.ok()) return failures.status();

  absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make("oracle");
  if (!folder.ok()) return folder.status();
  Prober prober(MakeWorkerCommand(arguments, folder->path(), subject));
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<std::vector<GoldenVerdict>> goldens = Judge(prober);
  if (!goldens.ok()) return goldens.status();
  PrintOutcomes(*goldens,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());

  const std::vector<std::string> complaints = Complaints(*goldens, *failures);
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
  if (absl::Status status =
          WriteFile(path, PrintExpectedFailures(HeadOf(text), Revised(*goldens, *failures, until)));
      !status.ok()) {
    return status;
  }
  absl::PrintF("\nrewritten: %s; read it before you believe it\n", path);
  return kNothingFound;
}

}  // namespace twingrad::oracle

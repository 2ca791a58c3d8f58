#include "proptests/conformance/golden_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proptests/workers/files.h"
#include "proptests/workers/repository_files.h"

namespace twingrad::conformance {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolders[] = {"golden/programs", "golden/findings"};

absl::StatusOr<std::vector<fs::path>> Goldens(const std::string& top) {
  std::vector<fs::path> paths;
  for (const std::string_view folder : kFolders) {
    std::error_code error;
    const fs::path path = top.empty() ? fs::path(workers::Locate(folder)) : fs::path(top) / folder;
    for (fs::recursive_directory_iterator it(path, error), end; it != end; it.increment(error)) {
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

}  // namespace

absl::StatusOr<std::vector<GoldenVerdict>> JudgeGoldens(const JudgeProgram& judge,
                                                        const std::string& top) {
  absl::StatusOr<std::vector<fs::path>> paths = Goldens(top);
  if (!paths.ok()) return paths.status();
  std::vector<GoldenVerdict> goldens;
  for (const fs::path& path : *paths) {
    absl::StatusOr<std::string> text = workers::ReadInput(path.string());
    if (!text.ok()) return text.status();
    absl::StatusOr<workers::CaseResult> verdict = judge(*text);
    if (!verdict.ok()) return verdict.status();
    goldens.push_back({path.stem().string(), *std::move(verdict)});
    if (goldens.back().verdict.outcome.empty()) {  // it brought a worker down
      goldens.back().verdict.outcome = goldens.back().verdict.oracle;
    }
  }
  return goldens;
}

std::string OutcomesText(absl::Span<const GoldenVerdict> goldens, double seconds) {
  std::string text;
  std::map<std::string, int> counts;
  for (const GoldenVerdict& golden : goldens) {
    const workers::CaseResult& verdict = golden.verdict;
    ++counts[GotWrong(verdict) ? "wrong" : verdict.outcome];
    if (verdict.outcome == "agree") continue;
    const std::string first = verdict.text.substr(0, verdict.text.find('\n'));
    absl::StrAppendFormat(&text, "%-14s %-10s %s\n", golden.id, verdict.outcome, first);
  }
  absl::StrAppendFormat(&text, "goldens        %d in %.1f s:", goldens.size(), seconds);
  std::string_view separator = "";
  for (const auto& [outcome, count] : counts) {
    absl::StrAppendFormat(&text, "%s %s %d", std::exchange(separator, ","), outcome, count);
  }
  return text + "\n";
}

}  // namespace twingrad::conformance

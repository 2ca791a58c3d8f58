#include "proptests/conformance/conformance.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "proptests/workers/files.h"

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
  std::ranges::sort(paths, {}, &fs::path::stem);
  return paths;
}

const GoldenVerdict* Find(absl::Span<const GoldenVerdict> goldens, std::string_view id) {
  const auto it = std::ranges::find(goldens, id, &GoldenVerdict::id);
  return it == goldens.end() ? nullptr : &*it;
}

bool Lists(const ExpectedFailures& failures, std::string_view id) {
  return std::ranges::count(failures.entries, id, &ExpectedEntry::id) > 0;
}

std::string ComplaintOf(const ExpectedEntry& entry, const GoldenVerdict* golden) {
  if (golden == nullptr) {
    return absl::StrCat(entry.id, " is listed, but no golden has this id");
  }
  if (!GotWrong(golden->verdict)) {
    return absl::StrCat(entry.id, " is listed as failing (", entry.rule, "), but its outcome is ",
                        golden->verdict.outcome);
  }
  if (const std::string rule = RuleWord(golden->verdict.oracle); rule != entry.rule) {
    return absl::StrCat(entry.id, " is listed as failing by ", entry.rule, ", but fails by ", rule,
                        "\n", golden->verdict.text);
  }
  return "";
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
  absl::StrAppendFormat(&text, "goldens        %d in %.1f s: %s\n", goldens.size(), seconds,
                        absl::StrJoin(counts, ", ", absl::PairFormatter(" ")));
  return text;
}

bool GotWrong(const workers::CaseResult& verdict) {
  return verdict.failed || verdict.outcome == "explained";
}

std::vector<std::string> Complaints(absl::Span<const GoldenVerdict> goldens,
                                    const ExpectedFailures& failures) {
  std::vector<std::string> complaints;
  for (const ExpectedEntry& entry : failures.entries) {
    std::string complaint = ComplaintOf(entry, Find(goldens, entry.id));
    if (!complaint.empty()) complaints.push_back(std::move(complaint));
  }
  for (const GoldenVerdict& golden : goldens) {
    if (!GotWrong(golden.verdict) || Lists(failures, golden.id)) continue;
    complaints.push_back(absl::StrCat(golden.id, " fails (", RuleWord(golden.verdict.oracle),
                                      ") and is not listed\n", golden.verdict.text));
  }
  return complaints;
}

ExpectedFailures Revised(absl::Span<const GoldenVerdict> goldens, ExpectedFailures failures,
                         std::string_view until) {
  ExpectedFailures revised;
  for (ExpectedEntry& entry : failures.entries) {
    const GoldenVerdict* golden = Find(goldens, entry.id);
    if (golden == nullptr || !GotWrong(golden->verdict)) continue;
    entry.rule = RuleWord(golden->verdict.oracle);
    revised.entries.push_back(std::move(entry));
  }
  for (const GoldenVerdict& golden : goldens) {
    if (!GotWrong(golden.verdict) || Lists(revised, golden.id)) continue;
    revised.entries.push_back({golden.id, RuleWord(golden.verdict.oracle), std::string(until),
                               "not looked into: say here why it fails"});
  }
  for (FailureSignature& signature : failures.signatures) {
    if (Lists(revised, signature.entry)) revised.signatures.push_back(std::move(signature));
  }
  for (FollowedDefect& defect : failures.followed) {
    if (Lists(revised, defect.entry)) revised.followed.push_back(std::move(defect));
  }
  return revised;
}

}  // namespace twingrad::conformance

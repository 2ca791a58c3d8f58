// IssueText of reports.h.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/campaign/legible.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/reports.h"
#include "fuzz/campaign/results.h"
#include "proptests/findings/description.h"
#include "proptests/findings/finding.h"
#include "proptests/subjects/number_text.h"
#include "proptests/workers/files.h"
#include "proptests/workers/process.h"

namespace twingrad::campaign {
namespace {

using subjects::WithSeparators;

constexpr size_t kMostLines = 60;        // of what an issue shows of an Observation
constexpr size_t kMostFileLines = 2000;  // of a file that is needed to repeat it
constexpr size_t kMostVariants = 10;

#ifdef __clang__
constexpr char kCompiler[] = __VERSION__;
#else
constexpr char kCompiler[] = "GCC " __VERSION__;
#endif

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// What `replay` needs to know of the finding, from its finding.json.
std::string ReplayMembers(const std::string& description) {
  return findings::PrintDescription(
      findings::ParseDescription(description, "").value_or(findings::Description()));
}

// The files of a folder that `replay` takes, each as a block.
std::string FilesText(const Merged& merged, const ShardFinding& finding) {
  const auto block = [](std::string_view name, std::string_view contents) {
    return absl::StrCat("`", name, "`:\n\n", MarkdownBlock(contents, kMostFileLines), "\n");
  };
  const std::string program = FileOf(merged, finding, "program.txt");
  std::string text = block("program.txt", program.empty() ? finding.program : program);
  for (size_t i = 1;; ++i) {
    const std::string before = FileOf(merged, finding, findings::FileBefore(i));
    if (before.empty()) break;
    text += block(findings::FileBefore(i), before);
  }
  if (const std::string schedule = FileOf(merged, finding, findings::kScheduleFile);
      !schedule.empty()) {
    text += block(findings::kScheduleFile, schedule);
  }
  return text + block("finding.json", ReplayMembers(FileOf(merged, finding, "finding.json")));
}

std::string CountsText(const Merged& merged, const FindingGroup& group,
                       const MergedFinding& first) {
  const Job& job = merged.plan.jobs[first.job];
  std::string text = absl::StrCat(
      "Shown by ", WithSeparators(group.failures), " of ", WithSeparators(merged.programs()),
      " Programs in ", group.shards.size(), " of ", merged.plan.shards, " shards of the campaign ",
      MarkdownWords(merged.plan.name), ", seed ", merged.plan.seed, ". This one is of `oracle ",
      job.verb, "`, seed ", first.best.seed, ".\n");
  const size_t variants = group.findings.size() - 1;
  if (variants == 0) return text;
  absl::StrAppend(&text, "\nThese may have the same cause:\n\n");
  for (size_t i = 1; i <= std::min(variants, kMostVariants); ++i) {
    const ShardFinding& other = merged.findings[group.findings[i]].best;
    absl::StrAppend(&text, "- ", other.signature, ": ",
                    MarkdownWords(absl::StrJoin(CoarseOf(other).statements, ", ")), "\n");
  }
  if (variants > kMostVariants) absl::StrAppend(&text, "- ", variants - kMostVariants, " more\n");
  return text;
}

std::string Section(std::string_view title, std::string_view text, std::string_view none) {
  return absl::StrCat("\n## ", title, "\n\n",
                      text.empty() ? absl::StrCat(none, "\n") : MarkdownBlock(text, kMostLines));
}

}  // namespace

std::string IssueText(const Merged& merged, const FindingGroup& group,
                      const std::string& versions) {
  const MergedFinding& first = merged.findings[group.findings.front()];
  const ShardFinding& best = first.best;
  const Job& job = merged.plan.jobs[first.job];
  const auto engine = job.flags.find("engine");
  std::string text = absl::StrCat(
      "# ",
      MarkdownWords(absl::StrCat(FirstLine(best.text), " (",
                                 absl::StrJoin(group.coarse.statements, ", "), ")")),
      "\n\n", MarkdownBlock(best.text, kMostLines), "\n", CountsText(merged, group, first));
  absl::StrAppend(&text, Section("Program", best.program, "The Program is empty."),
                  Section("Expected", FileOf(merged, best, "expected.txt"),
                          "The Program runs to its end, within its limits."),
                  Section("Seen", FileOf(merged, best, "actual.txt"), "What stands at the top."));
  absl::StrAppend(&text, "\n## To repeat it\n\n");
  if (!best.folder.empty()) {
    absl::StrAppend(
        &text,
        MarkdownBlock(findings::ReplayCommand(absl::StrCat(merged.folder, "/", best.folder)), 1),
        "\n");
  }
  absl::StrAppend(
      &text, "On another machine, save these files in a folder of their own, and replay that:\n\n",
      FilesText(merged, best), "## Versions\n\n- engine: ",
      engine == job.flags.end() ? "this repository's" : MarkdownWords(engine->second), "\n",
      versions);
  return text;
}

std::string VersionsText() {
  std::string commit = "unknown";
  // The page's template is a file of the sources, in runfiles by a link.
  if (const auto folder = workers::TemporaryFolder::Make("campaign-versions"); folder.ok()) {
    const std::string output = folder->path() + "/commit";
    const absl::StatusOr<int> end = workers::RunInto(
        output,
        {"/bin/sh", "-c",
         "cd \"$(dirname \"$(readlink -f \"$0\")\")\" && exec git describe --always --dirty "
         "--abbrev=40 --exclude='*' 2>/dev/null",
         workers::Locate(kPageTemplate)});
    const std::string said(absl::StripAsciiWhitespace(workers::ReadInput(output).value_or("")));
    if (end.ok() && *end == 0 && !said.empty()) commit = said;
  }
  utsname system = {};
  uname(&system);
  return absl::StrCat("- sources of the tool that wrote this: commit ", commit,
                      "\n- compiler: ", kCompiler, "; C library: ", gnu_get_libc_version(),
                      "\n- system: ", MarkdownWords(system.sysname), " ",
                      MarkdownWords(system.release), ", ", MarkdownWords(system.machine), "\n");
}

}  // namespace twingrad::campaign

#include "proptests/findings/finding.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proptests/findings/case_text.h"
#include "proptests/findings/rendering.h"
#include "proptests/workers/files.h"

namespace twingrad::findings {
namespace {

using std::chrono::steady_clock;
using workers::CaseResult;
using workers::Failure;
using workers::Prober;
using workers::ShellWord;

// A flaky failure gets this many chances to show again.
constexpr int kTries = 3;

// The file of a finding's folder.
constexpr char kSchedule[] = "schedule.txt";

// The names of the statements of a Program's text, without values, operands and attributes.
std::string StatementNames(std::string_view program) {
  std::vector<std::string> names;
  const std::string text = SplitCase(program).program;
  for (std::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (const size_t equals = line.find(" = "); equals != std::string_view::npos) {
      line.remove_prefix(equals + 3);
    }
    names.emplace_back(line.substr(0, line.find(' ')));
  }
  std::ranges::sort(names);
  return absl::StrJoin(names, " ");
}

// The oracle's name in a form that fits a file name.
std::string FileWord(std::string_view word) {
  std::string out(word.empty() ? "unknown" : word);
  std::ranges::replace_if(
      out, [](unsigned char c) { return !absl::ascii_isalnum(c); }, '-');
  return out;
}

std::string Report(const Finding& finding, const std::string& folder) {
  const Failure& failure = finding.failure;
  const Origin& origin = finding.origin;
  std::string text = finding.result.text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  absl::StrAppendFormat(&text,
                        "\noracle:  %s\nseed:    %d (program %d of the run with --seed=%d)\n",
                        finding.result.oracle, failure.seed, failure.index, origin.seed);
  if (origin.verb == "check") {
    absl::StrAppend(
        &text, "make:    tools/bazel run //tools/oracle -- generate --seed=", failure.seed,
        origin.flags,
        origin.engine.empty() ? "" : absl::StrCat(" --engine=", ShellWord(origin.engine)), "\n");
  } else {
    absl::StrAppend(&text, "found:   tools/bazel run //tools/oracle -- ", origin.verb,
                    origin.seeded ? absl::StrCat(" --seed=", origin.seed) : "",
                    " --programs=", failure.index + 1, origin.flags, origin.limit_flags, "\n");
  }
  absl::StrAppend(&text, "replay:  ", ReplayCommand(folder), "\n");
  if (!finding.repeats) {
    absl::StrAppend(&text, "note:    it did not show again in ", kTries,
                    " further runs, so the Program is as found\n");
  }
  return text;
}

nlohmann::json Description(const Finding& finding) {
  const Origin& origin = finding.origin;
  nlohmann::json description = {
      {"version", 1},
      {"verb", origin.verb},
      {"oracle", finding.result.oracle},
      {"seed", finding.failure.seed},
      {"index", finding.failure.index},
      {"campaign_seed", origin.seed},
      {"flags", origin.flags},
      {"engine", origin.engine},
      {"repeats", finding.repeats},
      {"probes", finding.probes},
      {"marked", finding.result.marked},
      {"timeout_ms", origin.limits.timeout / std::chrono::milliseconds(1)},
      {"memory_mib", origin.limits.memory >> 20},
      {"text", finding.result.text}};
  description.update(origin.settings);
  return description;
}

// The schedule at which the worker ended is kept only if that schedule alone ends the worker again;
// then it is minimized and drawn.
void KeepSchedule(const std::function<std::optional<CaseResult>(std::string_view)>& same_failure,
                  Prober& prober, Finding* finding) {
  std::map<std::string, std::string>& files = finding->result.files;
  const auto found = files.find(kSchedule);
  if (found == files.end()) return;
  Case alone{SplitCase(finding->program).program, std::nullopt, false, found->second};
  if (!same_failure(JoinCase(alone))) {
    files.erase(found);
    return;
  }
  alone.shrink = true;
  absl::StatusOr<CaseResult> drawn = prober.Judge(JoinCase(alone));
  if (!drawn.ok() || drawn->failed || drawn->files.count(kSchedule) == 0) return;
  alone.shrink = false;
  alone.schedule = drawn->files[kSchedule];
  if (alone.schedule != found->second && !same_failure(JoinCase(alone))) return;
  files = std::move(drawn->files);
  finding->result.text += drawn->text;
}

}  // namespace

std::string KeyOf(const Finding& finding) {
  return absl::StrCat(finding.result.oracle, ": ", StatementNames(finding.program));
}

std::string ReplayCommand(const std::string& folder) {
  return absl::StrCat("tools/bazel run //tools/oracle -- replay ", ShellWord(folder));
}

absl::StatusOr<Finding> ShrinkFailure(Failure failure, workers::CaseSource& source, Prober& prober,
                                      const workers::WorkerLimits& limits,
                                      const ShrinkBudget& budget) {
  Finding finding;
  finding.program = failure.program;
  finding.result = failure.result;
  finding.failure = std::move(failure);
  if (finding.program.empty()) return finding;  // it fell over before there was a Program

  const steady_clock::time_point deadline = steady_clock::now() + budget.time;
  const auto over = [&] { return budget.interrupted() || steady_clock::now() > deadline; };
  absl::Status status;
  // The CaseResult if the Program fails in the same way as the finding.
  const auto same_failure = [&](std::string_view program) -> std::optional<CaseResult> {
    ++finding.probes;
    absl::StatusOr<CaseResult> result = prober.Judge(program);
    if (!result.ok()) {
      if (absl::IsUnavailable(result.status())) status = result.status();
      return std::nullopt;
    }
    if (!result->failed || result->oracle != finding.failure.result.oracle) return std::nullopt;
    return *std::move(result);
  };

  prober.SetTimeout(limits.timeout);
  for (int i = 0; i < kTries && !finding.repeats && !over() && status.ok(); ++i) {
    if (std::optional<CaseResult> result = same_failure(finding.program)) {
      finding.repeats = true;
      finding.result = *std::move(result);
    }
  }
  if (!finding.repeats) return status.ok() ? absl::StatusOr<Finding>(finding) : status;
  if (!finding.result.reproducer.empty()) {  // the judge has minimized it
    finding.program = finding.result.reproducer;
    return finding;
  }

  if (finding.result.oracle == "hang") {
    prober.SetTimeout(std::min(limits.timeout, budget.timeout));
  }
  std::string small = source.Shrink(finding.program, [&](std::string_view program) {
    return !over() && status.ok() && same_failure(program).has_value();
  });
  prober.SetTimeout(limits.timeout);
  if (!status.ok()) return status;
  // Judges the minimized Program once more, under the campaign's own limits; the report shows this
  // CaseResult.
  for (int i = 0; i < kTries && small != finding.program; ++i) {
    if (std::optional<CaseResult> result = same_failure(small)) {
      finding.program = std::move(small);
      finding.result = *std::move(result);
      break;
    }
  }
  KeepSchedule(same_failure, prober, &finding);
  return finding;
}

absl::StatusOr<std::string> WriteFinding(const Finding& finding, const std::string& parent,
                                         Prober& prober, std::string* note) {
  const std::string folder = absl::StrCat(parent, "/", FileWord(finding.result.oracle), "-",
                                          absl::StrFormat("%016x", finding.failure.seed));
  std::map<std::string, std::string> files = finding.result.files;
  const Case parts = SplitCase(finding.program);
  files["program.txt"] = parts.program;
  if (!parts.schedule.empty()) files.emplace(kSchedule, parts.schedule);
  files["original.txt"] = finding.failure.program;
  files["expected.txt"] = finding.result.expected;
  files["actual.txt"] = finding.result.actual;
  files["report.txt"] = Report(finding, folder);
  files["finding.json"] =
      Description(finding).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (!finding.origin.engine.empty()) {
    if (std::string snippet = RenderSnippet(files["program.txt"]); !snippet.empty()) {
      files["snippet.py"] = std::move(snippet);
    }
  }
  absl::Status picture;
  if (finding.program.empty()) {
    // There is nothing to draw.
  } else if (absl::StatusOr<std::string> dot = prober.Draw(finding.program, finding.result.marked);
             !dot.ok()) {
    picture = dot.status();
  } else if (absl::StatusOr<std::string> svg = RenderSvg(*dot); svg.ok()) {
    files["graph.svg"] = *std::move(svg);
  } else {
    files["graph.dot"] = *std::move(dot);
    picture = svg.status();
  }
  if (!picture.ok()) *note = std::string(picture.message());
  absl::StatusOr<std::string> written = workers::WriteFolder(folder, files);
  if (written.ok() && *written != folder) {
    // The name was taken, so the folder has another: the report must name the actual folder.
    absl::Status status = workers::WriteFile(*written + "/report.txt", Report(finding, *written));
    if (!status.ok()) return status;
  }
  return written;
}

}  // namespace twingrad::findings

#include "proptests/findings/finding.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proptests/findings/case_text.h"
#include "proptests/findings/picture.h"
#include "proptests/findings/snippet.h"
#include "proptests/workers/files.h"

namespace twingrad::oracle {
namespace {

using std::chrono::steady_clock;

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
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, " ");
}

// The oracle's word as part of a file name.
std::string FileWord(std::string_view word) {
  std::string out;
  for (const char c : word) {
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  }
  return out.empty() ? "unknown" : out;
}

std::string Report(const Finding& finding, const std::string& folder) {
  const Failure& failure = finding.failure;
  std::string text = finding.verdict.text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  absl::StrAppendFormat(&text,
                        "\noracle:  %s\nseed:    %d (program %d of the run with --seed=%d)\n",
                        finding.verdict.oracle, failure.seed, failure.index, finding.campaign_seed);
  if (finding.verb == "check") {
    absl::StrAppend(
        &text, "make:    tools/bazel run //tools/oracle -- generate --seed=", failure.seed,
        finding.flags,
        finding.engine.empty() ? "" : absl::StrCat(" --engine=", ShellWord(finding.engine)), "\n");
  } else {
    // A recorded schedule takes no seed.
    const bool replays = finding.explore.strategy == "replay";
    absl::StrAppend(&text, "found:   tools/bazel run //tools/oracle -- ", finding.verb,
                    replays ? "" : absl::StrCat(" --seed=", finding.campaign_seed),
                    " --programs=", failure.index + 1, finding.flags, finding.limit_flags, "\n");
  }
  absl::StrAppend(&text, "replay:  ", ReplayCommand(folder), "\n");
  if (!finding.repeats) {
    absl::StrAppend(&text, "note:    it did not show again in ", kTries,
                    " further runs, so the Program is as found\n");
  }
  return text;
}

nlohmann::json Description(const Finding& finding) {
  nlohmann::json description = {
      {"version", 1},
      {"verb", finding.verb},
      {"oracle", finding.verdict.oracle},
      {"seed", finding.failure.seed},
      {"index", finding.failure.index},
      {"campaign_seed", finding.campaign_seed},
      {"flags", finding.flags},
      {"engine", finding.engine},
      {"repeats", finding.repeats},
      {"probes", finding.probes},
      {"marked", finding.verdict.marked},
      {"timeout_ms", finding.limits.timeout / std::chrono::milliseconds(1)},
      {"memory_mib", finding.limits.memory >> 20},
      {"text", finding.verdict.text}};
  if (finding.verb == "explore") {
    description["strategy"] = finding.explore.strategy;
    description["schedules"] = finding.explore.schedules;
    description["threads"] = finding.explore.threads;
  }
  return description;
}

// The schedule at which the worker ended is kept if it does so under that one alone; then it is
// made small and drawn.
void KeepSchedule(const std::function<std::optional<Verdict>(std::string_view)>& same_failure,
                  Prober& prober, Finding* finding) {
  std::map<std::string, std::string>& files = finding->verdict.files;
  const auto found = files.find(kSchedule);
  if (found == files.end()) return;
  Case alone{SplitCase(finding->program).program, std::nullopt, false, found->second};
  if (!same_failure(JoinCase(alone))) {
    files.erase(found);
    return;
  }
  alone.shrink = true;
  absl::StatusOr<Verdict> drawn = prober.Judge(JoinCase(alone));
  if (!drawn.ok() || drawn->failed || drawn->files.count(kSchedule) == 0) return;
  alone.shrink = false;
  alone.schedule = drawn->files[kSchedule];
  if (alone.schedule != found->second && !same_failure(JoinCase(alone))) return;
  files = std::move(drawn->files);
  finding->verdict.text += drawn->text;
}

}  // namespace

std::string KeyOf(const Finding& finding) {
  return absl::StrCat(finding.verdict.oracle, ": ", StatementNames(finding.program));
}

std::string ReplayCommand(const std::string& folder) {
  return absl::StrCat("tools/bazel run //tools/oracle -- replay ", ShellWord(folder));
}

absl::StatusOr<Finding> ShrinkFailure(Failure failure, Subject& subject, Prober& prober,
                                      const WorkerLimits& worker_limits,
                                      const ShrinkLimits& limits) {
  Finding finding;
  finding.program = failure.program;
  finding.verdict = failure.verdict;
  finding.failure = std::move(failure);
  if (finding.program.empty()) return finding;  // it fell over before there was a Program

  const steady_clock::time_point deadline = steady_clock::now() + limits.time;
  const auto over = [&] { return limits.interrupted() || steady_clock::now() > deadline; };
  absl::Status status;
  // The Verdict when the Program fails in the way of the finding.
  const auto same_failure = [&](std::string_view program) -> std::optional<Verdict> {
    ++finding.probes;
    absl::StatusOr<Verdict> verdict = prober.Judge(program);
    if (!verdict.ok()) {
      if (absl::IsUnavailable(verdict.status())) status = verdict.status();
      return std::nullopt;
    }
    if (!verdict->failed || verdict->oracle != finding.failure.verdict.oracle) return std::nullopt;
    return *std::move(verdict);
  };

  prober.SetTimeout(worker_limits.timeout);
  for (int i = 0; i < kTries && !finding.repeats && !over() && status.ok(); ++i) {
    if (std::optional<Verdict> verdict = same_failure(finding.program)) {
      finding.repeats = true;
      finding.verdict = *std::move(verdict);
    }
  }
  if (!finding.repeats) return status.ok() ? absl::StatusOr<Finding>(finding) : status;
  if (!finding.verdict.reproducer.empty()) {  // the Subject has made it small
    finding.program = finding.verdict.reproducer;
    return finding;
  }

  if (finding.verdict.oracle == "hang") {
    prober.SetTimeout(std::min(worker_limits.timeout, limits.timeout));
  }
  std::string small = subject.Shrink(finding.program, [&](std::string_view program) {
    return !over() && status.ok() && same_failure(program).has_value();
  });
  prober.SetTimeout(worker_limits.timeout);
  if (!status.ok()) return status;
  // Once more under the campaign's own limits; the Verdict of the small one is what the report
  // shows.
  for (int i = 0; i < kTries && small != finding.program; ++i) {
    if (std::optional<Verdict> verdict = same_failure(small)) {
      finding.program = std::move(small);
      finding.verdict = *std::move(verdict);
      break;
    }
  }
  KeepSchedule(same_failure, prober, &finding);
  return finding;
}

absl::StatusOr<std::string> WriteFinding(const Finding& finding, const std::string& parent,
                                         Prober& prober, std::string* note) {
  const std::string folder = absl::StrCat(parent, "/", FileWord(finding.verdict.oracle), "-",
                                          absl::StrFormat("%016x", finding.failure.seed));
  std::map<std::string, std::string> files = finding.verdict.files;
  const Case parts = SplitCase(finding.program);
  files["program.txt"] = parts.program;
  if (!parts.schedule.empty()) files.emplace(kSchedule, parts.schedule);
  files["original.txt"] = finding.failure.program;
  files["expected.txt"] = finding.verdict.expected;
  files["actual.txt"] = finding.verdict.actual;
  files["report.txt"] = Report(finding, folder);
  files["finding.json"] =
      Description(finding).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (!finding.engine.empty()) {
    if (std::string snippet = RenderSnippet(files["program.txt"]); !snippet.empty()) {
      files["snippet.py"] = std::move(snippet);
    }
  }
  absl::Status picture;
  if (finding.program.empty()) {
    // There is nothing to draw.
  } else if (absl::StatusOr<std::string> dot = prober.Draw(finding.program, finding.verdict.marked);
             !dot.ok()) {
    picture = dot.status();
  } else if (absl::StatusOr<std::string> svg = RenderSvg(*dot); svg.ok()) {
    files["graph.svg"] = *std::move(svg);
  } else {
    files["graph.dot"] = *std::move(dot);
    picture = svg.status();
  }
  if (!picture.ok()) *note = std::string(picture.message());
  absl::StatusOr<std::string> written = WriteFolder(folder, files);
  if (written.ok() && *written != folder) {
    // The name was taken: the report must name the folder that it lies in.
    absl::Status status = WriteFile(*written + "/report.txt", Report(finding, *written));
    if (!status.ok()) return status;
  }
  return written;
}

}  // namespace twingrad::oracle

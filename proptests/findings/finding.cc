#include "proptests/findings/finding.h"

#include <algorithm>
#include <chrono>
#include <map>
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

using workers::Failure;
using workers::Prober;
using workers::ShellWord;

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
        origin.case_flags,
        origin.engine.empty() ? "" : absl::StrCat(" --engine=", ShellWord(origin.engine)), "\n");
  } else {
    absl::StrAppend(&text, "found:   tools/bazel run //tools/oracle -- ", origin.verb,
                    origin.seeded ? absl::StrCat(" --seed=", origin.seed) : "",
                    " --programs=", failure.index + 1, origin.flags, origin.limit_flags, "\n");
  }
  absl::StrAppend(&text, "replay:  ", ReplayCommand(folder), "\n");
  if (!finding.repeats) {
    absl::StrAppend(&text, "note:    it did not show again in ", kShrinkTries, " further runs",
                    failure.before.empty() ? ""
                                           : absl::StrCat(", nor after the ", failure.before.size(),
                                                          " Programs that its worker ran before"),
                    ", so the Program is as found\n");
  }
  if (!finding.before.empty()) {
    absl::StrAppend(&text, "note:    it shows after ",
                    finding.before.size() == 1
                        ? FileBefore(1)
                        : absl::StrCat(FileBefore(1), " to ", FileBefore(finding.before.size())),
                    ", run first in the same process; alone it does not\n");
  }
  return text;
}

nlohmann::json DescriptionJson(const Finding& finding) {
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
      {"before", finding.before.size()},
      {"marked", finding.result.marked},
      {"timeout_ms", origin.limits.timeout / std::chrono::milliseconds(1)},
      {"memory_mib", origin.limits.memory >> 20},
      {"text", finding.result.text}};
  description.update(origin.settings);
  return description;
}

}  // namespace

std::string KeyOf(const Finding& finding) {
  std::string key = absl::StrCat(finding.result.oracle, ": ", StatementNames(finding.program));
  for (const std::string& earlier : finding.before) {
    absl::StrAppend(&key, " after ", StatementNames(earlier));
  }
  return key;
}

std::string FileBefore(size_t number) { return absl::StrCat("before-", number, ".txt"); }

std::string ReplayCommand(const std::string& folder) {
  return absl::StrCat("tools/bazel run //tools/oracle -- replay ", ShellWord(folder));
}

absl::StatusOr<std::string> WriteFinding(const Finding& finding, const std::string& parent,
                                         Prober& prober, std::string* note) {
  const std::string folder = absl::StrCat(parent, "/", FileWord(finding.result.oracle), "-",
                                          absl::StrFormat("%016x", finding.failure.seed));
  std::map<std::string, std::string> files = finding.result.files;
  const Case parts = SplitCase(finding.program);
  files["program.txt"] = finding.before.empty() ? parts.program : finding.program;
  for (size_t i = 0; i < finding.before.size(); ++i) {
    files[FileBefore(i + 1)] = finding.before[i];
  }
  if (!parts.schedule.empty()) files.emplace(kScheduleFile, parts.schedule);
  files["original.txt"] = finding.failure.program;
  files["expected.txt"] = finding.result.expected;
  files["actual.txt"] = finding.result.actual;
  files["report.txt"] = Report(finding, folder);
  files["finding.json"] =
      DescriptionJson(finding).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
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

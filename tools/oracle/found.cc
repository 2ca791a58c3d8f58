#include "tools/oracle/found.h"

#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "proptests/subjects/number_text.h"

namespace twingrad::oracle {

using subjects::WithSeparators;

namespace {

constexpr size_t kMaxShown = 8;  // with their texts

}  // namespace

std::string Found::Add(findings::Finding finding, workers::Prober& prober) {
  const auto [known, fresh] = by_key_.emplace(findings::KeyOf(finding), written_.size());
  if (!fresh) {
    ++written_[known->second].more;
    return "";
  }
  std::string note;
  absl::StatusOr<std::string> folder = findings::WriteFinding(finding, out_, prober, &note);
  if (!note.empty()) note += '\n';
  if (!folder.ok()) {
    // The finding must not be lost with the disk full: the summary shows its Program.
    absl::StrAppend(&note, folder.status().message(), "\n");
    folder = std::string();
  }
  written_.push_back({std::move(finding), *std::move(folder)});
  return note;
}

void Found::Print(uint64_t failed, uint64_t minimized, bool diverged) const {
  if (written_.empty()) {
    absl::PrintF("findings       %s\n",
                 diverged ? "unknown, for the schedule does not fit this engine" : "none");
    return;
  }
  absl::PrintF("findings       %d, in %s programs\n", written_.size(), WithSeparators(failed));
  for (size_t i = 0; i < written_.size(); ++i) {
    const Written& w = written_[i];
    absl::PrintF("\nfinding %d: %s, seed %d%s\n", i + 1, w.finding.result.oracle,
                 w.finding.failure.seed,
                 w.more > 0 ? absl::StrCat(", and ", WithSeparators(w.more), " more like it") : "");
    if (i < kMaxShown || w.folder.empty()) {
      for (std::string_view line : absl::StrSplit(w.finding.result.text, '\n', absl::SkipEmpty())) {
        absl::PrintF("  %s\n", line);
      }
    }
    if (w.folder.empty()) {
      absl::PrintF("  program:\n%s", w.finding.program);
    } else {
      absl::PrintF("  folder: %s\n  replay: %s\n", w.folder, findings::ReplayCommand(w.folder));
    }
  }
  if (failed > minimized) {
    absl::PrintF("\n%s further programs failed; they were not minimized\n",
                 WithSeparators(failed - minimized));
  }
}

std::string Found::Report() const {
  std::string lines;
  for (const Written& w : written_) {
    const nlohmann::json finding = {{"type", "finding"},
                                    {"engine", w.finding.origin.engine},
                                    {"oracle", w.finding.result.oracle},
                                    {"text", w.finding.result.text},
                                    {"program", w.finding.program},
                                    {"seed", w.finding.failure.seed},
                                    {"folder", w.folder},
                                    {"more", w.more}};
    lines += finding.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return lines;
}

}  // namespace twingrad::oracle

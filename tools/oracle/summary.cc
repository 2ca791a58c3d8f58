#include "tools/oracle/summary.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/program/signature.h"
#include "tools/oracle/progress.h"

namespace twingrad::oracle {
namespace {

using oracles::Statistics;

constexpr size_t kColumn = 15;
constexpr size_t kMaxWidth = 100;

std::string Row(std::string_view name, const std::string& text) {
  std::string row(name);
  row.resize(std::max(kColumn, row.size() + 1), ' ');
  return absl::StrCat(row, text, "\n");
}

std::string Share(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return absl::StrFormat("%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// "name 12, name 7", most frequent first, on as many lines as it takes.
std::string Frequencies(std::string_view name,
                        std::vector<std::pair<uint64_t, std::string_view>> counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  std::string line;
  for (const auto& [count, word] : counts) {
    const std::string item = absl::StrCat(word, " ", WithSeparators(count));
    if (!line.empty() && kColumn + line.size() + item.size() + 2 > kMaxWidth) {
      absl::StrAppend(&text, Row(text.empty() ? name : "", line + ","));
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "" : ", ", item);
  }
  return absl::StrCat(text, Row(text.empty() ? name : "", line.empty() ? "none" : line));
}

}  // namespace

std::string SummaryText(const Statistics& s) {
  std::vector<std::pair<uint64_t, std::string_view>> features;
  for (int i = 0; i < oracles::kNumFeatures; ++i) {
    features.emplace_back(s.features[static_cast<size_t>(i)],
                          oracles::FeatureName(static_cast<oracles::Feature>(i)));
  }
  std::vector<std::pair<uint64_t, std::string_view>> ops;
  for (const auto& signature : autograd::program::Signatures()) {
    ops.emplace_back(s.opcodes[static_cast<size_t>(signature.op)], signature.name);
  }
  const double average =
      s.programs == 0 ? 0 : static_cast<double>(s.statements) / static_cast<double>(s.programs);
  std::string text;
  text += Row("statements",
              absl::StrFormat("%s, %.1f a program", WithSeparators(s.statements), average));
  text += Row("nodes executed",
              absl::StrFormat("%s in %s runs of the engine", WithSeparators(s.nodes_executed),
                              WithSeparators(s.runs)));
  text += Row("compared",
              absl::StrFormat("%s values, %s gradients, %s counts predicted, %s recounted, "
                              "%s errors",
                              WithSeparators(s.values), WithSeparators(s.gradients),
                              WithSeparators(s.counts_predicted),
                              WithSeparators(s.counts_recounted), WithSeparators(s.errors_judged)));
  text += Row("gradients", absl::StrFormat("exact %s, bounded %s, not compared %s",
                                           Share(s.gradients_exact, s.gradients),
                                           Share(s.gradients_bounded, s.gradients),
                                           Share(s.gradients_not_compared, s.gradients)));
  text += Row("witnesses",
              absl::StrFormat("twin %s of programs, dual numbers %s to first order, "
                              "%s to second; at a kink %s, skipped %s",
                              Share(s.twin_judged, s.programs), Share(s.dual_first, s.programs),
                              Share(s.dual_second, s.programs), Share(s.dual_kinks, s.programs),
                              Share(s.skipped, s.programs)));
  text += Frequencies("features", std::move(features));
  text += Frequencies("ops", std::move(ops));
  return text;
}

}  // namespace twingrad::oracle

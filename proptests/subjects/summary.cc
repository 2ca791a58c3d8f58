#include "proptests/subjects/summary.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/dual_reasons.h"
#include "proptests/subjects/number_text.h"

namespace twingrad::subjects {
namespace {

using judge::Statistics;

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

using Counts = std::vector<std::pair<uint64_t, std::string_view>>;

std::string_view Word(int feature) {
  return generators::FeatureWord(static_cast<generators::Feature>(feature));
}

Counts FeatureCounts(const DrawnFeatures& drawn) {
  Counts counts;
  for (int i = 0; i < generators::kNumFeatures; ++i) counts.emplace_back(drawn.Of(i), Word(i));
  return counts;
}

// How many pairs of the features that were drawn have met in some Program, and those that met
// least.
std::string Pairs(const DrawnFeatures& drawn) {
  constexpr size_t kShown = 8;
  std::vector<std::pair<uint64_t, std::string>> pairs;
  size_t met = 0;
  for (int i = 0; i < generators::kNumFeatures; ++i) {
    for (int j = i + 1; j < generators::kNumFeatures; ++j) {
      if (drawn.Of(i) == 0 || drawn.Of(j) == 0) continue;
      const uint64_t count = drawn.met[static_cast<size_t>(i)][static_cast<size_t>(j)];
      met += count > 0 ? 1 : 0;
      pairs.emplace_back(count, absl::StrCat(Word(i), "+", Word(j), " ", WithSeparators(count)));
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> items = {absl::StrFormat("%d of %d met; the least", met, pairs.size())};
  for (size_t i = 0; i < std::min(kShown, pairs.size()); ++i) {
    items.push_back(std::move(pairs[i].second));
  }
  return Rows("pairs", items);
}

// How many classes of the ops that Programs hold were judged often enough, and those that were
// least.
std::string ClassRows(const Statistics& s) {
  constexpr uint64_t kOften = 200, kMillion = 1'000'000;
  constexpr size_t kShown = 16;
  std::vector<std::pair<uint64_t, int>> counts;
  int often = 0;
  for (int k = 0; k < judge::kNumOpClasses; ++k) {
    if (s.opcodes[static_cast<size_t>(judge::OpOf(k))] == 0) continue;
    const uint64_t count = s.classes[static_cast<size_t>(k)];
    counts.emplace_back(count, k);
    often += count * kMillion >= kOften * s.programs ? 1 : 0;
  }
  std::sort(counts.begin(), counts.end());
  std::vector<std::string> items = {absl::StrFormat(
      "%d of %d judged %d times in a million programs; the least", often, counts.size(), kOften)};
  for (size_t i = 0; i < std::min(kShown, counts.size()); ++i) {
    items.push_back(
        absl::StrCat(judge::OpClassName(counts[i].second), " ", WithSeparators(counts[i].first)));
  }
  return Rows("classes", items);
}

// What the text shows beyond the features of the generator: one word has one number.
Counts TextCounts(const Statistics& s) {
  std::set<std::string_view> drawn;
  for (int i = 0; i < generators::kNumFeatures; ++i) {
    drawn.insert(Word(i));
  }
  Counts counts;
  for (size_t i = 0; i < s.traits.size(); ++i) {
    const std::string_view word = judge::TraitName(static_cast<judge::Trait>(i));
    if (drawn.count(word) == 0) counts.emplace_back(s.traits[i], word);
  }
  return counts;
}

Counts OpCounts(const Statistics& s) {
  using program::Category;
  Counts counts;
  for (const auto& signature : program::Signatures()) {
    const uint64_t count = s.opcodes[static_cast<size_t>(signature.op)];
    const bool made = signature.category != Category::kStream &&
                      signature.category != Category::kExpect;  // by the generator
    if (made || count > 0) counts.emplace_back(count, signature.name);
  }
  return counts;
}

// The kinds of which `counts` says how often, as shares of `wholes`, most frequent first; those
// alone whose share is above `least`.
std::string Shares(std::string_view name, const std::array<uint64_t, judge::kNumKinds>& counts,
                   const std::function<uint64_t(size_t)>& whole, double least) {
  std::vector<std::pair<double, std::string_view>> shares;
  for (size_t kind = 0; kind < counts.size(); ++kind) {
    if (!judge::IsGenerated(static_cast<int>(kind)) && counts[kind] == 0) continue;
    const uint64_t of = whole(kind);
    const double share = of == 0 ? 0 : 100.0 * static_cast<double>(counts[kind]) / of;
    if (share > least) shares.emplace_back(share, judge::KindName(static_cast<int>(kind)));
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> items;
  for (const auto& [share, word] : shares) {
    items.push_back(absl::StrFormat("%s %.1f %%", word, share));
  }
  return Rows(name, items);
}

// "name 12, name 7", most frequent first, on as many lines as it takes.
std::string Frequencies(std::string_view name, Counts counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> items;
  for (const auto& [count, word] : counts) {
    items.push_back(absl::StrCat(word, " ", WithSeparators(count)));
  }
  return Rows(name, items);
}

// What the dual numbers judged of the gradients that Programs ask for, and why not the rest.
std::string DualRows(const Statistics& s) {
  const auto part = [&s](size_t order) {
    return absl::StrFormat("%s of %s", Share(s.dual_judged[order], s.dual_asked[order]),
                           WithSeparators(s.dual_asked[order]));
  };
  const std::string judged =
      Row("by dual", absl::StrFormat("%s gradient elements of first order, %s of second; "
                                     "%s of programs ask for none: values alone",
                                     part(0), part(1), Share(s.dual_values_only, s.programs)));
  std::vector<std::pair<uint64_t, std::string_view>> reasons;
  for (size_t i = 0; i < s.dual_refused.size(); ++i) {
    if (s.dual_refused[i] > 0) reasons.emplace_back(s.dual_refused[i], reference::kDualReasons[i]);
  }
  std::sort(reasons.rbegin(), reasons.rend());
  std::vector<std::string> items;
  for (const auto& [count, reason] : reasons) {
    items.push_back(absl::StrCat(Share(count, s.programs), " ", reason));
  }
  return items.empty() ? judged : judged + Rows("not by dual", items);
}

// The elements of gradients that the twin leaves open, by reason and by what the Programs hold.
std::string OpenRows(const Statistics& s) {
  uint64_t open = 0;
  std::vector<std::string> items;
  for (size_t i = 0; i < s.open.size(); ++i) {
    open += s.open[i];
    items.push_back(absl::StrCat(Share(s.open[i], s.gradient_elements), " ",
                                 std::string(judge::kOpenReasons[i])));
  }
  items.front() =
      absl::StrCat(Share(open, s.gradient_elements), " of ", WithSeparators(s.gradient_elements),
                   " gradient elements: ", items.front());
  return Rows("not judged", items) +
         Shares(
             "... > 1 %", s.kinds_open, [&](size_t kind) { return s.kinds_elements[kind]; }, 1);
}

// What the balls judged of their sample, and why not the rest.
std::string BallRows(const Statistics& s) {
  const uint64_t judged = s.ball_refusals[0];
  const uint64_t elements = s.compared.elements_in_balls + s.compared.elements_without_ball;
  // Of Programs that end in an error they are not asked.
  const uint64_t sample = s.ball_asked == 0 ? 0 : (s.twin_judged - s.errors_judged) / s.ball_asked;
  std::string text = Row(
      "balls", absl::StrFormat(
                   "judged %s of %s programs, 1 in %s without an error; of %s elements %s had no "
                   "ball or no bound",
                   Share(judged, s.ball_asked), WithSeparators(s.ball_asked),
                   sample == 0 ? "-" : WithSeparators(sample), WithSeparators(elements),
                   Share(s.compared.elements_without_ball, elements)));
  std::vector<std::pair<uint64_t, std::string>> reasons;
  for (size_t i = 1; i < s.ball_refusals.size(); ++i) {
    if (s.ball_refusals[i] == 0) continue;
    reasons.emplace_back(
        s.ball_refusals[i],
        std::string(reference::ball::RefusalText(static_cast<reference::ball::Refusal>(i))));
  }
  std::sort(reasons.rbegin(), reasons.rend());
  std::vector<std::string> items;
  for (const auto& [count, reason] : reasons) {
    items.push_back(absl::StrCat(Share(count, s.ball_asked), " ", reason));
  }
  return items.empty() ? text : text + Rows("not by balls", items);
}

}  // namespace

void DrawnFeatures::Add(const generators::Features& drawn) {
  std::array<size_t, generators::kNumFeatures> those;
  size_t count = 0;
  for (size_t i = 0; i < met.size(); ++i) {
    if (drawn[i]) those[count++] = i;
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) ++met[those[i]][those[j]];
  }
}

std::string Rows(std::string_view name, const std::vector<std::string>& items) {
  std::string text;
  std::string line;
  for (const std::string& item : items) {
    if (!line.empty() && kColumn + line.size() + item.size() + 2 > kMaxWidth) {
      absl::StrAppend(&text, Row(text.empty() ? name : "", line + ","));
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "" : ", ", item);
  }
  return absl::StrCat(text, Row(text.empty() ? name : "", line.empty() ? "none" : line));
}

std::string PairsReport(const DrawnFeatures& drawn) {
  std::vector<std::string> rows;
  for (int i = 0; i < generators::kNumFeatures; ++i) {
    std::vector<std::string> items;
    for (int j = 0; j < generators::kNumFeatures; ++j) {
      items.push_back(absl::StrCat(
          "\"", Word(j), "\":", drawn.met[static_cast<size_t>(i)][static_cast<size_t>(j)]));
    }
    rows.push_back(absl::StrCat("\"", Word(i), "\":{", absl::StrJoin(items, ","), "}"));
  }
  return absl::StrCat("{", absl::StrJoin(rows, ","), "}");
}

// Of runs with streams.
std::string StreamRow(const Statistics& s) {
  const oracles::Compared& c = s.compared;
  if (c.waits == 0 && c.races == 0) return "";
  return Row("streams",
             absl::StrFormat("%s nodes waited for what they take, %s of them for more; %s of "
                             "programs lack an order, %s race for certain, in %s statements, all "
                             "reported, in %s reports",
                             WithSeparators(c.waits), WithSeparators(c.needless_waits),
                             Share(s.unordered, s.programs), Share(s.racing, s.programs),
                             WithSeparators(c.racing), WithSeparators(c.races)));
}

std::string SummaryText(const Statistics& s, const DrawnFeatures& drawn) {
  const double average =
      s.programs == 0 ? 0 : static_cast<double>(s.statements) / static_cast<double>(s.programs);
  const uint64_t gradients = s.compared.gradients();
  std::string text;
  text += Row("statements",
              absl::StrFormat("%s, %.1f a program", WithSeparators(s.statements), average));
  text += Row("nodes executed",
              absl::StrFormat("%s in %s runs of the engine", WithSeparators(s.nodes_executed),
                              WithSeparators(s.runs)));
  text +=
      Row("compared", absl::StrFormat("%s values, %s gradients, %s counts predicted, %s recounted, "
                                      "%s errors",
                                      WithSeparators(s.compared.values), WithSeparators(gradients),
                                      WithSeparators(s.compared.counts_predicted),
                                      WithSeparators(s.compared.counts_recounted),
                                      WithSeparators(s.errors_judged)));
  text += Row("gradients", absl::StrFormat("exact %s, bounded %s, not compared %s",
                                           Share(s.compared.gradients_exact, gradients),
                                           Share(s.compared.gradients_bounded, gradients),
                                           Share(s.compared.gradients_not_compared, gradients)));
  text += OpenRows(s);
  text += StreamRow(s);
  text += Row("witnesses",
              absl::StrFormat("twin %s of programs, dual numbers %s to first order, "
                              "%s to second; at a kink %s, skipped %s",
                              Share(s.twin_judged, s.programs), Share(s.dual_first, s.programs),
                              Share(s.dual_second, s.programs), Share(s.dual_kinks, s.programs),
                              Share(s.skipped, s.programs)));
  text += DualRows(s);
  text += BallRows(s);
  text += Row("linearity", absl::StrFormat("%s programs, run with other seeds",
                                           WithSeparators(s.linearity_judged)));
  text += Frequencies("features", FeatureCounts(drawn));
  text += Pairs(drawn);
  text += Frequencies("seen in text", TextCounts(s));
  text += Frequencies("ops", OpCounts(s));
  text += ClassRows(s);
  text += Shares(
      "in programs", s.kinds, [&](size_t) { return s.programs; }, -1);
  text += Shares(
      "skipped > 1 %", s.kinds_skipped, [&](size_t kind) { return s.kinds[kind]; }, 1);
  return text;
}

}  // namespace twingrad::subjects

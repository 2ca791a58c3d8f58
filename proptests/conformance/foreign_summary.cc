#include "proptests/conformance/foreign_summary.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "proptests/judge/traits.h"
#include "proptests/subjects/number_text.h"

namespace twingrad::conformance {
namespace {

using subjects::WithSeparators;

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Of the programs that ran: how many called the engine, and how many of those were counted how.
std::string CountsLine(const ForeignStatistics& statistics) {
  const std::string ran =
      absl::StrCat("counts         ", WithSeparators(statistics.ran), " programs ran, ");
  if (statistics.called == 0) return absl::StrCat(ran, "none of them called the engine\n");
  const auto part = [&](std::string_view word, uint64_t count) {
    return absl::StrFormat("%s %s (%.1f %%)", word, WithSeparators(count),
                           Percent(count, statistics.called));
  };
  return absl::StrCat(ran, WithSeparators(statistics.called),
                      " of them called the engine: ", part("recounted", statistics.recounted), ", ",
                      part("predicted", statistics.predicted), "\n");
}

constexpr std::string_view kOrNan = "NaN of 0 times an infinity";

// "relu at 0 12, ..., an absent zero 3", and for each an example.
std::string ConventionLines(const ForeignStatistics& statistics,
                            const std::set<std::string>& notes) {
  std::string counts, examples;
  const auto add = [&](std::string_view word, uint64_t count) {
    if (count == 0) return;
    absl::StrAppend(&counts, counts.empty() ? "" : ", ", word, " ", WithSeparators(count));
    const std::string start = absl::StrCat(word, ": ");
    const auto note = notes.lower_bound(start);
    if (note == notes.end() || !absl::StartsWith(*note, start)) return;
    absl::StrAppend(&examples, "               ", *note, "\n");
  };
  for (size_t k = 0; k < statistics.kinks.size(); ++k) {
    add(KinkName(static_cast<twingrad::reference::Kink>(k)), statistics.kinks[k]);
  }
  add(kOrNan, statistics.or_nan);
  add("an absent zero", statistics.absent);
  std::string text =
      absl::StrCat("conventions    ", counts.empty() ? "none" : counts, "; ",
                   WithSeparators(statistics.elements), " elements; not judged ",
                   WithSeparators(statistics.elements_not_judged), " elements; by intervals alone ",
                   WithSeparators(statistics.enclosed), " programs\n", examples);
  return text;
}

constexpr std::string_view kEntry = "explained by ";

// "torch-0004 31, libtorch-0012 9", those that explain most first.
std::string ExplainedLines(const ForeignStatistics& statistics,
                           const std::set<std::string>& notes) {
  std::vector<std::pair<uint64_t, std::string_view>> counted;
  for (auto note = notes.lower_bound(std::string(kEntry)); note != notes.end(); ++note) {
    std::string_view rest = *note;
    size_t place = 0;
    if (!absl::ConsumePrefix(&rest, kEntry)) break;
    const std::pair<std::string_view, std::string_view> parts = absl::StrSplit(rest, ": ");
    if (!absl::SimpleAtoi(parts.first, &place) || place >= statistics.explained.size()) continue;
    counted.emplace_back(statistics.explained[place], parts.second);
  }
  std::ranges::sort(counted, std::greater<>());
  std::vector<std::string> items;
  for (const auto& [count, entry] : counted) {
    items.push_back(absl::StrCat(entry, " ", WithSeparators(count)));
  }
  return items.empty() ? "" : subjects::Rows("explained by", items);
}

}  // namespace

std::string CountExplained(const ExpectedFailures& failures, std::string_view entry,
                           ForeignStatistics* statistics) {
  const size_t place = std::min(failures.PlaceOf(entry), statistics->explained.size() - 1);
  ++statistics->explained[place];
  return absl::StrCat(kEntry, place, ": ", entry);
}

std::vector<std::string> NotesOf(const ConventionsTaken& taken) {
  std::vector<std::string> notes;
  if (taken.example.empty()) return notes;
  for (size_t k = 0; k < taken.kinks.size(); ++k) {
    if (!taken.kinks[k]) continue;
    notes.push_back(
        absl::StrCat(KinkName(static_cast<twingrad::reference::Kink>(k)), ": ", taken.example));
  }
  if (taken.or_nan) notes.push_back(absl::StrCat(kOrNan, ": ", taken.example));
  return notes;
}

void CountProgram(const twingrad::program::Program& program, const Expectation& expected,
                  const ForeignVerdict& judged, const twingrad::program::Observation& observed,
                  ForeignStatistics* statistics) {
  judge::Statistics& base = statistics->base;
  base.AddProgram(program);
  ++base.runs;
  const auto traits = judge::TraitsOf(program);
  for (size_t i = 0; i < traits.size(); ++i) {
    if (traits[i]) ++statistics->areas[i][static_cast<size_t>(judged.outcome)];
  }
  for (const auto& call : observed.calls) base.nodes_executed += call.executed.size();
  ++statistics->outcomes[static_cast<size_t>(judged.outcome)];
  const bool judged_so =
      judged.outcome == Outcome::kConvention || judged.outcome == Outcome::kNotJudged;
  const ConventionsTaken taken = judged_so ? judged.taken : ConventionsTaken();
  for (size_t k = 0; k < taken.kinks.size(); ++k) statistics->kinks[k] += taken.kinks[k] ? 1 : 0;
  statistics->or_nan += taken.or_nan ? 1 : 0;
  statistics->absent += taken.absent ? 1 : 0;
  statistics->enclosed += taken.enclosed ? 1 : 0;
  statistics->elements += taken.elements;
  statistics->elements_not_judged += taken.not_judged;
  statistics->ran += judged.ran ? 1 : 0;
  statistics->called += judged.called ? 1 : 0;
  statistics->recounted += judged.recounted ? 1 : 0;
  statistics->predicted += judged.predicted ? 1 : 0;
  if (expected.twin.skipped) return base.AddSkipped(program);
  ++base.twin_judged;
  base.AddOpen(program, expected.twin);
  base.AddClasses(program, expected.twin);
  const twingrad::oracles::Evidence evidence = {program, expected.twin, observed};
  base.AddDual(expected.dual, oracles::CountGradients(evidence, expected.dual));
  if (expected.ball) {
    ++base.ball_asked;
    ++base.ball_refusals[static_cast<size_t>(expected.ball->refusal)];
  }
  if (!expected.twin.observation.error) return;
  ++base.errors_judged;
  ++base.traits[static_cast<size_t>(judge::Trait::kError)];
}

std::string ForeignReport(const ForeignStatistics& statistics) {
  nlohmann::json report = {
      {"ran", statistics.ran},
      {"called", statistics.called},
      {"recounted", statistics.recounted},
      {"predicted", statistics.predicted},
      {"conventions", nlohmann::json::object()},
      {"elements_not_judged", statistics.elements_not_judged},
      {"restarts", statistics.restarts},
      {"killed", statistics.killed},
      {"outcomes", nlohmann::json::object()},
      {"areas", nlohmann::json::object()},
      {"feature_pairs", nlohmann::json::parse(subjects::PairsReport(statistics.drawn))}};
  for (size_t k = 0; k < statistics.kinks.size(); ++k) {
    const std::string kink(KinkName(static_cast<twingrad::reference::Kink>(k)));
    if (statistics.kinks[k] > 0) report["conventions"][kink] = statistics.kinks[k];
  }
  for (int i = 0; i < kNumOutcomes; ++i) {
    const std::string word(OutcomeWord(static_cast<Outcome>(i)));
    report["outcomes"][word] = statistics.outcomes[static_cast<size_t>(i)];
    for (int f = 0; f < judge::kNumTraits; ++f) {
      const uint64_t count = statistics.areas[static_cast<size_t>(f)][static_cast<size_t>(i)];
      const std::string area(judge::TraitName(static_cast<judge::Trait>(f)));
      if (count > 0) report["areas"][area][word] = count;
    }
  }
  return report.dump();
}

std::string ForeignSummary(const ForeignStatistics& statistics,
                           const std::set<std::string>& notes) {
  std::string outcomes;
  for (int i = 0; i < kNumOutcomes; ++i) {
    const uint64_t count = statistics.outcomes[static_cast<size_t>(i)];
    if (count == 0) continue;
    absl::StrAppend(&outcomes, outcomes.empty() ? "" : ", ", OutcomeWord(static_cast<Outcome>(i)),
                    " ", WithSeparators(count),
                    absl::StrFormat(" (%.2f %%)", Percent(count, statistics.base.programs)));
  }
  std::string text = absl::StrCat("outcomes       ", outcomes.empty() ? "none" : outcomes, "\n");
  text += ExplainedLines(statistics, notes);
  text += ConventionLines(statistics, notes);
  text += CountsLine(statistics);
  if (statistics.restarts > 0) {
    absl::StrAppendFormat(&text,
                          "adapter        started again %s times, %s of them killed from outside\n",
                          WithSeparators(statistics.restarts), WithSeparators(statistics.killed));
  }
  return text + subjects::SummaryText(statistics.base, statistics.drawn);
}

std::string TooMuchExplained(const ForeignStatistics& statistics) {
  const uint64_t explained = statistics.outcomes[static_cast<size_t>(Outcome::kExplained)];
  if (statistics.base.programs < kEnoughForAShare) return "";
  if (explained * 50 <= statistics.base.programs) return "";
  return absl::StrCat("[oracle] expected failures explain ", WithSeparators(explained), " of ",
                      WithSeparators(statistics.base.programs),
                      " programs; allowed are 2 %; narrow their signatures\n");
}

}  // namespace twingrad::conformance

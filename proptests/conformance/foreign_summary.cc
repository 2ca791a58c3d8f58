#include "proptests/conformance/foreign_summary.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

}  // namespace

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
  statistics->ran += judged.ran ? 1 : 0;
  statistics->called += judged.called ? 1 : 0;
  statistics->recounted += judged.recounted ? 1 : 0;
  statistics->predicted += judged.predicted ? 1 : 0;
  if (expected.twin.skipped) return base.AddSkipped(program);
  ++base.twin_judged;
  if (expected.dual.order_judged >= 1) ++base.dual_first;
  if (expected.dual.order_judged >= 2) ++base.dual_second;
  if (expected.dual.kink) ++base.dual_kinks;
  if (!expected.twin.observation.error) return;
  ++base.errors_judged;
  ++base.traits[static_cast<size_t>(judge::Trait::kError)];
}

std::string ForeignReport(const ForeignStatistics& statistics) {
  nlohmann::json report = {{"ran", statistics.ran},
                           {"called", statistics.called},
                           {"recounted", statistics.recounted},
                           {"predicted", statistics.predicted},
                           {"restarts", statistics.restarts},
                           {"killed", statistics.killed},
                           {"outcomes", nlohmann::json::object()},
                           {"areas", nlohmann::json::object()}};
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

std::string ForeignSummary(const ForeignStatistics& statistics) {
  std::string outcomes;
  for (int i = 0; i < kNumOutcomes; ++i) {
    const uint64_t count = statistics.outcomes[static_cast<size_t>(i)];
    if (count == 0) continue;
    absl::StrAppend(&outcomes, outcomes.empty() ? "" : ", ", OutcomeWord(static_cast<Outcome>(i)),
                    " ", WithSeparators(count),
                    absl::StrFormat(" (%.2f %%)", Percent(count, statistics.base.programs)));
  }
  std::string text = absl::StrCat("outcomes       ", outcomes.empty() ? "none" : outcomes, "\n");
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

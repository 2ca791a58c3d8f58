#include "proptests/subjects/explore_summary.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proptests/subjects/number_text.h"

namespace twingrad::subjects {
namespace {

using S = ExploreStatistics;

// Locks of tests and tools are not the engine's, nor are those of what runs Programs on it.
bool IsOfTheEngine(std::string_view site) {
  return absl::StrContains(site, "autograd/") && !absl::StrContains(site, "autograd/runner/");
}

// Notes are a word and a pair, "possible A before B", or a word and a site.
constexpr std::string_view kPossible = "possible ";
constexpr std::string_view kSeen = "seen ";
constexpr std::string_view kReplayDiverged = "diverged ";
constexpr std::string_view kSite = "site ";
constexpr std::string_view kBefore = " before ";

// The sites that are in no pair: all that is seen of all that is possible says nothing of them.
std::string AloneSummary(const std::set<std::string>& notes) {
  std::set<std::string_view> alone;
  for (const std::string_view note : notes) {
    if (absl::StartsWith(note, kSite)) alone.insert(note.substr(kSite.size()));
  }
  const size_t sites = alone.size();
  if (sites == 0) return "";
  for (const std::string_view note : notes) {
    if (!absl::StartsWith(note, kPossible)) continue;
    const std::string_view pair = note.substr(kPossible.size());
    const size_t middle = pair.find(kBefore);
    alone.erase(pair.substr(0, middle));
    alone.erase(pair.substr(middle + kBefore.size()));
  }
  std::string text = absl::StrFormat("in no pair     %s of %s lock sites\n",
                                     WithSeparators(alone.size()), WithSeparators(sites));
  for (const std::string_view site : alone) absl::StrAppend(&text, "  alone        ", site, "\n");
  return text;
}

}  // namespace

void ExploreStatistics::AddSchedule(const interleave::ExecutionOutcome& outcome, uint64_t order) {
  ++counters_[kSchedules];
  counters_[kDecisions] += outcome.decisions.size();
  counters_[kSteps] += static_cast<uint64_t>(outcome.steps);
  orders_.insert(order);
  ++schedules_;
  decisions_ += outcome.decisions.size();
}

void ExploreStatistics::AddDiverged(std::string_view where) {
  ++counters_[kDiverged];
  diverged_.push_back(absl::StrCat(kReplayDiverged, where));
}

void ExploreStatistics::EndProgram(std::chrono::nanoseconds time) {
  counters_[kOrders] += orders_.size();
  if (schedules_ > 0 && decisions_ == 0) ++counters_[kOneOrder];
  counters_[kMicroseconds] += static_cast<uint64_t>(time.count()) / 1000;
  orders_.clear();
  schedules_ = decisions_ = 0;
}

std::vector<std::string> ExploreStatistics::TakeNotes() {
  std::vector<std::string> notes = std::exchange(diverged_, {});
  locks_.Visit([&](std::string_view from, std::string_view to, bool seen) {
    if (!IsOfTheEngine(from) || !IsOfTheEngine(to)) return;
    for (const std::string_view word : {kPossible, kSeen}) {
      if (word == kSeen && !seen) continue;
      std::string note = absl::StrCat(word, from, " before ", to);
      if (told_.insert(note).second) notes.push_back(std::move(note));
    }
  });
  for (const std::string& site : locks_.site_names()) {
    if (!IsOfTheEngine(site)) continue;
    std::string note = absl::StrCat(kSite, site);
    if (told_.insert(note).second) notes.push_back(std::move(note));
  }
  return notes;
}

std::string ExploreSummary(absl::Span<const uint64_t> counters) {
  if (counters.size() != S::kCounters) return "";
  const auto number = [counters](S::Counter counter) { return WithSeparators(counters[counter]); };
  const double seconds = static_cast<double>(counters[S::kMicroseconds]) / 1e6;
  const double rate = seconds > 0 ? static_cast<double>(counters[S::kSchedules]) / seconds : 0;
  std::string text =
      absl::StrFormat("schedules      %s: %s a second a core\n", number(S::kSchedules),
                      WithSeparators(static_cast<uint64_t>(rate)));
  absl::StrAppendFormat(&text, "decisions      %s, in %s steps\n", number(S::kDecisions),
                        number(S::kSteps));
  absl::StrAppendFormat(&text, "orders         %s distinct orders of execution\n",
                        number(S::kOrders));
  if (counters[S::kOneOrder] > 0) {
    absl::StrAppendFormat(&text, "one thread     %s programs have but one interleaving\n",
                          number(S::kOneOrder));
  }
  if (counters[S::kSkipped] > 0) {
    absl::StrAppendFormat(&text, "skipped        %s programs, which the engine does not run\n",
                          number(S::kSkipped));
  }
  return text;
}

std::string DivergedSummary(const std::set<std::string>& notes) {
  std::string text;
  for (const std::string_view note : notes) {
    if (!absl::StartsWith(note, kReplayDiverged)) continue;
    absl::StrAppend(&text, "replay diverged: ", note.substr(kReplayDiverged.size()), "\n");
  }
  return text;
}

std::string LockSitesSummary(const std::set<std::string>& notes) {
  uint64_t possible = 0;
  std::string missing;
  for (const std::string_view note : notes) {
    if (!absl::StartsWith(note, kPossible)) continue;
    const std::string_view pair = note.substr(kPossible.size());
    ++possible;
    if (notes.count(absl::StrCat(kSeen, pair)) != 0) continue;
    absl::StrAppend(&missing, "  not seen     ", pair, "\n");
  }
  const auto unseen = static_cast<uint64_t>(std::count(missing.begin(), missing.end(), '\n'));
  const uint64_t seen = possible - unseen;
  return absl::StrFormat("lock sites     %s ordered pairs seen of %s possible (%.1f %%)\n",
                         WithSeparators(seen), WithSeparators(possible),
                         possible > 0
                             ? 100.0 * static_cast<double>(seen) / static_cast<double>(possible)
                             : 100.0) +
         missing + AloneSummary(notes);
}

}  // namespace twingrad::subjects

#include "tools/oracle/explore_summary.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/program/hash.h"
#include "tools/oracle/progress.h"

namespace twingrad::oracle {
namespace {

// For each pair a place among the seen ones and one among the possible ones.
constexpr size_t kPairPlaces = 8000;
constexpr size_t kCounters = ExploreStatistics::kFirstPair + 2 * kPairPlaces;
static_assert(kCounters <= kMaxCounters);

// Locks of tests and tools are not the engine's.
constexpr std::string_view kEngine = "autograd/";

uint64_t Used(absl::Span<const uint64_t> places) {
  return static_cast<uint64_t>(
      std::count_if(places.begin(), places.end(), [](uint64_t n) { return n > 0; }));
}

}  // namespace

ExploreStatistics::ExploreStatistics() : counters_(kCounters, 0) {}

void ExploreStatistics::AddSchedule(const interleave::Outcome& outcome, uint64_t order) {
  ++counters_[kSchedules];
  counters_[kDecisions] += outcome.decisions.size();
  counters_[kSteps] += static_cast<uint64_t>(outcome.steps);
  orders_.insert(order);
  ++schedules_;
  decisions_ += outcome.decisions.size();
}

void ExploreStatistics::EndProgram(std::chrono::nanoseconds time) {
  counters_[kOrders] += orders_.size();
  if (schedules_ > 0 && decisions_ == 0) ++counters_[kOneOrder];
  counters_[kMicroseconds] += static_cast<uint64_t>(time.count()) / 1000;
  orders_.clear();
  schedules_ = decisions_ = 0;
  locks_.Visit([this](std::string_view from, std::string_view to, bool seen) {
    if (!absl::StrContains(from, kEngine) || !absl::StrContains(to, kEngine)) return;
    const size_t place =
        kFirstPair + autograd::program::Fnv1a(absl::StrCat(from, " ", to)) % kPairPlaces;
    counters_[place + kPairPlaces] = 1;
    if (seen) counters_[place] = 1;
  });
}

std::string ExploreSummary(absl::Span<const uint64_t> counters) {
  if (counters.size() != kCounters) return "";
  using S = ExploreStatistics;
  const auto number = [counters](S::Counter counter) { return WithSeparators(counters[counter]); };
  const double seconds = static_cast<double>(counters[S::kMicroseconds]) / 1e6;
  const double rate = seconds > 0 ? static_cast<double>(counters[S::kSchedules]) / seconds : 0;
  const uint64_t seen = Used(counters.subspan(S::kFirstPair, kPairPlaces));
  const uint64_t possible = Used(counters.subspan(S::kFirstPair + kPairPlaces, kPairPlaces));
  std::string text =
      absl::StrFormat("schedules      %s: %s a second a core\n", number(S::kSchedules),
                      WithSeparators(static_cast<uint64_t>(rate)));
  absl::StrAppendFormat(&text, "decisions      %s, in %s steps\n", number(S::kDecisions),
                        number(S::kSteps));
  absl::StrAppendFormat(&text, "orders         %s distinct orders of execution\n",
                        number(S::kOrders));
  absl::StrAppendFormat(
      &text, "lock sites     %s ordered pairs seen of %s possible (%.1f %%)\n",
      WithSeparators(seen), WithSeparators(possible),
      possible > 0 ? 100.0 * static_cast<double>(seen) / static_cast<double>(possible) : 100.0);
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

}  // namespace twingrad::oracle

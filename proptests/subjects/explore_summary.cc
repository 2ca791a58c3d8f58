#include "proptests/subjects/explore_summary.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proptests/subjects/number_text.h"

namespace twingrad::subjects {
namespace {

using S = ExploreStatistics;

// Locks of tests and tools are not the engine's, nor are those of what runs Programs on it.
bool IsOfTheEngine(std::string_view site) {
  return absl::StrContains(site, "autograd/") && !absl::StrContains(site, "autograd/runner/");
}

// Notes are a word and a pair, "possible A before B" or "order A before B: where", or a word and a
// site.
constexpr std::string_view kPossible = "possible ";
constexpr std::string_view kSeen = "seen ";
constexpr std::string_view kReplayDiverged = "diverged ";
constexpr std::string_view kSite = "site ";
constexpr std::string_view kOrder = "order ";
constexpr std::string_view kBefore = " before ";

// The notes of this word, without it.
std::vector<std::string_view> Noted(const std::set<std::string>& notes, std::string_view word) {
  std::vector<std::string_view> rests;
  for (std::string_view note : notes) {
    if (absl::ConsumePrefix(&note, word)) rests.push_back(note);
  }
  return rests;
}

// The sites that are in no pair: all that is seen of all that is possible says nothing of them.
std::string AloneSummary(const std::set<std::string>& notes) {
  const std::vector<std::string_view> sites = Noted(notes, kSite);
  if (sites.empty()) return "";
  std::set<std::string_view> alone(sites.begin(), sites.end());
  for (const std::string_view pair : Noted(notes, kPossible)) {
    const size_t middle = pair.find(kBefore);
    alone.erase(pair.substr(0, middle));
    alone.erase(pair.substr(middle + kBefore.size()));
  }
  std::string text = absl::StrCat("in no pair     ", WithSeparators(alone.size()), " of ",
                                  WithSeparators(sites.size()), " lock sites\n");
  for (const std::string_view site : alone) absl::StrAppend(&text, "  alone        ", site, "\n");
  return text;
}

// The pairs of mutexes of the notes, one of each.
std::vector<interleave::LockPair> LockPairs(const std::set<std::string>& notes) {
  std::map<std::pair<std::string, std::string>, std::string_view> pairs;
  for (const std::string_view note : Noted(notes, kOrder)) {
    const std::pair<std::string_view, std::string_view> parts =
        absl::StrSplit(note, absl::MaxSplits(": ", 1));
    pairs.emplace(absl::StrSplit(parts.first, absl::MaxSplits(kBefore, 1)), parts.second);
  }
  std::vector<interleave::LockPair> all;
  for (const auto& [names, text] : pairs) {
    all.push_back({names.first, names.second, absl::StrCat("  ", text, "\n")});
  }
  return all;
}

}  // namespace

void ExploreStatistics::AddLockOrder(const interleave::LockOrder& order,
                                     std::optional<uint64_t> seed) {
  for (const interleave::LockPair& pair : order.seen()) {
    std::string names = absl::StrCat(pair.held, kBefore, pair.taken);
    if (!pairs_.insert(names).second) continue;
    const std::string from = seed.has_value() ? absl::StrCat(" (seed ", *seed, ")") : "";
    ordered_.push_back(
        absl::StrCat(kOrder, names, ": ", absl::StripAsciiWhitespace(pair.text), from));
  }
}

void ExploreStatistics::AddSchedule(const interleave::ExecutionOutcome& outcome, uint64_t order,
                                    interleave::Memory memory, bool runs_late,
                                    std::chrono::nanoseconds time) {
  ++counters_[kSchedules];
  counters_[kDecisions] += outcome.decisions.size();
  counters_[kSteps] += static_cast<uint64_t>(outcome.steps);
  if (memory == interleave::Memory::kBuffered) {
    ++counters_[kBuffered];
    buffered_ += time;
  }
  if (runs_late) {
    ++counters_[kLate];
    counters_[kLateDecisions] += static_cast<uint64_t>(std::ranges::count(
        outcome.decisions, interleave::DecisionKind::kStream, &interleave::Decision::kind));
    late_ += time;
  }
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
  counters_[kBufferedMicroseconds] += static_cast<uint64_t>(buffered_.count()) / 1000;
  counters_[kLateMicroseconds] += static_cast<uint64_t>(late_.count()) / 1000;
  buffered_ = late_ = {};
  orders_.clear();
  schedules_ = decisions_ = 0;
}

std::vector<std::string> ExploreStatistics::TakeNotes() {
  std::vector<std::string> notes = std::exchange(diverged_, {});
  for (std::string& note : std::exchange(ordered_, {})) notes.push_back(std::move(note));
  const auto tell = [&](std::string note) {
    if (told_.insert(note).second) notes.push_back(std::move(note));
  };
  locks_.Visit([&](std::string_view from, std::string_view to, bool seen) {
    if (!IsOfTheEngine(from) || !IsOfTheEngine(to)) return;
    tell(absl::StrCat(kPossible, from, kBefore, to));
    if (seen) tell(absl::StrCat(kSeen, from, kBefore, to));
  });
  for (const std::string& site : locks_.site_names()) {
    if (IsOfTheEngine(site)) tell(absl::StrCat(kSite, site));
  }
  return notes;
}

std::string ExploreSummary(absl::Span<const uint64_t> counters) {
  if (counters.size() != S::kCounters) return "";
  const auto number = [counters](S::Counter counter) { return WithSeparators(counters[counter]); };
  const auto rate = [counters](S::Counter count, S::Counter microseconds) {
    const double seconds = static_cast<double>(counters[microseconds]) / 1e6;
    const double each = seconds > 0 ? static_cast<double>(counters[count]) / seconds : 0;
    return absl::StrCat(WithSeparators(static_cast<uint64_t>(each)), " a second a core\n");
  };
  std::string text = absl::StrCat("schedules      ", number(S::kSchedules), ": ",
                                  rate(S::kSchedules, S::kMicroseconds));
  if (counters[S::kBuffered] > 0) {
    absl::StrAppend(&text, "buffered       ", number(S::kBuffered),
                    " of them, under which loads read old values: ",
                    rate(S::kBuffered, S::kBufferedMicroseconds));
  }
  if (counters[S::kLate] > 0) {
    absl::StrAppend(&text, "streams        ", number(S::kLate), " of them, with ",
                    number(S::kLateDecisions),
                    " decisions on work that runs late: ", rate(S::kLate, S::kLateMicroseconds));
  }
  absl::StrAppend(&text, "decisions      ", number(S::kDecisions), ", in ", number(S::kSteps),
                  " steps\norders         ", number(S::kOrders), " distinct orders of execution\n");
  if (counters[S::kOneOrder] > 0) {
    absl::StrAppend(&text, "one thread     ", number(S::kOneOrder),
                    " programs have but one interleaving\n");
  }
  if (counters[S::kSkipped] > 0) {
    absl::StrAppend(&text, "skipped        ", number(S::kSkipped),
                    " programs, which the engine does not run\n");
  }
  return text;
}

std::string DivergedSummary(const std::set<std::string>& notes) {
  std::string text;
  for (const std::string_view where : Noted(notes, kReplayDiverged)) {
    absl::StrAppend(&text, "replay diverged: ", where, "\n");
  }
  return text;
}

std::string LockOrderSummary(const std::set<std::string>& notes) {
  const std::vector<interleave::LockPair> pairs = LockPairs(notes);
  return absl::StrCat("lock order     ", WithSeparators(pairs.size()),
                      " pairs of mutexes, one taken while the other is held: ",
                      interleave::FindLockCycle(pairs) ? "THEY MAKE A CYCLE" : "no cycle", "\n");
}

std::string LockOrderObjection(const std::set<std::string>& notes) {
  const std::optional<std::string> cycle = interleave::FindLockCycle(LockPairs(notes));
  if (!cycle.has_value()) return "";
  return absl::StrCat(
      "[oracle] all Programs together take mutexes in orders that can make threads wait for one "
      "another, though no Program does alone; all must keep to one order; take one of the mutexes "
      "after the other is given up\n",
      *cycle);
}

std::string LockSitesSummary(const std::set<std::string>& notes) {
  const std::vector<std::string_view> possible = Noted(notes, kPossible);
  size_t seen = 0;
  std::string missing;
  for (const std::string_view pair : possible) {
    if (notes.count(absl::StrCat(kSeen, pair)) != 0) {
      ++seen;
    } else {
      absl::StrAppend(&missing, "  not seen     ", pair, "\n");
    }
  }
  const double percent =
      possible.empty() ? 100.0
                       : 100.0 * static_cast<double>(seen) / static_cast<double>(possible.size());
  return absl::StrFormat("lock sites     %s ordered pairs seen of %s possible (%.1f %%)\n",
                         WithSeparators(seen), WithSeparators(possible.size()), percent) +
         missing + AloneSummary(notes);
}

}  // namespace twingrad::subjects

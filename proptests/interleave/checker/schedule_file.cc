#include "proptests/interleave/checker/schedule_file.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace twingrad::interleave {

namespace {

constexpr std::string_view kHeader = "twingrad-schedule 1";
// More than the longest execution takes.
constexpr int64_t kMostDecisions = 4'000'000;

bool Same(const Decision& a, const Decision& b) {
  return a.kind == b.kind && a.alternatives == b.alternatives && a.chosen == b.chosen &&
         a.site == b.site;
}

// Reads line by line and remembers where it is.
class Reader {
 public:
  Reader(std::string_view text, std::string_view origin)
      : lines_(absl::StrSplit(text, '\n')), origin_(origin) {}

  // On the line that was read last.
  absl::Status Error(std::string_view what, std::string_view allowed) const {
    return absl::InvalidArgumentError(
        absl::StrCat("[interleave] ", origin_, ":", next_, ": ", what, "; allowed is ", allowed,
                     "; mend the line, or take the schedule.txt of a finding as it is"));
  }
  // The same, with its text.
  absl::Status Unread(std::string_view allowed) const {
    const std::string_view line = next_ - 1 < lines_.size() ? lines_[next_ - 1] : "";
    return Error(absl::StrCat("cannot read `", line, "`"), allowed);
  }
  bool AtEnd() const { return next_ >= lines_.size() || lines_[next_].empty(); }
  std::string_view Next() { return AtEnd() ? (++next_, "") : lines_[next_++]; }
  // Takes the rest of the next line, which begins with `key`, to `parse`.
  template <class Parse>
  absl::Status Read(std::string_view key, std::string_view allowed, const Parse& parse) {
    std::string_view value = Next();
    if (!absl::ConsumePrefix(&value, absl::StrCat(key, " "))) {
      return Unread(absl::StrCat("`", key, " ...`"));
    }
    if (parse(value)) return absl::OkStatus();
    return Unread(absl::StrCat("`", key, " ` and ", allowed));
  }

 private:
  const std::vector<std::string_view> lines_;
  const std::string_view origin_;
  size_t next_ = 0;
};

bool ParseKind(std::string_view name, DecisionKind* kind) {
  for (int i = 0; i < kDecisionKinds; ++i) {
    *kind = static_cast<DecisionKind>(i);
    if (DecisionName(*kind) == name) return true;
  }
  return false;
}

// A line can stand for millions: of those beyond `most` in all, only one is added.
absl::Status ParseDecision(Reader& reader, int64_t most, Trace* trace) {
  const std::string_view line = reader.Next();
  const std::vector<std::string_view> words = absl::StrSplit(line, ' ');
  Decision decision;
  int64_t times = 1;
  bool fits = words.size() == 3 || (words.size() == 4 && words[3].substr(0, 1) == "x" &&
                                    absl::SimpleAtoi(words[3].substr(1), &times));
  fits = fits && ParseKind(words[0], &decision.kind);
  if (fits) {
    const std::vector<std::string_view> numbers = absl::StrSplit(words[1], '/');
    fits = numbers.size() == 2 && absl::SimpleAtoi(numbers[0], &decision.chosen) &&
           absl::SimpleAtoi(numbers[1], &decision.alternatives) &&
           absl::SimpleHexAtoi(words[2], &decision.site) && decision.alternatives >= 2 &&
           decision.chosen >= 0 && decision.chosen < decision.alternatives && times >= 1 &&
           times <= kMostDecisions;
  }
  if (!fits) {
    return reader.Unread("KIND CHOSEN/ALTERNATIVES SITE [xTIMES], with CHOSEN below ALTERNATIVES");
  }
  const int64_t room = most - static_cast<int64_t>(trace->size());
  trace->insert(trace->end(), static_cast<size_t>(std::min(times, room + 1)), decision);
  return absl::OkStatus();
}

absl::Status ParseHead(Reader& reader, ScheduleFile* schedule, int64_t* count) {
  if (reader.Next() != kHeader) return reader.Unread(absl::StrCat("`", kHeader, "`"));
  absl::Status status = reader.Read("program", "a hash of 16 hexadecimal digits", [&](auto value) {
    return absl::SimpleHexAtoi(value, &schedule->program_hash);
  });
  status.Update(reader.Read("threads", absl::StrCat("1 to ", kMostDeviceThreads), [&](auto value) {
    return absl::SimpleAtoi(value, &schedule->device_threads) && schedule->device_threads >= 1 &&
           schedule->device_threads <= kMostDeviceThreads;
  }));
  status.Update(
      reader.Read("strategy", "", [&](auto value) { return schedule->strategy = value, true; }));
  status.Update(reader.Read("seed", "a decimal number of 64 bits",
                            [&](auto value) { return absl::SimpleAtoi(value, &schedule->seed); }));
  status.Update(reader.Read("detector", "", [&](auto value) {
    return schedule->detector = value == "none" ? "" : value, true;
  }));
  status.Update(reader.Read("decisions", "how many there are", [&](auto value) {
    return absl::SimpleAtoi(value, count) && *count >= 0 && *count <= kMostDecisions;
  }));
  return status;
}

}  // namespace

std::string PrintSchedule(const ScheduleFile& schedule) {
  std::string text = absl::StrCat(
      kHeader, "\nprogram ", absl::Hex(schedule.program_hash, absl::kZeroPad16), "\nthreads ",
      schedule.device_threads, "\nstrategy ", schedule.strategy, "\nseed ", schedule.seed,
      "\ndetector ", schedule.detector.empty() ? "none" : schedule.detector, "\ndecisions ",
      schedule.decisions.size(), "\n");
  for (size_t i = 0; i < schedule.decisions.size();) {
    const Decision& decision = schedule.decisions[i];
    size_t end = i + 1;
    while (end < schedule.decisions.size() && Same(schedule.decisions[end], decision)) ++end;
    absl::StrAppend(&text, DecisionName(decision.kind), " ", decision.chosen, "/",
                    decision.alternatives, " ", absl::Hex(decision.site));
    if (end > i + 1) absl::StrAppend(&text, " x", end - i);
    absl::StrAppend(&text, "\n");
    i = end;
  }
  return text;
}

absl::StatusOr<ScheduleFile> ParseSchedule(std::string_view text, std::string_view origin) {
  Reader reader(text, origin);
  ScheduleFile schedule;
  int64_t count = 0;
  if (const absl::Status head = ParseHead(reader, &schedule, &count); !head.ok()) return head;
  while (!reader.AtEnd()) {
    const absl::Status decision = ParseDecision(reader, count, &schedule.decisions);
    if (!decision.ok()) return decision;
    if (static_cast<int64_t>(schedule.decisions.size()) > count) break;
  }
  if (static_cast<int64_t>(schedule.decisions.size()) != count) {
    const bool more = static_cast<int64_t>(schedule.decisions.size()) > count;
    return reader.Error(
        absl::StrCat(schedule.decisions.size(), " decisions", more ? " or more" : ""),
        absl::StrCat("as many as the head says, which is ", count));
  }
  return schedule;
}

}  // namespace twingrad::interleave

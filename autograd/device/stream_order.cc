// Vector clocks over streams; see stream_order.h.
#include "autograd/device/stream_order.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace twingrad {

namespace {

// Whether that was news.
bool JoinInto(StreamOrder::Clock& clock, const StreamOrder::Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size(), 0);
  bool is_news = false;
  for (size_t i = 0; i < other.size(); ++i) {
    is_news |= other[i] > clock[i];
    clock[i] = std::max(clock[i], other[i]);
  }
  return is_news;
}

uint64_t At(const StreamOrder::Clock& clock, StreamOrder::Timeline timeline) {
  return timeline < clock.size() ? clock[timeline] : 0;
}

}  // namespace

StreamOrder::Timeline StreamOrder::AddTimeline(std::string name) {
  clocks_.emplace_back();
  joined_host_.push_back(0);
  names_.push_back(std::move(name));
  ++changes_;
  return clocks_.size() - 1;
}

const StreamOrder::Clock& StreamOrder::Queue(Timeline stream) {
  ++clocks_[kHost][kHost];
  clocks_[stream].resize(clocks_.size(), 0);
  if (joined_host_[stream] == host_news_) {  // nothing is new but the host's own steps
    clocks_[stream][kHost] = clocks_[kHost][kHost];
  } else {
    JoinInto(clocks_[stream], clocks_[kHost]);
    joined_host_[stream] = host_news_;
  }
  ++clocks_[stream][stream];
  ++changes_;
  return clocks_[stream];
}

void StreamOrder::Join(Timeline timeline, const Clock& moment) {
  if (!JoinInto(clocks_[timeline], moment)) return;
  ++changes_;
  if (timeline == kHost) ++host_news_;
}

void StreamOrder::See(const Clock& moment) {
  Join(kHost, moment);
  changes_ += JoinInto(seen_, moment);
}

std::vector<uint64_t> StreamOrder::Table() const {
  std::vector<uint64_t> table((clocks_.size() + 1) * clocks_.size(), 0);
  auto row = table.begin();
  for (const Clock& clock : clocks_) {
    std::copy(clock.begin(), clock.end(), row);
    row += static_cast<ptrdiff_t>(clocks_.size());
  }
  std::copy(seen_.begin(), seen_.end(), row);
  return table;
}

bool StreamOrder::IsBefore(const Visit& visit, Timeline timeline) const {
  return visit.timeline == timeline || visit.time <= At(clocks_[timeline], visit.timeline);
}

UnorderedAccess StreamOrder::Conflict(const Visit& visit, const Visit& other) const {
  const auto work = [this](const Visit& of) {
    const std::string whose =
        of.statement == kNoStatement ? "" : absl::StrCat(" of statement ", of.statement);
    return absl::StrCat(of.is_write ? "write" : "read", " by ", of.what, whose, " on ",
                        names_[of.timeline]);
  };
  return {absl::StrCat("[device] ", work(visit), " is not ordered with the ", work(other),
                       "; record an event after the one and let the other's stream wait for it"),
          visit.statement, other.statement};
}

std::string_view StreamOrder::Kept(std::string_view work_name) {
  std::string_view& recent =
      recent_work_names_[reinterpret_cast<uintptr_t>(work_name.data()) % recent_work_names_.size()];
  if (recent != work_name) recent = *work_names_.emplace(work_name).first;
  return recent;
}

std::optional<UnorderedAccess> StreamOrder::Access(History& history, Timeline timeline,
                                                   const void* begin, size_t bytes, bool is_write,
                                                   std::string_view what, int32_t statement) {
  // The host's own accesses have a moment too: what it does next is queued after them.
  if (timeline == kHost) ++clocks_[kHost][kHost];
  const uintptr_t from = reinterpret_cast<uintptr_t>(begin);
  const Visit visit{from,       from + bytes, timeline, At(clocks_[timeline], timeline),
                    Kept(what), statement,    is_write};
  std::optional<UnorderedAccess> report;
  auto kept = history.begin();
  for (const Visit& other : history) {
    bool says_more = true;
    if (other.begin < visit.end && visit.begin < other.end) {
      const bool before = IsBefore(other, timeline);
      // The last one counts: an earlier one may be of who had the block before, and be followed by
      // accesses that cover it together and not each.
      if (!before && (is_write || other.is_write)) report = Conflict(visit, other);
      // Once a later access covers it and is ordered with all that conflicts with it, it says no
      // more.
      const bool covered = visit.begin <= other.begin && other.end <= visit.end;
      says_more =
          !before || !covered || !(is_write || (!other.is_write && other.timeline == timeline));
    }
    if (says_more) *kept++ = other;
  }
  history.erase(kept, history.end());
  history.push_back(visit);
  return report;
}

std::optional<UnorderedAccess> StreamOrder::GiveBack(History& history, Timeline owner,
                                                     const std::vector<Timeline>& recorded) const {
  std::optional<UnorderedAccess> report;
  std::erase_if(history, [&](const Visit& visit) {
    if (IsBefore(visit, owner)) return false;
    if (std::find(recorded.begin(), recorded.end(), visit.timeline) != recorded.end()) return false;
    report = {absl::StrCat("[device] a block of ", names_[owner], " is given back while the ",
                           visit.is_write ? "write" : "read", " by ", visit.what, " on ",
                           names_[visit.timeline],
                           " may still run; call RecordStream for that stream, or let the block's "
                           "own wait for it"),
              kNoStatement, visit.statement};
    return true;
  });
  return report;
}

bool StreamOrder::Knows(Timeline timeline, const Clock& moment) const {
  for (size_t i = 0; i < moment.size(); ++i) {
    if (moment[i] > At(clocks_[timeline], i)) return false;
  }
  return true;
}

}  // namespace twingrad

#include "proptests/fuzzing/schedule_feedback.h"

#include <algorithm>
#include <bit>

namespace twingrad::fuzzing {
namespace {

// Of libFuzzer's eight ranges of counts (1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128-255), the bit of
// the one that a count is in; 0: none.
constexpr uint8_t RangeOf(uint8_t count) {
  if (count == 0) return 0;
  if (count <= 3) return static_cast<uint8_t>(1 << (count - 1));
  const int bits = std::bit_width(count);
  return static_cast<uint8_t>(1 << std::min(bits - (bits >= 7 ? 1 : 0), 7));
}

struct RangeTable {
  uint8_t of[256] = {};
  constexpr RangeTable() {
    for (int count = 0; count < 256; ++count) of[count] = RangeOf(static_cast<uint8_t>(count));
  }
};
constexpr RangeTable kRanges;

constexpr size_t kBlock = 32;  // bytes
constexpr size_t kWord = sizeof(uint64_t);
static_assert(std::endian::native == std::endian::little, "a word's lowest byte comes first");

}  // namespace

#define TWINGRAD_NOT_INSTRUMENTED __attribute__((no_sanitize("address", "undefined")))

ScheduleFeedback::ScheduleFeedback(absl::Span<uint8_t> edges, absl::Span<uint8_t> extra)
    : edges_(edges),
      extra_(extra),
      known_edges_(edges.size()),
      doubted_edges_(edges.size()),
      known_extra_(extra.size()) {
  shown_.room.resize(edges.size());
  first_.room.resize(edges.size());
}

void ScheduleFeedback::Begin() { std::fill(edges_.begin(), edges_.end(), uint8_t{0}); }

TWINGRAD_NOT_INSTRUMENTED
size_t ScheduleFeedback::CollectInto(const uint8_t* counters, size_t size, Edge* edges) {
  size_t count = 0;
  size_t begin = 0;
  for (; begin + kBlock <= size; begin += kBlock) {
    uint64_t words[kBlock / kWord];
    __builtin_memcpy(words, counters + begin, kBlock);
    if ((words[0] | words[1] | words[2] | words[3]) == 0) continue;  // as most are
    for (size_t w = 0; w < kBlock / kWord; ++w) {
      uint64_t left = words[w];
      while (left != 0) {
        const int byte = __builtin_ctzll(left) / 8;
        left &= ~(uint64_t{0xff} << 8 * byte);
        const size_t i = begin + kWord * w + byte;
        edges[count++] = {static_cast<uint32_t>(i), kRanges.of[counters[i]]};
      }
    }
  }
  for (size_t i = begin; i < size; ++i) {
    if (counters[i] != 0) edges[count++] = {static_cast<uint32_t>(i), kRanges.of[counters[i]]};
  }
  return count;
}

TWINGRAD_NOT_INSTRUMENTED
bool ScheduleFeedback::AnyNew(const Edge* edges, size_t count, const uint8_t* known,
                              const uint8_t* doubted) {
  for (const Edge* edge = edges; edge != edges + count; ++edge) {
    if (((known[edge->place] | doubted[edge->place]) & edge->range) == 0) return true;
  }
  return false;
}

void ScheduleFeedback::Collect(Edges* edges) const {
  edges->count = CollectInto(edges_.data(), edges_.size(), edges->room.data());
}

void ScheduleFeedback::Visit(const interleave::LockCoverage& locks,
                             const std::function<void(size_t place)>& visit) const {
  const size_t half = extra_.size() / 2;
  if (half == 0) return;
  for (const uint64_t pair : locks.hand_overs()) visit(pair % half);
  visit(half + locks.fingerprint() % half);
}

bool ScheduleFeedback::ShowsNew(const interleave::LockCoverage& locks) const {
  bool is_new = false;
  Visit(locks, [&](size_t place) { is_new = is_new || known_extra_[place] == 0; });
  return is_new ||
         AnyNew(shown_.room.data(), shown_.count, known_edges_.data(), doubted_edges_.data());
}

void ScheduleFeedback::Confirm(const std::function<void()>& run) {
  const auto doubt = [this](const Edges& edges) {
    for (size_t i = 0; i < edges.count; ++i) {
      doubted_edges_[edges.room[i].place] |= edges.room[i].range;
    }
  };
  doubt(shown_);
  Begin();
  run();
  Collect(&first_);
  doubt(first_);
  Begin();
  run();
  Collect(&shown_);
  size_t at = 0;
  size_t kept = 0;
  for (size_t i = 0; i < shown_.count; ++i) {
    const Edge edge = shown_.room[i];
    while (at < first_.count && first_.room[at].place < edge.place) ++at;
    const bool both = at < first_.count && first_.room[at].place == edge.place &&
                      first_.room[at].range == edge.range;
    uint8_t& doubted = doubted_edges_[edge.place];
    doubted = static_cast<uint8_t>(both ? doubted & ~edge.range : doubted | edge.range);
    if (both) {
      shown_.room[kept++] = edge;
    } else {
      edges_[edge.place] = 0;
    }
  }
  shown_.count = kept;
}

TWINGRAD_NOT_INSTRUMENTED
int64_t ScheduleFeedback::PublishEdges(const Edge* edges, size_t count, const uint8_t* doubted,
                                       uint8_t* known, uint8_t* counters) {
  int64_t first_seen = 0;
  for (const Edge* edge = edges; edge != edges + count; ++edge) {
    uint8_t& ranges = known[edge->place];
    if ((ranges & edge->range) == 0 && (doubted[edge->place] & edge->range) != 0) {
      counters[edge->place] = 0;
      continue;
    }
    first_seen += ranges == 0 ? 1 : 0;
    ranges |= edge->range;
  }
  return first_seen;
}

void ScheduleFeedback::Publish(const interleave::LockCoverage& locks) {
  seen_edges_ += PublishEdges(shown_.room.data(), shown_.count, doubted_edges_.data(),
                              known_edges_.data(), edges_.data());
  Visit(locks, [&](size_t place) {
    extra_[place] = 1;
    if (known_extra_[place] != 0) return;
    known_extra_[place] = 1;
    ++(place < extra_.size() / 2 ? seen_pairs_ : seen_fingerprints_);
  });
}

void ScheduleFeedback::End(const interleave::LockCoverage& locks,
                           const std::function<void()>& run) {
  Collect(&shown_);
  if (ShowsNew(locks)) Confirm(run);
  Publish(locks);
}

}  // namespace twingrad::fuzzing

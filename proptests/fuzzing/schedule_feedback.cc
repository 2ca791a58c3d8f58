#include "proptests/fuzzing/schedule_feedback.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace twingrad::fuzzing {
namespace {

// Of libFuzzer's eight ranges of counts (1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128-255), the bit of
// the one that a count is in; 0: none.
uint8_t RangeOf(uint8_t count) {
  if (count == 0) return 0;
  if (count <= 3) return static_cast<uint8_t>(1 << (count - 1));
  const int bits = std::bit_width(count);
  return static_cast<uint8_t>(1 << std::min(bits - (bits >= 7 ? 1 : 0), 7));
}

constexpr size_t kWord = sizeof(uint64_t);

uint64_t WordAt(const uint8_t* counters) {
  uint64_t word = 0;
  std::memcpy(&word, counters, kWord);
  return word;
}

}  // namespace

ScheduleFeedback::ScheduleFeedback(absl::Span<uint8_t> edges, absl::Span<uint8_t> extra)
    : edges_(edges),
      extra_(extra),
      known_edges_(edges.size()),
      doubted_edges_(edges.size()),
      known_extra_(extra.size()) {}

void ScheduleFeedback::Begin() { std::fill(edges_.begin(), edges_.end(), uint8_t{0}); }

void ScheduleFeedback::Collect(Edges* edges) const {
  edges->clear();
  const auto add = [&](size_t i) {
    if (edges_[i] != 0) edges->push_back({static_cast<uint32_t>(i), RangeOf(edges_[i])});
  };
  const uint8_t* const data = edges_.data();
  size_t i = 0;
  for (; i + 4 * kWord <= edges_.size(); i += 4 * kWord) {
    const std::array<uint64_t, 4> words = {WordAt(data + i), WordAt(data + i + kWord),
                                           WordAt(data + i + 2 * kWord),
                                           WordAt(data + i + 3 * kWord)};
    if ((words[0] | words[1] | words[2] | words[3]) == 0) continue;  // as most are
    for (size_t w = 0; w < words.size(); ++w) {
      for (size_t k = 0; words[w] != 0 && k < kWord; ++k) add(i + w * kWord + k);
    }
  }
  for (; i < edges_.size(); ++i) add(i);
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
  return is_new || std::any_of(shown_.begin(), shown_.end(), [&](const Edge& edge) {
           return ((known_edges_[edge.place] | doubted_edges_[edge.place]) & edge.range) == 0;
         });
}

void ScheduleFeedback::Confirm(const std::function<void()>& run) {
  for (const Edge& edge : shown_) doubted_edges_[edge.place] |= edge.range;
  Begin();
  run();
  Collect(&first_);
  for (const Edge& edge : first_) doubted_edges_[edge.place] |= edge.range;
  Begin();
  run();
  Collect(&shown_);
  auto at = first_.begin();
  std::erase_if(shown_, [&](const Edge& edge) {
    while (at != first_.end() && at->place < edge.place) ++at;
    const bool both = at != first_.end() && at->place == edge.place && at->range == edge.range;
    auto& doubted = doubted_edges_[edge.place];
    doubted = static_cast<uint8_t>(both ? doubted & ~edge.range : doubted | edge.range);
    if (!both) edges_[edge.place] = 0;
    return !both;
  });
}

void ScheduleFeedback::Publish(const interleave::LockCoverage& locks) {
  for (const Edge& edge : shown_) {
    uint8_t& known = known_edges_[edge.place];
    const bool is_known = (known & edge.range) != 0;
    if (!is_known && (doubted_edges_[edge.place] & edge.range) != 0) {
      edges_[edge.place] = 0;
      continue;
    }
    seen_edges_ += known == 0 ? 1 : 0;
    known |= edge.range;
  }
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

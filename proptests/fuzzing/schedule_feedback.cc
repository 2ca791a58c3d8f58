#include "proptests/fuzzing/schedule_feedback.h"

#include <algorithm>
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

// Calls visit(place) for each counter that is not zero; most are.
template <typename Visit>
void ForEachSet(absl::Span<const uint8_t> counters, Visit visit) {
  size_t i = 0;
  for (; i + 8 <= counters.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, &counters[i], 8);
    if (word == 0) continue;
    for (size_t k = i; k < i + 8; ++k) {
      if (counters[k] != 0) visit(k);
    }
  }
  for (; i < counters.size(); ++i) {
    if (counters[i] != 0) visit(i);
  }
}

}  // namespace

ScheduleFeedback::ScheduleFeedback(absl::Span<uint8_t> edges, absl::Span<uint8_t> extra)
    : edges_(edges), extra_(extra), known_edges_(edges.size()), known_extra_(extra.size()) {}

void ScheduleFeedback::Begin() { std::fill(edges_.begin(), edges_.end(), uint8_t{0}); }

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
  if (is_new) return true;
  ForEachSet(edges_,
             [&](size_t i) { is_new = is_new || (known_edges_[i] & RangeOf(edges_[i])) == 0; });
  return is_new;
}

void ScheduleFeedback::Confirm(const std::function<void()>& run) {
  Begin();
  run();
  const std::vector<uint8_t> first(edges_.begin(), edges_.end());
  Begin();
  run();
  ForEachSet(edges_, [&](size_t i) {
    if (RangeOf(edges_[i]) != RangeOf(first[i])) edges_[i] = 0;
  });
}

void ScheduleFeedback::Publish(const interleave::LockCoverage& locks) {
  ForEachSet(edges_, [&](size_t i) {
    seen_edges_ += known_edges_[i] == 0 ? 1 : 0;
    known_edges_[i] |= RangeOf(edges_[i]);
  });
  Visit(locks, [&](size_t place) {
    extra_[place] = 1;
    if (known_extra_[place] != 0) return;
    known_extra_[place] = 1;
    ++(place < extra_.size() / 2 ? seen_pairs_ : seen_fingerprints_);
  });
}

}  // namespace twingrad::fuzzing

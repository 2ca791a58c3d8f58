// A Source supplies the choices of a generator, from a seed or from the bytes of a fuzzer.
//
// Generators draw only from this class, so one generator serves random testing and coverage-guided
// fuzzing. Once the bytes run out, every draw is 0, and 0 is always the simplest choice; so a
// shorter input makes a smaller Program. The same seed or bytes give the same draws on every
// machine. Not thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/types/span.h"

namespace twingrad::generators {

class Source {
 public:
  static Source FromSeed(uint64_t seed);
  // The bytes must outlive the Source.
  static Source FromBytes(absl::Span<const uint8_t> bytes);

  // A number in [0, n); n > 0. Consumes one byte if n <= 256, else four.
  uint64_t Below(uint64_t n);
  // A number in [low, high].
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low + 1)));
  }
  // True with a probability of `percent` %; a draw of 0 gives false (unless percent is 100).
  bool Chance(int percent) { return static_cast<int>(Below(100)) >= 100 - percent; }

  // One element of a non-empty container; a draw of 0 takes the first.
  template <typename Container>
  const auto& Pick(const Container& container) {
    return container[Below(std::size(container))];
  }
  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return choices.begin()[Below(choices.size())];
  }

  // 64 random bits, for data that no decision depends on.
  uint64_t Bits();

 private:
  Source() = default;

  absl::Span<const uint8_t> bytes_;
  bool from_bytes_ = false;
  uint64_t state_[4] = {};  // xoshiro256++
};

}  // namespace twingrad::generators

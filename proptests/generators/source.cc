#include "proptests/generators/source.h"

#include <bit>

namespace twingrad::generators {
namespace {

// One step of splitmix64: spreads a small seed over the whole state.
uint64_t SplitMix(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// One step of xoshiro256++.
inline uint64_t Next(uint64_t* s) {
  const uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

}  // namespace

Source Source::FromSeed(uint64_t seed) {
  Source source;
  for (uint64_t& word : source.state_) word = SplitMix(&seed);
  return source;
}

Source Source::FromBytes(absl::Span<const uint8_t> bytes) {
  Source source;
  source.bytes_ = bytes;
  source.from_bytes_ = true;
  return source;
}

uint64_t Source::Bits() {
  if (!from_bytes_) return Next(state_);
  uint64_t result = 0;
  for (int i = 0; i < 8 && !bytes_.empty(); ++i) {
    result = result << 8 | bytes_.front();
    bytes_.remove_prefix(1);
  }
  return result;
}

uint64_t Source::Below(uint64_t n) {
  if (n <= 1) return 0;
  if (!from_bytes_) {
    // The upper half of a product: no division, and negligible bias for small n.
    if (n <= UINT32_MAX) return ((Next(state_) >> 32) * n) >> 32;
    return Next(state_) % n;
  }
  uint64_t value = 0;
  for (int i = n <= 256 ? 1 : 4; i > 0 && !bytes_.empty(); --i) {
    value = value << 8 | bytes_.front();
    bytes_.remove_prefix(1);
  }
  return value % n;
}

}  // namespace twingrad::generators

#include "autograd/program/dropout.h"

#include <array>
#include <cstddef>

namespace twingrad::program {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

// A counter of four words, of which the upper two are 0, through ten rounds.
std::array<uint32_t, 4> Mixed(uint64_t counter, uint64_t key) {
  std::array<uint32_t, 4> x = {Low(counter), High(counter), 0, 0};
  uint32_t low = Low(key), high = High(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xD2511F53} * x[0], third = uint64_t{0xCD9E8D57} * x[2];
    x = {High(third) ^ x[1] ^ low, Low(third), High(first) ^ x[3] ^ high, Low(first)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return x;
}

}  // namespace

bool IsDropped(int64_t seed, int64_t index, double by) {
  const auto at = static_cast<uint64_t>(index);
  const std::array<uint32_t, 4> words = Mixed(at / 4, static_cast<uint64_t>(seed));
  return static_cast<double>(words[static_cast<size_t>(at % 4)]) < by * 0x1p32;
}

}  // namespace twingrad::program

// A set of threads of one execution: bit i is thread i. Decisions among threads are places in such
// a set.
#pragma once

#include <bit>
#include <cstdint>

namespace twingrad::interleave {

inline constexpr int kMaxThreads = 64;

constexpr uint64_t Bit(int thread) { return uint64_t{1} << thread; }

// std::popcount compiles to a library call where the target processor may lack the instruction.
constexpr int CountOf(uint64_t threads) {
  threads -= (threads >> 1) & 0x5555555555555555u;
  threads = (threads & 0x3333333333333333u) + ((threads >> 2) & 0x3333333333333333u);
  threads = (threads + (threads >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>((threads * 0x0101010101010101u) >> 56);
}

// The thread at a place of the set, which must have that many, and the place of a thread of it.
constexpr int ThreadAt(uint64_t threads, int place) {
  for (; place > 0; --place) threads &= threads - 1;
  return std::countr_zero(threads);
}
constexpr int PlaceOf(uint64_t threads, int thread) { return CountOf(threads & (Bit(thread) - 1)); }

}  // namespace twingrad::interleave

// A set of threads of one execution: bit i is thread i.
#pragma once

#include <cstdint>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::interleave {

inline uint64_t Bit(twingrad::sync::model::ThreadId thread) { return uint64_t{1} << thread; }

// std::popcount compiles to a library call where the target processor may lack the instruction.
inline int CountOf(uint64_t threads) {
  threads -= (threads >> 1) & 0x5555555555555555u;
  threads = (threads & 0x3333333333333333u) + ((threads >> 2) & 0x3333333333333333u);
  threads = (threads + (threads >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>((threads * 0x0101010101010101u) >> 56);
}

}  // namespace twingrad::interleave

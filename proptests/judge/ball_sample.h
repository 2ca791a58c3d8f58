// Which generated Programs the balls judge, which cost more than the other witnesses.

#pragma once

#include <cstdint>

namespace twingrad::judge {

inline constexpr int kBallSample = 20;

// Whether the balls judge the Program that was generated from `seed`: of one in kBallSample. One
// that comes from elsewhere (a file, the shrinker) is always judged by them.
constexpr bool IsBallSample(uint64_t seed) {
  // Mixed, so that jobs that share the seeds out share the balls too.
  return (seed * 0x9e3779b97f4a7c15u) >> 32 < (uint64_t{1} << 32) / kBallSample;
}

}  // namespace twingrad::judge

// The further runs that the metamorphic laws need: one Program with several seeds.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/twin.h"
#include "proptests/oracles/metamorphic.h"

namespace twingrad::judge {

struct SeededRuns {
  struct Predicted {
    twingrad::program::Observation observed;
    twingrad::reference::TwinResult expected;
  };
  oracles::SeededProgram seeded;
  Predicted once, pattern, sum;
  twingrad::program::Observation twice, zero;
};

// Runs the Program five times with `run`; nothing where it does not qualify (metamorphic.h).
std::optional<SeededRuns> MakeSeededRuns(
    const twingrad::program::Program& program,
    const std::function<twingrad::program::Observation(const twingrad::program::Program&)>& run);

// Whether the laws are judged of the Program that was generated from `seed`: of one in eight. They
// take five runs of the engine and three of the twin, and `check` has to stay fast. A Program that
// comes from elsewhere (a file, the shrinker) is always judged by them.
bool IsLawSample(uint64_t seed);
inline constexpr int kLawSample = 8;

}  // namespace twingrad::judge

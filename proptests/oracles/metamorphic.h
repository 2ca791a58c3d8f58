// Metamorphic laws of vector-Jacobian products: the gradients of Programs derived from a Program
// must follow from its own gradients.
//
// The laws need no second engine and no prediction, except of what is exact. A Program qualifies if
// it has one call, no hook, and explicit seeds that are leaves; what follows the call is left out.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/twin.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// A Program whose only call has explicit seeds, all leaves of their own, made from one that
// qualifies.
struct SeededProgram {
  twingrad::program::Program program;
  std::vector<int> seeds;  // statements of the seed leaves
};
std::optional<SeededProgram> MakeSeeded(const twingrad::program::Program& program);

// What the elements of the seeds become.
enum class SeedEdit : uint8_t {
  kTwice,    // times 2
  kZero,     // 0
  kPattern,  // 1, -1, 2, 0 in turn
  kSum,      // plus that pattern
};
twingrad::program::Program EditSeeds(const SeededProgram& seeded, SeedEdit edit);

// Twice the seed gives twice every .grad and every result of grad, bit for bit: rounding commutes
// with a power of two unless something over- or underflows. Skipped if a value of the Program is so
// large or small that this could happen.
Verdict JudgeTwice(const SeededProgram& seeded, const twingrad::program::Observation& once,
                   const twingrad::program::Observation& twice);

// A zero seed gives gradients of zeros (or NaN where 0 meets an infinity).
Verdict JudgeZeroSeed(const SeededProgram& seeded, const twingrad::program::Observation& zero);

// One run of a SeededProgram and the twin's prediction of it.
struct SeededRun {
  const twingrad::program::Observation& observed;
  const twingrad::reference::TwinResult& expected;
};
// g(u + v) = g(u) + g(v), for those tensors that the twin proves exact in all three.
Verdict JudgeSum(const SeededProgram& seeded, const SeededRun& u, const SeededRun& v,
                 const SeededRun& sum);

}  // namespace twingrad::oracles

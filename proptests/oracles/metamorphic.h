// Metamorphic laws of vector-Jacobian products: Programs made from a Program, whose gradients must
// follow from its own.
//
// They need no second engine and no prediction. Programs with one call, whose explicit seeds are
// leaves, qualify; what follows the call is left out.

#ifndef PROPTESTS_ORACLES_METAMORPHIC_H_
#define PROPTESTS_ORACLES_METAMORPHIC_H_

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
// with a power of two where nothing over- or underflows.
Verdict JudgeTwice(const SeededProgram& seeded, const twingrad::program::Observation& once,
                   const twingrad::program::Observation& twice);

// A zero seed gives gradients of zeros (or NaN where 0 meets an infinity).
Verdict JudgeZeroSeed(const SeededProgram& seeded, const twingrad::program::Observation& zero);

// g(u + v) = g(u) + g(v), for those tensors that the twin proves exact in all three.
struct Judged {
  const twingrad::program::Observation& observed;
  const twingrad::reference::TwinResult& expected;
};
Verdict JudgeSum(const SeededProgram& seeded, const Judged& u, const Judged& v, const Judged& sum);

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_METAMORPHIC_H_

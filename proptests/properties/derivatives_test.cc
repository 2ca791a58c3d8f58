// Law: first and second derivatives are those of the dual numbers, which know no reverse mode. At
// kinks both follow one convention.

#include <functional>
#include <string>

#include "autograd/reference/dual.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/oracles.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using oracles::Evidence;
using reference::DualResult;

struct Judged {
  int first = 0;
  int second = 0;
};

Judged CheckDerivatives(int programs, const generators::GeneratorOptions& options) {
  judge::EngineRun run;
  Judged judged;
  ForAllRuns(programs, options, {0}, std::ref(run), [&](const Evidence& evidence) {
    const program::Observation& expected = evidence.expected.observation;
    if (expected.error || !expected.survived.empty()) return std::string();
    const DualResult dual = reference::RunDual(evidence.program);
    if (dual.order_judged >= 1) ++judged.first;
    if (dual.order_judged >= 2) ++judged.second;
    return evidence.observed.error ? std::string() : TextOf(JudgeDual(evidence, dual));
  });
  return judged;
}

TEST(Derivatives, OfFirstAndSecondOrder) {
  constexpr int kPrograms = 4000;
  const Judged judged = CheckDerivatives(kPrograms, {});
  EXPECT_GE(judged.first, kPrograms * 85 / 100);
  EXPECT_GE(judged.second, kPrograms * 65 / 100);
}

TEST(Derivatives, OfViewsBetweenNonlinearOps) {
  CheckDerivatives(1500, Features("chain,view,in_place,repeated_operand,grad_of_grad"));
}

}  // namespace
}  // namespace twingrad::properties

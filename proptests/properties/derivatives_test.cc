// Law: first and second derivatives are those of the dual numbers, which know no reverse mode. At
// kinks both follow one convention.

#include <string>

#include "autograd/reference/dual.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/dual.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using twingrad::program::Program;
using twingrad::reference::DualResult;
using twingrad::reference::TwinResult;

struct Judged {
  int first = 0;
  int second = 0;
};

Judged CheckDerivatives(int programs, const generators::GeneratorOptions& options) {
  judge::EngineRun run;
  Judged judged;
  ForAll(programs, options, [&](const Program& program) {
    const TwinResult expected = twingrad::reference::RunTwin(program);
    if (expected.skipped || expected.observation.error) return std::string();
    const DualResult dual = twingrad::reference::RunDual(program);
    if (dual.order_judged >= 1) ++judged.first;
    if (dual.order_judged >= 2) ++judged.second;
    const auto observed = run(program, 0);
    if (observed.error) return std::string();
    return TextOf(oracles::JudgeDual({program, expected, observed, 0}, dual));
  });
  return judged;
}

TEST(Derivatives, OfFirstAndSecondOrder) {
  constexpr int kPrograms = 4000;
  const Judged judged = CheckDerivatives(kPrograms, {});
  EXPECT_GE(judged.first, kPrograms * 70 / 100);
  EXPECT_GE(judged.second, kPrograms * 50 / 100);
}

TEST(Derivatives, OfViewsBetweenNonlinearOps) {
  CheckDerivatives(1500, Features("chain,view,in_place,repeated_operand,grad_of_grad"));
}

}  // namespace
}  // namespace twingrad::properties

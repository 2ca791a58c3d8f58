// Law: a gradient has the shape and element type of what it is the gradient of, empty and scalar
// tensors included.

#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/oracles.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using twingrad::program::Program;

TEST(GradientType, IsTheLeafs) {
  judge::EngineRun run;
  int gradients = 0;
  ForAll(4000, {}, [&](const Program& program) {
    const auto observed = run(program, 0);
    for (const auto& value : observed.values) gradients += value.grad_defined ? 1 : 0;
    return TextOf(oracles::JudgeGradientTypes(program, observed));
  });
  EXPECT_GT(gradients, 4000);
}

}  // namespace
}  // namespace twingrad::properties

// Regions of anomaly mode hold calls, and often a factor that makes gradients NaN.

#include <algorithm>

#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

bool HasCallUnderAnomaly(const Program& program) {
  int depth = 0;
  for (const auto& statement : program.statements) {
    depth += statement.op == Opcode::kBegin ? 1 : 0;
    depth -= statement.op == Opcode::kEnd ? 1 : 0;
    if (depth > 0 && (statement.op == Opcode::kBackward || statement.op == Opcode::kGrad)) {
      return true;
    }
  }
  return false;
}

TEST(Anomaly, MostRegionsHoldACall) {
  EXPECT_GT(CountOf(AddAnomaly, HasCallUnderAnomaly), 200);
  EXPECT_GT(CountOf(AddNanGradient, HasCallUnderAnomaly), 200);
}

TEST(Anomaly, SomeFactorsAreNoNumbers) {
  const auto has_leaves = [](const Program& program) {
    return std::count_if(program.statements.begin(), program.statements.end(),
                         [](const auto& s) { return s.op == Opcode::kLeaf; }) > 1;
  };
  EXPECT_GT(CountOf(AddNanGradient, has_leaves), 200);
}

}  // namespace
}  // namespace twingrad::generators

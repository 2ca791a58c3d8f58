// Each op is made, whichever is drawn.

#include <array>

#include "autograd/program/signature.h"
#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(AnyOp, EveryOpThatComputesOccurs) {
  std::array<int, twingrad::program::kNumOpcodes> programs = {};
  CountOf(
      AddAnyOp,
      [&](const Program& program) {
        for (const auto& signature : twingrad::program::Signatures()) {
          programs[static_cast<size_t>(signature.op)] += Holds(program, signature.op) ? 1 : 0;
        }
        return true;
      },
      12000);
  for (const auto& signature : twingrad::program::Signatures()) {
    if (!IsComputed(signature.category) || signature.op == Opcode::kTo) continue;
    EXPECT_GE(programs[static_cast<size_t>(signature.op)], 15) << signature.name;
  }
}

}  // namespace
}  // namespace twingrad::generators

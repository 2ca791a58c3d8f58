// What the coarse steps make of Programs of 50,000 statements.

#include "autograd/program/builder.h"
#include "gtest/gtest.h"
#include "proptests/shrink/shrink.h"

namespace twingrad::shrink {
namespace {

using twingrad::program::Opcode;
using twingrad::program::Program;

bool Holds(const Program& program, Opcode op) {
  for (const auto& statement : program.statements) {
    if (statement.op == op) return true;
  }
  return false;
}

// Law: a large Program takes few attempts, also where it stays large, and becomes as small as any
// where it does not.
TEST(CoarseSteps, LargeProgramsTakeFewAttempts) {
  twingrad::program::ProgramBuilder b;
  twingrad::program::ValueId x = b.SeededLeaf({}, 1, /*grad=*/true);
  for (int i = 0; i < 50'000; ++i) x = b.Op(i == 777 ? Opcode::kExp : Opcode::kNeg, {x});
  b.Add(Opcode::kRetainGrad, {x});
  b.Add(Opcode::kBackward, {x});
  const Program program = b.Take();

  const ShrinkResult small =
      Shrink(program, [](const Program& p) { return Holds(p, Opcode::kExp); });
  EXPECT_TRUE(small.minimal);
  EXPECT_EQ(small.program.statements.size(), 2u);
  EXPECT_LT(small.attempts, 4000);

  const ShrinkResult deep = Shrink(program, [](const Program& p) {
    return p.statements.size() > 20'000 && Holds(p, Opcode::kBackward);
  });
  EXPECT_TRUE(deep.minimal);
  EXPECT_LT(deep.program.statements.size(), 22'000u);
  EXPECT_FALSE(Holds(deep.program, Opcode::kRetainGrad));
  EXPECT_LT(deep.attempts, 400);
}

}  // namespace
}  // namespace twingrad::shrink

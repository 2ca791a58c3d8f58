#include "proptests/shrink/shrink.h"

#include <cstdint>

#include "autograd/program/print.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"

namespace twingrad::shrink {
namespace {

using twingrad::program::Key;
using twingrad::program::Opcode;
using twingrad::program::Program;

bool Holds(const Program& program, Opcode op) {
  for (const auto& statement : program.statements) {
    if (statement.op == op) return true;
  }
  return false;
}

// Law: whatever op is to blame, the Program shrinks to that op on one leaf.
TEST(Shrink, FindsTheOpToBlame) {
  for (Opcode blamed : {Opcode::kMul, Opcode::kMatmul, Opcode::kSelect, Opcode::kNegInPlace}) {
    int found = 0;
    for (uint64_t seed = 0; seed < 4000 && found < 5; ++seed) {
      const Program program = generators::Generate(seed);
      if (!Holds(program, blamed)) continue;
      ++found;
      const ShrinkResult result =
          Shrink(program, [&](const Program& p) { return Holds(p, blamed); });
      EXPECT_TRUE(result.minimal);
      EXPECT_LE(result.program.statements.size(), 3u) << twingrad::program::Print(result.program);
      EXPECT_TRUE(Holds(result.program, blamed));
    }
    EXPECT_EQ(found, 5);
  }
}

TEST(Shrink, KeepsBothEndsOfADependence) {
  // Fails where a backward runs over a product of two different values.
  const auto fails = [](const Program& program) {
    for (const auto& statement : program.statements) {
      if (statement.op != Opcode::kBackward) continue;
      for (const auto& product : program.statements) {
        if (product.op == Opcode::kMul && product.operands[0] != product.operands[1] &&
            product.results[0] == statement.operands[0]) {
          return true;
        }
      }
    }
    return false;
  };
  int found = 0;
  for (uint64_t seed = 0; seed < 4000 && found < 5; ++seed) {
    const Program program = generators::Generate(seed);
    if (!fails(program)) continue;
    ++found;
    EXPECT_EQ(Shrink(program, fails).program.statements.size(), 4u);
  }
  EXPECT_EQ(found, 5);
}

TEST(Shrink, LimitsEndIt) {
  const Program program = generators::Generate(5);
  ShrinkLimits limits;
  limits.max_attempts = 3;
  EXPECT_LE(Shrink(
                program, [](const Program&) { return false; }, limits)
                .attempts,
            3);
  limits.interrupt = [] { return true; };
  EXPECT_EQ(Shrink(
                program, [](const Program&) { return true; }, limits)
                .attempts,
            0);
}

}  // namespace
}  // namespace twingrad::shrink

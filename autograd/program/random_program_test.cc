#include "autograd/program/random_program.h"

#include <gtest/gtest.h>

#include <vector>

#include "autograd/program/analyze.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

TEST(RandomProgram, HoldsEveryStatementAndAttribute) {
  std::vector<int> statements(kNumOpcodes), keys(kNumKeys);
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    for (const Statement& statement : RandomProgram(seed, 25).statements) {
      ++statements[static_cast<int>(statement.op)];
      for (const Attribute& attribute : statement.attributes) {
        ++keys[static_cast<int>(attribute.key)];
      }
    }
  }
  for (int i = 0; i < kNumOpcodes; ++i) {
    EXPECT_GT(statements[i], 5) << SignatureOf(static_cast<Opcode>(i)).name;
  }
  for (int i = 0; i < kNumKeys; ++i) EXPECT_GT(keys[i], 5) << KeyName(static_cast<Key>(i));
}

TEST(RandomProgram, IsValidAndFixedByItsArguments) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Program program = RandomProgram(seed, 20);
    EXPECT_TRUE(Validate(program).ok()) << Validate(program);
    EXPECT_GE(program.statements.size(), 20u);
    EXPECT_EQ(program, RandomProgram(seed, 20));
    EXPECT_FALSE(program == RandomProgram(seed + 1, 20));
  }
}

}  // namespace
}  // namespace twingrad::program

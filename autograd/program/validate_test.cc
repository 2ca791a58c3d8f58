#include "autograd/program/validate.h"

#include <gtest/gtest.h>

namespace twingrad::program {
namespace {

TEST(Validate, NamesThePlaceInTheCanonicalText) {
  Program program;
  program.names = {"x", "y"};
  program.statements.push_back({Opcode::kLeaf, {0}, {}, {{Key::kType, TensorType{}}}});
  EXPECT_FALSE(Validate(program).ok());  // a name too many
  program.statements.push_back({Opcode::kTanh, {1}, {0}, {}});
  EXPECT_TRUE(Validate(program).ok()) << Validate(program);
  program.statements.push_back({Opcode::kAddInPlace, {}, {1, 2}, {}});
  EXPECT_EQ(Validate(program).message(), "[program] 4:9 value id 2 is not defined; ids 0 to 1 are");
}

TEST(Validate, TheEmptyProgramIsValid) { EXPECT_TRUE(Validate(Program()).ok()); }

}  // namespace
}  // namespace twingrad::program

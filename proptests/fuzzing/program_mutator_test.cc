#include "proptests/fuzzing/program_mutator.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "autograd/program/analyze.h"
#include "autograd/program/opcode.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"
#include "proptests/fuzzing/program_input.h"
#include "proptests/generators/generate.h"

namespace twingrad::fuzzing {
namespace {

using program::Program;

constexpr size_t kRoom = 4096;

Bytes BytesOf(std::string_view text) { return {text.begin(), text.end()}; }
std::string TextOf(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

// What the fuzz target would take.
void ExpectInput(const Program& program) {
  const auto analysis = program::Analyze(program);
  ASSERT_TRUE(analysis.ok()) << program::Print(program);
  EXPECT_LE(program.statements.size(), kMostStatements);
  EXPECT_LE(analysis->total_elements, kMostElements);
  EXPECT_FALSE(analysis->racy) << program::Print(program);
}

TEST(ProgramMutatorTest, MutationsAreValidMostlyNewAndReachManyOps) {
  Program program = *program::Parse("twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n");
  std::set<uint64_t> hashes;
  std::set<program::Opcode> ops;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    const Program mutated = MutateProgram(program, seed);
    EXPECT_EQ(mutated, MutateProgram(program, seed)) << "the seed decides all";
    ExpectInput(mutated);
    hashes.insert(program::Hash(mutated));
    for (const program::Statement& statement : mutated.statements) ops.insert(statement.op);
    program = mutated;
  }
  EXPECT_GT(hashes.size(), 500u);
  EXPECT_GT(ops.size(), 60u);
}

TEST(ProgramMutatorTest, ACrossingHoldsStatementsOfTheOther) {
  const Program host = *program::Parse(
      "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n%s = sum %x\nbackward %s\n");
  int with_exp = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Program crossed = CrossPrograms(
        host, *program::Parse("twingrad 1\n%x = leaf type=f64[2] data=1,2\n%y = exp %x\n"), seed);
    ExpectInput(crossed);
    with_exp += program::Print(crossed).find(" = exp ") != std::string::npos ? 1 : 0;
    EXPECT_NE(program::Print(crossed).find("backward "), std::string::npos);
  }
  EXPECT_GT(with_exp, 60);
}

TEST(ProgramMutatorTest, SparseTensorsGetMoreAndFewerEntries) {
  const Program program = *program::Parse(
      "twingrad 1\n%v = leaf type=f64[3] data=1,2,3 grad=1\n%i = leaf type=i64[1,3] data=0,1,1\n"
      "%s = sparse_coo %v %i shape=2\n%c = coalesce %s count=2\n%d = to_dense %c\n");
  std::set<std::string> texts;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    texts.insert(program::Print(MutateProgram(program, seed)));
  }
  const auto among = [&](const std::string& leaves, const std::string& count) {
    return texts.count("twingrad 1\n" + leaves + "%v2 = sparse_coo %v0 %v1 shape=2\n" +
                       "%v3 = coalesce %v2 count=" + count + "\n%v4 = to_dense %v3\n") > 0;
  };
  EXPECT_TRUE(
      among("%v0 = leaf type=f64[2] data=2,3 grad=1\n%v1 = leaf type=i64[1,2] data=1,1\n", "1"));
  EXPECT_TRUE(among(
      "%v0 = leaf type=f64[3] data=2,1,3 grad=1\n%v1 = leaf type=i64[1,3] data=1,0,1\n", "2"));
  int longer = 0;
  for (const std::string& text : texts) {
    longer += text.find("sparse_coo") != std::string::npos &&
                      text.find("leaf type=i64[1,4] data=") != std::string::npos
                  ? 1
                  : 0;
  }
  EXPECT_GT(longer, 0);
}

TEST(ProgramMutatorTest, WhatIsExpectedOfTheOldOneIsDropped) {
  const Program program = *program::Parse(
      "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\nbackward %x\nexpect %x kind=grad data=1\n");
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(program::Print(MutateProgram(program, seed)).find("expect"), std::string::npos);
  }
}

TEST(ProgramMutatorTest, AnyInputBecomesTheTextOfAProgram) {
  const Bytes inputs[] = {{}, {1, 2, 3}, BytesOf("twingrad 1\n%x = nothing\n"), Bytes(300, 77)};
  for (const Bytes& input : inputs) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Bytes mutated = MutateProgramText(input, kRoom, seed);
      EXPECT_TRUE(program::Parse(TextOf(mutated)).ok()) << TextOf(mutated);
      EXPECT_TRUE(ProgramOf(mutated).has_value());
      const Bytes crossed = CrossProgramTexts(input, mutated, kRoom, seed);
      EXPECT_TRUE(program::Parse(TextOf(crossed)).ok()) << TextOf(crossed);
    }
  }
}

TEST(ProgramMutatorTest, WhereThereIsNoRoomTheInputStays) {
  const Bytes input = BytesOf(program::Print(generators::Generate(7)));
  EXPECT_EQ(MutateProgramText(input, 10, 1), Bytes(input.begin(), input.begin() + 10));
  EXPECT_EQ(MutateProgramText({}, 0, 1), Bytes());
}

}  // namespace
}  // namespace twingrad::fuzzing

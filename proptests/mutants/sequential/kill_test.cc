#include "proptests/mutants/sequential/kill.h"

#include <utility>

#include "autograd/program/print.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"

namespace twingrad::mutants {
namespace {

using program::Observation;
using program::Opcode;
using program::Program;

// The twin in place of the engine, off by one ulp where the Program holds an op.
judge::JudgeOptions WrongAt(Opcode op) {
  judge::JudgeOptions options;
  options.recount = false;
  options.run = [op](const Program& program, int) {
    Observation observed = reference::RunTwin(program).observation;
    for (const auto& statement : program.statements) {
      if (statement.op != op) continue;
      auto& record = observed.values[static_cast<size_t>(statement.results[0])];
      if (record.defined && !record.data.bits.empty()) record.version += 1;
    }
    return observed;
  };
  return options;
}

TEST(Kill, FindsAndShrinksADefect) {
  judge::Judge judge(WrongAt(Opcode::kMul));
  const auto kill = Hunt(judge, 1);
  ASSERT_TRUE(kill.has_value());
  EXPECT_LE(kill->shrunk.statements.size(), 2u) << program::Print(kill->shrunk);
  EXPECT_EQ(kill->oracle, "twin");
  EXPECT_LE(kill->programs, 100);
  const std::string row = MatrixRow("wrong_mul", *kill);
  EXPECT_EQ(row.find("| wrong_mul | "), 0u);
}

// A defect that each Program shows takes one Program of either kind, which is not sooner.
TEST(Kill, ComparesTheWeights) {
  judge::Judge judge(WrongAt(Opcode::kLeaf));
  const Comparison alike = CompareWeights(judge, 20);
  EXPECT_LE(alike.swarm, 5);
  EXPECT_FALSE(alike.IsSooner()) << alike.Text();
  Comparison sooner = {10, 50, true};
  EXPECT_TRUE(sooner.IsSooner());
  EXPECT_EQ(sooner.Text(),
            "median of 5 hunts: 10 programs by weights of their own, at least 50 by the fixed "
            "weights");
  EXPECT_FALSE((Comparison{10, 49, false}).IsSooner());
}

TEST(Kill, FindsNothingWhereThereIsNothing) {
  judge::Judge judge(WrongAt(Opcode::kExpect));  // which no generator makes
  EXPECT_FALSE(Hunt(judge, 1, 50).has_value());
}

}  // namespace
}  // namespace twingrad::mutants

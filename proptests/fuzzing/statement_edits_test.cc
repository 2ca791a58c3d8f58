#include "proptests/fuzzing/statement_edits.h"

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/shrink/rebuild.h"

namespace twingrad::fuzzing {
namespace {

using interleave::SplitMix;
using program::Program;
using Edit = bool(const Program&, int, program::Statement*, SplitMix&);

constexpr std::string_view kProgram =
    "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n%y = mul %x %x\n%z = relu %y\n"
    "%s = sum %z\nbackward %s\n";

// What some seeds make of the statement, as lines of valid Programs.
std::set<std::string> Edited(Edit edit, int at, std::string_view text = kProgram) {
  std::set<std::string> lines;
  const Program program = *program::Parse(text);
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SplitMix random(seed);
    program::Statement statement = program.statements[static_cast<size_t>(at)];
    if (!edit(program, at, &statement, random)) continue;
    const Program made = shrink::Replace(program, at, statement);
    if (made.statements.size() == program.statements.size()) {
      lines.insert(program::PrintStatement(made, at));
    }
  }
  return lines;
}

void ExpectAmong(const std::set<std::string>& lines, std::initializer_list<std::string> expected) {
  for (const std::string& line : expected) EXPECT_EQ(lines.count(line), 1u) << line;
}

TEST(StatementEditsTest, AnOpBecomesAnotherOfItsKind) {
  ExpectAmong(Edited(ChangeOp, 1), {"%v1 = add %v0 %v0", "%v1 = div %v0 %v0"});
  ExpectAmong(Edited(ChangeOp, 2), {"%v2 = neg %v1", "%v2 = exp %v1"});
  EXPECT_TRUE(Edited(ChangeOp, 0).empty()) << "there is one op of leaves";
}

TEST(StatementEditsTest, AttributesComeGoAndChange) {
  ExpectAmong(Edited(ChangeAttribute, 3), {"%v3 = sum %v2 dims=0", "%v3 = sum %v2 keepdim=1"});
  ExpectAmong(Edited(ChangeAttribute, 4),
              {"backward %v3 retain_graph=1", "backward %v3 create_graph=1"});
  ExpectAmong(Edited(ChangeAttribute, 0), {"%v0 = leaf type=f64[2] data=3,4",
                                           "%v0 = leaf type=f64[2] data=3,4 grad=1 device=dev:0"});
}

TEST(StatementEditsTest, IndicesComeAndGo) {
  constexpr std::string_view kSorted =
      "twingrad 1\n%x = leaf type=f64[2] data=3,4\n%y = sort %x dim=0\n%z,%i = cummax %y dim=0\n"
      "%n = neg %z\n";
  ExpectAmong(Edited(ChangeResults, 1, kSorted), {"%v1,%v2 = sort %v0 dim=0"});
  ExpectAmong(Edited(ChangeResults, 2, kSorted), {"%v2 = cummax %v1 dim=0"});
  EXPECT_TRUE(Edited(ChangeResults, 3, kSorted).empty()) << "neg has one result";
}

TEST(StatementEditsTest, EquationsComeAndChange) {
  constexpr std::string_view kMatrix =
      "twingrad 1\n%x = leaf type=f64[2,2] data=1,2,3,4 grad=1\n"
      "%y = einsum %x equation=ij->ji\n%p = matmul %x %x\n%s = sum %y\nbackward %s\n";
  ExpectAmong(Edited(ChangeAttribute, 1, kMatrix),
              {"%v1 = einsum %v0 equation=ij->ij", "%v1 = einsum %v0 equation=ij->j",
               "%v1 = einsum %v0 equation=ij->i"});
  ExpectAmong(Edited(ChangeOp, 2, kMatrix), {"%v2 = einsum %v0 %v0 equation=ij,jk->ik"});
}

TEST(StatementEditsTest, DataAndShapesOfLeavesChange) {
  ExpectAmong(Edited(ChangeData, 0), {"%v0 = leaf type=f64[2] data=0,4 grad=1",
                                      "%v0 = leaf type=f64[2] data=3,-1 grad=1"});
  ExpectAmong(Edited(ChangeShape, 0),
              {"%v0 = leaf type=f64[] data=3 grad=1", "%v0 = leaf type=f64[1,2] data=3,4 grad=1",
               "%v0 = leaf type=f64[3] data=3,4,3 grad=1"});
  EXPECT_TRUE(Edited(ChangeData, 1).empty());
  EXPECT_TRUE(Edited(ChangeShape, 1).empty());
}

TEST(StatementEditsTest, AnOperandBecomesAnEarlierValue) {
  ExpectAmong(Edited(ChangeOperand, 2), {"%v2 = relu %v0"});
  ExpectAmong(Edited(ChangeOperand, 3), {"%v3 = sum %v0", "%v3 = sum %v1"});
  EXPECT_TRUE(Edited(ChangeOperand, 1).empty()) << "nothing else is there yet";
}

}  // namespace
}  // namespace twingrad::fuzzing

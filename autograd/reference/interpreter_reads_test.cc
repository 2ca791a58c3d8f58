// What hooks read of a `.grad` that thread sections share: a sum for each order of their calls.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "autograd/reference/test_program.h"

namespace twingrad::reference {
namespace {

std::string Section(const std::string& lines) { return "begin kind=thread\n" + lines + "end\n"; }

constexpr char kHooked[] =
    "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\naccumulate_hook %x do=record\n";

// 6 is added by one section, then 1; 6 by the other: the hook reads the sum at each call's turn.
TEST(SharedReads, HooksReadTheSumAtTheirCallsTurn) {
  const TwinRun run(kHooked + Section("backward %y retain_graph=1\nbackward %x\n") +
                    Section("backward %y retain_graph=1\n"));
  ASSERT_EQ(run.result().shared_reads.size(), 1u);
  const SharedReads& reads = run.result().shared_reads[0];
  EXPECT_EQ(reads.places, (std::vector<SharedReads::Place>{{4, 2}, {5, 2}, {8, 2}}));
  std::vector<Row> orders;
  for (const auto& order : reads.orders) {
    Row& row = orders.emplace_back();
    for (const SharedReads::Seen& seen : order) row.push_back(Numbers(seen.data)[0]);
  }
  EXPECT_EQ(orders, (std::vector<Row>{{6, 7, 13}, {6, 13, 12}, {12, 13, 6}}));
  EXPECT_TRUE(run.result().IsSharedRead(8, 2));
  EXPECT_FALSE(run.result().IsSharedRead(8, 4));
}

constexpr char kEmptied[] =
    "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %x\n"
    "accumulate_hook %x do=record\naccumulate_hook %x do=zero_grad\naccumulate_hook %x do=record\n";

// 1 is there before: the call that comes first reads it too, and no other.
TEST(SharedReads, AHookThatEmptiesGradLeavesNothingForTheNextCall) {
  const std::string keeps = "backward %y retain_graph=1\n";
  const TwinRun run(kEmptied + Section(keeps + "backward %x\n") + Section(keeps));
  EXPECT_EQ(run.result().skipped.value_or(""), "");
  ASSERT_EQ(run.result().shared_reads.size(), 1u);
  const SharedReads& reads = run.result().shared_reads[0];
  // What the last hook reads is no sum.
  EXPECT_EQ(reads.places,
            (std::vector<SharedReads::Place>{{7, 3}, {7, 4}, {8, 3}, {8, 4}, {11, 3}, {11, 4}}));
  std::vector<Row> orders;
  for (const auto& order : reads.orders) {
    Row& row = orders.emplace_back();
    for (const SharedReads::Seen& seen : order) row.push_back(Numbers(seen.data)[0]);
  }
  EXPECT_EQ(orders, (std::vector<Row>{{7, 7, 1, 1, 6, 6}, {7, 7, 1, 1, 6, 6}, {6, 6, 1, 1, 7, 7}}));
  EXPECT_FALSE(run.result().IsSharedRead(7, 5));
  EXPECT_FALSE(run.Call(1).hooks[2].gradient_defined);
  EXPECT_FALSE(run.Record("x").grad_defined);
  EXPECT_TRUE(run.result().grad_alternatives.empty());
}

// A call that fails beside another may have added and emptied, or not.
TEST(SharedReads, AFailedCallMayHaveEmptiedGrad) {
  const auto program = ParseOrThrow(
      "%x = leaf type=f64[] data=3 grad=1\n%w = leaf type=f64[] data=3 grad=1\n%y = mul %x %w\n"
      "backward %x\n%v = neg %y\naccumulate_hook %x do=zero_grad\n" +
      Section("backward %y\n") + Section("%g = grad %v inputs=%w\n"));
  const TwinResult both = RunTwin(program);
  EXPECT_FALSE(both.skipped.has_value());
  EXPECT_FALSE(both.observation.values[0].grad_defined);
  const TwinResult failed = RunTwinWithFreed(program, {7});
  EXPECT_EQ(failed.skipped.value_or(""), "");
  EXPECT_EQ(Numbers(failed.observation.values[0].grad), Row{1});
  int undefined = 0;
  for (const GradAlternative& other : failed.grad_alternatives) {
    if (other.value != 0) continue;
    EXPECT_FALSE(other.defined);
    ++undefined;
  }
  EXPECT_EQ(undefined, 1);
}

TEST(SharedReads, WhereSomeAdditionsAloneAreEmptiedTheProgramIsSkipped) {
  const std::string call = Section("backward %x\n");
  const std::string nested =
      "%x = leaf type=f64[] data=3 grad=1\naccumulate_hook %x do=backward target=%x\n"
      "accumulate_hook %x do=zero_grad\n";
  EXPECT_FALSE(TwinRun(nested + call).result().skipped.has_value());
  EXPECT_TRUE(TwinRun(nested + call + call).result().skipped.has_value());
  // A hook that a section adds fires in other sections' calls or not.
  EXPECT_TRUE(TwinRun("%x = leaf type=f64[] data=3 grad=1\n" +
                      Section("accumulate_hook %x do=zero_grad\n") + call)
                  .result()
                  .skipped.has_value());
}

TEST(SharedReads, ReadsThatAreTooManyOrUncertainAreSkipped) {
  std::string calls;
  for (int i = 0; i < 4; ++i) calls += "backward %x\n";
  EXPECT_NE(TwinRun(kHooked + Section(calls) + Section(calls) + Section(calls)).result().skipped,
            std::nullopt);
  const auto program = ParseOrThrow(kHooked + Section("backward %y\n") + Section("backward %y\n"));
  EXPECT_FALSE(RunTwin(program).skipped.has_value());
  EXPECT_TRUE(RunTwinWithFreed(program, {4}).skipped.has_value());
  // The nested calls of both sections are calls of one statement.
  const std::string nested = kHooked + std::string("accumulate_hook %x do=backward target=%x\n");
  const std::string call = Section("backward %x\n");
  EXPECT_FALSE(TwinRun(nested + call).result().skipped.has_value());
  EXPECT_TRUE(TwinRun(nested + call + call).result().skipped.has_value());
  // The hook that is registered has the statement of the one that reads.
  const std::string registers =
      "%x = leaf type=f64[] data=3 grad=1\naccumulate_hook %x do=register target=%x\n";
  EXPECT_TRUE(TwinRun(registers + call + call).result().skipped.has_value());
}

}  // namespace
}  // namespace twingrad::reference

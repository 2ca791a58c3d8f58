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

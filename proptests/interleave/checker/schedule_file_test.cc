#include "proptests/interleave/checker/schedule_file.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

constexpr char kText[] =
    "twingrad-schedule 1\n"
    "program 00000000deadbeef\n"
    "threads 3\n"
    "strategy random:switch=10,spurious=2\n"
    "seed 18446744073709551615\n"
    "detector data race\n"
    "decisions 4\n"
    "thread 1/3 9f3a2b11 x2\n"
    "waiter 0/2 0\n"
    "spurious 1/2 ff\n";

TEST(ScheduleFileTest, TextAndBack) {
  const auto schedule = ParseSchedule(kText);
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_EQ(schedule->program_hash, 0xdeadbeefu);
  EXPECT_EQ(schedule->device_threads, 3);
  EXPECT_EQ(schedule->seed, UINT64_MAX);
  EXPECT_EQ(schedule->detector, "data race");
  ASSERT_EQ(schedule->decisions.size(), 4u);
  EXPECT_EQ(schedule->decisions[1].chosen, 1);
  EXPECT_EQ(schedule->decisions[1].alternatives, 3);
  EXPECT_EQ(schedule->decisions[1].site, 0x9f3a2b11u);
  EXPECT_EQ(schedule->decisions[3].kind, DecisionKind::kSpurious);
  EXPECT_EQ(PrintSchedule(*schedule), kText);
}

TEST(ScheduleFileTest, AScheduleWithoutDecisionsOrFailure) {
  ScheduleFile schedule;
  schedule.strategy = "forced";
  const std::string text = PrintSchedule(schedule);
  const auto again = ParseSchedule(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->detector, "");
  EXPECT_EQ(PrintSchedule(*again), text);
}

TEST(ScheduleFileTest, ALineOfMoreThanTheHeadSaysTakesNoMemory) {
  std::string text = kText;
  const size_t at = text.find("decisions ");
  text = text.substr(0, at) + "decisions 2\nthread 0/2 0 x4000000\nthread 0/2 0 x4000000\n";
  const auto schedule = ParseSchedule(text, "a/schedule.txt");
  ASSERT_FALSE(schedule.ok());
  EXPECT_NE(schedule.status().message().find("3 decisions or more; allowed is as many as the head"),
            std::string::npos)
      << schedule.status();
}

TEST(ScheduleFileTest, ErrorsNameTheLine) {
  const auto expect_error = [](std::string_view from, std::string_view to, std::string_view begin) {
    std::string text = kText;
    text.replace(text.find(from), from.size(), to);
    const auto schedule = ParseSchedule(text, "a/schedule.txt");
    ASSERT_FALSE(schedule.ok()) << text;
    const std::string message(schedule.status().message());
    EXPECT_EQ(message.find("[interleave] a/schedule.txt:" + std::string(begin)), 0u) << message;
    EXPECT_NE(message.find("; allowed is "), std::string::npos) << message;
    EXPECT_NE(message.find("; mend the line, or take"), std::string::npos) << message;
  };
  expect_error("schedule 1", "schedule 2",
               "1: cannot read `twingrad-schedule 2`; allowed is `twingrad-schedule 1`;");
  expect_error("program 0", "program x", "2: cannot read `program x");
  expect_error("threads 3", "thread 3", "3: cannot read `thread 3`; allowed is `threads ...`;");
  expect_error("threads 3", "threads 0", "3: cannot read `threads 0`; allowed is `threads ` and 1");
  expect_error("threads 3", "threads 33", "3: cannot read `threads 33`;");
  expect_error("seed 1", "seed x", "5: cannot read `seed x");
  expect_error("1/3", "3/3", "8:");
  expect_error("1/3", "0/1", "8:");
  expect_error("waiter", "writer", "9:");
  expect_error(" x2", " y2", "8:");
  expect_error("decisions 4", "decisions 5",
               "10: 4 decisions; allowed is as many as the head says, which is 5;");
  expect_error("decisions 4", "decisions 3", "10: 4 decisions or more; allowed is as many");
}

}  // namespace
}  // namespace twingrad::interleave

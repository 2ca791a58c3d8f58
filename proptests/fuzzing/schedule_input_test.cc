#include "proptests/fuzzing/schedule_input.h"

#include <cstdint>
#include <optional>
#include <set>

#include "autograd/program/analyze.h"
#include "autograd/program/region.h"
#include "gtest/gtest.h"
#include "proptests/fuzzing/program_input.h"

namespace twingrad::fuzzing {
namespace {

constexpr size_t kMaxSize = 4096;

TEST(ScheduleInputTest, JoinsWhatItSplits) {
  const ScheduleInput parts = {{1, 2, 3}, {4, 5}};
  const Bytes input = {3, 0, 1, 2, 3, 4, 5};
  EXPECT_EQ(JoinInput(parts, kMaxSize), input);
  EXPECT_EQ(SplitInput(input), parts);
  ScheduleInput longer = {Bytes(700, 9), {1}};
  EXPECT_EQ(SplitInput(JoinInput(longer, kMaxSize)), longer);
}

TEST(ScheduleInputTest, AnyBytesSplit) {
  EXPECT_EQ(SplitInput({}), ScheduleInput());
  EXPECT_EQ(SplitInput(Bytes{7}), ScheduleInput());
  EXPECT_EQ(SplitInput(Bytes{7, 0, 1, 2}), (ScheduleInput{{1, 2}, {}}));
}

TEST(ScheduleInputTest, LittleRoomCostsTheScheduleFirst) {
  const ScheduleInput parts = {{1, 2, 3}, {4, 5}};
  EXPECT_EQ(JoinInput(parts, 6), (Bytes{3, 0, 1, 2, 3, 4}));
  EXPECT_EQ(JoinInput(parts, 4), (Bytes{2, 0, 1, 2}));
  EXPECT_EQ(JoinInput(parts, 1), Bytes());
}

TEST(ScheduleInputTest, NothingBecomesAProgramOfSeveralThreadsWithASchedule) {
  int threaded = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const ScheduleInput parts = SplitInput(MutateInput({}, kMaxSize, seed, nullptr));
    EXPECT_FALSE(parts.program.empty());
    EXPECT_GE(parts.schedule.size(), 4u);
    const std::optional<program::Program> program = ShortProgramOf(parts.program);
    ASSERT_TRUE(program.has_value());
    threaded += program::DevicesOf(*program) > 0 || program::HasSections(*program) ? 1 : 0;
  }
  EXPECT_GT(threaded, 40);
}

TEST(ScheduleInputTest, MutationsKeepMostPrograms) {
  Bytes input = MutateInput({}, kMaxSize, 1, nullptr);
  int kept = 0;
  std::set<Bytes> schedules;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Bytes mutated = MutateInput(input, kMaxSize, seed, nullptr);
    EXPECT_EQ(mutated, MutateInput(input, kMaxSize, seed, nullptr)) << "the seed decides all";
    kept += SplitInput(mutated).program == SplitInput(input).program ? 1 : 0;
    schedules.insert(SplitInput(mutated).schedule);
    input = mutated;
  }
  EXPECT_GT(kept, 900);
  EXPECT_LT(kept, 990);
  EXPECT_GT(schedules.size(), 700u);
}

TEST(ScheduleInputTest, MutationsKeepToTheRoomThereIs) {
  Bytes input;
  const PlainMutation grows = [](uint8_t* data, size_t size, size_t max_size) {
    for (; size < max_size; ++size) data[size] = 1;
    return size;
  };
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const size_t room = seed % 300;
    input = MutateInput(input, room, seed, grows);
    ASSERT_LE(input.size(), room);
  }
}

TEST(ScheduleInputTest, ACrossingHasOneProgramAndBothSchedules) {
  const Bytes a = JoinInput({{1}, {10, 11, 12, 13}}, kMaxSize);
  const Bytes b = JoinInput({{2}, {20, 21, 22, 23, 24, 25}}, kMaxSize);
  std::set<Bytes> schedules;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const ScheduleInput parts = SplitInput(CrossInputs(a, b, kMaxSize, seed));
    EXPECT_EQ(parts.program, Bytes{1});
    schedules.insert(parts.schedule);
  }
  const std::set<Bytes> expected = {
      {20, 21, 22, 23, 24, 25}, {10, 11, 22, 23, 24, 25}, {10, 11, 12, 13, 24, 25}};
  EXPECT_EQ(schedules, expected);
}

}  // namespace
}  // namespace twingrad::fuzzing

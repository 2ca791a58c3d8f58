#include "proptests/interleave/strategies/bytes_strategy.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

constexpr Question kCanStay = {
    .kind = DecisionKind::kThread, .alternatives = 3, .current = 1, .runnable = 0b111};
constexpr Question kCannotStay = {.kind = DecisionKind::kThread, .alternatives = 3, .current = -1};
constexpr Question kNoReason = {.kind = DecisionKind::kSpurious, .alternatives = 2};

std::vector<int> AnswersTo(BytesStrategy& strategy, const std::vector<Question>& questions) {
  strategy.Begin(/*seed=*/7);
  std::vector<int> answers;
  for (const Question& question : questions) answers.push_back(strategy.Choose(question));
  EXPECT_EQ(strategy.error(), "");
  return answers;
}

TEST(BytesStrategyTest, NoBytesAreTheDefaultSchedule) {
  BytesStrategy strategy({});
  EXPECT_EQ(AnswersTo(strategy, {kCanStay, kCannotStay, kNoReason, kCanStay}),
            (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(strategy.memory(), Memory::kSequential);
}

TEST(BytesStrategyTest, DepartsAfterAsManyQuestionsAsTheBytesSay) {
  const std::vector<uint8_t> bytes = {0, 0, 2, 0, 0, 0, 1, 1};
  BytesStrategy strategy(bytes);
  const std::vector<Question> questions = {kCanStay, kCanStay, kCanStay, kNoReason,
                                           kCanStay, kCanStay, kCanStay};
  const std::vector<int> expected = {1, 1, 2, 1, 1, 0, 1};
  EXPECT_EQ(AnswersTo(strategy, questions), expected);
  EXPECT_EQ(AnswersTo(strategy, questions), expected) << "Begin starts from the first byte";
}

TEST(BytesStrategyTest, SaysWhoGoesOnWhereTheRunningThreadCannot) {
  const std::vector<uint8_t> bytes = {0, 0, 3, 0x20};
  BytesStrategy strategy(bytes);
  EXPECT_EQ(AnswersTo(strategy, {kCannotStay, kCannotStay, kCanStay, kCanStay, kCannotStay}),
            (std::vector<int>{2, 2, 1, 2, 0}));
}

TEST(BytesStrategyTest, LetsOthersGoFirstWhereAThreadYields) {
  BytesStrategy strategy({});
  Question yields = kCanStay;
  yields.yields = true;
  yields.current = 2;
  EXPECT_EQ(AnswersTo(strategy, {yields}), std::vector<int>{0});
}

TEST(BytesStrategyTest, MemoryAndSettingAreInTheFirstBytes) {
  const Question setting = {.kind = DecisionKind::kSetting, .alternatives = 4};
  const std::vector<uint8_t> bytes = {192, 192 + 2};
  BytesStrategy strategy(bytes);
  EXPECT_EQ(strategy.memory(), Memory::kBuffered);
  EXPECT_EQ(AnswersTo(strategy, {setting, kCanStay}), (std::vector<int>{3, 1}));
  const std::vector<uint8_t> others = {191, 191};
  BytesStrategy plain(others);
  EXPECT_EQ(plain.memory(), Memory::kSequential);
  EXPECT_EQ(AnswersTo(plain, {setting}), std::vector<int>{0});
}

TEST(BytesStrategyTest, AnyBytesGiveAnswersInRange) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 600; ++i) bytes.push_back(static_cast<uint8_t>(i * 37));
  BytesStrategy strategy(bytes);
  strategy.Begin(0);
  for (int i = 0; i < 5000; ++i) {
    Question question = i % 3 == 0 ? kCannotStay : i % 3 == 1 ? kCanStay : kNoReason;
    if (i % 3 < 2) question.alternatives = 2 + i % 5;
    const int chosen = strategy.Choose(question);
    ASSERT_GE(chosen, 0);
    ASSERT_LT(chosen, question.alternatives);
  }
}

}  // namespace
}  // namespace twingrad::interleave

#include "proptests/fuzzing/schedule_fuzzer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "proptests/fuzzing/schedule_input.h"
#include "proptests/interleave/strategies/strategy.h"
#include "proptests/judge/fingerprint.h"

namespace twingrad::fuzzing {
namespace {

constexpr size_t kMaxSize = 4096;

Bytes WithProgram(std::string_view text, Bytes schedule) {
  return JoinInput({Bytes(text.begin(), text.end()), std::move(schedule)}, kMaxSize);
}

constexpr std::string_view kOneDevice =
    "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n%y = to %x device=dev:0\n"
    "%z = mul %y %y\n%s = sum %z\nbackward %s\n";

FuzzerOptions Fails() {
  return {.report = [](const std::string& text) { ADD_FAILURE() << text; }};
}

// What a run of an input has shown.
struct Shown {
  bool worth = false;
  interleave::Trace decisions;
  uint64_t observation = 0;
  uint64_t order = 0;

  friend bool operator==(const Shown&, const Shown&) = default;
};

Shown RunOnce(ScheduleFuzzer& fuzzer, const Bytes& input) {
  if (!fuzzer.Run(input)) return {};
  return {true, fuzzer.run().outcome.decisions, judge::FingerprintOf(fuzzer.run().observation),
          fuzzer.fingerprint()};
}

TEST(ScheduleFuzzerTest, TheSameBytesGiveTheSameRunWhateverRanBefore) {
  ScheduleFuzzer one(Fails());
  std::vector<Bytes> inputs;
  Bytes input;
  for (uint64_t seed = 1001; seed <= 1400; ++seed) {
    input = MutateInput(seed % 15 == 0 ? Bytes() : input, kMaxSize, seed, nullptr);
    inputs.push_back(input);
  }
  std::vector<Shown> shown;
  for (const Bytes& bytes : inputs) shown.push_back(RunOnce(one, bytes));
  // In the reverse order, and with explorers that are soon forgotten.
  FuzzerOptions few = Fails();
  few.explorers = 2;
  ScheduleFuzzer other(few);
  int worth = 0;
  size_t most_decisions = 0;
  for (size_t i = inputs.size(); i-- > 0;) {
    EXPECT_EQ(RunOnce(other, inputs[i]), shown[i]) << "input " << i;
    worth += shown[i].worth ? 1 : 0;
    most_decisions = std::max(most_decisions, shown[i].decisions.size());
  }
  EXPECT_GT(worth, 100);
  EXPECT_GT(most_decisions, 50u);
  EXPECT_EQ(one.runs(), worth);
}

TEST(ScheduleFuzzerTest, TheScheduleDecides) {
  ScheduleFuzzer fuzzer(Fails());
  const Shown usual = RunOnce(fuzzer, WithProgram(kOneDevice, {}));
  ASSERT_TRUE(usual.worth);
  const Shown other = RunOnce(fuzzer, WithProgram(kOneDevice, {0, 0, 5, 0}));
  ASSERT_TRUE(other.worth);
  EXPECT_NE(other.decisions, usual.decisions);
  EXPECT_EQ(usual.decisions[0].kind, interleave::DecisionKind::kSetting);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(other.decisions[i], usual.decisions[i]);
  EXPECT_NE(other.decisions[6].chosen, usual.decisions[6].chosen);
}

TEST(ScheduleFuzzerTest, WhatIsNoProgramOrTakesNoDecisionIsWorthNothing) {
  ScheduleFuzzer fuzzer(Fails());
  EXPECT_FALSE(fuzzer.Run({}));
  EXPECT_FALSE(fuzzer.Run(WithProgram("twingrad 1\n%x = nothing\n", {})));
  EXPECT_FALSE(fuzzer.Run(WithProgram("twingrad 1\n%x = leaf type=f64[] data=1 grad=1\n", {})));
  EXPECT_EQ(fuzzer.runs(), 0);
}

TEST(ScheduleFuzzerTest, AProgramThatTakesTooManyStepsIsWorthNothing) {
  FuzzerOptions options = Fails();
  options.most_steps = 10;
  ScheduleFuzzer few(options);
  EXPECT_FALSE(few.Run(WithProgram(kOneDevice, {})));
  ScheduleFuzzer usual(Fails());
  EXPECT_TRUE(usual.Run(WithProgram(kOneDevice, {})));
}

TEST(ScheduleFuzzerTest, AScheduleThatShowsSomethingNewIsPublished) {
  std::array<uint8_t, 1024> extra = {};
  FuzzerOptions options = Fails();
  options.extra = absl::MakeSpan(extra);
  ScheduleFuzzer fuzzer(options);
  ASSERT_TRUE(fuzzer.Run(WithProgram(kOneDevice, {})));
  EXPECT_GT(fuzzer.feedback().seen_pairs(), 0);
  EXPECT_EQ(fuzzer.feedback().seen_fingerprints(), 1);
  for (uint8_t gap = 0; gap < 40; ++gap) {
    ASSERT_TRUE(fuzzer.Run(WithProgram(kOneDevice, {0, 0, gap, 0})));
  }
  EXPECT_GT(fuzzer.feedback().seen_fingerprints(), 5);
}

}  // namespace
}  // namespace twingrad::fuzzing

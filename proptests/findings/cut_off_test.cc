#include "proptests/findings/cut_off.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"
#include "proptests/interleave/strategies/buffered_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::findings {
namespace {

using interleave::ProgramExplorer;
using interleave::ProgramRun;
using interleave::Question;
using interleave::RandomStrategy;
using interleave::Trace;

ProgramExplorer Explorer() {
  return ProgramExplorer(
      *twingrad::program::Parse("twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n"
                                "%y = to %x device=dev:0\nbackward %y\n"));
}

// Random, and at one decision the end of the process.
class Ending final : public interleave::Strategy {
 public:
  enum class How { kNone, kAbort, kExit, kSpin };
  Ending(How how, int at) : how_(how), at_(at) {}

  void Begin(uint64_t seed) override {
    random_.Begin(seed);
    asked_ = 0;
  }
  int Choose(const Question& question) override {
    if (asked_++ == at_) {
      if (how_ == How::kAbort) std::abort();
      if (how_ == How::kExit) std::_Exit(3);
      volatile bool spins = how_ == How::kSpin;
      while (spins) {
      }
    }
    return random_.Choose(question);
  }
  std::string name() const override { return "ending"; }

 private:
  const How how_;
  const int at_;
  int asked_ = 0;
  RandomStrategy random_;
};

TEST(CutOffTest, RunsUpToTheLastDecision) {
  ProgramExplorer explorer = Explorer();
  RandomStrategy random;
  const ProgramRun whole = explorer.Run(random, 5, /*record_events=*/true);
  ASSERT_TRUE(whole.ok());
  ASSERT_GT(whole.outcome.decisions.size(), 8u);
  Trace first(whole.outcome.decisions.begin(), whole.outcome.decisions.begin() + 8);
  Trace recorded = first;  // as a file keeps it
  for (interleave::Decision& decision : recorded) {
    decision = {decision.kind, decision.alternatives, decision.chosen, decision.site, -1, 0, 0, 0};
  }
  const auto cut = RunToTheEnd(explorer, recorded);
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->trace, first);
  EXPECT_FALSE(cut->outcome.events.empty());
  EXPECT_LT(cut->outcome.events.size(), whole.outcome.events.size());
  for (size_t i = 0; i < cut->outcome.events.size(); ++i) {
    EXPECT_EQ(cut->outcome.events[i].thread, whole.outcome.events[i].thread) << i;
  }
  EXPECT_TRUE(LastChoiceText(*cut, "crash").find("then ") == 0) << LastChoiceText(*cut, "crash");
  EXPECT_NE(LastChoiceText(*cut, "hang").find("hangs"), std::string::npos);
}

// What loads of atomics read is among the decisions.
TEST(CutOffTest, SchedulesOverBufferedMemoryAreRunToTheirEndToo) {
  ProgramExplorer explorer = Explorer();
  interleave::BufferedStrategy buffered({.stale_percent = 50, .switch_percent = 40});
  const auto of_memory = [](const Trace& trace) {
    return interleave::MemoryOf(trace) == interleave::Memory::kBuffered;
  };
  Trace whole;
  for (uint64_t seed = 1; seed <= 20 && !of_memory(whole); ++seed) {
    whole = explorer.Run(buffered, seed).outcome.decisions;
    const auto kept = FailureInAChild(explorer, buffered, seed, "");
    EXPECT_EQ(kept, whole) << seed;
  }
  ASSERT_TRUE(of_memory(whole));
  const auto cut = RunToTheEnd(explorer, whole);
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->trace, whole);
}

TEST(CutOffTest, AScheduleThatDoesNotFitGivesNothing) {
  ProgramExplorer explorer = Explorer();
  RandomStrategy random;
  Trace decisions = explorer.Run(random, 5).outcome.decisions;
  EXPECT_FALSE(RunToTheEnd(explorer, {}).has_value());
  decisions.push_back(decisions.back());
  EXPECT_FALSE(RunToTheEnd(explorer, decisions).has_value()) << "the execution ends before";
  decisions[2].alternatives += 1;
  EXPECT_FALSE(RunToTheEnd(explorer, decisions).has_value());
}

TEST(CutOffTest, AChildKeepsItsDecisionsAndSaysHowItEnded) {
  ProgramExplorer explorer = Explorer();
  for (const auto& [how, detector] :
       {std::pair(Ending::How::kAbort, "crash"), std::pair(Ending::How::kExit, "crash"),
        std::pair(Ending::How::kSpin, "hang")}) {
    Ending ending(how, 6);
    const auto trace = FailureInAChild(explorer, ending, 5, detector);
    ASSERT_TRUE(trace.has_value()) << detector;
    EXPECT_EQ(trace->size(), 6u) << "all but the one at which it ended";
    const auto cut = RunToTheEnd(explorer, *trace);
    ASSERT_TRUE(cut.has_value());
    EXPECT_EQ(cut->trace, *trace);
    const char* other = std::string_view(detector) == "crash" ? "hang" : "crash";
    EXPECT_FALSE(FailureInAChild(explorer, ending, 5, other).has_value()) << other;
  }
  Ending none(Ending::How::kNone, 6);
  EXPECT_FALSE(FailureInAChild(explorer, none, 5, "crash").has_value());
  EXPECT_FALSE(FailureInAChild(explorer, none, 5, "hang").has_value());
}

}  // namespace
}  // namespace twingrad::findings

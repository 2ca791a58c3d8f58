#include "proptests/findings/timeline.h"

#include <cstdlib>
#include <source_location>
#include <string>

#include "gtest/gtest.h"

namespace twingrad::findings {
namespace {

using interleave::Event;
using interleave::ExecutionOutcome;
using twingrad::sync::model::OperationKind;

int object = 0;

Event At(int thread, OperationKind kind, const char* name, Event::Phase phase,
         std::source_location where = std::source_location::current()) {
  return {thread, {kind, &object, name, where}, phase, false};
}

constexpr char kFailure[] = "main waits in wait queue.not_empty\nnobody <notifies> it";

ExecutionOutcome Sample() {
  ExecutionOutcome outcome;
  outcome.kind = interleave::OutcomeKind::kDeadlock;
  outcome.thread_names = {"main", "worker"};
  outcome.events = {At(0, OperationKind::kLock, "queue", Event::Phase::kDone),
                    At(1, OperationKind::kNotifyOne, "queue.not_empty", Event::Phase::kDone),
                    At(0, OperationKind::kWait, "queue.not_empty", Event::Phase::kParked),
                    At(1, OperationKind::kUnlock, "queue", Event::Phase::kDone)};
  return outcome;
}

TEST(Timeline, EachSwitchHasItsReason) {
  const ExecutionOutcome outcome = Sample();
  EXPECT_EQ(ReasonOfSwitch(outcome, 0), "preempted");
  EXPECT_EQ(ReasonOfSwitch(outcome, 1), "preempted");
  EXPECT_EQ(ReasonOfSwitch(outcome, 2), "waits for queue.not_empty");
  EXPECT_EQ(ReasonOfSwitch(outcome, 3), "ends");
}

TEST(Timeline, WorkBesideTheThreadsHasColumnsAndReasonsOfItsOwn) {
  ExecutionOutcome outcome = Sample();
  outcome.thread_names.push_back("late:0 stream 8");
  outcome.events.insert(outcome.events.begin() + 1,
                        At(2, OperationKind::kWork, "MulBackward (mul)", Event::Phase::kDone));
  EXPECT_EQ(ReasonOfSwitch(outcome, 0), "work beside it goes on");
  EXPECT_EQ(ReasonOfSwitch(outcome, 1), "has run");
  const std::string svg = DrawTimeline(outcome, "deadlock", kFailure);
  for (const char* part : {">late:0 stream 8</text>", "work MulBackward (mul)"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part << "\n" << svg;
  }
}

TEST(Timeline, AColumnAThreadWithLinesReasonsAndTheFailure) {
  const std::string svg = DrawTimeline(Sample(), "deadlock", kFailure);
  for (const char* part : {">main</text>", ">worker</text>",
                           "lock queue  findings/timeline_test.cc:", "wait queue.not_empty - parks",
                           ">preempted</text>", ">waits for queue.not_empty</text>",
                           ">deadlock</text>", "nobody &lt;notifies&gt; it"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part << "\n" << svg;
  }
  EXPECT_EQ(svg.find("left out"), std::string::npos);
}

// Of the picture, from its first line.
int WidthOf(const std::string& svg) {
  const size_t at = svg.find(" width=\"");
  return at == std::string::npos ? 0 : std::atoi(svg.c_str() + at + 8);
}

TEST(Timeline, ALongLineOfTheFailureMakesThePictureWider) {
  const std::string narrow = DrawTimeline(Sample(), "deadlock", kFailure);
  const std::string wide = DrawTimeline(Sample(), "deadlock", std::string(300, 'x'));
  EXPECT_GT(WidthOf(narrow), 0);
  EXPECT_GT(WidthOf(wide), 300 * 6);
}

TEST(Timeline, OfALongExecutionTheEndIsDrawn) {
  ExecutionOutcome outcome = Sample();
  outcome.events.insert(outcome.events.begin(), 1000, outcome.events[0]);
  const std::string svg = DrawTimeline(outcome, "deadlock", kFailure);
  EXPECT_NE(svg.find("the first 404 events are left out"), std::string::npos);
  EXPECT_NE(svg.find("- parks"), std::string::npos);
}

}  // namespace
}  // namespace twingrad::findings

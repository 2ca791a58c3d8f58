#include "proptests/interleave/checker/outcome.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

TEST(OutcomeTest, NamesAreDistinct) {
  std::set<std::string_view> names;
  const int count = static_cast<int>(OutcomeKind::kDivergedReplay) + 1;
  for (int kind = 0; kind < count; ++kind)
    names.insert(OutcomeName(static_cast<OutcomeKind>(kind)));
  EXPECT_EQ(static_cast<int>(names.size()), count);
}

TEST(OutcomeTest, EventsPrintOneALineTheLastOnesOnly) {
  ExecutionOutcome outcome;
  outcome.thread_names = {"main", "worker"};
  const sync::model::Operation operation{sync::model::OperationKind::kLock, nullptr, "queue",
                                         std::source_location::current()};
  for (int i = 0; i < 5; ++i) {
    outcome.events.push_back({i % 2, operation, Event::Phase::kParked, i == 4});
  }
  const std::string text = FormatEvents(outcome, 2);
  EXPECT_NE(text.find("... 3 earlier steps"), std::string::npos) << text;
  EXPECT_NE(text.find("worker"), std::string::npos) << text;
  EXPECT_NE(text.find(">    4 main"), std::string::npos) << text;
  EXPECT_NE(text.find("lock"), std::string::npos) << text;
  EXPECT_NE(text.find("queue"), std::string::npos) << text;
  EXPECT_NE(text.find("outcome_test.cc:"), std::string::npos) << text;
  EXPECT_NE(text.find("(parks)"), std::string::npos) << text;
}

}  // namespace
}  // namespace twingrad::interleave

// The order of calls that stand within others.

#include "autograd/program/observation.h"

#include <gtest/gtest.h>

namespace twingrad::program {
namespace {

CallRecord Call(int32_t statement, int32_t outer) {
  CallRecord call;
  call.statement = statement;
  call.outer = outer;
  return call;
}

TEST(Observation, NestedCallsFollowTheirsByTheStatementOfTheHook) {
  // As two threads may have made them: hook 7 before hook 4, and hook 5 within the call of hook 7.
  std::vector<CallRecord> calls = {Call(9, -1), Call(7, 0), Call(5, 1), Call(4, 0), Call(11, -1)};
  OrderCalls(calls);
  std::vector<int32_t> statements, outers;
  for (const CallRecord& call : calls) {
    statements.push_back(call.statement);
    outers.push_back(call.outer);
  }
  EXPECT_EQ(statements, (std::vector<int32_t>{9, 4, 7, 5, 11}));
  EXPECT_EQ(outers, (std::vector<int32_t>{-1, 0, 0, 2, -1}));
  EXPECT_EQ(OutermostStatement(calls, 3), 9);
  EXPECT_EQ(OutermostStatement(calls, 4), 11);
}

}  // namespace
}  // namespace twingrad::program

// Work on streams is in order.

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

TEST(Streams, AReportIsAFindingWhereTheProgramIsInOrder) {
  Trial trial(kProduct);
  ExpectAgreement(JudgeStreams(trial.program, trial.observed));
  trial.observed.stream_reports = {"[device] read by MulBackward is not ordered"};
  ExpectFinding(JudgeStreams(trial.program, trial.observed), "streams");
}

TEST(Streams, AProgramThatRacesByItselfIsNotJudged) {
  Trial trial("stream id=s device=dev:0\n%x = leaf type=f64[] data=1 device=dev:0\n");
  trial.observed.stream_reports = {"[device] read by MulBackward is not ordered"};
  ExpectAgreement(JudgeStreams(trial.program, trial.observed));
}

}  // namespace
}  // namespace twingrad::oracles

// Whether the run may end as it did.

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using twingrad::ErrorKind;
using twingrad::program::ErrorRecord;

constexpr char kNoGraph[] = "%x = leaf type=f64[]\nbackward %x\n";

TEST(Errors, TheTwinsErrorIsLegal) {
  Trial trial(kNoGraph);
  ASSERT_TRUE(trial.observed.error.has_value());
  ExpectAgreement(JudgeErrors(trial.evidence()));
}

TEST(Errors, AnotherClassStatementOrNoErrorIsNot) {
  Trial trial(kNoGraph);
  trial.observed.error->error = ErrorKind::kFreed;
  ExpectFinding(JudgeErrors(trial.evidence()), "errors");
  trial.observed.error = ErrorRecord{ErrorKind::kNoGraph, 0, ""};
  ExpectFinding(JudgeErrors(trial.evidence()), "errors");
  trial.observed.error.reset();
  ExpectFinding(JudgeErrors(trial.evidence()), "errors");
}

TEST(Errors, AnUnexpectedErrorIsAFinding) {
  Trial trial(kProduct);
  ExpectAgreement(JudgeErrors(trial.evidence()));
  trial.observed.error = ErrorRecord{ErrorKind::kInternal, 5, "dependency not found"};
  ExpectFinding(JudgeErrors(trial.evidence()), "errors");
}

TEST(Errors, AlternativesAreLegalWithSeveralThreadsOnly) {
  Trial trial(kNoGraph);
  trial.expected.legal_errors.push_back({ErrorKind::kUser, 1, ""});
  trial.observed.error->error = ErrorKind::kUser;
  ExpectFinding(JudgeErrors(trial.evidence(0)), "errors");
  ExpectAgreement(JudgeErrors(trial.evidence(2)));
}

TEST(Errors, AnInternalErrorNeedsNoTwin) {
  Trial trial(kProduct);
  ExpectAgreement(JudgeInternalError(trial.program, trial.observed));
  trial.observed.error = ErrorRecord{ErrorKind::kUser, 5, "thrown"};
  ExpectAgreement(JudgeInternalError(trial.program, trial.observed));
  trial.observed.error->error = ErrorKind::kInternal;
  ExpectFinding(JudgeInternalError(trial.program, trial.observed), "internal");
}

TEST(Errors, ThoseThatTheProgramSurvivesAreTheTwins) {
  Trial trial(
      "%x = leaf type=f64[]\nbegin kind=try\nbackward %x\nend\nbegin kind=try\nbackward %x\n"
      "end\n");
  ASSERT_EQ(trial.observed.survived.size(), 2u);
  ExpectAgreement(JudgeSurvivedErrors(trial.evidence()));
  const auto survived = trial.observed.survived;
  trial.observed.survived[1].error = ErrorKind::kFreed;
  ExpectFinding(JudgeSurvivedErrors(trial.evidence()), "survived");
  EXPECT_EQ(JudgeSurvivedErrors(trial.evidence(2)).outcome, Outcome::kSkipped);
  trial.observed.survived = survived;
  trial.observed.survived[0].statement = 1;
  ExpectFinding(JudgeSurvivedErrors(trial.evidence()), "survived");
  trial.observed.survived = {survived[0]};
  ExpectFinding(JudgeSurvivedErrors(trial.evidence()), "survived");
  trial.observed.survived = survived;
  trial.expected.observation.survived.clear();
  ExpectFinding(JudgeSurvivedErrors(trial.evidence()), "survived");
}

TEST(Errors, UnsupportedIsSkipped) {
  Trial trial(kProduct);
  trial.observed.error = ErrorRecord{ErrorKind::kUnsupported, 2, ""};
  EXPECT_EQ(JudgeErrors(trial.evidence()).outcome, Outcome::kSkipped);
}

}  // namespace
}  // namespace twingrad::oracles

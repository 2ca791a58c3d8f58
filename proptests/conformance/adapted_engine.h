// A foreign engine: its adapter in a child process, and the list of its known failures.
//
// While the child runs a Program, the witnesses work out here what is expected of it. After each
// error the canary looks whether the engine still is of use.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "autograd/program/program.h"
#include "proptests/conformance/canary.h"
#include "proptests/conformance/expected_failures.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/session.h"
#include "proptests/judge/statistics.h"

namespace twingrad::conformance {

// How the way in which a Program ended is counted, before its Observation is judged.
Outcome OutcomeOf(Reply::Kind kind);

class AdaptedEngine {
 public:
  // Starts the adapter; reads the list of known failures of the version that it says it is.
  static absl::StatusOr<std::unique_ptr<AdaptedEngine>> Start(SessionOptions options);

  const protocol::Hello& hello() const { return session_->hello(); }
  const ExpectedFailures& failures() const { return failures_; }
  // Its list, as a path below the repository's top.
  std::string ListPath() const;
  // Children started after the first; those of them that something outside had killed.
  uint64_t restarts() const { return session_->restarts(); }
  uint64_t killed() const { return session_->killed(); }

  // Runs the Program as it is.
  Reply Run(const twingrad::program::Program& program);

  // Runs what the hello claims of the Program; what it does not claim is refused without being
  // sent. `*expected` is what the witnesses say.
  Reply RunAgainst(const twingrad::program::Program& program, Expectation* expected);

  struct Judged {
    Expectation expected;
    Reply reply;
    ForeignVerdict verdict;
  };
  // Runs and judges the Program. What is wrong as an expected failure says is kExplained.
  Judged Judge(const twingrad::program::Program& program, judge::Statistics* statistics);

 private:
  explicit AdaptedEngine(std::unique_ptr<Session> session);
  ForeignVerdict JudgeObserved(const twingrad::program::Program& program, Expectation& expected,
                               Reply& reply, judge::Statistics* statistics);

  std::unique_ptr<Session> session_;
  Canary canary_;
  ExpectedFailures failures_;
};

}  // namespace twingrad::conformance

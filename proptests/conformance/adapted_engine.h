// A foreign engine: its adapter in a child process, and the list of its known failures.
//
// While the child runs a Program, the witnesses work out here what is expected of it. After each
// error and each wrong result the canary, a trivial Program, runs in the process that has shown it:
// what goes wrong can leave an engine in a broken state, also where the list knows of it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "autograd/program/program.h"
#include "proptests/conformance/expected_failures.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/session.h"
#include "proptests/judge/statistics.h"

namespace twingrad::conformance {

// How the way in which a Program ended is counted, before its Observation is judged.
Outcome OutcomeOf(Reply::Kind kind);

// Asks the canary. If it is wrong in the process of the Program and right in a fresh one, the
// Program broke the engine's state. If it is wrong in both, it says nothing, and is not asked
// again: random Programs show such a defect better.
class StateCheck {
 public:
  explicit StateCheck(const protocol::Hello& hello);

  // Call it when the session's last reply was an error or wrong. If the engine's state is broken:
  // what is wrong; the session then runs a fresh process.
  std::optional<ForeignVerdict> Judge(Session& session);

 private:
  ForeignVerdict RunOnce(Session& session) const;

  std::optional<twingrad::program::Program> canary_;
};

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
  Reply RunAgainst(const twingrad::program::Program& program, Expectation* expected,
                   bool balls = false);

  struct Judged {
    Expectation expected;
    Reply reply;
    ForeignVerdict verdict;
  };
  // Runs and judges the Program. What is wrong as an expected failure says, and right without what
  // that needs (counterfactual.h), or just what the twin says with the engine's known defects, is
  // kExplained. `balls`: the balls judge it too.
  Judged Judge(const twingrad::program::Program& program, judge::Statistics* statistics,
               bool balls = true);

  // Takes these in place of the list of the version.
  void SetFailures(ExpectedFailures failures) { failures_ = std::move(failures); }

 private:
  // How many further Programs may be run to look behind the signatures that match one.
  static constexpr int kMostCounterfactuals = 24;

  explicit AdaptedEngine(std::unique_ptr<Session> session);
  ForeignVerdict JudgeObserved(const twingrad::program::Program& program, Expectation& expected,
                               Reply& reply, judge::Statistics* statistics);
  // A Program that is wrong: what was expected of it, what the engine showed, and that as it was
  // judged, with what the adapter does not show filled in.
  struct Failure {
    const twingrad::program::Program& program;
    const Expectation& expected;
    const twingrad::program::Observation& shown;
    const twingrad::program::Observation& judged;
  };
  // Makes a wrong verdict kExplained if the engine showed what the twin says with its known
  // defects, or if a signature explains what is wrong beside these.
  void Explain(const Failure& failure, int& runs_left, ForeignVerdict& verdict);
  // ... if a signature says so; if another defect hides behind each that does, says which.
  // `runs_left` counts down.
  void ExplainBySignature(const Failure& failure, int& runs_left, ForeignVerdict& verdict);
  // What is wrong with the Program without what the signature names; nullopt: nothing.
  std::optional<std::string> Behind(const twingrad::program::Program& program,
                                    const FailureSignature& signature, const Expectation& expected,
                                    int& runs_left);

  std::unique_ptr<Session> session_;
  StateCheck state_;
  ExpectedFailures failures_;
};

}  // namespace twingrad::conformance

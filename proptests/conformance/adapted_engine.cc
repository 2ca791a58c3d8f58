#include "proptests/conformance/adapted_engine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/print.h"
#include "proptests/conformance/counterfactual.h"
#include "proptests/judge/canary.h"
#include "proptests/workers/files.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;

bool IsWell(const ForeignVerdict& judged) {
  return judged.outcome == Outcome::kAgree || judged.outcome == Outcome::kNotJudged;
}

// Whether it says nothing of what the engine showed.
bool IsUnknown(const ForeignVerdict& judged) {
  const bool elements_alone = judged.taken.not_judged > 0;
  return judged.outcome == Outcome::kRefuse ||
         (judged.outcome == Outcome::kNotJudged && !elements_alone);
}

}  // namespace

Outcome OutcomeOf(Reply::Kind kind) {
  switch (kind) {
    case Reply::Kind::kObserved:
      return Outcome::kAgree;
    case Reply::Kind::kSkipped:
      return Outcome::kRefuse;
    case Reply::Kind::kCrash:
      return Outcome::kCrash;
    case Reply::Kind::kHang:
      return Outcome::kHang;
    case Reply::Kind::kMemory:
      return Outcome::kMemory;
    case Reply::Kind::kProtocol:
      return Outcome::kProtocol;
  }
  return Outcome::kProtocol;
}

StateCheck::StateCheck(const protocol::Hello& hello) {
  if (hello.Has(Opcode::kMul) && hello.Has(Opcode::kAdd) && hello.Has(Opcode::kBackward)) {
    canary_ = judge::MakeCanary(/*devices=*/0);
  }
}

ForeignVerdict StateCheck::RunOnce(Session& session) const {
  session.Send(*canary_);
  Expectation expected = Expect(*canary_, session.hello());
  Reply reply = session.Receive();
  if (reply.kind == Reply::Kind::kObserved) {
    return JudgeForeign(*canary_, session.hello(), expected, reply.observation, nullptr);
  }
  ForeignVerdict judged;
  judged.outcome = Outcome::kWrong;
  judged.text = reply.text + "\n";
  return judged;
}

std::optional<ForeignVerdict> StateCheck::Judge(Session& session) {
  if (!canary_) return std::nullopt;
  ForeignVerdict judged = RunOnce(session);
  if (IsWell(judged)) return std::nullopt;
  session.Renew();
  if (!IsWell(RunOnce(session))) {
    canary_.reset();
    return std::nullopt;
  }
  judged.outcome = Outcome::kWrong;
  judged.rule = "canary";
  judged.statements.clear();
  judged.text = absl::StrCat("canary: a trivial Program right after this Program\n", judged.text,
                             "  in a fresh process it is right\n");
  return judged;
}

AdaptedEngine::AdaptedEngine(std::unique_ptr<Session> session)
    : session_(std::move(session)), state_(session_->hello()) {}

absl::StatusOr<std::unique_ptr<AdaptedEngine>> AdaptedEngine::Start(SessionOptions options) {
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Start(std::move(options));
  if (!session.ok()) return session.status();
  auto engine = std::unique_ptr<AdaptedEngine>(new AdaptedEngine(*std::move(session)));
  absl::StatusOr<ExpectedFailures> failures =
      ReadExpectedFailures(workers::Locate(engine->ListPath()));
  if (!failures.ok()) return failures.status();
  engine->failures_ = *std::move(failures);
  return engine;
}

std::string AdaptedEngine::ListPath() const {
  return absl::StrCat("golden/expected/", hello().name, "-", hello().version, ".txt");
}

Reply AdaptedEngine::Run(const Program& program) {
  session_->Send(program);
  return session_->Receive();
}

Reply AdaptedEngine::RunAgainst(const Program& program, Expectation* expected, bool balls) {
  Reply reply;
  const Program sent = protocol::ToSend(hello(), program);
  const std::string lacks = protocol::NotClaimed(hello(), sent);
  if (lacks.empty()) session_->Send(sent);
  *expected = Expect(program, hello(), balls);
  if (lacks.empty()) return session_->Receive();
  reply.kind = Reply::Kind::kSkipped;
  reply.text = absl::StrCat("the hello does not claim ", lacks);
  return reply;
}

std::optional<std::string> AdaptedEngine::Behind(const Program& program,
                                                 const FailureSignature& signature,
                                                 const Expectation& expected, int& runs_left) {
  for (const Counterfactual& other :
       Counterfactuals(program, signature, expected.twin.observation)) {
    if (runs_left-- <= 0) break;
    Expectation expected_of_other;
    Reply reply = RunAgainst(other.program, &expected_of_other);
    ForeignVerdict verdict;
    if (reply.kind == Reply::Kind::kObserved) {
      const Observation shown = reply.observation;
      verdict = JudgeForeign(other.program, hello(), expected_of_other, reply.observation, nullptr);
      if (verdict.outcome != Outcome::kWrong) continue;
      Explain({other.program, expected_of_other, shown, reply.observation}, runs_left, verdict);
      if (verdict.outcome != Outcome::kWrong) continue;
    } else if (OutcomeOf(reply.kind) == Outcome::kRefuse) {
      continue;
    } else {
      verdict.text = absl::StrCat(OutcomeWord(OutcomeOf(reply.kind)), ": ", reply.text, "\n");
    }
    return absl::StrCat("  expected failure ", signature.entry, " does not explain it: without ",
                        other.without, "\n", twingrad::program::Print(other.program),
                        "  is wrong too: ", verdict.text);
  }
  return std::nullopt;
}

void AdaptedEngine::Explain(const Failure& failure, int& runs_left, ForeignVerdict& verdict) {
  std::optional<Expectation> followed =
      Follow(failure.program, failure.expected, failures_.DefectsToFollow());
  if (!followed) return ExplainBySignature(failure, runs_left, verdict);
  Observation judged = failure.shown;
  ForeignVerdict left = JudgeForeign(failure.program, hello(), *followed, judged, nullptr);
  if (left.outcome == Outcome::kWrong) {
    ExplainBySignature({failure.program, *followed, failure.shown, judged}, runs_left, left);
  }
  if (left.outcome == Outcome::kWrong || IsUnknown(left)) {
    absl::StrAppend(&verdict.text, "not as the known defects of it say: ", left.text);
    return;
  }
  if (left.outcome == Outcome::kExplained) verdict.text += left.text;
  verdict.outcome = Outcome::kExplained;
  for (const FollowedDefect& defect : failures_.Of(followed->rules.defects)) {
    if (verdict.explained_by.empty()) verdict.explained_by = defect.entry;
    absl::StrAppend(&verdict.text, "  expected failure ", defect.entry, ": ", defect.reason, "\n");
  }
}

void AdaptedEngine::ExplainBySignature(const Failure& failure, int& runs_left,
                                       ForeignVerdict& verdict) {
  std::string behind;
  const BlamedErrors errors = BlamedErrorsOf(failure.expected.twin.observation, failure.judged);
  for (const FailureSignature& signature : failures_.signatures) {
    if (!signature.Matches(failure.program, verdict.rule, errors.expected, errors.actual,
                           verdict.text)) {
      continue;
    }
    std::optional<std::string> other =
        Behind(failure.program, signature, failure.expected, runs_left);
    if (other) {
      if (behind.empty()) behind = *std::move(other);
      continue;
    }
    verdict.outcome = Outcome::kExplained;
    verdict.explained_by = signature.entry;
    absl::StrAppend(&verdict.text, "  expected failure ", signature.entry, ": ", signature.reason,
                    "\n");
    return;
  }
  verdict.text += behind;
}

ForeignVerdict AdaptedEngine::JudgeObserved(const Program& program, Expectation& expected,
                                            Reply& reply, judge::Statistics* statistics) {
  const Observation shown = reply.observation;
  ForeignVerdict verdict = JudgeForeign(program, hello(), expected, reply.observation, statistics);
  const bool wrong = verdict.outcome == Outcome::kWrong;
  // Whatever the verdict: a broken engine must not be asked for the next Program.
  std::optional<ForeignVerdict> broken;
  if (reply.observation.error || wrong) broken = state_.Judge(*session_);
  if (wrong) {
    int runs_left = kMostCounterfactuals;
    Explain({program, expected, shown, reply.observation}, runs_left, verdict);
  }
  if (!broken) return verdict;
  // A known failure does not excuse what it leaves behind.
  if (verdict.outcome != Outcome::kWrong) return *std::move(broken);
  verdict.text += broken->text;
  return verdict;
}

AdaptedEngine::Judged AdaptedEngine::Judge(const Program& program, judge::Statistics* statistics,
                                           bool balls) {
  Judged judged;
  judged.reply = RunAgainst(program, &judged.expected, balls);
  const Reply& reply = judged.reply;
  ForeignVerdict& verdict = judged.verdict;
  if (reply.kind == Reply::Kind::kObserved) {
    verdict = JudgeObserved(program, judged.expected, judged.reply, statistics);
    return judged;
  }
  verdict.outcome = OutcomeOf(reply.kind);
  verdict.rule = std::string(OutcomeWord(verdict.outcome));
  verdict.text = absl::StrCat(verdict.rule, ": ", reply.text, "\n");
  if (!reply.output.empty()) absl::StrAppend(&verdict.text, "it said:\n", reply.output, "\n");
  return judged;
}

}  // namespace twingrad::conformance

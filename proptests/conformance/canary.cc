#include "proptests/conformance/canary.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Opcode;

constexpr std::string_view kProgram =
    "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\n%z = add %y %x\nbackward %z\n";

bool IsWell(const ForeignVerdict& judged) {
  return judged.outcome == Outcome::kAgree || judged.outcome == Outcome::kNotJudged;
}

}  // namespace

Canary::Canary(const protocol::Hello& hello) {
  if (!hello.Has(Opcode::kMul) || !hello.Has(Opcode::kAdd) || !hello.Has(Opcode::kBackward)) return;
  if (auto program = twingrad::program::Parse(kProgram); program.ok()) {
    program_ = *std::move(program);
  }
}

ForeignVerdict Canary::RunOnce(Session& session) const {
  session.Send(*program_);
  Expectation expected = Expect(*program_, session.hello());
  Reply reply = session.Receive();
  if (reply.kind == Reply::Kind::kObserved) {
    return JudgeForeign(*program_, session.hello(), expected, reply.observation, nullptr);
  }
  ForeignVerdict judged;
  judged.outcome = Outcome::kWrong;
  judged.text = reply.text + "\n";
  return judged;
}

std::optional<ForeignVerdict> Canary::Judge(Session& session) {
  if (!program_) return std::nullopt;
  ForeignVerdict judged = RunOnce(session);
  if (IsWell(judged)) return std::nullopt;
  session.Renew();
  if (!IsWell(RunOnce(session))) {
    program_.reset();
    return std::nullopt;
  }
  judged.outcome = Outcome::kWrong;
  judged.rule = "canary";
  judged.statements.clear();
  judged.text = absl::StrCat("canary: a trivial Program right after this Program's error\n",
                             judged.text, "  in a fresh process it is right\n");
  return judged;
}

}  // namespace twingrad::conformance

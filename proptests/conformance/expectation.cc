#include "proptests/conformance/expectation.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "autograd/program/observation_text.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/ball.h"
#include "autograd/reference/dual_reasons.h"
#include "proptests/conformance/facts.h"
#include "proptests/judge/expectation.h"

namespace twingrad::conformance {
namespace {

using protocol::Fact;
using protocol::Hello;
using twingrad::program::Category;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::ValueRecord;
using twingrad::reference::Defects;
using twingrad::reference::Dialect;
using twingrad::reference::DialectRules;
using twingrad::reference::TwinResult;

// Whether a statement makes nodes.
bool Records(Opcode op) {
  switch (twingrad::program::SignatureOf(op).category) {
    case Category::kElementwise:
    case Category::kReduction:
    case Category::kMatmul:
    case Category::kView:
    case Category::kInPlace:
    case Category::kRearrange:
    case Category::kScan:
    case Category::kNorm:
    case Category::kLoss:
    case Category::kCustom:
      return true;
    case Category::kCopy:
      return op != Opcode::kDetach;
    default:
      return op == Opcode::kReadGrad;
  }
}

Dialect DialectOf(std::string_view word) {
  if (word == "pytorch") return Dialect::kPytorch;
  return word == "pytorch1" ? Dialect::kPytorch1 : Dialect::kTwingrad;
}

bool HooksWhatIsCaptured(const Program& program) {
  return Holds(program, Opcode::kGrad) &&
         std::ranges::any_of(program.statements, [](const auto& statement) {
           return twingrad::program::SignatureOf(statement.op).category == Category::kHook;
         });
}

// Where an engine counts its nodes by the thread that made them, those of different thread sections
// have no order.
bool RunsInAnyOrder(const Program& program, const Expectation& expected) {
  return !expected.predicted || std::ranges::any_of(program.statements, [](const auto& s) {
    return twingrad::program::Begins(s, twingrad::program::RegionKind::kThread);
  });
}

Altered WhatDiffers(const Observation& a, const Observation& b) {
  Altered altered;
  for (size_t v = 0; v < a.values.size(); ++v) {
    const ValueRecord &x = a.values[v], &y = b.values[v];
    altered.values.push_back(x.defined != y.defined || !(x.data == y.data));
    altered.grads.push_back(x.grad_defined != y.grad_defined || !(x.grad == y.grad));
  }
  return altered;
}

}  // namespace

bool WitnessesFollow(const DialectRules& rules, const Program& program) {
  return rules.captures_run_hooks || !HooksWhatIsCaptured(program);
}

Expectation Expect(const Program& program, const Hello& hello, bool balls) {
  Expectation expected;
  expected.rules = RulesOf(DialectOf(hello.dialect));
  expected.predicted = hello.Has(Fact::kNames) && hello.Has(Fact::kGraph);
  for (const auto& statement : program.statements) {
    if (Records(statement.op) && hello.single.count(statement.op) == 0) expected.predicted = false;
  }
  expected.twin =
      twingrad::reference::RunTwin(program, expected.rules, RunsInAnyOrder(program, expected));
  expected.failed = judge::FailedIn(expected.twin.observation);
  if (!expected.twin.skipped) {
    expected.dual = twingrad::reference::RunDual(program, expected.failed);
  }
  const bool follow = WitnessesFollow(expected.rules, program);
  if (!follow) expected.dual.not_applicable = "hooks on what is captured";
  // Balls know of no errors, and would take the statements that follow one for run.
  if (balls && expected.failed.empty() && !expected.twin.skipped && follow) {
    expected.ball = twingrad::reference::ball::RunBall(program);
  }
  return expected;
}

std::optional<Expectation> Follow(const Program& program, const Expectation& sound,
                                  const Defects& known) {
  if (known == Defects() || sound.twin.skipped) return std::nullopt;
  const auto run = [&](const Defects& defects) {
    DialectRules rules = sound.rules;
    rules.defects = defects;
    return twingrad::reference::RunTwin(program, rules, RunsInAnyOrder(program, sound));
  };
  const auto show_the_same = [&](const TwinResult& a, const TwinResult& b) {
    return !a.skipped &&
           PrintObservation(program, a.observation) == PrintObservation(program, b.observation);
  };
  const TwinResult right = run({});
  TwinResult wrong = run(known);
  const bool unknown = right.skipped || wrong.skipped || wrong.single_thread_only;
  if (unknown || show_the_same(right, wrong)) return std::nullopt;

  Expectation followed = sound;
  Defects& provoked = followed.rules.defects = known;
  for (const auto& row : twingrad::reference::kDefects) {
    Defects others = provoked;
    others.*row.follows = false;
    if (!(others == provoked) && show_the_same(run(others), wrong)) provoked = others;
  }
  followed.altered = WhatDiffers(right.observation, wrong.observation);
  followed.twin = std::move(wrong);
  followed.altered.Hide(followed.dual);
  if (followed.ball) followed.altered.Hide(*followed.ball);
  followed.failed = judge::FailedIn(followed.twin.observation);
  if (!followed.failed.empty()) followed.ball.reset();
  // The dual numbers follow the errors of the sound one.
  if (followed.failed != sound.failed) {
    followed.dual.not_applicable = std::string(twingrad::reference::kEndsInError);
  }
  return followed;
}

void FollowFreedCalls(const Program& program, const Observation& observed, Expectation& expected) {
  if (expected.twin.skipped || expected.twin.contended_calls.empty()) return;
  judge::Expectation predictions(program, std::move(expected.twin), expected.rules,
                                 RunsInAnyOrder(program, expected));
  expected.twin = predictions.Of(observed);
  if (expected.twin.freed_calls.empty()) return;
  expected.dual.not_applicable = std::string(twingrad::reference::kEndsInError);
}

}  // namespace twingrad::conformance

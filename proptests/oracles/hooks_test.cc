// Hooks, in the order and with the gradients that the twin says.

#include <utility>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::Observation;

constexpr char kHooks[] =
    "%x = leaf type=f64[] data=2 grad=1\n"
    "%y = mul %x %x\n"
    "hook %y do=record\n"
    "hook %y do=scale by=2\n"
    "hook %x do=record\n"
    "backward %y\n";

TEST(Hooks, AgreeWithThemselves) {
  Trial trial(kHooks);
  ASSERT_EQ(trial.observed.calls[0].hooks.size(), 3u);
  ExpectAgreement(JudgeHooks(trial.evidence(0)));
  ExpectAgreement(JudgeHooks(trial.evidence(2)));
}

TEST(Hooks, LostDoubledSwappedAndBlindOnesAreFound) {
  const Falsification falsifications[] = {
      [](Observation& o) { o.calls[0].hooks.pop_back(); },
      [](Observation& o) { o.calls[0].hooks[2] = o.calls[0].hooks[1]; },
      [](Observation& o) { std::swap(o.calls[0].hooks[0], o.calls[0].hooks[1]); },
      [](Observation& o) { o.calls[0].hooks[2].gradient.bits[0] = Number(5); },
      [](Observation& o) { o.calls[0].hooks[2].gradient_defined = false; },
  };
  for (const int threads : {0, 2}) {
    for (const Falsification& falsify : falsifications) {
      ExpectFound(JudgeHooks, "hooks", falsify, threads, kHooks);
    }
  }
}

// The log is right where nodes run in any order, and nowhere else.
void ExpectRightInAnyOrder(Trial& trial) {
  ExpectFinding(JudgeHooks(trial.evidence()), "hooks");
  trial.expected.call_in_any_order[0] = true;
  ExpectAgreement(JudgeHooks(trial.evidence()));
}

// The hooks of y and of x stand on different nodes.
TEST(Hooks, OfDifferentNodesComeInAnyOrderWhereThatOfNodesIsUnknown) {
  Trial trial(kHooks);
  auto& hooks = trial.observed.calls[0].hooks;
  std::swap(hooks[1], hooks[2]);
  ExpectRightInAnyOrder(trial);
  std::swap(hooks[0], hooks[2]);
  ExpectFinding(JudgeHooks(trial.evidence()), "hooks");
}

TEST(Hooks, OnSavedTensorsOfDifferentNodesComeInAnyOrder) {
  Trial trial(
      "%x = leaf type=f64[] data=2 grad=1\n%y = leaf type=f64[2] data=3,4 grad=1\n"
      "begin kind=saved_tensor_hooks do=record\n%a = exp %x\n%b = exp %y\nend\n"
      "backward %a %b seeds=_,%y\n");
  auto& hooks = trial.observed.calls[0].hooks;
  ASSERT_EQ(hooks.size(), 2u);
  std::swap(hooks[0], hooks[1]);
  ExpectRightInAnyOrder(trial);
  std::swap(hooks[0].node, hooks[1].node);
  ExpectFinding(JudgeHooks(trial.evidence()), "hooks");
}

// The second call's log is right in either order of its ends, and wrong with one of them twice.
void ExpectRightWithEndsSwapped(Trial& trial) {
  auto& hooks = trial.observed.calls[1].hooks;
  ExpectAgreement(JudgeHooks(trial.evidence()));
  std::swap(hooks.front(), hooks.back());
  ExpectAgreement(JudgeHooks(trial.evidence()));
  hooks.front() = hooks.back();
  ExpectFinding(JudgeHooks(trial.evidence()), "hooks");
}

// Which of the nodes of a first derivative comes first is for its formula to say.
TEST(Hooks, OfDifferentNodesComeInAnyOrderWhereCreateGraphMadeThem) {
  Trial trial(
      "%x = leaf type=f64[] data=3 grad=1\nhook %x do=record\n"
      "%y = leaf type=f64[] data=4 grad=1\n%z = atan2 %x %y\naccumulate_hook %y do=record\n"
      "%g = grad %z inputs=%x create_graph=1\nbackward %g\n");
  ASSERT_EQ(trial.observed.calls[1].hooks.size(), 2u);
  ExpectRightWithEndsSwapped(trial);
}

TEST(Hooks, OnSavedTensorsOfNodesThatCreateGraphMadeComeInAnyOrder) {
  Trial trial(
      "begin kind=saved_tensor_hooks do=record\n%x = leaf type=f64[3] data=1,2,3 grad=1\n"
      "%w = leaf type=f64[0,3] grad=1\n%y = linear %x %w\n%s = sum %y\n"
      "%g = grad %s inputs=%x create_graph=1\n%p = mul %g %x\n%q = sum %p\n"
      "%t = add %s %q\nbackward %t\nend\n");
  ASSERT_GT(trial.observed.calls[1].hooks.size(), 2u);
  ExpectRightWithEndsSwapped(trial);
}

// Whether the hook of statement 5 fires in the call beside depends on timing; that of 3 is certain.
TEST(Hooks, WhatTimingDecidesIsLeftOut) {
  constexpr char kBeside[] =
      "%x = leaf type=f64[] data=2 grad=1\n%y = mul %x %x\n%z = neg %y\nhook %y do=record\n"
      "begin kind=thread\nhook %y do=record\nend\n"
      "begin kind=thread\nbackward %z\nend\n";
  Trial trial(kBeside);
  auto& hooks = trial.observed.calls[0].hooks;
  ASSERT_EQ(hooks.size(), 2u);
  ExpectAgreement(JudgeHooks(trial.evidence(0)));
  hooks.pop_back();
  ExpectAgreement(JudgeHooks(trial.evidence(0)));
  ExpectAgreement(JudgeHooks(trial.evidence(2)));
  hooks.clear();
  ExpectFinding(JudgeHooks(trial.evidence(0)), "hooks");
}

}  // namespace
}  // namespace twingrad::oracles

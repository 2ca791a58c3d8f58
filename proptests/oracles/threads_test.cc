// Which thread a node ran on.

#include <cstdint>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::kCallingThread;
using program::Observation;

// A leaf of the CPU below a node of dev:1, whose hook runs a nested call.
constexpr char kDevices[] =
    "%x = leaf type=f64[] data=3 grad=1\n"
    "%d = to %x device=dev:1\n"
    "%y = mul %d %d\n"
    "hook %y do=backward target=%d\n"
    "backward %y\n";

// What an engine with so many workers must show.
Trial Shown(int device_threads) {
  Trial trial(kDevices);
  for (auto& call : trial.observed.calls) {
    const auto worker = static_cast<int16_t>(
        device_threads == 0 || call.outer >= 0 ? kCallingThread : 1 % device_threads);
    for (const int32_t node : call.executed) {
      const bool on_cpu = call.nodes[node].name.statement == 0;
      call.threads.push_back(on_cpu ? kCallingThread : worker);
    }
    for (auto& hook : call.hooks) hook.thread = worker;
  }
  return trial;
}

TEST(Threads, EachDeviceHasItsWorkerAndANestedCallHasNone) {
  for (const int threads : {0, 1, 2, 3}) {
    Trial trial = Shown(threads);
    ASSERT_EQ(trial.observed.calls.size(), 2u);
    ASSERT_EQ(trial.observed.calls[1].outer, 0);
    ExpectAgreement(JudgeThreads(trial.evidence(threads)));
  }
}

TEST(Threads, ANodeOfAnotherThreadIsFound) {
  const Falsification falsifications[] = {
      [](Observation& o) { o.calls[0].threads[0] = kCallingThread; },
      [](Observation& o) { o.calls[0].threads[0] = 0; },
      [](Observation& o) { o.calls[0].threads[0] = program::kOtherThread; },
      [](Observation& o) { o.calls[0].threads.back() = 1; },
      [](Observation& o) { o.calls[0].hooks[0].thread = 0; },
      [](Observation& o) { o.calls[1].threads[0] = 1; },
      [](Observation& o) { o.calls[0].threads.assign(o.calls[0].threads.size(), kCallingThread); },
  };
  for (const Falsification& falsify : falsifications) {
    Trial trial = Shown(2);
    falsify(trial.observed);
    ExpectFinding(JudgeThreads(trial.evidence(2)), "threads");
  }
}

TEST(Threads, BesideAStopACallMayRunOnItsCallerAlone) {
  Trial trial = Shown(2);
  auto& call = trial.observed.calls[0];
  trial.observed.stopped_beside = 4;
  ExpectAgreement(JudgeThreads(trial.evidence(2)));
  call.threads.assign(call.threads.size(), kCallingThread);
  call.hooks[0].thread = kCallingThread;
  ExpectAgreement(JudgeThreads(trial.evidence(2)));
  call.threads[0] = 1;
  ExpectFinding(JudgeThreads(trial.evidence(2)), "threads");
}

// The stop stands beside a call of the second, which may be made first.
TEST(Threads, OfSectionsWithAStopEachCallMayRunOnItsCallerAlone) {
  Trial trial(
      "%x = leaf type=f64[] data=3 grad=1 device=dev:0\n"
      "begin kind=thread\nbackward %x\nend\nbegin kind=thread\nbackward %x\nend\n");
  for (auto& call : trial.observed.calls) {
    call.threads.assign(call.executed.size(), kCallingThread);
  }
  ExpectFinding(JudgeThreads(trial.evidence(1)), "threads");
  trial.observed.stopped_beside = 5;
  ExpectAgreement(JudgeThreads(trial.evidence(1)));
}

TEST(Threads, WhatIsNotShownIsNotJudged) {
  Trial trial(kDevices);
  ExpectAgreement(JudgeThreads(trial.evidence(2)));
}

}  // namespace
}  // namespace twingrad::oracles

// Final callbacks, by the log of the call alone.

#include <utility>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::Observation;

// The log: hooks 2 and 3, the call that 4 makes, callbacks 2 and 3; in the nested call the same.
constexpr char kCallbacks[] =
    "%x = leaf type=f64[] data=3 grad=1\n"
    "%y = mul %x %x\n"
    "hook %x do=callback\n"
    "hook %y do=callback\n"
    "hook %y do=backward target=%x\n"
    "backward %y\n";

Verdict Judge(const Trial& trial) { return JudgeCallbacks(trial.program, trial.observed); }

TEST(Callbacks, TheTwinsAgree) {
  Trial trial(kCallbacks);
  ASSERT_EQ(trial.observed.calls.size(), 2u);
  EXPECT_EQ(trial.observed.calls[0].hooks.size(), 5u);
  EXPECT_EQ(trial.observed.calls[1].hooks.size(), 2u);
  ExpectAgreement(Judge(trial));
}

TEST(Callbacks, DoubledLostSwappedMisplacedAndEarlyOnesAreFound) {
  const Falsification falsifications[] = {
      [](Observation& o) { o.calls[0].hooks.push_back(o.calls[0].hooks.back()); },
      [](Observation& o) { o.calls[0].hooks.pop_back(); },
      [](Observation& o) { o.calls[1].hooks.pop_back(); },
      [](Observation& o) { std::swap(o.calls[0].hooks[3], o.calls[0].hooks[4]); },
      [](Observation& o) { std::swap(o.calls[0].hooks[2], o.calls[0].hooks[3]); },
      [](Observation& o) {
        o.calls[0].hooks.push_back(o.calls[1].hooks.back());
        o.calls[1].hooks.pop_back();
      },
      [](Observation& o) {
        o.calls[0].failed = true;
        o.calls[0].hooks.pop_back();
      },
  };
  for (const Falsification& falsify : falsifications) {
    Trial trial(kCallbacks);
    falsify(trial.observed);
    ExpectFinding(Judge(trial), "callbacks");
  }
}

// Which of two threads queued first is up to timing.
TEST(Callbacks, OfSeveralThreadsEachKeepsItsOrder) {
  Trial trial(kCallbacks);
  auto& hooks = trial.observed.calls[0].hooks;
  hooks[0].thread = 0;
  std::swap(hooks[3], hooks[4]);
  ExpectAgreement(Judge(trial));
  hooks[0].thread = hooks[2].thread;
  ExpectFinding(Judge(trial), "callbacks");
}

TEST(Callbacks, ACallThatFailsRunsNone) {
  Trial trial(kCallbacks);
  auto& call = trial.observed.calls[0];
  call.hooks.resize(call.hooks.size() - 2);
  ExpectFinding(Judge(trial), "callbacks");
  call.failed = true;
  ExpectAgreement(Judge(trial));
}

}  // namespace
}  // namespace twingrad::oracles

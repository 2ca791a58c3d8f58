#include "proptests/oracles/hooks.h"

#include <utility>

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::oracles {
namespace {

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
  for (int threads : {0, 2}) {
    {
      Trial trial(kHooks);
      trial.observed.calls[0].hooks.pop_back();
      ExpectFinding(JudgeHooks(trial.evidence(threads)), "hooks");
    }
    {
      Trial trial(kHooks);
      auto& hooks = trial.observed.calls[0].hooks;
      hooks[2] = hooks[1];
      ExpectFinding(JudgeHooks(trial.evidence(threads)), "hooks");
    }
    {
      Trial trial(kHooks);
      std::swap(trial.observed.calls[0].hooks[0], trial.observed.calls[0].hooks[1]);
      ExpectFinding(JudgeHooks(trial.evidence(threads)), "hooks");
    }
    {
      Trial trial(kHooks);
      trial.observed.calls[0].hooks[2].gradient.bits[0] = Number(5);
      ExpectFinding(JudgeHooks(trial.evidence(threads)), "hooks");
    }
    {
      Trial trial(kHooks);
      trial.observed.calls[0].hooks[2].gradient_defined = false;
      ExpectFinding(JudgeHooks(trial.evidence(threads)), "hooks");
    }
  }
}

}  // namespace
}  // namespace twingrad::oracles

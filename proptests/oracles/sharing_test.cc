// Who shares memory with whom.

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::Observation;

constexpr char kViews[] =
    "%x = leaf type=f64[2] data=1,2 grad=1\n"
    "%v = view %x shape=2,1\n"
    "%d = detach %v\n"
    "%y = mul %v %v\n"
    "hook %y do=record\n"
    "%s = sum %y\n"
    "backward %s\n";

TEST(Sharing, ViewsAndDetachedTensorsShareAndNothingElseDoes) {
  Trial trial(kViews);
  EXPECT_EQ(trial.observed.values[1].storage, 0);
  EXPECT_EQ(trial.observed.values[2].storage, 0);
  EXPECT_EQ(trial.observed.values[3].storage, 3);
  ExpectAgreement(JudgeSharing(trial.evidence()));
  trial.observed.values[3].storage = program::kNoValue;  // not shown
  ExpectAgreement(JudgeSharing(trial.evidence()));
}

TEST(Sharing, SharedAndSeparateMemoryAndOverwrittenGradientsAreFound) {
  const Falsification falsifications[] = {
      [](Observation& o) { o.values[3].storage = 0; },
      [](Observation& o) { o.values[1].storage = 1; },
      [](Observation& o) {
        o.calls[0].sharing = {{.value = 0, .is_grad = true, .with = 3, .with_grad = false}};
      },
      [](Observation& o) { o.calls[0].sharing = {{.value = 0, .is_grad = true, .hook = 4}}; },
      [](Observation& o) { o.calls[0].hooks.at(0).overwritten = true; },
  };
  for (const Falsification& falsify : falsifications) {
    ExpectFound(JudgeSharing, "sharing", falsify, 0, kViews);
  }
}

}  // namespace
}  // namespace twingrad::oracles

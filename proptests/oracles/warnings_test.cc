// Warnings, in the order of a run on one thread.

#include <utility>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::Observation;

constexpr char kWarned[] =
    "%x = leaf type=f64[] data=2 grad=1\n"
    "%y = mul %x %x\n"
    "hook %y do=warn\n"
    "accumulate_hook %x do=warn\n"
    "backward %y\n";

TEST(Warnings, AgreeWithThemselves) {
  Trial trial(kWarned);
  ASSERT_EQ(trial.observed.warnings.size(), 2u);
  ExpectAgreement(JudgeWarnings(trial.evidence(0)));
  ExpectAgreement(JudgeWarnings(trial.evidence(2)));
  trial.observed.warnings[0].text = "whatever it says";
  ExpectAgreement(JudgeWarnings(trial.evidence(0)));
}

TEST(Warnings, LostDoubledSwappedAndMisplacedOnesAreFound) {
  const Falsification falsifications[] = {
      [](Observation& o) { o.warnings.clear(); },
      [](Observation& o) { o.warnings.push_back(o.warnings[1]); },
      [](Observation& o) { std::swap(o.warnings[0], o.warnings[1]); },
      [](Observation& o) { o.warnings[0].node.statement = 0; },
      [](Observation& o) { o.warnings[0].statement = 3; },
      [](Observation& o) { o.warnings[0].source = program::WarningSource::kLayout; },
      [](Observation& o) { o.warnings[1].call = 3; },
  };
  for (const int threads : {0, 2}) {
    for (const Falsification& falsify : falsifications) {
      ExpectFound(JudgeWarnings, "warnings", falsify, threads, kWarned);
    }
  }
}

}  // namespace
}  // namespace twingrad::oracles

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

// The second call goes over nodes that create_graph made, whose order is the engine's own.
TEST(Warnings, AnyOrderOverNodesOfAGraphOfGradients) {
  constexpr char kText[] =
      "%x = leaf type=f64[] data=1 grad=1\n"
      "%y = leaf type=f64[] data=1 grad=1\n"
      "hook %y do=warn\n"
      "accumulate_hook %x do=warn\n"
      "%z = atan2 %x %y\n"
      "%g,%h = grad %z inputs=%y,%x create_graph=1\n"
      "backward %g\n";
  Trial trial(kText);
  ASSERT_EQ(trial.observed.warnings.size(), 3u);
  std::swap(trial.observed.warnings[1], trial.observed.warnings[2]);
  ExpectAgreement(JudgeWarnings(trial.evidence(0)));
  std::swap(trial.observed.warnings[0], trial.observed.warnings[1]);
  ExpectAgreement(JudgeWarnings(trial.evidence(0)));  // each call has those that it had
  ExpectFound(
      JudgeWarnings, "warnings", [](Observation& o) { o.warnings.pop_back(); }, 0, kText);
  ExpectFound(
      JudgeWarnings, "warnings", [](Observation& o) { o.warnings[1] = o.warnings[2]; }, 0, kText);
}

}  // namespace
}  // namespace twingrad::oracles

// Law: each needed node runs exactly once and after all that deliver to it; with one thread, in the
// twin's order.

#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/oracles.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using oracles::Evidence;
using oracles::Verdict;

void Check(int programs, const generators::GeneratorOptions& options,
           Verdict (*judge)(const Evidence&)) {
  judge::EngineRun run;
  ForAllRuns(programs, options, {0, 2}, std::ref(run), [judge](const Evidence& evidence) {
    const bool fails = evidence.expected.observation.error.has_value();
    return evidence.observed.error.has_value() == fails ? TextOf(judge(evidence)) : std::string();
  });
}

// Rules: J13.
TEST(ExecutionOrder, ProducersComeFirst) { Check(3000, {}, oracles::JudgeOrder); }

TEST(ExecutionOrder, NeededNodesRunExactlyOnce) {
  Check(2000, Features("-error"), oracles::JudgeRecount);
}

// Rules: H.
TEST(ExecutionOrder, OfHooks) {
  Check(2000, Features("chain,fan_out,hook,devices,calls,several_roots"), oracles::JudgeHooks);
}

}  // namespace
}  // namespace twingrad::properties

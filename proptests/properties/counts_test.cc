// Laws: the dependency counts of each call are those predicted from the Program alone, and those
// recounted from its recorded graph.

#include <cstdint>
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

void CheckCounts(int programs, const generators::GeneratorOptions& options,
                 Verdict (*judge)(const Evidence&)) {
  judge::EngineRun run;
  uint64_t counted = 0;
  ForAllRuns(programs, options, {0}, std::ref(run), [&](const Evidence& evidence) {
    const size_t calls = evidence.expected.observation.calls.size();
    if (evidence.observed.calls.size() != calls) return std::string();
    const Verdict verdict = judge(evidence);
    counted += verdict.compared.counts_predicted + verdict.compared.counts_recounted;
    return TextOf(verdict);
  });
  EXPECT_GT(counted, static_cast<uint64_t>(programs));
}

// Rules: D4.
TEST(Counts, ArePredicted) { CheckCounts(3000, {}, oracles::JudgePredictedCounts); }

// Rules: D5.
TEST(Counts, AreRecounted) { CheckCounts(3000, {}, oracles::JudgeRecount); }

TEST(Counts, OfFansDiamondsAndLadders) {
  const auto options = Features(
      "fan_out,diamond,ladder,shared_subgraph,repeated_operand,several_roots,"
      "unused_input,calls,grad_of_grad");
  CheckCounts(2000, options, oracles::JudgePredictedCounts);
  CheckCounts(2000, options, oracles::JudgeRecount);
}

}  // namespace
}  // namespace twingrad::properties

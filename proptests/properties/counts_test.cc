// Laws: the dependency counts of each call are those predicted from the Program alone, and those
// recounted from its recorded graph.

#include <cstdint>
#include <string>

#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/counts.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using oracles::Evidence;
using oracles::Verdict;
using twingrad::program::Program;
using twingrad::reference::TwinResult;

void CheckCounts(int programs, const generators::GeneratorOptions& options,
                 Verdict (*judge)(const Evidence&)) {
  judge::EngineRun run;
  uint64_t counted = 0;
  ForAll(programs, options, [&](const Program& program) {
    const TwinResult expected = twingrad::reference::RunTwin(program);
    if (expected.skipped) return std::string();
    const auto observed = run(program, 0);
    if (observed.calls.size() != expected.observation.calls.size()) return std::string();
    const Verdict verdict = judge({program, expected, observed, 0});
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

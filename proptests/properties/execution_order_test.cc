// Law: each needed node runs exactly once and after all that deliver to it; with one thread, in the
// twin's order.

#include <string>

#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/counts.h"
#include "proptests/oracles/hooks.h"
#include "proptests/oracles/order.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using oracles::Evidence;
using oracles::Verdict;
using twingrad::program::Program;
using twingrad::reference::TwinResult;

void Check(int programs, const generators::GeneratorOptions& options,
           Verdict (*judge)(const Evidence&)) {
  judge::EngineRun run;
  ForAll(programs, options, [&](const Program& program) {
    const TwinResult expected = twingrad::reference::RunTwin(program);
    if (expected.skipped) return std::string();
    for (int threads : {0, 2}) {
      if (threads != 0 && expected.single_thread_only) continue;
      const auto observed = run(program, threads);
      if (observed.error.has_value() != expected.observation.error.has_value()) continue;
      const std::string wrong = TextOf(judge({program, expected, observed, threads}));
      if (!wrong.empty()) return wrong;
    }
    return std::string();
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

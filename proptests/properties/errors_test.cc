// Laws: a Program ends in a legal error at the statement that the twin names, or in none; and right
// after an error a canary Program is right on the same engine.

#include <string>

#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/judge/canary.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/errors.h"
#include "proptests/oracles/twin.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using twingrad::program::Program;
using twingrad::reference::TwinResult;

TEST(Errors, AreLegalAndLeaveTheEngineUsable) {
  generators::GeneratorOptions options = Features("error,chain,fan_out,view,in_place,devices,hook");
  judge::EngineRun run;
  int errors = 0;
  ForAll(5000, options, [&](const Program& program) {
    const TwinResult expected = twingrad::reference::RunTwin(program);
    if (expected.skipped) return std::string();
    for (int threads : {0, 2}) {
      if (threads != 0 && expected.single_thread_only) continue;
      const auto observed = run(program, threads);
      const oracles::Evidence evidence = {program, expected, observed, threads};
      std::string wrong = TextOf(JudgeErrors(evidence));
      if (wrong.empty()) wrong = TextOf(JudgeValues(evidence));
      if (!wrong.empty()) return wrong;
      if (!observed.error) continue;
      ++errors;
      wrong = TextOf(judge::JudgeCanary(run(judge::CanaryProgram(), threads)));
      if (!wrong.empty()) return wrong;
    }
    return std::string();
  });
  EXPECT_GT(errors, 200);
}

TEST(Errors, OfAllPrograms) {
  judge::EngineRun run;
  ForAll(3000, {}, [&](const Program& program) {
    const TwinResult expected = twingrad::reference::RunTwin(program);
    if (expected.skipped) return std::string();
    const auto observed = run(program, 0);
    return TextOf(oracles::JudgeErrors({program, expected, observed, 0}));
  });
}

}  // namespace
}  // namespace twingrad::properties

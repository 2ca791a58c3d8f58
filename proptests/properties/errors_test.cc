// Laws: a Program ends in a legal error at the statement that the twin names, or in none; and right
// after an error a canary Program is right on the same engine.

#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "proptests/judge/canary.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/oracles.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

TEST(Errors, AreLegalAndLeaveTheEngineUsable) {
  generators::GeneratorOptions options = Features("error,chain,fan_out,view,in_place,devices,hook");
  judge::EngineRun run;
  int errors = 0;
  ForAllRuns(5000, options, {0, 2}, std::ref(run), [&](const oracles::Evidence& evidence) {
    std::string wrong = TextOf(JudgeErrors(evidence));
    if (wrong.empty()) wrong = TextOf(JudgeValues(evidence));
    if (!wrong.empty() || !evidence.observed.error) return wrong;
    ++errors;
    return TextOf(judge::JudgeCanary(run(judge::CanaryProgram(), evidence.device_threads)));
  });
  EXPECT_GT(errors, 200);
}

TEST(Errors, OfAllPrograms) {
  judge::EngineRun run;
  ForAllRuns(3000, {}, {0}, std::ref(run),
             [](const oracles::Evidence& evidence) { return TextOf(JudgeErrors(evidence)); });
}

}  // namespace
}  // namespace twingrad::properties

// Law: values, gradients, versions and flags are the twin's, with one thread and with two device
// threads.

#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/oracles.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

void CheckGradients(int programs, const generators::GeneratorOptions& options) {
  judge::EngineRun run;
  ForAllRuns(programs, options, {0, 2}, std::ref(run), [](const oracles::Evidence& evidence) {
    const bool legal = JudgeErrors(evidence).outcome == oracles::Outcome::kAgree;
    return legal ? TextOf(JudgeValues(evidence)) : std::string();  // else errors_test's
  });
}

TEST(Gradients, OfAllPrograms) { CheckGradients(3000, {}); }

TEST(Gradients, OfViewsAndWrites) {
  CheckGradients(2000, Features("chain,diamond,view,in_place,no_grad,calls,grad_of_grad"));
}

TEST(Gradients, OfLargePrograms) {
  generators::GeneratorOptions options;
  options.statements = 60;
  CheckGradients(200, options);
}

}  // namespace
}  // namespace twingrad::properties

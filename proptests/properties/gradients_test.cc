// Law: values, gradients, versions and flags are the twin's, with one thread and with two device
// threads.

#include <string>

#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/errors.h"
#include "proptests/oracles/twin.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using twingrad::program::Program;
using twingrad::reference::TwinResult;

void CheckGradients(int programs, const generators::GeneratorOptions& options) {
  judge::EngineRun run;
  ForAll(programs, options, [&](const Program& program) {
    const TwinResult expected = twingrad::reference::RunTwin(program);
    if (expected.skipped) return std::string();
    for (int threads : {0, 2}) {
      if (threads != 0 && expected.single_thread_only) continue;
      const auto observed = run(program, threads);
      const oracles::Evidence evidence = {program, expected, observed, threads};
      if (JudgeErrors(evidence).outcome != oracles::Outcome::kAgree) continue;  // errors_test's
      const std::string wrong = TextOf(JudgeValues(evidence));
      if (!wrong.empty()) return wrong;
    }
    return std::string();
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

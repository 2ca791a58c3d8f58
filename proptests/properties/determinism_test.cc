// Law: 1, 2 and 4 device threads and the caller alone, and repeated runs, show the same bits; also
// where sums reveal the order of their terms, and in a second backward through a graph made by
// create_graph.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/oracles.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using twingrad::program::Program;

void CheckDeterminism(int programs, const generators::GeneratorOptions& options, int repeats) {
  judge::EngineRun run;
  ForAll(programs, options, [&](const Program& program) {
    const auto first = run(program, 0);
    for (int threads : {0, 1, 2, 4}) {
      for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto again = run(program, threads);
        // Without device threads there is one legal outcome even after an error.
        const std::string wrong = TextOf(oracles::JudgeDeterminism(
            program, first, again, threads != 0,
            absl::StrCat("no device thread, then ", threads, " (repeat ", repeat, ")")));
        if (!wrong.empty()) return wrong;
      }
    }
    return std::string();
  });
}

TEST(Determinism, OfAllPrograms) { CheckDeterminism(2000, {}, 1); }

TEST(Determinism, OfRepeatedRunsOverDevices) {
  CheckDeterminism(500, Features("fan_out,diamond,devices,calls,grad_of_grad"), 4);
}

// Rules: T1.
TEST(Determinism, OfSumsThatRevealTheirOrder) {
  CheckDeterminism(1000, Features("order,devices,fan_out,calls,grad_of_grad"), 2);
}

}  // namespace
}  // namespace twingrad::properties

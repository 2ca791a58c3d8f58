// Random Programs on the production engine, each under schedules of every strategy: nothing is
// found.
//
// TWINGRAD_INTERLEAVE_PROGRAMS and TWINGRAD_INTERLEAVE_SCHEDULES take more than 20 Programs with
// several threads, and than 20 schedules of each;
// TWINGRAD_INTERLEAVE_SEED begins with another Program. What fails is shrunk in Program and
// schedule and printed as both.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "autograd/program/analyze.h"
#include "autograd/program/print.h"
#include "autograd/program/region.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/engine/program_shrink.h"
#include "proptests/interleave/strategies/strategies.h"

namespace twingrad::interleave {
namespace {

using program::Program;

int64_t FromEnvironment(const char* name, int64_t by_default) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : by_default;
}

std::string ReportOf(const Program& program, const ProgramOptions& options, const ProgramRun& run) {
  const SmallFinding small = ShrinkProgramFinding(program, options, run, {.program_attempts = 300});
  const ScheduleFile file = {.program_hash = program::Hash(small.program),
                             .device_threads = options.device_threads,
                             .strategy = "forced",
                             .detector = small.run.detector,
                             .decisions = small.run.outcome.decisions};
  return run.detector + "\n" + run.failure + "\nshrunk to\n" + program::Print(small.program) +
         small.run.failure + "\n" + std::to_string(small.preemptions) + " preemptions\n" +
         FormatEvents(small.run.outcome, 400) + PrintSchedule(file);
}

TEST(RandomProgramsTest, NothingIsFound) {
  const int64_t programs = FromEnvironment("TWINGRAD_INTERLEAVE_PROGRAMS", 20);
  const int64_t schedules = FromEnvironment("TWINGRAD_INTERLEAVE_SCHEDULES", 20);
  const int64_t first = FromEnvironment("TWINGRAD_INTERLEAVE_SEED", 1);
  LockCoverage locks;
  int64_t runs = 0;
  int64_t explored = 0;
  int64_t skipped = 0;
  int64_t orders = 0;
  for (int64_t seed = first; explored < programs; ++seed) {
    ASSERT_LT(seed, first + 20 * programs) << "too few Programs have several threads";
    const Program program = generators::Generate(static_cast<uint64_t>(seed));
    if (DevicesOf(program) == 0 && !HasSections(program)) continue;
    const ProgramOptions options = {.device_threads = 1 + static_cast<int>(seed % 3),
                                    .locks = &locks};
    ProgramExplorer explorer(program, options);
    if (explorer.skipped().has_value()) {
      ++skipped;
      continue;
    }
    ASSERT_TRUE(explorer.single().ok()) << "Program " << seed << ": " << explorer.single().failure;
    const std::vector<std::unique_ptr<Strategy>> strategies = MakeEachStrategy();
    std::set<uint64_t> seen;
    for (int64_t i = 0; i < schedules; ++i) {
      Strategy& strategy = *strategies[static_cast<size_t>(i) % strategies.size()];
      const ProgramRun run = explorer.Run(strategy, static_cast<uint64_t>(seed * 1000 + i));
      ++runs;
      seen.insert(run.order);
      ASSERT_TRUE(run.ok()) << "Program " << seed << ", schedule " << i << ": "
                            << ReportOf(program, options, run);
    }
    ++explored;
    orders += static_cast<int64_t>(seen.size());
  }
  const LockCoverage::Summary summary = locks.Summarize("autograd/engine/");
  std::printf(
      "%lld schedules, %lld Programs skipped, %lld orders of execution, %lld of %lld "
      "possible pairs of the engine's lock sites\n",
      static_cast<long long>(runs), static_cast<long long>(skipped), static_cast<long long>(orders),
      static_cast<long long>(summary.seen), static_cast<long long>(summary.possible));
  for (const std::string& pair : summary.missing) std::printf("  not seen: %s\n", pair.c_str());
  for (const std::string& site : summary.alone) std::printf("  in no pair: %s\n", site.c_str());
  EXPECT_GT(orders, explored) << "schedules that change nothing";
}

}  // namespace
}  // namespace twingrad::interleave

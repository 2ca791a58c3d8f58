// How many schedules a second one core explores; prints, judges no time. Run by hand:
//
//   tools/bazel test //proptests/interleave:rate --test_output=all
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include "autograd/program/parse.h"
#include "autograd/sync/sync.h"
#include "gtest/gtest.h"
#include "proptests/interleave/explore.h"
#include "proptests/interleave/pct_strategy.h"
#include "proptests/interleave/program_run.h"
#include "proptests/interleave/random_strategy.h"

namespace twingrad::interleave {
namespace {

namespace sync = autograd::sync;

// Processor time: what one core does, also where others use the machine.
class Stopwatch {
 public:
  double Seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  const std::clock_t start_ = std::clock();
};

void Print(const char* what, int64_t schedules, int64_t steps, int64_t decisions, double seconds) {
  const double count = static_cast<double>(schedules);
  std::printf("%-44s %9.0f schedules/s %7.1f M steps/s %6.0f steps %6.0f decisions a schedule\n",
              what, count / seconds, static_cast<double>(steps) / seconds * 1e-6,
              static_cast<double>(steps) / count, static_cast<double>(decisions) / count);
}

TEST(Rate, FourThreadsThatLockIncrementAndUnlockTenTimes) {
  const Stopwatch watch;
  const Report report = Explore({.schedules = 200000}, [] {
    sync::Mutex mutex;
    sync::Cell<int> counter{0};
    std::vector<sync::Thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.push_back(sync::Thread("t", [&] {
        for (int i = 0; i < 10; ++i) {
          sync::MutexLock lock(mutex);
          ++counter.Mutable();
        }
      }));
    }
    for (sync::Thread& thread : threads) thread.Join();
    Check(counter.Read() == 40, "[test] a lost increment");
  });
  ASSERT_TRUE(report.ok()) << report.text;
  Print("4 threads x 10 lock, increment, unlock", report.schedules, report.steps, report.decisions,
        watch.Seconds());
}

// Six nodes: the root, three copies from devices, a product on the first, the accumulator.
constexpr char kSixNodes[] = R"(twingrad 1
%x = leaf type=f64[2] data=3,4 grad=1
%x0 = to %x device=dev:0
%p = mul %x0 %x0
%x1 = to %x device=dev:1
%x2 = to %x device=dev:2
%s = leaf type=f64[2] data=1,1 device=dev:0
%t = leaf type=f64[2] data=1,1 device=dev:1
%u = leaf type=f64[2] data=1,1 device=dev:2
backward %p %x1 %x2 seeds=%s,%t,%u
)";

void RunEngine(const char* what, Strategy& strategy, bool record_calls) {
  const auto program = *autograd::program::Parse(kSixNodes);
  ProgramExplorer explorer(program, {.record_calls = record_calls});
  ASSERT_TRUE(explorer.single().ok()) << explorer.single().failure;
  const int schedules = 30000;
  int64_t steps = 0;
  int64_t decisions = 0;
  const Stopwatch watch;
  for (int seed = 1; seed <= schedules; ++seed) {
    const ProgramRun run = explorer.Run(strategy, static_cast<uint64_t>(seed));
    ASSERT_TRUE(run.ok()) << run.failure;
    steps += run.outcome.steps;
    decisions += static_cast<int64_t>(run.outcome.decisions.size());
  }
  Print(what, schedules, steps, decisions, watch.Seconds());
}

TEST(Rate, TheEngineWithSixNodesAndThreeWorkers) {
  RandomStrategy random;
  RunEngine("engine, 6 nodes, 3 workers, random", random, true);
  RunEngine("engine, the same, values alone judged", random, false);
  PctStrategy pct;
  RunEngine("engine, the same, pct", pct, true);
}

}  // namespace
}  // namespace twingrad::interleave

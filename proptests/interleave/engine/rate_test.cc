// How many schedules a second one core explores; prints, judges no time. Run by hand:
//
//   tools/bazel test //proptests/interleave/engine:rate --test_output=all
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include "autograd/program/parse.h"
#include "autograd/sync/sync.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/explore.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/strategies/pct_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::interleave {
namespace {

// Processor time: what one core does, also where others use the machine.
class Stopwatch {
 public:
  double Seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  const std::clock_t start_ = std::clock();
};

// One of the equal parts of a measurement.
struct Part {
  int64_t schedules = 0;
  int64_t steps = 0;
  int64_t decisions = 0;
  double seconds = 0;
};

constexpr int kParts = 10;

// The best part is what the code takes where the machine leaves it alone.
void Print(const char* what, std::vector<Part> parts) {
  const auto rate = [](const Part& part) {
    return static_cast<double>(part.schedules) / part.seconds;
  };
  std::sort(parts.begin(), parts.end(),
            [&](const Part& a, const Part& b) { return rate(a) < rate(b); });
  const Part& middle = parts[parts.size() / 2];
  const auto count = static_cast<double>(middle.schedules);
  std::printf(
      "%-40s schedules/s of %d parts: median %7.0f, least %7.0f, most %7.0f; in a schedule %.0f "
      "steps, %.0f decisions\n",
      what, kParts, rate(middle), rate(parts.front()), rate(parts.back()),
      static_cast<double>(middle.steps) / count, static_cast<double>(middle.decisions) / count);
}

TEST(Rate, FourThreadsThatLockIncrementAndUnlockTenTimes) {
  const auto lock_and_increment = [] {
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
  };
  std::vector<Part> parts;
  for (uint64_t seed = 1; seed <= kParts; ++seed) {
    const Stopwatch watch;
    const Report report = Explore({.schedules = 20000, .seed = seed}, lock_and_increment);
    ASSERT_TRUE(report.ok()) << report.text;
    parts.push_back({report.schedules, report.steps, report.decisions, watch.Seconds()});
  }
  Print("4 threads x 10 lock, increment, unlock", parts);
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

// The same with two streams on the first device: all kernels of the three are queued.
constexpr char kStreams[] = R"(twingrad 1
%x = leaf type=f64[2] data=3,4 grad=1
%x0 = to %x device=dev:0
stream id=s device=dev:0 waits=1
%p = mul %x0 %x0
%x1 = to %x device=dev:1
%x2 = to %x device=dev:2
%s = leaf type=f64[2] data=1,1 device=dev:0
%t = leaf type=f64[2] data=1,1 device=dev:1
%u = leaf type=f64[2] data=1,1 device=dev:2
backward %p %x1 %x2 seeds=%s,%t,%u
)";

void RunEngine(const char* what, Strategy& strategy, bool record_calls,
               const char* text = kSixNodes) {
  const auto program = *program::Parse(text);
  ProgramExplorer explorer(program, {.record_calls = record_calls});
  ASSERT_TRUE(explorer.single().ok()) << explorer.single().failure;
  std::vector<Part> parts;
  uint64_t seed = 0;
  for (int k = 0; k < kParts; ++k) {
    Part part{.schedules = 3000};
    const Stopwatch watch;
    for (int64_t i = 0; i < part.schedules; ++i) {
      const ProgramRun run = explorer.Run(strategy, ++seed);
      ASSERT_TRUE(run.ok()) << run.failure;
      part.steps += run.outcome.steps;
      part.decisions += static_cast<int64_t>(run.outcome.decisions.size());
    }
    part.seconds = watch.Seconds();
    parts.push_back(part);
  }
  Print(what, parts);
}

TEST(Rate, TheEngineWithSixNodesAndThreeWorkers) {
  RandomStrategy random;
  RunEngine("engine, 6 nodes, 3 workers, random", random, true);
  RunEngine("engine, the same, values alone judged", random, false);
  PctStrategy pct;
  RunEngine("engine, the same, pct", pct, true);
  RunEngine("engine, the same, streams, random", random, true, kStreams);
  RunEngine("engine, the same, streams, pct", pct, true, kStreams);
}

}  // namespace
}  // namespace twingrad::interleave

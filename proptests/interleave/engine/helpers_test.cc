// Helpers for CPU nodes under the checker: bits, errors, a second caller, a stop beside the call.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/engine/worker.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/sync.h"
#include "gtest/gtest.h"
#include "proptests/interleave/engine/test_calls.h"

namespace twingrad::interleave {
namespace {

constexpr uint64_t kHelpersSeed = 20261124;

EngineOptions Helpers(int count) {
  return {.cpu_threads = 1 + count, .share_after = sync::Duration::zero()};
}

// 1e8 x + 0.1 x + sin x + x^2, whose derivative depends on the order of its terms.
struct Fan {
  Tensor x = MakeLeaf(0.7);
  std::vector<Tensor> terms = {ops::Mul(x, Tensor::Scalar(1e8)), ops::Mul(x, Tensor::Scalar(0.1)),
                               ops::Sin(x), ops::Mul(x, x)};
  Tensor y = ops::Add(ops::Add(terms[0], terms[1]), ops::Add(terms[2], terms[3]));
};

double Derivative(Engine* engine, const Fan& fan) {
  const GradOptions options = {.retain_graph = true, .engine = engine};
  return Grad({fan.y}, {fan.x}, {}, options)[0].item<double>();
}

TEST(HelpersInterleavingTest, TheSameBitsUnderEverySchedule) {
  double expected = 0;
  bool helped = false;
  {
    const Fan fan;
    expected = Derivative(nullptr, fan);
  }
  for (const int helpers : {1, 2}) {
    ExpectSound(1500, kHelpersSeed, [&, helpers] {
      Engine engine(Helpers(helpers));
      const Fan fan;
      for (const Tensor& term : fan.terms) {
        RegisterHook(term,
                     [&](const Tensor&) { helped |= WorkerGroup::NumberOfThisThread() >= 0; });
      }
      Check(Derivative(&engine, fan) == expected, "[test] the bits depend on the schedule");
    });
  }
  EXPECT_TRUE(helped);
}

TEST(HelpersInterleavingTest, TwoCallersShareThem) {
  ExpectSound(600, kHelpersSeed, [] {
    Engine engine(Helpers(1));
    const Fan fan;
    double results[2] = {};
    {
      sync::Thread other("other", [&] { results[1] = Derivative(&engine, fan); });
      results[0] = Derivative(&engine, fan);
      other.Join();
    }
    Check(results[0] == results[1] && results[0] > 1e8, "[test] the callers disagree");
  });
}

TEST(HelpersInterleavingTest, AnErrorLeavesNothingBehind) {
  ExpectSound(1000, kHelpersSeed, [] {
    Engine engine(Helpers(2));
    const Fan fan;
    for (const size_t failing : {0, 2}) {
      RegisterHook(fan.terms[failing], [](const Tensor&) { throw std::runtime_error("thrown"); });
    }
    bool threw = false;
    try {
      Backward({fan.y}, {}, {.engine = &engine});
    } catch (const std::runtime_error&) {
      threw = true;
    }
    Check(threw && !GradOf(fan.x).defined(), "[test] the error or .grad is wrong");
    const Fan other;
    Check(Derivative(&engine, other) > 1e8, "[test] the engine is not usable");
  });
}

TEST(HelpersInterleavingTest, AStopBesideTheCall) {
  ExpectSound(800, kHelpersSeed, [] {
    Engine engine(Helpers(1));
    const Fan fan;
    sync::Thread stopper("stopper", [&] { engine.Stop(); });
    Check(Derivative(&engine, fan) > 1e8, "[test] the call is wrong");
    stopper.Join();
    Check(Derivative(&engine, fan) > 1e8, "[test] a later call is wrong");
  });
}

}  // namespace
}  // namespace twingrad::interleave

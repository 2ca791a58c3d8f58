// Asynchronous calls and calls on other stacks under the checker: two that meet at one leaf,
// errors, continuations that call the engine, a stop beside them.
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "autograd/engine/call_threads.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/sync.h"
#include "gtest/gtest.h"
#include "proptests/interleave/engine/test_calls.h"

namespace twingrad::interleave {
namespace {

constexpr uint64_t kAsyncSeed = 20261123;

double GradValue(const Tensor& leaf) { return GradOf(leaf).item<double>(); }

// Rules: F10.
TEST(AsyncInterleavingTest, TwoCallsMeetAtOneLeaf) {
  for (const int device_threads : {0, 1}) {
    ExpectSound(300, kAsyncSeed, [device_threads] {
      const Tensor x = MakeLeaf(3);
      const Tensor there = ops::To(x, Device::Sim(0));
      const Tensor y = ops::Mul(there, there);
      Engine engine({.device_threads = device_threads});
      const BackwardOptions keep = {.retain_graph = true, .engine = &engine};
      const CallFuture first = BackwardAsync({y}, {}, keep);
      const CallFuture second = BackwardAsync({y}, {}, keep);
      first.Get();
      second.Get();
      Check(GradValue(x) == 12, "[test] .grad is not the sum of both calls");
    });
  }
}

// Rules: F10.
TEST(AsyncInterleavingTest, ContinuationsSeeTheEndOfTheCallAndMayCallTheEngine) {
  ExpectSound(400, kAsyncSeed, [] {
    const Tensor x = MakeLeaf(3);
    const Tensor y = ops::Mul(x, x);
    Engine engine;
    const BackwardOptions keep = {.retain_graph = true, .engine = &engine};
    std::string log;
    const CallFuture call = BackwardAsync({y}, {}, keep);
    const CallFuture next = call.Then([&](const CallFuture& done) {
      Check(done.IsReady(), "[test] the call is not over");
      log += "a";
      Check(GradValue(x) == 6, "[test] .grad is not there");
      return Grad({y}, {x}, {}, {.retain_graph = true, .engine = &engine});
    });
    Check(next.Get()[0].item<double>() == 6, "[test] the continuation's result is lost");
    log += "b";
    Check(log == "ab", "[test] a waiter went on before the continuation");
  });
}

// Rules: F10.
TEST(AsyncInterleavingTest, AnErrorReachesWaiterAndContinuation) {
  ExpectSound(400, kAsyncSeed, [] {
    const Tensor x = MakeLeaf(3);
    const Tensor y = ops::Mul(x, x);
    RegisterHook(y, [](const Tensor&) -> Tensor { throw std::runtime_error("planned"); });
    Engine engine;
    const CallFuture call = BackwardAsync({y}, {}, {.engine = &engine});
    const CallFuture next = call.Then([](const CallFuture& done) { return done.Get(); });
    for (const CallFuture& future : {call, next}) {
      bool threw = false;
      try {
        future.Get();
      } catch (const std::runtime_error&) {
        threw = true;
      }
      Check(threw, "[test] the error is lost");
    }
    Check(!GradOf(x).defined(), "[test] a gradient below the error");
  });
}

// The destructor waits for calls whose futures are gone.
// Rules: E15, F10.
TEST(AsyncInterleavingTest, StopAndDestructorBesideCalls) {
  ExpectSound(400, kAsyncSeed, [] {
    const Tensor x = MakeLeaf(3);
    const Tensor y = ops::Mul(x, x);
    const BackwardOptions keep = {.retain_graph = true};
    {
      Engine engine;
      BackwardOptions with = keep;
      with.engine = &engine;
      BackwardAsync({y}, {}, with);
      BackwardAsync({y}, {}, with).Then([&](const CallFuture& done) {
        Backward({y}, {}, with);
        return done.Get();
      });
      sync::Thread stopper("stopper", [&] { engine.Stop(); });
      Backward({y}, {}, with);
      stopper.Join();
    }
    Check(GradValue(x) == 24, "[test] a call was lost");
  });
}

// Rules: E11.
TEST(AsyncInterleavingTest, StacksAreHandedFromCallToCall) {
  ExpectSound(400, kAsyncSeed, [] {
    CallThreads threads;
    int runs = 0;
    sync::Mutex mutex{"test"};
    const auto twice = [&] {
      for (int i = 0; i < 2; ++i) {
        threads.RunAndWait([&] {
          sync::MutexLock lock(mutex);
          ++runs;
        });
      }
    };
    sync::Thread other("other", twice);
    twice();
    other.Join();
    Check(threads.Count() <= 2, "[test] more threads than calls at a time");
    Check(threads.Stop(std::nullopt), "[test] not stopped");
    Check(runs == 4, "[test] a call was lost");
  });
}

}  // namespace
}  // namespace twingrad::interleave

// Several callers of one engine at once: shared graphs, nested calls, errors, shutdown.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/sync.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/lock_coverage.h"
#include "proptests/interleave/engine/test_calls.h"

namespace twingrad::interleave {
namespace {

// Fed by all schedules of all tests.
LockCoverage& Locks() {
  static auto& locks = *new LockCoverage;
  return locks;
}

// Says at the end which of the engine's lock sites met, and which never did.
class CallersInterleavingTest : public testing::Test {
 protected:
  static void TearDownTestSuite() {
    const LockCoverage::Summary summary = Locks().Summarize("autograd/");
    std::printf(
        "%lld of %lld possible pairs of the engine's lock sites, %zu of %lld sites in no pair\n",
        static_cast<long long>(summary.seen), static_cast<long long>(summary.possible),
        summary.alone.size(), static_cast<long long>(summary.sites));
    for (const std::string& pair : summary.missing) std::printf("  not seen: %s\n", pair.c_str());
    for (const std::string& site : summary.alone) std::printf("  in no pair: %s\n", site.c_str());
    const testing::UnitTest& run = *testing::UnitTest::GetInstance();
    if (run.test_to_run_count() < run.total_test_count()) return;
    // Two calls meet at one leaf, a stop and a call, two that build over one leaf or one view.
    for (const char* file : {"autograd/graph/grad_slot.cc", "autograd/engine/worker.cc",
                             "autograd/graph/variable.cc", "autograd/graph/view.cc"}) {
      EXPECT_GT(Locks().Summarize(file).seen, 0) << "no two callers met in " << file;
    }
  }
};

void ExpectSoundCalls(int schedules, const std::function<void()>& body) {
  interleave::ExpectSound(schedules, 20240603, body, &Locks());
}

BackwardOptions With(Engine& engine, bool retain = true) {
  return {.retain_graph = retain, .engine = &engine};
}

double ValueOf(const Tensor& tensor) { return tensor.item<double>(); }

// x^2 on each of two devices; d/dx of their sum is 4x.
struct SharedGraph {
  Tensor x = MakeLeaf(3);
  std::vector<Tensor> lanes;
  SharedGraph() {
    for (uint8_t d = 0; d < 2; ++d) {
      const Tensor lane = ops::To(x, Device::Sim(d));
      lanes.push_back(ops::Mul(lane, lane));
    }
  }
};

// Runs `body(caller)` for two callers: this thread and another.
template <class Body>
void OnTwoCallers(const Body& body) {
  sync::Thread other("caller", [&] { body(1); });
  body(0);
  other.Join();
}

// Rules: T6.
TEST_F(CallersInterleavingTest, TwoOverOneGraphAddUp) {
  ExpectSoundCalls(400, [] {
    Engine engine({.device_threads = 2});
    SharedGraph shared;
    OnTwoCallers([&](int) { Backward(shared.lanes, {}, With(engine)); });
    Check(ValueOf(GradOf(shared.x)) == 24, "[test] .grad is not the sum of both calls");
  });
}

// Without devices who keeps the graph reads what is saved without a lock.
// Rules: T6.
TEST_F(CallersInterleavingTest, TwoThatKeepAGraphReadWhatItSaved) {
  ExpectSoundCalls(500, [] {
    Engine engine;
    const Tensor x = MakeLeaf(3);
    const Tensor y = ops::Mul(ops::Exp(x), x);
    OnTwoCallers([&](int) { Backward({y}, {}, With(engine)); });
    Backward({y}, {}, With(engine, /*retain=*/false));
    Check(std::abs(ValueOf(GradOf(x)) - 12 * std::exp(3.0)) < 1e-9, "[test] not the sum of all");
  });
}

// Rules: K5.
TEST_F(CallersInterleavingTest, OneMayReleaseWhatAnotherReads) {
  ExpectSoundCalls(1500, [] {
    Engine engine;
    const Tensor x = MakeLeaf(3);
    const Tensor y = ops::Mul(ops::Exp(x), x);
    sync::Cell<bool> is_late{false};
    OnTwoCallers([&](int caller) {
      try {
        Backward({y}, {}, With(engine, /*retain=*/caller == 1));
      } catch (const Error& error) {
        Check(error.kind() == ErrorKind::kFreed && caller == 1, "[test] only who keeps is late");
        is_late.Write(true);
      }
    });
    const double whole = (is_late.Read() ? 1 : 2) * 4 * std::exp(3.0);
    Check(ValueOf(GradOf(x)) >= whole - 1e-9, "[test] a gradient is lost");
  });
}

// An optimizer that steps in backward: a hook takes .grad and empties it.
// Rules: H9, J2.
TEST_F(CallersInterleavingTest, StepsInHooksLoseNothingAndTakeNothingTwice) {
  ExpectSoundCalls(1000, [] {
    Engine engine;
    const Tensor x = MakeLeaf(3);
    const Tensor y = ops::Mul(x, x);
    sync::Cell<double> stepped{0};
    RegisterPostAccumulateGradHook(x, [&](const Tensor& grad) {
      stepped.Mutable() += ValueOf(grad);
      SetGrad(x, Tensor());
    });
    OnTwoCallers([&](int) { Backward({y}, {}, With(engine)); });
    Check(stepped.Read() == 12, "[test] the steps are not the sum of both calls");
    Check(!GradOf(x).defined(), "[test] a gradient is left");
  });
}

// The hook of each of two leaves runs backward into the other.
// Rules: J2.
TEST_F(CallersInterleavingTest, HooksThatRunIntoEachOthersLeavesEnd) {
  ExpectSoundCalls(1000, [] {
    Engine engine;
    const Tensor x = MakeLeaf(3), w = MakeLeaf(5);
    int calls[2] = {};  // by caller, so that each nests once
    const auto into = [&](const Tensor& other, int caller) {
      return [&, other, caller](const Tensor&) {
        if (calls[caller]++ == 0) Backward({other}, {}, With(engine));
      };
    };
    const ScopedHook of_x(RegisterPostAccumulateGradHook(x, into(w, 0)));
    const ScopedHook of_w(RegisterPostAccumulateGradHook(w, into(x, 1)));
    OnTwoCallers([&](int caller) { Backward({caller == 0 ? x : w}, {}, With(engine)); });
    // Each leaf once by its caller and once by the other's hook.
    Check(ValueOf(GradOf(x)) == 2 && ValueOf(GradOf(w)) == 2, "[test] a gradient is lost");
    Check(calls[0] == 2 && calls[1] == 2, "[test] hooks did not run once a gradient");
  });
}

// Rules: E7, E17, F2.
TEST_F(CallersInterleavingTest, TwoOverOneGraphOnTheirOwnThreads) {
  ExpectSoundCalls(1000, [] {
    Engine engine;
    const Tensor x = MakeLeaf(3);
    const Tensor y = ops::Mul(x, x);
    const Tensor z = ops::Add(y, ops::Mul(y, x));
    OnTwoCallers([&](int) { Backward({z}, {}, With(engine)); });
    Check(ValueOf(GradOf(x)) == 66, "[test] .grad is not the sum of both calls");
  });
}

// Rules: L5.
TEST_F(CallersInterleavingTest, BothBuildOverOneLeafAndOneView) {
  ExpectSoundCalls(1000, [] {
    Engine engine;
    const Tensor x = MakeLeaf(3);
    const Tensor w = MakeLeaf(2);  // who comes first makes its accumulator
    Tensor base = ops::Neg(x);
    const Tensor view = ops::View(base, {1});
    ops::NegInPlace(base);  // who comes first makes the view's node anew
    OnTwoCallers([&](int) { Backward({ops::Mul(view, w)}, {}, With(engine)); });
    Check(ValueOf(GradOf(x)) == 4 && ValueOf(GradOf(w)) == 6,
          "[test] .grad is not the sum of both");
  });
}

// Rules: K5.
TEST_F(CallersInterleavingTest, OneAtMostReleasesAGraph) {
  int seen[3] = {};
  ExpectSoundCalls(600, [&] {
    Engine engine({.device_threads = 2});
    SharedGraph shared;
    int successes[2] = {};
    OnTwoCallers([&](int caller) {
      try {
        Backward(shared.lanes, {}, With(engine, /*retain=*/false));
        successes[caller] = 1;
      } catch (const Error& error) {
        Check(error.kind() == ErrorKind::kFreed, error.what());
      }
    });
    const int count = successes[0] + successes[1];
    Check(count <= 1, "[test] both released the graph");
    if (count == 1) Check(GradOf(shared.x).defined(), "[test] a success without gradient");
    ++seen[count];
  });
  EXPECT_GT(seen[1], 0);
}

// Rules: E9.
TEST_F(CallersInterleavingTest, NestedCallsOverTheNodesOfTheirParents) {
  ExpectSoundCalls(250, [] {
    Engine engine({.device_threads = 2});
    SharedGraph shared;
    std::vector<Tensor> roots;
    for (int d = 0; d < 2; ++d) {
      const Tensor top = ops::Neg(shared.lanes[static_cast<size_t>(d)]);
      // The hook of one device runs the other device's lane while that may be at work.
      RegisterHook(top, [&, d](const Tensor& gradient) {
        const auto inner = Grad({shared.lanes[static_cast<size_t>(1 - d)]}, {shared.x}, {},
                                {.retain_graph = true, .engine = &engine});
        Check(ValueOf(inner[0]) == 6, "[test] a nested call got another gradient");
        return gradient;
      });
      roots.push_back(top);
    }
    Backward(roots, {}, With(engine));
    Check(ValueOf(GradOf(shared.x)) == -12, "[test] the outer call got another gradient");
  });
}

// Rules: F6.
TEST_F(CallersInterleavingTest, AnErrorOfOneLeavesTheOtherAloneAndFreezesItsOwn) {
  bool had[2] = {};
  ExpectSoundCalls(400, [&] {
    Engine engine({.device_threads = 2});
    SharedGraph shared;
    OnTwoCallers([&](int caller) {
      const Tensor leaf = MakeLeaf(2, Device::Sim(1));
      const Tensor y = ops::Mul(leaf, leaf);
      const Tensor top = ops::Neg(shared.lanes[0]);
      if (caller == 1) {
        RegisterHook(top, [](const Tensor&) -> Tensor { throw std::runtime_error("planned"); });
      }
      bool failed = false;
      try {
        Backward({y, top, shared.lanes[1]}, {}, With(engine));
      } catch (const std::runtime_error&) {
        failed = true;
      }
      Check(failed == (caller == 1), "[test] another's error");
      const bool defined = GradOf(leaf).defined();
      if (!failed) Check(defined && ValueOf(GradOf(leaf)) == 4, "[test] no gradient");
      for (int i = 0; i < 5; ++i) sync::Thread::Yield();
      Check(GradOf(leaf).defined() == defined,
            "[test] .grad was written after the call had thrown");
      if (failed) had[defined ? 1 : 0] = true;
    });
  });
  EXPECT_TRUE(had[0] && had[1]) << "both are possible";
}

// Rules: E15.
TEST_F(CallersInterleavingTest, StopWhileCallersRun) {
  ExpectSoundCalls(400, [] {
    Engine engine({.device_threads = 2});
    OnTwoCallers([&](int caller) {
      if (caller == 1) engine.Stop();
      const Tensor x = MakeLeaf(2);
      const Tensor lane = ops::To(x, Device::Sim(static_cast<uint8_t>(caller)));
      Backward({ops::Mul(lane, lane)}, {}, With(engine));
      Check(ValueOf(GradOf(x)) == 4, "[test] another gradient");
    });
  });
}

// Rules: F3, G4.
TEST_F(CallersInterleavingTest, CallbacksOfEachRunOnItsCaller) {
  ExpectSoundCalls(300, [] {
    Engine engine({.device_threads = 2});
    SharedGraph shared;
    OnTwoCallers([&](int) {
      int ran = 0;
      const Tensor top = ops::Neg(shared.lanes[0]);
      RegisterHook(top, [&](const Tensor& gradient) {
        Engine::QueueCallback([&ran] { ++ran; });
        return gradient;
      });
      Backward({top, shared.lanes[1]}, {}, With(engine));
      Check(ran == 1, "[test] a callback did not run once before its call returned");
    });
  });
}

}  // namespace
}  // namespace twingrad::interleave

// Calls under the switch for single threads, with and without workers.

#include "autograd/engine/multithreading.h"

#include <functional>

#include <gtest/gtest.h>

#include "autograd/engine/engine.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {
namespace {

// The parameter is the number of device threads.
class MultithreadingTest : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Threads, MultithreadingTest, testing::Values(0, 2));

// An address that differs from thread to thread.
ThreadState& StateOfThisThread() { return CurrentThread(); }

// Rules: E14.
TEST_P(MultithreadingTest, WhereTheSwitchIsOffAllRunsOnTheCaller) {
  Engine engine({.device_threads = GetParam()});
  const auto runs_here = [&] {
    bool here = false;
    const auto note = [&, caller = &StateOfThisThread()](const VariableList&) {
      here = caller == &StateOfThisThread();
    };
    NodePtr node = MakeEnd(note, On(Device::Sim(0)));
    engine.Execute({Edge(node, 0)}, {On(Device::Sim(0), 1)}, false, false, true);
    return here;
  };
  EXPECT_EQ(runs_here(), GetParam() == 0);
  {
    MultithreadingGuard alone(false);
    EXPECT_FALSE(MultithreadingIsEnabled());
    EXPECT_TRUE(runs_here());
    // Nested, and on another stack.
    int depth = 0;
    std::function<void()> dive = [&] {
      EXPECT_FALSE(MultithreadingIsEnabled());
      if (++depth == 70) return;
      NodePtr node = MakeEnd([&](const VariableList&) { dive(); });
      engine.Execute({Edge(node, 0)}, {Tensor::Scalar(1)}, false, false, true);
    };
    dive();
    {
      MultithreadingGuard again(true);
      EXPECT_EQ(runs_here(), GetParam() == 0);
    }
  }
  EXPECT_TRUE(MultithreadingIsEnabled());
  EXPECT_EQ(runs_here(), GetParam() == 0);
}

}  // namespace
}  // namespace twingrad

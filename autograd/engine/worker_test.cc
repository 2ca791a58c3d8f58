// Start, use and stop of workers.

#include "autograd/engine/worker.h"

#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "autograd/sync/atomic.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

class Counter final : public QueuedWork {
 public:
  void RunNode(uint32_t index) override {
    workers.FetchAdd(1u << (8 * WorkerGroup::NumberOfThisThread()), sync::kAcqRel);
    sum.FetchAdd(index, sync::kAcqRel);
  }
  sync::Atomic<uint32_t> sum{0};
  sync::Atomic<uint32_t> workers{0};  // how often each came, by byte
};

// Rules: E4.
TEST(WorkerGroupTest, WorkersRunWhatIsQueuedForTheirDevices) {
  WorkerGroup workers(2, 0);
  auto counter = sync::MakeIntrusive<Counter>();
  ASSERT_TRUE(workers.Enter());
  for (uint8_t device = 0; device < 4; ++device) {
    workers.QueueOf(Device::Sim(device)).Push({counter, 1u << device, 0});
  }
  EXPECT_EQ(&workers.QueueOf(Device::Sim(1)), &workers.QueueOf(Device::Sim(3)));
  while (counter->sum.Load(sync::kAcquire) != 15) sync::Thread::Yield();
  EXPECT_EQ(counter->workers.Load(sync::kAcquire), 0x0202u);
  EXPECT_EQ(WorkerGroup::NumberOfThisThread(), -1);
  workers.Leave();
  workers.Stop();
}

// Rules: E15.
TEST(WorkerGroupTest, StopWaitsForRunsAndIsFinal) {
  WorkerGroup workers(1, 0);
  ASSERT_TRUE(workers.Enter());
  sync::Atomic<bool> stopped{false};
  sync::Thread stopper("stop", [&] {
    workers.Stop();
    stopped.Store(true, sync::kRelease);
  });
  EXPECT_FALSE(stopped.Load(sync::kAcquire));
  workers.Leave();
  workers.Stop();  // by two threads at once
  stopper.Join();
  EXPECT_TRUE(stopped.Load(sync::kAcquire));
  EXPECT_FALSE(workers.Enter());
}

// Rules: E5.
TEST(WorkerGroupTest, AGroupThatWasNeverUsedStops) {
  WorkerGroup workers(3, 0);
  workers.Stop();
}

}  // namespace
}  // namespace twingrad

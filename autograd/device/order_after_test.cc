#include "autograd/device/order_after.h"

#include <memory>

#include "autograd/device/device_registry.h"
#include "autograd/device/sim_device.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

// Of the simulated accelerator of this process.
class OrderAfterTest : public testing::Test {
 protected:
  // Whether a write on `later`, after one on `earlier`, is reported.
  bool Conflicts(Stream earlier, Stream later) {
    void* const data = sim_.Allocate(8, earlier);
    sim_.NoteAccess(data, 8, /*is_write=*/true, earlier);
    OrderAfter(ordered_, earlier);
    sim_.NoteAccess(data, 8, /*is_write=*/true, later);
    const bool conflicts = !sim_.TakeReports().empty();
    sim_.SynchronizeDevice(0);
    sim_.SynchronizeDevice(1);
    sim_.Deallocate(data);
    return conflicts;
  }

  SimDevice& sim_ = static_cast<SimDevice&>(GetDeviceInterface(Device::Sim(0)));
  const Stream a_ = sim_.CreateStream(0);
  const Stream b_ = sim_.CreateStream(0);
  const Stream other_device_ = sim_.CreateStream(1);
  Stream ordered_ = b_;
};

TEST_F(OrderAfterTest, OneStreamWaitsForAnother) {
  EXPECT_FALSE(Conflicts(a_, b_));
  EXPECT_TRUE(Conflicts(a_, other_device_)) << "only b has waited";
  ordered_ = other_device_;
  EXPECT_FALSE(Conflicts(a_, other_device_));
  ordered_ = a_;
  EXPECT_FALSE(Conflicts(a_, a_));
}

TEST_F(OrderAfterTest, WhereTheCpuIsToWaitTheHostDoes) {
  ordered_ = Stream{Device::Cpu()};
  EXPECT_FALSE(Conflicts(a_, other_device_)) << "the host knows, and so does all that it queues";
}

}  // namespace
}  // namespace twingrad

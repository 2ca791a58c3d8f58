#include "autograd/device/stream.h"

#include "autograd/sync/thread.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

constexpr Stream kDefault{Device::Sim(1), 0};
constexpr Stream kSecond{Device::Sim(1), 2};

TEST(StreamTest, TheDefaultStreamIsCurrentUntilAnotherIsSet) {
  EXPECT_EQ(CurrentStream(Device::Sim(1)), kDefault);
  {
    StreamGuard guard(kSecond);
    EXPECT_EQ(CurrentStream(Device::Sim(1)), kSecond);
    EXPECT_EQ(CurrentStream(Device::Sim(2)), Stream{Device::Sim(2)});
    EXPECT_EQ(CurrentStream(Device::Cpu()), Stream{Device::Cpu()});
    {
      StreamGuard inner(kDefault);
      EXPECT_EQ(CurrentStream(Device::Sim(1)), kDefault);
    }
    EXPECT_EQ(CurrentStream(Device::Sim(1)), kSecond);
  }
  EXPECT_EQ(CurrentStream(Device::Sim(1)), kDefault);
}

TEST(StreamTest, EachThreadHasItsOwn) {
  StreamGuard guard(kSecond);
  sync::Thread("other", [] { EXPECT_EQ(CurrentStream(Device::Sim(1)), kDefault); }).Join();
}

TEST(StreamTest, PrintsDeviceAndNumber) { EXPECT_EQ(kSecond.ToString(), "sim:1 stream 2"); }

}  // namespace
}  // namespace twingrad

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

TEST(StreamTest, AGuardSetsTheCurrentStreamsOfAllDevices) {
  SetCurrentStream({Device::Sim(1), 4});
  {
    const StreamsGuard guard({{Device::Sim(0), 3}});
    EXPECT_EQ(CurrentStream(Device::Sim(0)), (Stream{Device::Sim(0), 3}));
    EXPECT_EQ(CurrentStream(Device::Sim(1)), Stream{Device::Sim(1)});
  }
  EXPECT_EQ(CurrentStream(Device::Sim(0)), Stream{Device::Sim(0)});
  EXPECT_EQ(CurrentStream(Device::Sim(1)), (Stream{Device::Sim(1), 4}));
  SetCurrentStreams({});
}

TEST(StreamTest, WorkIsThatOfTheCurrentStreamOrOfAGuard) {
  const Stream copying{Device::Sim(0), 5};
  {
    const WorkStreamGuard guard(copying);
    EXPECT_EQ(WorkStream(Device::Sim(1)), copying);
    EXPECT_EQ(WorkStream(Device::Cuda(1)), Stream{Device::Cuda(1)}) << "of another type";
  }
  EXPECT_EQ(WorkStream(Device::Sim(1)), Stream{Device::Sim(1)});
  EXPECT_EQ(CurrentWorkLabel(), "work");
  {
    const WorkLabelGuard label("copy", 7);
    EXPECT_EQ(CurrentWorkLabel(), "copy");
    const WorkLabelGuard part("part");
    EXPECT_EQ(CurrentWorkLabel(), "part");
    EXPECT_EQ(CurrentWorkStatement(), 7) << "the part is the same statement's";
  }
  EXPECT_EQ(CurrentWorkLabel(), "work");
  EXPECT_EQ(CurrentWorkStatement(), kNoStatement);
}

}  // namespace
}  // namespace twingrad

#include "autograd/device/sim_device.h"

#include <memory>
#include <string>
#include <vector>

#include "autograd/base/error.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

class SimDeviceTest : public testing::Test {
 protected:
  double* New(Stream stream) { return static_cast<double*>(sim_.Allocate(sizeof(double), stream)); }
  void Fill(Stream stream, double* to, double value) {
    sim_.Launch(stream, {{to, sizeof(double), true}}, "fill", [=] { *to = value; });
  }
  void AddInto(Stream stream, double* to, const double* from) {
    sim_.Launch(stream, {{from, sizeof(double), false}, {to, sizeof(double), true}}, "add",
                [=] { *to += *from; });
  }
  double Read(Stream stream, const double* from) {
    double result = 0;
    sim_.CopyToHost(&result, from, sizeof(double), stream);
    return result;
  }
  // A block of a_ that work queued on b_ reads: a fill, then an addition.
  double* ReadByOtherStream() {
    double* const x = New(a_);
    double* const y = New(b_);
    Fill(b_, y, 0);
    Fill(a_, x, 1);
    sim_.Synchronize(a_);
    AddInto(b_, y, x);
    return x;
  }

  SimDevice sim_;
  const Stream a_ = sim_.CreateStream(0);
  const Stream b_ = sim_.CreateStream(0);
};

TEST_F(SimDeviceTest, WorkRunsLaterAndInOrderOfItsStream) {
  double* const x = New(a_);
  *x = -1;
  Fill(a_, x, 1);
  AddInto(a_, x, x);
  EXPECT_EQ(*x, -1) << "nothing runs before it must";
  EXPECT_TRUE(sim_.RunOne(a_));
  EXPECT_EQ(*x, 1);
  EXPECT_EQ(Read(a_, x), 2);
  EXPECT_FALSE(sim_.RunOne(a_));
  EXPECT_TRUE(sim_.TakeReports().empty());
}

TEST_F(SimDeviceTest, WhoWatchesSeesWhatWillBeAndChangesNothing) {
  double* const x = New(a_);
  double* const y = New(b_);
  *x = *y = -1;
  Fill(a_, x, 1);
  const std::unique_ptr<Event> filled = sim_.CreateEvent(0);
  filled->Record(a_);
  filled->MakeWait(b_);
  Fill(b_, y, 2);
  AddInto(b_, y, x);
  double seen = 0;
  sim_.Watch(&seen, y, sizeof(seen), a_.device);
  EXPECT_EQ(seen, 3);
  AddInto(b_, y, x);
  sim_.Watch(&seen, y, sizeof(seen), a_.device);
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(sim_.RunnableStreams(), std::vector<Stream>{a_});
  EXPECT_TRUE(sim_.RunOne(a_));
  EXPECT_EQ(*x, 1);
  EXPECT_EQ(*y, -1);
  // Nor does the host know now that the work has run.
  sim_.AccessFromHost({x, sizeof(double), false}, "the test");
  EXPECT_EQ(sim_.TakeReports().size(), 1u);
  EXPECT_EQ(Read(b_, y), 4);
}

TEST_F(SimDeviceTest, MayBeOfTheTypeWhoseTensorsWorkLater) {
  SimDevice late(DeviceType::kLate);
  EXPECT_EQ(late.type(), DeviceType::kLate);
  EXPECT_EQ(late.CreateStream(1).device, Device::Late(1));
  EXPECT_THROW(late.Synchronize(a_), Error);
}

TEST_F(SimDeviceTest, AMissingEventIsReportedAndSeenInSomeOrder) {
  std::vector<double> results;
  for (const Stream first : {a_, b_}) {
    double* const x = New(a_);
    double* const y = New(b_);
    Fill(a_, x, 0);
    Fill(b_, y, 0);
    sim_.SynchronizeDevice(0);
    Fill(a_, x, 1);
    AddInto(b_, y, x);
    const std::vector<std::string> reports = sim_.TakeReports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_NE(reports[0].find("read by add on sim:0 stream"), std::string::npos) << reports[0];
    EXPECT_NE(reports[0].find("write by fill on sim:0 stream"), std::string::npos) << reports[0];
    sim_.RunOne(first);
    results.push_back(Read(b_, y));
    sim_.Synchronize(a_);
  }
  EXPECT_EQ(results, (std::vector<double>{1, 0}));
}

TEST_F(SimDeviceTest, AnEventOrders) {
  double* const x = New(a_);
  double* const y = New(b_);
  Fill(a_, x, 1);
  Fill(b_, y, 5);
  const std::unique_ptr<Event> event = sim_.CreateEvent(0);
  EXPECT_TRUE(event->IsReached()) << "nothing recorded yet";
  event->Record(a_);
  event->MakeWait(b_);
  AddInto(b_, y, x);
  EXPECT_TRUE(sim_.RunOne(b_));
  EXPECT_FALSE(sim_.RunOne(b_)) << "waits for the event";
  EXPECT_EQ(sim_.RunnableStreams(), std::vector<Stream>{a_});
  EXPECT_FALSE(event->IsReached());
  EXPECT_EQ(Read(b_, y), 6) << "synchronising runs what is waited for";
  EXPECT_TRUE(event->IsReached());
  EXPECT_TRUE(sim_.TakeReports().empty());
}

TEST_F(SimDeviceTest, AnEventSynchronisesTheHost) {
  double* const x = New(a_);
  const std::unique_ptr<Event> event = sim_.CreateEvent(0);
  Fill(a_, x, 1);
  event->Record(a_);
  Fill(a_, x, 2);
  event->Synchronize();
  EXPECT_EQ(*x, 1) << "work after the point is not waited for";
  sim_.AccessFromHost({x, sizeof(double), false}, "test");
  EXPECT_EQ(sim_.TakeReports().size(), 1u);
  sim_.Synchronize(a_);
  sim_.AccessFromHost({x, sizeof(double), false}, "test");
  EXPECT_TRUE(sim_.TakeReports().empty());
}

TEST_F(SimDeviceTest, ABlockIsReusedOnItsStreamAtOnce) {
  double* const x = New(a_);
  Fill(a_, x, 1);
  sim_.Deallocate(x);
  double* const other = New(b_);
  EXPECT_NE(other, x);
  double* const y = New(a_);
  EXPECT_EQ(y, x);
  Fill(a_, y, 2);
  EXPECT_TRUE(sim_.TakeReports().empty());
}

TEST_F(SimDeviceTest, ReuseWhileAnotherStreamStillReadsIsReported) {
  double* const x = ReadByOtherStream();
  sim_.Deallocate(x);  // without RecordStream(x, b_)
  double* const z = New(a_);
  ASSERT_EQ(z, x);
  Fill(a_, z, 9);
  EXPECT_EQ(sim_.TakeReports().size(), 1u);
}

TEST_F(SimDeviceTest, RecordStreamHoldsABlockBackUntilTheWorkHasRun) {
  double* const x = ReadByOtherStream();
  sim_.RecordStream(x, b_);
  sim_.Deallocate(x);
  EXPECT_NE(New(a_), x);
  EXPECT_TRUE(sim_.RunOne(b_));
  EXPECT_TRUE(sim_.RunOne(b_));
  double* const z = New(a_);
  EXPECT_EQ(z, x);
  Fill(a_, z, 9);
  EXPECT_TRUE(sim_.TakeReports().empty());
}

TEST_F(SimDeviceTest, UseAfterDeallocateAndOutsideIsReported) {
  double* const x = New(a_);
  sim_.Deallocate(x);
  sim_.Launch(a_, {{x, sizeof(double), true}}, "late", [] {});
  double host = 0;
  sim_.Launch(a_, {{&host, sizeof(double), true}}, "stray", [] {});
  double* const y = New(a_);
  sim_.Launch(a_, {{y, 2 * sizeof(double), false}}, "beyond", [] {});
  const std::vector<std::string> reports = sim_.TakeReports();
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_NE(reports[0].find("given back"), std::string::npos) << reports[0];
  EXPECT_NE(reports[1].find("outside every block"), std::string::npos) << reports[1];
  EXPECT_NE(reports[2].find("outside every block"), std::string::npos) << reports[2];
}

TEST_F(SimDeviceTest, CopiesGoThroughTheStream) {
  double* const x = New(a_);
  double* const y = New(a_);
  double host = 3;
  sim_.CopyFromHost(x, &host, sizeof(double), a_);
  host = 4;  // the copy has read it already
  sim_.CopyOnDevice(y, x, sizeof(double), a_);
  EXPECT_EQ(Read(a_, y), 3);
  sim_.CopyFromHost(x, nullptr, 0, a_);
  EXPECT_TRUE(sim_.TakeReports().empty());
}

TEST_F(SimDeviceTest, MisuseIsAnError) {
  EXPECT_THROW(sim_.Allocate(8, Stream{Device::Sim(0), 999}), Error);
  EXPECT_THROW(sim_.Synchronize(Stream{Device::Cpu()}), Error);
  EXPECT_THROW(sim_.CreateStream(SimDevice::kDeviceCount), Error);
  double* const x = New(a_);
  sim_.Deallocate(x);
  EXPECT_THROW(sim_.Deallocate(x), Error);
  double host = 0;
  EXPECT_THROW(sim_.RecordStream(&host, a_), Error);
}

}  // namespace
}  // namespace twingrad

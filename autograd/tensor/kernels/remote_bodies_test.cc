// Kernels on a simulated accelerator whose work runs later: what the host computes, and not before
// somebody waits.
#include "autograd/tensor/kernels/remote_bodies.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/base/test_errors.h"
#include "autograd/device/device_registry.h"
#include "autograd/device/sim_device.h"
#include "autograd/tensor/kernels/kernels.h"
#include "gtest/gtest.h"

namespace twingrad::kernels {
namespace {

// The process's one.
SimDevice& LateDevice() {
  static SimDevice* const device = [] {
    auto made = std::make_unique<SimDevice>(DeviceType::kLate);
    SimDevice* const kept = made.get();
    RegisterDeviceInterface(std::move(made));
    return kept;
  }();
  return *device;
}

std::vector<double> ListOf(const Tensor& tensor) {
  const Tensor here = CopyTo(tensor, Device::Cpu());
  return {here.data<double>(), here.data<double>() + here.numel()};
}

class LateKernelsTest : public testing::Test {
 protected:
  Tensor There(std::vector<int64_t> sizes, std::vector<double> elements) {
    LateDevice();
    return CopyTo(Tensor::FromData<double>(sizes, elements), Device::Late(0));
  }
};

TEST_F(LateKernelsTest, RunWhenTheHostWaits) {
  const Tensor x = There({2}, {1, 2});
  EXPECT_EQ(ListOf(x), (std::vector<double>{1, 2}));
  const Tensor sum = Add(x, x);
  EXPECT_EQ(LateDevice().RunnableStreams().size(), 1u);
  EXPECT_EQ(ListOf(sum), (std::vector<double>{2, 4}));
  EXPECT_TRUE(LateDevice().RunnableStreams().empty());
  EXPECT_TRUE(LateDevice().TakeReports().empty());
}

TEST_F(LateKernelsTest, GiveWhatTheHostComputes) {
  const Tensor here = Tensor::FromData<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor there = CopyTo(here, Device::Late(1));
  EXPECT_EQ(ListOf(Mul(there, there)), ListOf(Mul(here, here)));
  EXPECT_EQ(ListOf(SumTo(there, {3})), ListOf(SumTo(here, {3})));
  const Tensor column = Tensor::FromData<double>({3, 1}, {1, 0, 2});
  EXPECT_EQ(ListOf(Matmul(there, CopyTo(column, Device::Late(1)))), ListOf(Matmul(here, column)));
  EXPECT_EQ(ListOf(TriangularMatmul(there, CopyTo(column, Device::Late(1)), false)),
            ListOf(TriangularMatmul(here, column, false)));
}

TEST_F(LateKernelsTest, AreReportedWhereNothingOrdersThem) {
  const Tensor x = There({2}, {1, 2});
  const StreamGuard other(LateDevice().CreateStream(0));
  const Tensor sum = Add(x, x);
  const std::vector<std::string> reports = LateDevice().TakeReports();
  ASSERT_EQ(reports.size(), 2u);  // one an operand
  for (const std::string& report : reports) {
    EXPECT_NE(report.find("work (add)"), std::string::npos) << report;
  }
}

TEST_F(LateKernelsTest, TheHostCannotTouchTheirMemory) {
  const Tensor x = There({2}, {1, 2});
  const std::string message =
      MessageOf(ErrorKind::kUnsupported, [&] { static_cast<void>(x.data<double>()); });
  EXPECT_NE(message.find("late:0"), std::string::npos) << message;
}

}  // namespace
}  // namespace twingrad::kernels

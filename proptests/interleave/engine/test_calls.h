// What the tests of whole engines under the checker share.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "autograd/graph/variable.h"
#include "autograd/tensor/tensor.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/explore.h"

namespace twingrad::interleave {

// Runs `body` under so many schedules of `seed`; a finding fails the test and says how to replay
// it.
inline void ExpectSound(int schedules, uint64_t seed, const std::function<void()>& body,
                        LockCoverage* locks = nullptr) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  const Report report =
      Explore({.schedules = schedules,
               .seed = seed,
               .max_steps = 1000000,
               .locks = locks,
               .test_filter = std::string(test.test_suite_name()) + "." + test.name()},
              body);
  EXPECT_TRUE(report.ok()) << report.text;
}

// An f64 scalar that requires grad.
inline Tensor MakeLeaf(double value, Device device = Device::Cpu()) {
  Tensor leaf = Tensor::Scalar(value, DType::kF64, device);
  SetRequiresGrad(leaf, true);
  return leaf;
}

}  // namespace twingrad::interleave

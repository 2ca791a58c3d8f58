// Linked into every test on the fake runtime: after each test nothing may have been wrong with its
// accesses, and no memory may be left.
#include <gtest/gtest.h>

#include <string>

#include "cuda/fake/control.h"

namespace twingrad::cuda::fake {
namespace {

class Checks : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    for (const std::string& report : TakeReports()) ADD_FAILURE() << report;
    EXPECT_EQ(CountLive().blocks, 0) << "blocks of memory that the test did not give back";
    EXPECT_EQ(CountLive().events, 0) << "events that the test did not destroy";
  }
};

[[maybe_unused]] const bool kAdded = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Checks);
  return true;
}();

}  // namespace
}  // namespace twingrad::cuda::fake

// Every entry of golden/programs on the engine, with several numbers of device threads.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "autograd/engine/engine.h"
#include "autograd/runner/run.h"
#include "gtest/gtest.h"
#include "tools/golden/entry.h"

namespace twingrad::golden {
namespace {

class GoldenEngineTest : public testing::TestWithParam<int> {};

TEST_P(GoldenEngineTest, ShowsWhatIsExpected) {
  const absl::StatusOr<std::vector<Entry>> entries = LoadEntries("golden/programs");
  ASSERT_TRUE(entries.ok()) << entries.status();
  EngineOptions options;
  options.device_threads = GetParam();
  Engine engine(options);
  const std::string by = absl::StrCat("the engine with ", GetParam(), " device threads");
  for (const Entry& entry : *entries) {
    EXPECT_EQ(Complaint(entry, runner::Run(entry.program, engine), by), "");
  }
}

INSTANTIATE_TEST_SUITE_P(DeviceThreads, GoldenEngineTest, testing::Values(0, 1, 2, 4));

}  // namespace
}  // namespace twingrad::golden

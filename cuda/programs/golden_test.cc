// Every entry of golden/programs whose leaves can all lie on CUDA shows there what it must show.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cuda/programs/there.h"
#include "gtest/gtest.h"
#include "tools/golden/entry.h"

namespace twingrad::cuda {
namespace {

using GoldenOnCudaTest = ProgramsOnCudaTest;

TEST_F(GoldenOnCudaTest, ShowsWhatIsExpected) {
  const absl::StatusOr<std::vector<golden::Entry>> entries = golden::LoadEntries("golden/programs");
  ASSERT_TRUE(entries.ok()) << entries.status();
  for (const int device_threads : {0, 2}) {
    size_t ran = 0;
    for (golden::Entry entry : *entries) {
      const auto there = There(entry.program);
      if (!there) continue;
      entry.program = *there;
      const std::string by =
          absl::StrCat("the engine with leaves on CUDA and ", device_threads, " device threads");
      EXPECT_EQ(golden::Complaint(entry, RunOnEngine(entry.program, device_threads), by), "");
      ++ran;
    }
    EXPECT_GT(ran, entries->size() * 9 / 10) << "of " << entries->size();
  }
}

}  // namespace
}  // namespace twingrad::cuda

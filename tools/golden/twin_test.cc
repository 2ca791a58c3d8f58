// Every entry of golden/programs on the twin, and the index.

#include <vector>

#include "absl/status/statusor.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "tools/golden/entry.h"
#include "tools/golden/entry_text.h"

namespace twingrad::golden {
namespace {

TEST(GoldenTwinTest, TheIndexNamesEveryEntry) {
  const absl::StatusOr<std::vector<Entry>> entries = LoadEntries("golden/programs");
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_GE(entries->size(), 50u);
  const absl::Status status = CheckIndex(ReadText("golden/INDEX"), *entries);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(GoldenTwinTest, ShowsWhatIsExpected) {
  const absl::StatusOr<std::vector<Entry>> entries = LoadEntries("golden/programs");
  ASSERT_TRUE(entries.ok()) << entries.status();
  for (const Entry& entry : *entries) {
    const reference::TwinResult twin = reference::RunTwin(entry.program);
    EXPECT_EQ(twin.skipped.value_or(""), "") << entry.path;
    EXPECT_EQ(twin.skipped ? "" : Complaint(entry, twin.observation, "the twin"), "");
  }
}

}  // namespace
}  // namespace twingrad::golden

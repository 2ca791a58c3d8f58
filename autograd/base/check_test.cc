#include "autograd/base/check.h"

#include "gtest/gtest.h"

namespace twingrad::sync {
namespace {

TEST(CheckTest, HoldsSilently) {
  AG_CHECK(1 + 1 == 2, "[sync] never printed");
  AG_DCHECK(1 + 1 == 2, "[sync] never printed");
}

TEST(CheckTest, EvaluatesTheConditionOnce) {
  int evaluations = 0;
  AG_CHECK(++evaluations == 1, "[sync] never printed");
  EXPECT_EQ(evaluations, 1);
}

TEST(CheckDeathTest, PrintsMessageConditionAndPlace) {
  const int slot = 7;
  EXPECT_DEATH(AG_CHECK(slot < 4, "[engine] slot ", slot, " of ", 4), "\\[engine\\] slot 7 of 4");
  EXPECT_DEATH(AG_CHECK(slot < 4, "[engine]"), "check failed: slot < 4");
  EXPECT_DEATH(AG_CHECK(slot < 4, "[engine]"), "check_test\\.cc:[0-9]+");
}

TEST(CheckDeathTest, DebugChecksFollowTheBuild) {
#if defined(NDEBUG)
  AG_DCHECK(false, "[sync] compiled out");
#else
  EXPECT_DEATH(AG_DCHECK(false, "[sync] compiled in"), "compiled in");
#endif
}

}  // namespace
}  // namespace twingrad::sync

#include "fuzz/campaign/targets/child.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::campaign {
namespace {

using testing::HasSubstr;
using testing::Not;

class ChildTest : public testing::Test {
 protected:
  ChildTest() {
    if (const char* const set = std::getenv("ASAN_OPTIONS")) before_ = set;
  }
  ~ChildTest() override {
    if (before_) {
      setenv("ASAN_OPTIONS", before_->c_str(), 1);
    } else {
      unsetenv("ASAN_OPTIONS");
    }
  }

  // All that a process with these words has written.
  static std::string OutputOf(std::vector<std::string> words) {
    absl::StatusOr<Child> child = Child::Start(std::move(words), testing::TempDir() + "/output");
    EXPECT_TRUE(child.ok()) << child.status();
    while (child.ok() && !child->Ended()) usleep(1000);
    return child.ok() ? child->Output() : "";
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(ChildTest, ATargetSaysItselfWhetherItsFramesOutliveTheirFunctions) {
  unsetenv("ASAN_OPTIONS");
  const std::string environment = OutputOf({"/usr/bin/env"});
  EXPECT_THAT(environment, HasSubstr("ASAN_OPTIONS=allocator_may_return_null=1"));
  EXPECT_THAT(environment, Not(HasSubstr("detect_stack_use_after_return")));
}

TEST_F(ChildTest, OptionsOfTheUserHold) {
  setenv("ASAN_OPTIONS", "quarantine_size_mb=3", 1);
  EXPECT_THAT(OutputOf({"/usr/bin/env"}), HasSubstr("ASAN_OPTIONS=quarantine_size_mb=3\n"));
}

TEST_F(ChildTest, GivesWholeLinesAndTheRestAtTheEnd) {
  absl::StatusOr<Child> child =
      Child::Start({"/bin/sh", "-c", "printf 'one\\ntwo'; exit 3"}, testing::TempDir() + "/output");
  ASSERT_TRUE(child.ok()) << child.status();
  while (!child->Ended()) usleep(1000);
  EXPECT_THAT(child->TakeLines(), testing::ElementsAre("one", "two"));
  EXPECT_EQ(WEXITSTATUS(child->status()), 3);
  EXPECT_EQ(child->Output(), "one\ntwo");
}

}  // namespace
}  // namespace twingrad::campaign

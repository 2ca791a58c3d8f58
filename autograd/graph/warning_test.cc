// Shows where warnings go: to the handler of the innermost scope, else once a site to standard
// error.

#include "autograd/graph/warning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twingrad {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Rules: G5.
TEST(WarningTest, TheInnermostHandlerGetsIt) {
  CollectedWarnings outer;
  CollectedWarnings inner;
  {
    WarningHandlerScope outer_scope(outer);
    Warn("first");
    {
      WarningHandlerScope inner_scope(inner);
      Warn("second");
    }
    Warn("third");
  }
  EXPECT_THAT(outer.Messages(), ElementsAre("first", "third"));
  EXPECT_THAT(inner.Messages(), ElementsAre("second"));
  EXPECT_THAT(outer.warnings()[0].site.file_name(), HasSubstr("warning_test.cc"));
}

// Rules: G5.
TEST(WarningTest, WithoutAHandlerEachSitePrintsOnce) {
  testing::internal::CaptureStderr();
  for (const char* message : {"odd", "odder"}) Warn(message);
  Warn("elsewhere");
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_THAT(printed, HasSubstr("warning: odd\n"));
  EXPECT_THAT(printed, HasSubstr("warning: elsewhere\n"));
  EXPECT_EQ(printed.find("odder"), std::string::npos);
}

}  // namespace
}  // namespace twingrad

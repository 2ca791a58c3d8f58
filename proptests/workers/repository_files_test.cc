#include "proptests/workers/repository_files.h"

#include <filesystem>

#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::workers {
namespace {

TEST(RepositoryFilesTest, LooksInTheWorkingFolderTheRunfilesAndAbove) {
  EXPECT_THAT(Tops("/a/tools/oracle/oracle"),
              testing::ElementsAre(".", "/a/tools/oracle/oracle.runfiles/twingrad",
                                   "/a/tools/oracle", "/a/tools", "/a"));
  EXPECT_THAT(Tops(""), testing::ElementsAre("."));
}

TEST(RepositoryFilesTest, LocatesWhatIsBelowTheWorkingFolderAsItWasGiven) {
  std::filesystem::create_directories("golden/here");
  EXPECT_EQ(Locate("golden/here"), "golden/here");
  EXPECT_EQ(FindTop("golden/here"), ".");
  EXPECT_EQ(Locate("golden/nowhere"), "golden/nowhere");
  EXPECT_FALSE(FindTop("golden/nowhere").has_value());
}

TEST(RepositoryFilesTest, LocatesWhatIsBesideTheExecutableFromAnyFolder) {
  const std::string executable = ThisExecutable();
  ASSERT_FALSE(executable.empty());
  const std::string name = executable.substr(executable.rfind('/') + 1);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path("/");
  EXPECT_EQ(Locate(name), executable);
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace twingrad::workers

#include "proptests/workers/files.h"

#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::workers {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  TemporaryFolder folder_ = *TemporaryFolder::Make("files-test");
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
};

TEST_F(FilesTest, ResolvesAgainstWhereTheCommandWasTyped) {
  setenv("BUILD_WORKING_DIRECTORY", "/somewhere/else", 1);
  EXPECT_EQ(ResolvePath("a/../b.txt"), "/somewhere/else/b.txt");
  EXPECT_EQ(ResolvePath("/absolute"), "/absolute");
  EXPECT_EQ(ResolvePath("-"), "-");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(ResolvePath("b.txt"), (fs::current_path() / "b.txt").string());
}

TEST_F(FilesTest, LooksInTheWorkingFolderTheRunfilesAndAbove) {
  EXPECT_THAT(Tops("/a/tools/oracle/oracle"),
              testing::ElementsAre(".", "/a/tools/oracle/oracle.runfiles/twingrad",
                                   "/a/tools/oracle", "/a/tools", "/a"));
  EXPECT_THAT(Tops(""), testing::ElementsAre("."));
}

TEST_F(FilesTest, LocatesWhatIsBelowTheWorkingFolderAsItWasGiven) {
  fs::create_directories("golden/here");
  EXPECT_EQ(Locate("golden/here"), "golden/here");
  EXPECT_EQ(FindTop("golden/here"), ".");
  EXPECT_EQ(Locate("golden/nowhere"), "golden/nowhere");
  EXPECT_FALSE(FindTop("golden/nowhere").has_value());
}

TEST_F(FilesTest, LocatesWhatIsBesideTheExecutableFromAnyFolder) {
  const std::string executable = ThisExecutable();
  ASSERT_FALSE(executable.empty());
  const std::string name = executable.substr(executable.rfind('/') + 1);
  const fs::path before = fs::current_path();
  fs::current_path("/");
  EXPECT_EQ(Locate(name), executable);
  fs::current_path(before);
}

TEST_F(FilesTest, AWordIsQuotedWhereAShellWouldTakeItApart) {
  EXPECT_EQ(ShellWord("/tmp/a-b_c.1/findings"), "/tmp/a-b_c.1/findings");
  EXPECT_EQ(ShellWord("two words"), "'two words'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("$HOME;"), "'$HOME;'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST_F(FilesTest, RoomIsToldBeforeItIsNeeded) {
  EXPECT_TRUE(RoomFor(1, folder_.path()).ok());
  const absl::Status none = RoomFor(uint64_t{1} << 62, folder_.path());
  EXPECT_EQ(none.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(none.message().find("; needed are 4398046511105 MiB; make room there, or set TMPDIR"),
            std::string::npos)
      << none;
}

TEST_F(FilesTest, WritingReplacesNeitherLinksNorPipes) {
  ASSERT_TRUE(WriteFile(Path("file"), "old").ok());
  fs::create_symlink("file", Path("link"));
  EXPECT_TRUE(WriteFile(Path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(*ReadInput(Path("file")), "new");
  // Open for both, so that neither end waits for the other.
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  const int pipe = open(Path("pipe").c_str(), O_RDWR);
  EXPECT_TRUE(WriteFile(Path("pipe"), "through").ok());
  char text[16] = {};
  EXPECT_EQ(read(pipe, text, sizeof(text)), 7);
  EXPECT_STREQ(text, "through");
  EXPECT_TRUE(fs::is_fifo(Path("pipe")));
  close(pipe);
}

TEST_F(FilesTest, WritesAndReads) {
  const std::string text("a\0b\n", 4);
  ASSERT_TRUE(WriteFile(Path("x"), text).ok());
  EXPECT_EQ(*ReadInput(Path("x")), text);
}

TEST_F(FilesTest, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(ReadInput(Path("none")).status().message(),
            "[oracle] cannot read " + Path("none") +
                " (No such file or directory); allowed is a path that this user may read; check "
                "the path");
  EXPECT_NE(ReadInput(folder_.path()).status().message().find("it is a folder"), std::string::npos);
  EXPECT_FALSE(WriteFile(Path("no/such/folder"), "x").ok());
}

TEST_F(FilesTest, RefusesHugeInput) {
  ASSERT_TRUE(WriteFile(Path("huge"), "").ok());
  ASSERT_EQ(truncate(Path("huge").c_str(), (off_t{16} << 20) + 1), 0);
  EXPECT_FALSE(ReadInput(Path("huge")).ok());
  EXPECT_FALSE(ReadInput("/dev/zero").ok()) << "it has no end";
  EXPECT_FALSE(ReadInput("/proc/self/mem").ok()) << "it opens, and reading it fails";
}

TEST_F(FilesTest, WritesFoldersWholeAndNeverOverOneAnother) {
  const std::string target = Path("deep/er/finding");
  EXPECT_EQ(*WriteFolder(target, {{"a", "1"}, {"b", "2"}}), target);
  EXPECT_EQ(*WriteFolder(target, {{"a", "3"}}), target + "-2");
  EXPECT_EQ(*WriteFolder(target, {{"a", "4"}}), target + "-3");
  EXPECT_EQ(*ReadInput(target + "/b"), "2");
  EXPECT_EQ(*ReadInput(target + "-2/a"), "3");
  // Nothing half-written is left beside them.
  int entries = 0;
  for (const auto& entry : fs::directory_iterator(Path("deep/er"))) {
    ++entries;
    EXPECT_NE(entry.path().filename().string()[0], '.') << entry.path();
  }
  EXPECT_EQ(entries, 3);
}

TEST_F(FilesTest, WriteFolderFailsWhereItMayNotWrite) {
  ASSERT_TRUE(WriteFile(Path("file"), "").ok());
  EXPECT_FALSE(WriteFolder(Path("file/finding"), {{"a", "1"}}).ok());
}

TEST_F(FilesTest, SaysBeforehandWhetherFoldersCanBeMade) {
  EXPECT_TRUE(CheckFolderFor(Path("new/findings")).ok());
  EXPECT_FALSE(fs::exists(Path("new"))) << "nothing is left behind";
  fs::create_directories(Path("old/findings"));
  EXPECT_TRUE(CheckFolderFor(Path("old/findings")).ok());
  EXPECT_TRUE(fs::is_empty(Path("old/findings")));
  ASSERT_TRUE(WriteFile(Path("file"), "").ok());
  for (const std::string& path : {Path("file"), Path("file/findings"), std::string("/proc/nope")}) {
    const absl::Status status = CheckFolderFor(path);
    EXPECT_EQ(status.message().find("[oracle] cannot write " + path + " ("), 0u) << status;
  }
}

TEST_F(FilesTest, TemporaryFoldersGo) {
  std::string path;
  {
    absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make("files-test");
    ASSERT_TRUE(folder.ok());
    path = folder->path();
    ASSERT_TRUE(WriteFile(path + "/x", "x").ok());
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace twingrad::workers

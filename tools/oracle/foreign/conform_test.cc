// `oracle conform` as a user meets it, over the adapter that misbehaves on request.

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proptests/workers/files.h"
#include "proptests/workers/subprocess.h"

namespace twingrad::oracle {
namespace {

using absl::StrContains;
using workers::RunSubprocess;
using workers::SubprocessResult;
using workers::TemporaryFolder;
using workers::WriteFile;

constexpr char kTool[] = "tools/oracle/oracle_alone";

std::string Engine(const std::string& fault) {
  return "--engine=exec:proptests/mutants/adapter/faulty " + fault;
}

TEST(ConformTest, AnEngineThatIsRightHasNothingListed) {
  const SubprocessResult run = RunSubprocess({kTool, "conform", Engine("none")});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_THAT(
      run.output,  // All agree, but those for which it has no devices.
      testing::MatchesRegex("([a-z0-9-]+ +refuse +refuse: the hello does not claim the op "
                            "to\n)+goldens [^:]+: agree [0-9]+, refuse [0-9]+\nall as .*\n"));
}

TEST(ConformTest, WhatIsNotListedIsTold) {
  const SubprocessResult run = RunSubprocess({kTool, "conform", Engine("wrong_sign")});
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_TRUE(StrContains(run.output, "seeds-0001 fails (twin) and is not listed")) << run.output;
  EXPECT_TRUE(StrContains(run.output, "; --update rewrites it\n")) << run.output;
}

// The tool in a folder of its own, with a copy of the goldens.
class CopyTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder_.ok());
    ASSERT_EQ(Shell("cp -rL golden " + folder_->path()).exit_status, 0);
  }
  static SubprocessResult Shell(const std::string& command) {
    return RunSubprocess({"/bin/sh", "-c", command});
  }
  SubprocessResult Conform(const std::string& flags) { return Tool("conform " + flags); }
  SubprocessResult Tool(const std::string& words) {
    const std::string here = std::filesystem::current_path().string();
    return Shell("cd " + folder_->path() + " && " + here + "/" + kTool + " " + words +
                 " '--engine=exec:" + here + "/proptests/mutants/adapter/faulty " + fault_ + "'");
  }
  absl::StatusOr<TemporaryFolder> folder_ = TemporaryFolder::Make("conform-test");
  std::string fault_;
};

// As in a folder of Bazel's outputs: the tool, its runfiles beside it, and a user who is elsewhere.
TEST(ConformTest, TheToolFindsItsFilesFromItsOwnLocation) {
  namespace fs = std::filesystem;
  const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make("location-test");
  ASSERT_TRUE(folder.ok());
  const fs::path top = fs::current_path();
  const std::string tool = folder->path() + "/oracle";
  fs::copy_file(top / kTool, tool);
  const auto conform = [&] {
    const std::string adapter = (top / "proptests/mutants/adapter/faulty").string();
    return RunSubprocess(
        {"/bin/sh", "-c", "cd / && " + tool + " conform '--engine=exec:" + adapter + " none'"});
  };
  const SubprocessResult alone = conform();
  EXPECT_EQ(alone.exit_status, 3) << alone.output;
  EXPECT_TRUE(StrContains(alone.errors, "no goldens below the working directory or beside"))
      << alone.errors;
  fs::create_directory(tool + ".runfiles");
  fs::create_directory_symlink(top, tool + ".runfiles/twingrad");
  const SubprocessResult run = conform();
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_TRUE(StrContains(run.output, "\nall as golden/expected/")) << run.output;
}

TEST_F(CopyTest, AnUpdatedListIsBelievedAndStrict) {
  fault_ = "wrong_sign";
  const SubprocessResult update = Conform("--update");
  EXPECT_EQ(update.exit_status, 0) << update.output << update.errors;
  EXPECT_TRUE(StrContains(update.output, "rewritten: ")) << update.output;
  const SubprocessResult again = Conform("");
  EXPECT_EQ(again.exit_status, 0) << again.output << again.errors;
  EXPECT_TRUE(StrContains(again.output, "all as golden/expected/faulty-wrong_sign.txt says\n"))
      << again.output;
  fault_ = "none";  // Whose list is now that of the other.
  ASSERT_EQ(Shell("cd " + folder_->path() +
                  "/golden/expected && mv faulty-wrong_sign.txt faulty-none.txt")
                .exit_status,
            0);
  const SubprocessResult passes = Conform("");
  EXPECT_EQ(passes.exit_status, 1) << passes.output << passes.errors;
  EXPECT_TRUE(StrContains(passes.output,
                          "seeds-0001 is listed as failing (twin), but its outcome is agree"))
      << passes.output;
}

// A date is for a person to look again, never a reason for a test to fail.
TEST_F(CopyTest, ADateThatHasPassedIsForTheDoctorAlone) {
  fault_ = "none";
  const std::string list = folder_->path() + "/golden/expected/faulty-none.txt";
  ASSERT_EQ(Shell("echo 'entry calls-0001 twin 2001-01-01 why' > " + list).exit_status, 0);
  const SubprocessResult doctor = Tool("doctor");
  EXPECT_EQ(doctor.exit_status, 1) << doctor.output << doctor.errors;
  EXPECT_TRUE(StrContains(doctor.output, "expired: entry calls-0001 2001-01-01; look whether"))
      << doctor.output;
  EXPECT_FALSE(StrContains(Conform("").output, "expired"));
}

TEST_F(CopyTest, AnExpectedFailureIsReplayedAsOne) {
  const std::string here = std::filesystem::current_path().string();
  const std::string top = folder_->path();
  ASSERT_TRUE(WriteFile(top + "/golden/expected/faulty-wrong_sign.txt",
                        "entry seeds-0001 twin 2027-12-31 why\n"
                        "signature twin * none/none * seeds-0001 2027-12-31 it turns signs\n")
                  .ok());
  ASSERT_EQ(Shell("mkdir " + top + "/found && cp " + top +
                  "/golden/programs/seeds/seeds-0001.twin " + top + "/found/program.txt")
                .exit_status,
            0);
  const std::string adapter = here + "/proptests/mutants/adapter/faulty wrong_sign";
  ASSERT_TRUE(
      WriteFile(top + "/found/finding.json", "{\"engine\": \"exec:" + adapter + "\"}").ok());
  const SubprocessResult run = Shell("cd " + top + " && " + here + "/" + kTool + " replay found");
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_TRUE(absl::StartsWith(run.output, "the finding still shows, as an expected failure\n"))
      << run.output;
  EXPECT_TRUE(StrContains(run.output, "expected failure seeds-0001: it turns signs\n"))
      << run.output;
}

TEST(ConformTest, TheRepositorysOwnEngineIsNotForIt) {
  const SubprocessResult run = RunSubprocess({kTool, "conform"});
  EXPECT_EQ(run.exit_status, 2) << run.output << run.errors;
  EXPECT_TRUE(StrContains(run.errors, "allowed are --engine=libtorch")) << run.errors;
}

}  // namespace
}  // namespace twingrad::oracle

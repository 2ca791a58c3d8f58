// `oracle conform` as a user meets it, over the adapter that misbehaves on request.

#include <filesystem>
#include <string>

#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

namespace fs = std::filesystem;

constexpr char kTool[] = "tools/oracle/oracle_alone";

// Runs in the test's own folder, beside which the goldens are.
class ConformTest : public ToolTest {
 protected:
  ConformTest() : ToolTest(kTool) {}
};

TEST_F(ConformTest, AnEngineThatIsRightHasNothingListed) {
  const SubprocessResult run = Tool({"conform", FaultyEngine("none")});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_THAT(run.output,  // All agree, but those for which it has no devices.
              testing::MatchesRegex(
                  "([a-z0-9-]+ +refuse +refuse: the hello does not claim the (op to|op stream|"
                  "device dev:0)\n)+goldens [^:]+: agree [0-9]+, refuse [0-9]+\nall as .*\n"));
}

TEST_F(ConformTest, WhatIsNotListedIsTold) {
  const SubprocessResult run = Tool({"conform", FaultyEngine("wrong_sign")});
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("seeds-0001 fails (twin) and is not listed"));
  EXPECT_THAT(run.output, HasSubstr("; --update rewrites it\n"));
}

// Runs in a folder of its own, with a copy of the goldens.
class CopyTest : public ConformTest {
 protected:
  void SetUp() override { ASSERT_EQ(Shell("cp -rL golden " + folder()).exit_status, 0); }
  SubprocessResult There(const std::string& words) const {
    return Shell("cd " + folder() + " && " + top_ + kTool + " " + words);
  }
  SubprocessResult There(const std::string& words, const std::string& fault) const {
    return There(words + " '" + FaultyEngine(fault, top_) + "'");
  }
  const std::string top_ = fs::current_path().string() + "/";
};

// As in a folder of Bazel's outputs: the tool, its runfiles beside it, and a user who is elsewhere.
TEST_F(ConformTest, TheToolFindsItsFilesFromItsOwnLocation) {
  const fs::path top = fs::current_path();
  const std::string tool = At("oracle");
  fs::copy_file(top / kTool, tool);
  const auto conform = [&] {
    return Shell("cd / && " + tool + " conform '" + FaultyEngine("none", top.string() + "/") + "'");
  };
  const SubprocessResult alone = conform();
  EXPECT_EQ(alone.exit_status, 3) << alone.output;
  EXPECT_THAT(alone.errors, HasSubstr("no goldens below the working directory or beside"));
  fs::create_directory(tool + ".runfiles");
  fs::create_directory_symlink(top, tool + ".runfiles/twingrad");
  const SubprocessResult run = conform();
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("\nall as golden/expected/"));
}

TEST_F(CopyTest, AnUpdatedListIsBelievedAndStrict) {
  const SubprocessResult update = There("conform --update", "wrong_sign");
  EXPECT_EQ(update.exit_status, 0) << update.output << update.errors;
  EXPECT_THAT(update.output, HasSubstr("rewritten: "));
  const SubprocessResult again = There("conform", "wrong_sign");
  EXPECT_EQ(again.exit_status, 0) << again.output << again.errors;
  EXPECT_THAT(again.output, HasSubstr("all as golden/expected/faulty-wrong_sign.txt says\n"));
  // An engine whose list is now that of the other.
  fs::rename(At("golden/expected/faulty-wrong_sign.txt"), At("golden/expected/faulty-none.txt"));
  const SubprocessResult passes = There("conform", "none");
  EXPECT_EQ(passes.exit_status, 1) << passes.output << passes.errors;
  EXPECT_THAT(passes.output,
              HasSubstr("seeds-0001 is listed as failing (twin), but its outcome is agree"));
}

// A date is for a person to look again, never a reason for a test to fail.
TEST_F(CopyTest, ADateThatHasPassedIsForTheDoctorAlone) {
  const std::string list = "entry calls-0001 twin 2001-01-01 why\n";
  Written("golden/expected/faulty-hang.txt", list);
  Written("golden/expected/faulty-none.txt", list);
  // It gives up after two hangs, and has its list to tell of all the same.
  const SubprocessResult doctor = There("doctor --timeout=0.2", "hang");
  EXPECT_EQ(doctor.exit_status, 1) << doctor.output << doctor.errors;
  EXPECT_THAT(doctor.output, HasSubstr("expired: entry calls-0001 2001-01-01; look whether"));
  EXPECT_THAT(There("conform", "none").output, Not(HasSubstr("expired")));
}

TEST_F(CopyTest, AnExpectedFailureIsReplayedAsOne) {
  Written("golden/expected/faulty-wrong_sign.txt",
          "entry seeds-0001 twin 2027-12-31 why\n"
          "signature twin * none/none * seeds-0001 2027-12-31 it turns signs\n");
  fs::create_directory(At("found"));
  fs::copy_file(At("golden/programs/seeds/seeds-0001.twin"), At("found/program.txt"));
  const std::string engine =
      FaultyEngine("wrong_sign", top_).substr(std::string("--engine=").size());
  Written("found/finding.json", "{\"engine\": \"" + engine + "\"}");
  const SubprocessResult run = There("replay found");
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_THAT(run.output, StartsWith("the finding still shows, as an expected failure\n"));
  EXPECT_THAT(run.output, HasSubstr("expected failure seeds-0001: it turns signs\n"));
}

TEST_F(CopyTest, CheckJudgesWithoutTheListWhereItIsAsked) {
  Written("golden/expected/faulty-wrong_sign.txt",
          "entry seeds-0001 twin 2027-12-31 why\n"
          "signature twin * none/none * seeds-0001 2027-12-31 it turns signs\n"
          "signature seed_is_grad * */* * seeds-0001 2027-12-31 it turns signs\n");
  const std::string check =
      "check --seed=7 --programs=40 --jobs=1 --findings=1 --ops=leaf,mul,neg --features=-error ";
  const SubprocessResult listed = There(check, "wrong_sign");
  EXPECT_THAT(listed.output, HasSubstr(" explained "));
  EXPECT_THAT(listed.output, Not(HasSubstr(" wrong ")));
  const SubprocessResult all = There(check + "--expected=none", "wrong_sign");
  EXPECT_EQ(all.exit_status, 1) << all.output << all.errors;
  EXPECT_THAT(all.errors, HasSubstr(" --expected=none --engine="));
  EXPECT_THAT(all.output, HasSubstr("\nfinding 1: twin"));
  EXPECT_THAT(There("check --expected=none").errors, HasSubstr("--expected has no part in a run"));
  EXPECT_THAT(There("check --expected=all", "none").errors, HasSubstr("allowed is none"));
}

TEST_F(ConformTest, TheRepositorysOwnEngineIsNotForIt) {
  const SubprocessResult run = Tool({"conform"});
  EXPECT_EQ(run.exit_status, 2) << run.output << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("allowed are --engine=libtorch"));
}

}  // namespace
}  // namespace twingrad::oracle

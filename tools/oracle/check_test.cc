// `check` end to end, over a Subject with planted faults.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/workers/files.h"
#include "proptests/workers/subprocess.h"

namespace twingrad::oracle {
namespace {

using absl::StrContains;
using workers::ReadInput;
using workers::RunSubprocess;
using workers::SubprocessOptions;
using workers::SubprocessResult;
using workers::TemporaryFolder;
using workers::WriteFile;

class CheckTest : public testing::Test {
 protected:
  SubprocessResult Check(std::vector<std::string> flags, SubprocessOptions options = {}) const {
    flags.insert(flags.begin(), {"tools/oracle/fake_oracle", "check"});
    // As under `bazel run`: the command was typed elsewhere.
    options.environment.push_back("BUILD_WORKING_DIRECTORY=" + folder_.path());
    return RunSubprocess(std::move(flags), options);
  }
  std::vector<std::string> Findings() const {
    std::vector<std::string> folders;
    std::error_code none;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.path() + "/findings", none)) {
      folders.push_back(entry.path().string());
    }
    return folders;
  }
  TemporaryFolder folder_ = *TemporaryFolder::Make("check-test");
};

TEST_F(CheckTest, NothingFound) {
  const SubprocessResult run = Check({"--seed=1", "--jobs=2"});
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(run.errors, "[oracle] seed 1: check --seed=1 repeats this run\n");
  EXPECT_TRUE(absl::StartsWith(run.output, "seed           1\nprograms       2,000 in "))
      << run.output;
  EXPECT_TRUE(StrContains(run.output, " a second a core\nlines          ")) << run.output;
  EXPECT_TRUE(absl::EndsWith(run.output, "\nfindings       none\n")) << run.output;
  EXPECT_TRUE(Findings().empty());
}

TEST_F(CheckTest, AFreshSeedIsPrintedAndRepeats) {
  const SubprocessResult first = Check({"--programs=10"});
  const std::string line = first.output.substr(0, first.output.find('\n'));
  const std::string seed = line.substr(line.find_last_of(' ') + 1);
  EXPECT_TRUE(StrContains(first.errors, absl::StrCat("check --seed=", seed)));
  const SubprocessResult second = Check({"--programs=10"});
  EXPECT_NE(second.output.substr(0, second.output.find('\n')), line);
}

TEST_F(CheckTest, FindingsAreShrunkWrittenAndReplayed) {
  const SubprocessResult run =
      Check({"--seed=1", "--programs=300", "--features=wrong,crash", "--jobs=2"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(StrContains(run.output, "programs       300 in ")) << run.output;
  EXPECT_TRUE(StrContains(run.output, "findings       2, in ")) << run.output;
  EXPECT_TRUE(
      StrContains(run.output, "  line 0 is wrong\n    expected: right\n    actual:   wrong\n"))
      << run.output;
  EXPECT_TRUE(
      StrContains(run.output, "    ended by: signal 6 (Aborted)\n    it said:  about to crash\n"))
      << run.output;
  const std::vector<std::string> folders = Findings();
  ASSERT_EQ(folders.size(), 2u);
  for (const std::string& folder : folders) {
    EXPECT_TRUE(StrContains(run.output, absl::StrCat("  folder: ", folder, "\n"))) << run.output;
    EXPECT_TRUE(StrContains(run.output, absl::StrCat("-- replay ", folder, "\n"))) << run.output;
    const SubprocessResult again = RunSubprocess({"tools/oracle/fake_oracle", "replay", folder});
    EXPECT_EQ(again.exit_status, 1);
    EXPECT_TRUE(absl::StartsWith(again.output, "the finding still shows: ")) << again.output;
    // Once mended, it no longer fails.
    ASSERT_TRUE(WriteFile(folder + "/program.txt", "value 1\n").ok());
    const SubprocessResult mended = RunSubprocess({"tools/oracle/fake_oracle", "replay", folder});
    EXPECT_EQ(mended.exit_status, 0);
    EXPECT_EQ(mended.output, "the finding no longer shows\n");
  }
}

TEST_F(CheckTest, EnoughFindingsEndTheRun) {
  const SubprocessResult run = Check(
      {"--seed=1", "--programs=1000000", "--features=wrong,crash", "--jobs=1", "--findings=1"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(Findings().size(), 1u) << run.output;
  EXPECT_FALSE(StrContains(run.output, "programs       1,000,000 in")) << run.output;
}

TEST_F(CheckTest, TheReportProvesThatEachProgramWasJudgedOnce) {
  Check({"--seed=1", "--programs=300", "--features=crash", "--jobs=2", "--report=run.jsonl"});
  const std::string whole = *ReadInput(folder_.path() + "/run.jsonl");
  EXPECT_TRUE(StrContains(whole, "\"each_once\":true")) << whole;
  EXPECT_TRUE(StrContains(whole, "\"programs\":300")) << whole;
  Check({"--ops=slow", "--time=0.5", "--report=part.jsonl"});
  EXPECT_TRUE(StrContains(*ReadInput(folder_.path() + "/part.jsonl"), "\"each_once\":false"));
}

TEST_F(CheckTest, HangsAndGrowthAreFindings) {
  const SubprocessResult run =
      Check({"--seed=1", "--programs=40", "--features=hang", "--timeout=0.4"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(
      StrContains(run.output, "hang while judging the program\n    ended by: no end after 0.4 s"))
      << run.output;
  const SubprocessResult grown =
      Check({"--seed=1", "--programs=40", "--features=memory", "--memory=1G"});
  EXPECT_EQ(grown.exit_status, 1);
  EXPECT_TRUE(StrContains(grown.output, "memory while judging the program")) << grown.output;
}

TEST_F(CheckTest, AFailureThatDoesNotShowAgainSaysSo) {
  const SubprocessResult run = Check({"--seed=1", "--programs=40", "--features=flaky", "--jobs=1"});
  EXPECT_EQ(run.exit_status, 1);
  ASSERT_EQ(Findings().size(), 1u);
  EXPECT_TRUE(StrContains(*ReadInput(Findings()[0] + "/report.txt"), "it did not show again in 3"));
}

TEST_F(CheckTest, OutSaysWhereFindingsGo) {
  Check({"--seed=1", "--programs=40", "--features=wrong", "--out=else/where"});
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/else/where"));
  EXPECT_TRUE(Findings().empty());
}

TEST_F(CheckTest, WhatCannotBeWrittenIsToldAtTheStart) {
  ASSERT_TRUE(WriteFile(folder_.path() + "/findings", "a file is in the way").ok());
  for (const auto& [flag, path] :
       {std::pair("--jobs=1", "/findings"), std::pair("--out=/proc/nope", "/proc/nope"),
        std::pair("--report=no/such/run.jsonl", "/no/such/run.jsonl")}) {
    const bool other = StrContains(flag, "report");
    const SubprocessResult run =
        Check({"--seed=1", "--programs=40", flag, other ? "--out=found" : "--rank=4"});
    EXPECT_EQ(run.exit_status, 2) << flag;
    EXPECT_EQ(run.output, "");
    EXPECT_TRUE(absl::StartsWith(run.errors, "[oracle] cannot write ")) << run.errors;
    EXPECT_TRUE(StrContains(run.errors, absl::StrCat(path, " ("))) << run.errors;
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
  }
}

TEST_F(CheckTest, AFindingThatCannotBeWrittenIsPrinted) {
  // So deep that a path has room for a folder more, but not for one with the name of a finding.
  constexpr size_t kDeep = 4075;
  std::string deep = folder_.path();
  while (deep.size() < kDeep) {
    deep +=
        "/" + std::string(std::min<size_t>(200, std::max<size_t>(1, kDeep - deep.size() - 1)), 'd');
  }
  const SubprocessResult run =
      Check({"--seed=1", "--programs=40", "--features=wrong", "--out=" + deep});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(StrContains(run.output, "  program:\nwrong\n")) << run.output;
  EXPECT_TRUE(StrContains(run.errors, "[oracle] cannot write ")) << run.errors;
}

TEST_F(CheckTest, CtrlCEndsWithTheSummary) {
  std::signal(SIGHUP, SIG_DFL);  // as if a terminal had started this test
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    SubprocessOptions options;
    options.meanwhile = [signal](pid_t pid) {
      // The recorder of a worker appears once the run is under way.
      sleep(1);
      kill(pid, signal);
    };
    const SubprocessResult run = Check({"--ops=slow", "--programs=1000000"}, options);
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    EXPECT_TRUE(StrContains(run.output, "ended          early, by a signal\nprograms "))
        << run.output;
    EXPECT_TRUE(absl::EndsWith(run.output, "findings       none\n")) << run.output;
  }
}

TEST_F(CheckTest, NohupOutlivesTheTerminal) {
  SubprocessOptions options;
  options.meanwhile = [](pid_t pid) {
    sleep(1);
    kill(pid, SIGHUP);
  };
  const SubprocessResult run = RunSubprocess(
      {"/bin/sh", "-c",
       "trap '' HUP; exec tools/oracle/fake_oracle check --ops=slow --programs=400 --jobs=1"},
      options);
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_TRUE(StrContains(run.output, "programs       400 in ")) << run.output;
}

TEST_F(CheckTest, OutputThatIsLostIsAnError) {
  const std::string tool = "exec tools/oracle/fake_oracle ";
  for (const std::string command : {"check --programs=10", "generate --seed=1", "--help"}) {
    const SubprocessResult run = RunSubprocess({"/bin/sh", "-c", tool + command + " > /dev/full"});
    EXPECT_EQ(run.exit_status, 2) << command;
    EXPECT_TRUE(StrContains(run.errors, "[oracle] cannot write standard output (")) << run.errors;
  }
  const SubprocessResult found = RunSubprocess(
      {"/bin/sh", "-c",
       tool + "check --programs=100 --features=wrong --out=" + folder_.path() + " > /dev/full"});
  EXPECT_EQ(found.exit_status, 1) << found.errors;
}

TEST_F(CheckTest, ClosedStreamsAreNotMistakenForOthers) {
  // Without graphviz each finding has a note, which must not end up in the channel to a worker that
  // got the number of standard error.
  const SubprocessResult run = RunSubprocess(
      {"/bin/sh", "-c",
       "PATH= exec tools/oracle/fake_oracle check --seed=1 --programs=300 --jobs=2 "
       "--features=wrong,crash --report=" +
           folder_.path() + "/run.jsonl --out=" + folder_.path() + "/findings <&- >&- 2>&-"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_FALSE(Findings().empty());
  EXPECT_TRUE(
      StrContains(ReadInput(folder_.path() + "/run.jsonl").value_or(""), "\"programs\":300,"));
}

TEST_F(CheckTest, TheReplayCommandCanBePasted) {
  const std::string out = folder_.path() + "/it's a folder";
  const SubprocessResult run =
      Check({"--seed=1", "--programs=100", "--features=wrong", "--findings=1", "--out=" + out});
  ASSERT_EQ(run.exit_status, 1) << run.errors;
  const size_t begin = run.output.find("-- replay ");
  ASSERT_NE(begin, std::string::npos) << run.output;
  const std::string words = run.output.substr(begin + 3, run.output.find('\n', begin) - begin - 3);
  const SubprocessResult again =
      RunSubprocess({"/bin/sh", "-c", "exec tools/oracle/fake_oracle " + words});
  EXPECT_EQ(again.exit_status, 1) << words << again.errors;
}

TEST_F(CheckTest, TimeEndsTheRun) {
  const SubprocessResult run = Check({"--ops=slow", "--time=0.5"});
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_TRUE(StrContains(run.output, "findings       none\n"));
  EXPECT_FALSE(StrContains(run.output, "early"));
}

TEST_F(CheckTest, ATerminalGetsABar) {
  SubprocessOptions options;
  options.terminal = true;
  options.environment = {"TERM=xterm"};
  const SubprocessResult run = Check({"--ops=slow", "--programs=100"}, options);
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_TRUE(StrContains(run.output, "\r\x1b[K[")) << run.output;
  EXPECT_TRUE(StrContains(run.output, " of 100 programs, ")) << run.output;
  EXPECT_TRUE(StrContains(run.output, " left")) << run.output;
  // The bar is gone before the summary.
  EXPECT_TRUE(StrContains(run.output, "\r\x1b[Kseed ")) << run.output;
}

TEST_F(CheckTest, ATerminalThatCannotClearALineGetsLines) {
  SubprocessOptions options;
  options.terminal = true;
  options.environment = {"TERM=dumb"};
  const SubprocessResult run = Check({"--ops=slow", "--programs=100"}, options);
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_FALSE(StrContains(run.output, "\x1b")) << run.output;
}

TEST_F(CheckTest, AnEngineThatCannotStart) {
  for (const char* fault : {"--ops=cannot_start", "--ops=die_starting"}) {
    const SubprocessResult run = Check({fault});
    EXPECT_EQ(run.exit_status, 3);
    EXPECT_EQ(run.output, "");
  }
  EXPECT_TRUE(StrContains(Check({"--ops=cannot_start"}).errors,
                          "[fake] no engine here; needed is one; look elsewhere\n"));
}

TEST_F(CheckTest, FindingsBeforeAnEngineFailsAreShown) {
  const SubprocessResult run =
      Check({"--seed=1", "--programs=1000", "--features=crash", "--ops=few_starts", "--jobs=1"});
  EXPECT_EQ(run.exit_status, 3) << run.output << run.errors;
  ASSERT_FALSE(Findings().empty());
  for (const std::string& folder : Findings()) {
    EXPECT_TRUE(StrContains(run.output, "  folder: " + folder + "\n")) << run.output;
  }
}

// No Program is to blame for what an engine takes before the first.
TEST_F(CheckTest, MemoryThatNoEngineStartsInIsNoFinding) {
  const SubprocessResult run = Check({"--seed=1", "--programs=40", "--memory=1"});
  EXPECT_EQ(run.exit_status, 3) << run.output << run.errors;
  EXPECT_EQ(run.output, "");
  EXPECT_TRUE(Findings().empty());
  EXPECT_TRUE(StrContains(run.errors, " MiB of memory, allowed ")) << run.errors;
  EXPECT_FALSE(StrContains(run.errors, "it said: \n")) << run.errors;
}

TEST_F(CheckTest, LeavesNoTemporaryFilesBehind) {
  SubprocessOptions options;
  options.environment = {"TMPDIR=" + folder_.path()};
  Check({"--seed=1", "--programs=40", "--features=crash"}, options);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().filename(), "findings");
  }
}

}  // namespace
}  // namespace twingrad::oracle

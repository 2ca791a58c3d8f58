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
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

constexpr char kTool[] = "tools/oracle/fake_oracle";

class CheckTest : public ToolTest {
 protected:
  CheckTest() : ToolTest(kTool) {}
  SubprocessResult Check(std::vector<std::string> flags, SubprocessOptions options = {}) const {
    flags.insert(flags.begin(), "check");
    return Tool(std::move(flags), std::move(options));
  }
};

// Sends the signal to a run that is under way.
SubprocessOptions WithSignal(int signal) {
  SubprocessOptions options;
  options.meanwhile = [signal](pid_t pid) {
    // The recorder of a worker appears once the run is under way.
    sleep(1);
    kill(pid, signal);
  };
  return options;
}

TEST_F(CheckTest, NothingFound) {
  const SubprocessResult run = Check({"--seed=1", "--jobs=2"});
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(run.errors, "[oracle] seed 1: check --seed=1 repeats this run\n");
  EXPECT_THAT(run.output, StartsWith("seed           1\nprograms       2,000 in "));
  EXPECT_THAT(run.output, HasSubstr(" a second a core\nlines          "));
  EXPECT_THAT(run.output, EndsWith("\nfindings       none\n"));
  EXPECT_TRUE(Findings().empty());
}

TEST_F(CheckTest, AFreshSeedIsPrintedAndRepeats) {
  const SubprocessResult first = Check({"--programs=10"});
  const std::string line = first.output.substr(0, first.output.find('\n'));
  const std::string seed = line.substr(line.find_last_of(' ') + 1);
  EXPECT_THAT(first.errors, HasSubstr(absl::StrCat("check --seed=", seed)));
  const SubprocessResult second = Check({"--programs=10"});
  EXPECT_NE(second.output.substr(0, second.output.find('\n')), line);
}

TEST_F(CheckTest, FindingsAreShrunkWrittenAndReplayed) {
  const SubprocessResult run =
      Check({"--seed=1", "--programs=300", "--features=wrong,crash", "--jobs=2"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.output, HasSubstr("programs       300 in "));
  EXPECT_THAT(run.output, HasSubstr("findings       2, in "));
  EXPECT_THAT(run.output,
              HasSubstr("  line 0 is wrong\n    expected: right\n    actual:   wrong\n"));
  EXPECT_THAT(run.output,
              HasSubstr("    ended by: signal 6 (Aborted)\n    it said:  about to crash\n"));
  const std::vector<std::string> folders = Findings();
  ASSERT_EQ(folders.size(), 2u);
  for (const std::string& folder : folders) {
    EXPECT_THAT(run.output, HasSubstr(absl::StrCat("  folder: ", folder, "\n")));
    EXPECT_THAT(run.output, HasSubstr(absl::StrCat("-- replay ", folder, "\n")));
    const SubprocessResult again = Tool({"replay", folder});
    EXPECT_EQ(again.exit_status, 1);
    EXPECT_THAT(again.output, StartsWith("the finding still shows: "));
    // Once mended, it no longer fails.
    ASSERT_TRUE(WriteFile(folder + "/program.txt", "value 1\n").ok());
    const SubprocessResult mended = Tool({"replay", folder});
    EXPECT_EQ(mended.exit_status, 0);
    EXPECT_EQ(mended.output, "the finding no longer shows\n");
  }
}

TEST_F(CheckTest, EnoughFindingsEndTheRun) {
  const SubprocessResult run = Check(
      {"--seed=1", "--programs=1000000", "--features=wrong,crash", "--jobs=1", "--findings=1"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(Findings().size(), 1u) << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("programs       1,000,000 in")));
}

TEST_F(CheckTest, TheReportProvesThatEachProgramWasJudgedOnce) {
  Check({"--seed=1", "--programs=300", "--features=crash", "--jobs=2", "--report=run.jsonl"});
  const std::string whole = Read(At("run.jsonl"));
  EXPECT_THAT(whole, HasSubstr("\"each_once\":true"));
  EXPECT_THAT(whole, HasSubstr("\"programs\":300"));
  Check({"--ops=slow", "--time=0.5", "--report=part.jsonl"});
  EXPECT_THAT(Read(At("part.jsonl")), HasSubstr("\"each_once\":false"));
}

TEST_F(CheckTest, HangsAndGrowthAreFindings) {
  const SubprocessResult run =
      Check({"--seed=1", "--programs=40", "--features=hang", "--timeout=0.4"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.output,
              HasSubstr("hang while judging the program\n    ended by: no end after 0.4 s"));
  const SubprocessResult grown =
      Check({"--seed=1", "--programs=40", "--features=memory", "--memory=1G", "--timeout=100"});
  EXPECT_EQ(grown.exit_status, 1);
  EXPECT_THAT(grown.output, HasSubstr("memory while judging the program"));
}

TEST_F(CheckTest, AFailureThatDoesNotShowAgainSaysSo) {
  const SubprocessResult run = Check({"--seed=1", "--programs=40", "--features=once", "--jobs=1"});
  EXPECT_EQ(run.exit_status, 1);
  ASSERT_EQ(Findings().size(), 1u);
  EXPECT_THAT(Read(Findings()[0] + "/report.txt"), HasSubstr("it did not show again in 3"));
}

// What a worker ran before the failure runs again before it, as little of it as is needed.
TEST_F(CheckTest, AFailureThatNeedsEarlierProgramsIsRepeatedWithThem) {
  const SubprocessResult run =
      Check({"--seed=1", "--programs=300", "--features=stain,stained", "--jobs=1"});
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  ASSERT_EQ(Findings().size(), 1u) << run.output;
  const std::string folder = Findings()[0];
  EXPECT_EQ(Read(folder + "/before-1.txt"), "stain\n");
  EXPECT_EQ(Read(folder + "/program.txt"), "stained\n");
  const SubprocessResult again = Tool({"replay", folder});
  EXPECT_EQ(again.exit_status, 1);
  EXPECT_THAT(again.output, StartsWith("the finding still shows: stained\n"));
  ASSERT_TRUE(WriteFile(folder + "/before-1.txt", "value 1\n").ok());
  EXPECT_EQ(Tool({"replay", folder}).exit_status, 0);
}

TEST_F(CheckTest, OutSaysWhereFindingsGo) {
  Check({"--seed=1", "--programs=40", "--features=wrong", "--out=else/where"});
  EXPECT_TRUE(std::filesystem::exists(At("else/where")));
  EXPECT_TRUE(Findings().empty());
}

TEST_F(CheckTest, WhatCannotBeWrittenIsToldAtTheStart) {
  Written("findings", "a file is in the way");
  for (const auto& [flag, path] :
       {std::pair("--jobs=1", "/findings"), std::pair("--out=/proc/nope", "/proc/nope"),
        std::pair("--report=no/such/run.jsonl", "/no/such/run.jsonl")}) {
    const bool other = absl::StrContains(flag, "report");
    const SubprocessResult run =
        Check({"--seed=1", "--programs=40", flag, other ? "--out=found" : "--rank=4"});
    EXPECT_EQ(run.exit_status, 2) << flag;
    EXPECT_EQ(run.output, "");
    EXPECT_THAT(run.errors, StartsWith("[oracle] cannot write "));
    EXPECT_THAT(run.errors, HasSubstr(absl::StrCat(path, " (")));
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
  }
}

TEST_F(CheckTest, AFindingThatCannotBeWrittenIsPrinted) {
  // So deep that a path has room for a folder more, but not for one with the name of a finding.
  constexpr size_t kDeep = 4075;
  std::string deep = folder();
  while (deep.size() < kDeep) {
    deep +=
        "/" + std::string(std::min<size_t>(200, std::max<size_t>(1, kDeep - deep.size() - 1)), 'd');
  }
  const SubprocessResult run =
      Check({"--seed=1", "--programs=40", "--features=wrong", "--out=" + deep});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.output, HasSubstr("  program:\nwrong\n"));
  EXPECT_THAT(run.errors, HasSubstr("[oracle] cannot write "));
}

TEST_F(CheckTest, CtrlCEndsWithTheSummary) {
  std::signal(SIGHUP, SIG_DFL);  // as if a terminal had started this test
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const SubprocessResult run = Check({"--ops=slow", "--programs=1000000"}, WithSignal(signal));
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("ended          early, by a signal\nprograms "));
    EXPECT_THAT(run.output, EndsWith("findings       none\n"));
  }
}

TEST_F(CheckTest, NohupOutlivesTheTerminal) {
  const SubprocessResult run =
      Shell(absl::StrCat("trap '' HUP; exec ", kTool, " check --ops=slow --programs=400 --jobs=1"),
            WithSignal(SIGHUP));
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_THAT(run.output, HasSubstr("programs       400 in "));
}

TEST_F(CheckTest, OutputThatIsLostIsAnError) {
  const auto run_into_full = [](const std::string& words) {
    return Shell(absl::StrCat("exec ", kTool, " ", words, " > /dev/full"));
  };
  for (const std::string command : {"check --programs=10", "generate --seed=1", "--help"}) {
    const SubprocessResult run = run_into_full(command);
    EXPECT_EQ(run.exit_status, 2) << command;
    EXPECT_THAT(run.errors, HasSubstr("[oracle] cannot write standard output ("));
  }
  const SubprocessResult found =
      run_into_full("check --programs=100 --features=wrong --out=" + At("findings"));
  EXPECT_EQ(found.exit_status, 1) << found.errors;
}

TEST_F(CheckTest, ClosedStreamsAreNotMistakenForOthers) {
  // Without graphviz each finding has a note, which must not end up in the channel to a worker that
  // got the number of standard error.
  const SubprocessResult run = Shell(absl::StrCat(
      "PATH= exec ", kTool, " check --seed=1 --programs=300 --jobs=2 --report=", At("run.jsonl"),
      " --features=wrong,crash --out=", At("findings"), " <&- >&- 2>&-"));
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_FALSE(Findings().empty());
  EXPECT_THAT(Read(At("run.jsonl")), HasSubstr("\"programs\":300,"));
}

TEST_F(CheckTest, TheReplayCommandCanBePasted) {
  const std::string out = At("it's a folder");
  const SubprocessResult run =
      Check({"--seed=1", "--programs=100", "--features=wrong", "--findings=1", "--out=" + out});
  ASSERT_EQ(run.exit_status, 1) << run.errors;
  const size_t begin = run.output.find("-- replay ");
  ASSERT_NE(begin, std::string::npos) << run.output;
  const std::string words = run.output.substr(begin + 3, run.output.find('\n', begin) - begin - 3);
  const SubprocessResult again = Shell(absl::StrCat("exec ", kTool, " ", words));
  EXPECT_EQ(again.exit_status, 1) << words << again.errors;
}

TEST_F(CheckTest, TimeEndsTheRun) {
  const SubprocessResult run = Check({"--ops=slow", "--time=0.5"});
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_THAT(run.output, HasSubstr("findings       none\n"));
  EXPECT_THAT(run.output, Not(HasSubstr("early")));
}

TEST_F(CheckTest, ATerminalGetsABar) {
  SubprocessOptions options;
  options.terminal = true;
  options.environment = {"TERM=xterm"};
  const SubprocessResult run = Check({"--ops=slow", "--programs=100"}, options);
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_THAT(run.output, HasSubstr("\r\x1b[K["));
  EXPECT_THAT(run.output, HasSubstr(" of 100 programs, "));
  EXPECT_THAT(run.output, HasSubstr(" left"));
  // The bar is gone before the summary.
  EXPECT_THAT(run.output, HasSubstr("\r\x1b[Kseed "));
}

TEST_F(CheckTest, ATerminalThatCannotClearALineGetsLines) {
  SubprocessOptions options;
  options.terminal = true;
  options.environment = {"TERM=dumb"};
  const SubprocessResult run = Check({"--ops=slow", "--programs=100"}, options);
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_THAT(run.output, Not(HasSubstr("\x1b")));
}

TEST_F(CheckTest, AnEngineThatCannotStart) {
  for (const char* fault : {"--ops=cannot_start", "--ops=die_starting"}) {
    const SubprocessResult run = Check({fault});
    EXPECT_EQ(run.exit_status, 3);
    EXPECT_EQ(run.output, "");
  }
  EXPECT_THAT(Check({"--ops=cannot_start"}).errors,
              HasSubstr("[fake] no engine here; needed is one; look elsewhere\n"));
}

TEST_F(CheckTest, FindingsBeforeAnEngineFailsAreShown) {
  const SubprocessResult run =
      Check({"--seed=1", "--programs=1000", "--features=crash", "--ops=few_starts", "--jobs=1"});
  EXPECT_EQ(run.exit_status, 3) << run.output << run.errors;
  ASSERT_FALSE(Findings().empty());
  for (const std::string& folder : Findings()) {
    EXPECT_THAT(run.output, HasSubstr("  folder: " + folder + "\n"));
  }
}

// No Program is to blame for what an engine takes before the first.
TEST_F(CheckTest, MemoryThatNoEngineStartsInIsNoFinding) {
  const SubprocessResult run = Check({"--seed=1", "--programs=40", "--memory=1"});
  EXPECT_EQ(run.exit_status, 3) << run.output << run.errors;
  EXPECT_EQ(run.output, "");
  EXPECT_TRUE(Findings().empty());
  EXPECT_THAT(run.errors, HasSubstr(" MiB of memory, allowed "));
  EXPECT_THAT(run.errors, Not(HasSubstr("it said: \n")));
}

TEST_F(CheckTest, LeavesNoTemporaryFilesBehind) {
  SubprocessOptions options;
  options.environment = {"TMPDIR=" + folder()};
  Check({"--seed=1", "--programs=40", "--features=crash"}, options);
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    EXPECT_EQ(entry.path().filename(), "findings");
  }
}

}  // namespace
}  // namespace twingrad::oracle

// `explore` end to end: over the repository's engine, and over one with a planted defect.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "nlohmann/json.hpp"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/strategies/strategies.h"
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

constexpr char kSound[] = "tools/oracle/oracle";
// Its engine splits the decrement of a node's missing contributions
// (//proptests/mutants/concurrent).
constexpr char kBroken[] = "tools/oracle/broken_explorer";

// Its engine does what TWINGRAD_FAULT says: `abort` or `hang` where a wait on a queue ends with no
// wake-up, which only some schedules do; `leak` a mutex in every run on one thread.
constexpr char kFaulty[] = "tools/oracle/faulty_explorer";

// In its engine a node does not wait for the stream of the gradient that it takes.
constexpr char kUnordered[] = "tools/oracle/unordered_explorer";

// Two devices into one slot, and statements that shrinking must drop.
constexpr char kLanes[] =
    "twingrad 1\n%x = leaf type=f64[2] data=1,2 grad=1\n%c = leaf type=f64[2] data=3,4\n"
    "%y = mul %x %c\n%e = neg %y\n%s = sum %y\n%a = to %s device=dev:0\n%b = to %s device=dev:1\n"
    "backward %a %b\n";

class ExploreTest : public ToolTest {
 protected:
  ExploreTest() : ToolTest(kSound) {}
  SubprocessResult Faulty(std::vector<std::string> words, const std::string& fault) const {
    SubprocessOptions options;
    options.environment.push_back("TWINGRAD_FAULT=" + fault);
    return Run(kFaulty, std::move(words), options);
  }
  std::string LanesFile() const { return Written("lanes.txt", kLanes); }
  std::vector<std::string> Found() const { return Findings("found"); }
  SubprocessResult Follow(const std::string& schedule, const std::string& program,
                          std::string_view engine = kSound) const {
    return Run(engine, {"explore", "--strategy=replay", "--program", program, "--schedule",
                        Written("tampered.txt", schedule)});
  }
  // A replay of this schedule must say that it does not fit.
  void ExpectDiverged(const std::string& program, const std::string& schedule,
                      std::string_view where, std::string_view engine) const {
    const SubprocessResult run = Follow(schedule, program, engine);
    EXPECT_EQ(run.exit_status, 4) << where << "\n" << run.output << run.errors;
    const std::string line = Line(run.output, "replay diverged: [interleave] ");
    EXPECT_THAT(line, HasSubstr(where)) << run.output;
    EXPECT_THAT(Line(run.output, "findings"), HasSubstr("unknown")) << run.output;
  }
  // `schedule` fails on the broken engine.
  void ExpectTamperedSchedulesAreRefused(const std::string& program,
                                         const std::string& schedule) const {
    const auto tampered = [&](auto change) {
      interleave::ScheduleFile other = *interleave::ParseSchedule(schedule);
      change(other);
      return interleave::PrintSchedule(other);
    };
    ExpectDiverged(program, tampered([](auto& file) { ++file.decisions[2].site; }),
                   "diverged at decision 2", kBroken);
    ExpectDiverged(program, tampered([](auto& file) { file.device_threads += 3; }),
                   "diverged at decision ", kBroken);
    ExpectDiverged(program, tampered([](auto& file) { file.decisions.resize(4); }),
                   "ends after 4 decisions, but", kBroken);
    const SubprocessResult of_another = Follow(schedule, LanesFile());
    EXPECT_EQ(of_another.exit_status, 2) << of_another.output;
    EXPECT_THAT(of_another.errors, HasSubstr("tampered.txt is of another Program, whose hash is "));
    const SubprocessResult unread =
        Follow(absl::StrReplaceAll(schedule, {{"\nseed ", "\nseat "}}), program);
    EXPECT_EQ(unread.exit_status, 2) << unread.output;
    EXPECT_THAT(unread.errors, HasSubstr("/tampered.txt:5: cannot read `seat "));
  }
  static std::string Line(const std::string& text, std::string_view word) {
    for (const std::string_view line : absl::StrSplit(text, '\n')) {
      if (absl::StartsWith(line, word)) return std::string(line);
    }
    return "";
  }
  static int64_t Woken(const interleave::ScheduleFile& schedule) {
    return std::count_if(schedule.decisions.begin(), schedule.decisions.end(),
                         [](const interleave::Decision& decision) {
                           return decision.kind == interleave::DecisionKind::kSpurious &&
                                  decision.chosen == 1;
                         });
  }
  static void ExpectDrawn(const std::string& folder, std::string_view end) {
    const std::string picture = Read(folder + "/schedule.svg");
    for (const std::string_view part :
         {std::string_view("<svg "), std::string_view(">ag_device_0</text>"),
          std::string_view("engine/ready_queue.cc:"), end}) {
      EXPECT_THAT(picture, HasSubstr(part));
    }
  }
};

TEST_F(ExploreTest, TheEngineHasNoFindingsAndTheSeedRepeatsTheRun) {
  std::vector<std::string> decisions;
  for (const char* jobs : {"--jobs=1", "--jobs=2"}) {
    const SubprocessResult run =
        Tool({"explore", "--seed=5", "--programs=6", "--schedules=50", jobs});
    EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
    EXPECT_EQ(Line(run.output, "findings"), "findings       none") << run.output;
    EXPECT_THAT(Line(run.output, "lock sites"), HasSubstr(" ordered pairs seen of ")) << run.output;
    EXPECT_THAT(run.errors, HasSubstr("explore --seed=5 --schedules=50 repeats this run"));
    decisions.push_back(Line(run.output, "decisions"));
  }
  EXPECT_THAT(decisions[0], Not(HasSubstr(" 0,")));
  EXPECT_EQ(decisions[0], decisions[1]);
}

TEST_F(ExploreTest, AnUnwritableFolderIsToldBeforeAnythingIsExplored) {
  const SubprocessResult run = Tool({"explore", "--seed=1", "--out=/proc/nope"});
  EXPECT_EQ(run.exit_status, 2) << run.output;
  EXPECT_EQ(run.output, "");
  EXPECT_THAT(run.errors, StartsWith("[oracle] cannot write /proc/nope ("));
}

TEST_F(ExploreTest, EveryStrategyExploresAGivenProgram) {
  for (const interleave::StrategyRow& row : interleave::Strategies()) {
    const SubprocessResult run = Tool({"explore", "--seed=1", "--program", LanesFile(),
                                       absl::StrCat("--strategy=", row.name), "--schedules=200"});
    EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
    EXPECT_THAT(Line(run.output, "schedules"), StartsWith("schedules      200: ")) << run.output;
  }
}

TEST_F(ExploreTest, ALargeProgramHasFewerSchedules) {
  std::string text = "twingrad 1\n%v0 = leaf type=f64[] data=1 grad=1 device=dev:0\n";
  for (int i = 1; i <= 600; ++i) absl::StrAppend(&text, "%v", i, " = neg %v", i - 1, "\n");
  absl::StrAppend(&text, "backward %v600\n");
  const std::string file = Written("large.twin", text);
  const SubprocessResult run = Tool({"explore", "--seed=1", "--program", file, "--schedules=50"});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  const std::string schedules = Line(run.output, "schedules");
  EXPECT_THAT(schedules, StartsWith("schedules      ")) << run.output;
  EXPECT_THAT(schedules, Not(StartsWith("schedules      50: ")));
}

TEST_F(ExploreTest, TimeEndsAProgramWithSchedulesLeft) {
  const SubprocessResult run =
      Tool({"explore", "--schedules=1000000000000", "--time=1", "--program", LanesFile()});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("findings       none\n"));
}

TEST_F(ExploreTest, ADefectIsFoundMadeSmallDrawnAndReplayed) {
  const SubprocessResult run = Run(kBroken, {"explore", "--seed=1", "--program", LanesFile(),
                                             "--schedules=5000", "--out=found"});
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  const std::vector<std::string> folders = Found();
  ASSERT_EQ(folders.size(), 1u) << run.output;
  const std::string& folder = folders[0];
  EXPECT_THAT(run.output, HasSubstr(absl::StrCat("-- replay ", folder, "\n")));

  // Seen by the rule that it breaks, not by a result. Small in Program and in schedule.
  EXPECT_THAT(run.output, HasSubstr("[invariant] run contributions: "));
  const std::string program = Read(folder + "/program.txt");
  EXPECT_LE(std::count(program.begin(), program.end(), '\n'), 6) << program;
  EXPECT_THAT(program, Not(HasSubstr("#")));
  const std::string report = Read(folder + "/report.txt");
  int preemptions = 99;
  const size_t at = report.find(" preemptions, ");
  ASSERT_NE(at, std::string::npos) << report;
  EXPECT_TRUE(absl::SimpleAtoi(report.substr(at - 1, 1), &preemptions)) << report;
  EXPECT_LE(preemptions, 4) << report;
  const std::string schedule = Read(folder + "/schedule.txt");
  EXPECT_THAT(schedule, HasSubstr("twingrad-schedule 1\n"));
  EXPECT_THAT(schedule, Not(HasSubstr("mixed"))) << "the one that had the turn: " << schedule;
  const std::string picture = Read(folder + "/schedule.svg");
  for (const char* part :
       {"<svg ", ">waits for ready_queue.not_empty</text>", "engine/shared_run.cc:"}) {
    EXPECT_THAT(picture, HasSubstr(part)) << part;
  }
  EXPECT_FALSE(Read(folder + "/expected.txt").empty());
  EXPECT_FALSE(Read(folder + "/actual.txt").empty());

  const SubprocessResult again = Run(kBroken, {"replay", folder});
  EXPECT_EQ(again.exit_status, 1) << again.output << again.errors;
  EXPECT_THAT(again.output, StartsWith("the finding still shows: "));
  const SubprocessResult by_strategy = Follow(schedule, folder + "/program.txt", kBroken);
  EXPECT_EQ(by_strategy.exit_status, 1) << by_strategy.output << by_strategy.errors;

  // The mended engine asks other questions; `oracle` sees from the folder that it needs the model.
  const SubprocessResult mended = Tool({"replay", folder});
  EXPECT_EQ(mended.exit_status, 4) << mended.output << mended.errors;
  EXPECT_THAT(mended.output, StartsWith("nothing is known of the finding: "));
  const std::string diverged = Line(mended.output, "replay diverged: ");
  EXPECT_THAT(diverged, HasSubstr(" at decision ")) << mended.output;
  EXPECT_THAT(diverged, HasSubstr("autograd/engine/")) << "the place: " << mended.output;
  ExpectDiverged(folder + "/program.txt", schedule, "autograd/engine/", kSound);
  ExpectTamperedSchedulesAreRefused(folder + "/program.txt", schedule);
}

// Two streams that follow each other.
constexpr char kStreams[] =
    "twingrad 1\n%x = leaf type=f64[2] data=1,2 grad=1 device=dev:0\n%y = mul %x %x\n"
    "stream id=s device=dev:0 waits=1\n%s = sum %y\n%c = to %s device=cpu\nbackward %c\n";

TEST_F(ExploreTest, WorkOnStreamsRunsAsLateAsTheScheduleSays) {
  std::vector<std::string> decisions;
  for (int i = 0; i < 2; ++i) {
    const SubprocessResult run = Tool(
        {"explore", "--seed=3", "--program", Written("streams.twin", kStreams), "--schedules=300"});
    EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
    const std::string streams = Line(run.output, "streams");
    EXPECT_THAT(streams, StartsWith("streams        300 of them, with ")) << run.output;
    decisions.push_back(Line(run.output, "decisions"));
  }
  EXPECT_EQ(decisions[0], decisions[1]);
  const SubprocessResult random = Tool(
      {"explore", "--seed=7", "--programs=40", "--schedules=40", "--device=sim:2", "--streams=4"});
  EXPECT_EQ(random.exit_status, 0) << random.output << random.errors;
  const std::string streams = Line(random.output, "streams");
  EXPECT_THAT(streams, StartsWith("streams   ")) << random.output;
  EXPECT_THAT(streams, Not(HasSubstr("with 0 decisions"))) << random.output;
}

TEST_F(ExploreTest, AWaitThatTheEngineForgetsIsFoundWithTheWorkOfBothStreams) {
  const SubprocessResult run =
      Run(kUnordered, {"explore", "--seed=1", "--programs=2000", "--schedules=20", "--device=sim:2",
                       "--findings=1", "--out=found"});
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  const std::vector<std::string> folders = Found();
  ASSERT_EQ(folders.size(), 1u) << run.output;
  const std::string report = Read(folders[0] + "/report.txt");
  EXPECT_THAT(report, HasSubstr("streams: memory of a device is accessed in no order")) << report;
  EXPECT_THAT(report, HasSubstr("is not ordered with the ")) << report;
  const SubprocessResult again = Run(kUnordered, {"replay", folders[0]});
  EXPECT_EQ(again.exit_status, 1) << again.output << again.errors;
  EXPECT_THAT(again.output, StartsWith("the finding still shows: "));
}

TEST_F(ExploreTest, AnExecutionThatEndsBeforeItsScheduleDoesNotFit) {
  const std::string text =
      "twingrad 1\n%x = leaf type=f64[] data=2 grad=1\n%y = neg %x\nbackward %y\n";
  interleave::ScheduleFile schedule;
  schedule.program_hash = program::Hash(*program::Parse(text));
  schedule.strategy = "random";
  const std::string program = Written("program.txt", text);
  const SubprocessResult whole = Follow(interleave::PrintSchedule(schedule), program);
  EXPECT_EQ(whole.exit_status, 0) << "this Program asks nothing: " << whole.output << whole.errors;
  EXPECT_THAT(whole.output, Not(HasSubstr("diverged")));
  schedule.decisions.resize(3, {interleave::DecisionKind::kThread, 2, 1, 0});
  ExpectDiverged(program, interleave::PrintSchedule(schedule),
                 "the execution ended after 0 of 3 recorded decisions", kSound);
  // The folder of a finding says so in its own words.
  Written("schedule.txt", interleave::PrintSchedule(schedule));
  const SubprocessResult replayed = Tool({"replay", folder()});
  EXPECT_EQ(replayed.exit_status, 4) << replayed.output << replayed.errors;
  EXPECT_THAT(replayed.output, HasSubstr("replay diverged: [interleave] the execution ended"));
}

TEST_F(ExploreTest, ARunOnOneThreadThatFailsIsAFinding) {
  const SubprocessResult run =
      Faulty({"explore", "--seed=1", "--program", LanesFile(), "--out=found"}, "leak");
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("[explore] leaked object on one thread\n"));
  EXPECT_EQ(Line(run.output, "skipped"), "") << run.output;
  ASSERT_EQ(Found().size(), 1u) << run.output;
  const std::string program = Read(Found()[0] + "/program.txt");
  EXPECT_LE(std::count(program.begin(), program.end(), '\n'), 4) << program;
  const SubprocessResult again = Faulty({"replay", Found()[0]}, "leak");
  EXPECT_EQ(again.exit_status, 1) << again.output << again.errors;
  EXPECT_THAT(again.output, StartsWith("the finding still shows: single leaked object\n"));
}

TEST_F(ExploreTest, EnoughFindingsEndTheRun) {
  const SubprocessResult run =
      Run(kBroken, {"explore", "--seed=1", "--program", LanesFile(), "--programs=1000000",
                    "--jobs=1", "--findings=1", "--out=found"});
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_EQ(Found().size(), 1u) << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("programs       1,000,000 in")));
}

// What brings the process down is found with its schedule, and repeated under it.
TEST_F(ExploreTest, ACrashIsFoundWithItsScheduleAndReplayed) {
  const SubprocessResult run =
      Faulty({"explore", "--seed=1", "--program", LanesFile(), "--schedules=400", "--threads=3",
              "--timeout=200", "--out=found"},
             "abort");
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("  it said:  woken for nothing\n"));
  EXPECT_THAT(run.output, HasSubstr("  under:    schedule "));
  ASSERT_EQ(Found().size(), 1u) << run.output;
  const std::string folder = Found()[0];
  EXPECT_THAT(Read(folder + "/report.txt"),
              HasSubstr("explore --seed=1 --programs=1 --schedules=400 "))
      << Read(folder + "/report.txt");
  EXPECT_THAT(Read(folder + "/report.txt"), HasSubstr(" --timeout=200\n"));
  const nlohmann::json known = nlohmann::json::parse(Read(folder + "/finding.json"));
  EXPECT_EQ(known["verb"], "explore");
  EXPECT_EQ(known["strategy"], "mixed");
  EXPECT_EQ(known["schedules"], 400);
  EXPECT_EQ(known["threads"], 3);
  EXPECT_EQ(known["timeout_ms"], 200'000);
  const std::string program = Read(folder + "/program.txt");
  EXPECT_LE(std::count(program.begin(), program.end(), '\n'), 6) << "made small: " << program;
  const auto schedule = interleave::ParseSchedule(Read(folder + "/schedule.txt"));
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_EQ(schedule->detector, "crash");
  EXPECT_EQ(schedule->device_threads, 3);
  // Made small in its schedule, too, and drawn up to there.
  EXPECT_EQ(Woken(*schedule), 1) << Read(folder + "/schedule.txt");
  EXPECT_THAT(run.output, HasSubstr(absl::StrCat(" preemptions, ", schedule->decisions.size(),
                                                 " decisions; then ")));
  ExpectDrawn(folder, ", and the process ends</text>");

  for (const bool with_schedule : {true, false}) {
    if (!with_schedule) std::filesystem::remove(folder + "/schedule.txt");
    const SubprocessResult again = Faulty({"replay", folder}, "abort");
    EXPECT_EQ(again.exit_status, 1) << again.output << again.errors;
    EXPECT_THAT(again.output, StartsWith("the finding still shows: crash\n"));
    // The sound engine goes on where the process ended, or finds nothing under all schedules.
    const SubprocessResult mended = Tool({"replay", folder});
    EXPECT_EQ(mended.exit_status, 0) << mended.output << mended.errors;
    EXPECT_THAT(mended.output, StartsWith("the finding no longer shows\n"));
  }
}

// One leaf over a device.
constexpr char kSmall[] =
    "twingrad 1\n%x = leaf type=f64[] data=2 grad=1\n%a = to %x device=dev:0\nbackward %a\n";

TEST_F(ExploreTest, AHangIsFoundWithItsScheduleAndReplayed) {
  const std::string program = Written("small.txt", kSmall);
  const SubprocessResult run = Faulty({"explore", "--seed=2", "--program", program,
                                       "--schedules=200", "--timeout=4", "--out=found"},
                                      "hang");
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  ASSERT_EQ(Found().size(), 1u) << run.output;
  const std::string folder = Found()[0];
  const auto schedule = interleave::ParseSchedule(Read(folder + "/schedule.txt"));
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_EQ(schedule->detector, "hang");
  EXPECT_GE(Woken(*schedule), 1) << Read(folder + "/schedule.txt");
  ExpectDrawn(folder, ", and it hangs</text>");
  const SubprocessResult again = Faulty({"replay", folder}, "hang");
  EXPECT_EQ(again.exit_status, 1) << again.output << again.errors;
  EXPECT_THAT(again.output, StartsWith("the finding still shows: hang\n"));
  EXPECT_THAT(again.output, HasSubstr("no end after 4 s"));
}

TEST_F(ExploreTest, WrongUsageIsStatusTwo) {
  const std::vector<std::vector<std::string>> wrong = {
      {"explore", "--strategy=guess"},
      {"explore", "--strategy=replay"},
      {"explore", "--schedule=schedule.txt"},
      {"explore", "--program=no/such/file"},
      {"explore", "--schedules=0"},
      {"explore", "--threads=33"},
      {"explore", "--strategy=replay", "--program=" + LanesFile(), "--schedule=" + LanesFile()},
  };
  for (const std::vector<std::string>& words : wrong) {
    const SubprocessResult run = Tool(words);
    EXPECT_EQ(run.exit_status, 2) << words.back() << run.output;
    EXPECT_THAT(run.errors, StartsWith("["));
  }
}

TEST_F(ExploreTest, FlagsWithoutAPartInTheRunAreRefused) {
  const std::string text = "twingrad 1\n%x = leaf type=f64[] data=2 grad=1\nbackward %x\n";
  interleave::ScheduleFile schedule;
  schedule.program_hash = program::Hash(*program::Parse(text));
  schedule.strategy = "random";
  const std::string program = "--program=" + Written("program.txt", text);
  const std::vector<std::string> replay = {
      "explore", program, "--strategy=replay",
      "--schedule=" + Written("schedule.txt", interleave::PrintSchedule(schedule))};
  const SubprocessResult fits = Tool(replay);
  EXPECT_EQ(fits.exit_status, 0) << fits.output << fits.errors;
  EXPECT_THAT(fits.errors, StartsWith("[oracle] explore --strategy=replay "));
  EXPECT_THAT(fits.output + fits.errors, Not(HasSubstr("seed"))) << fits.output << fits.errors;
  for (const std::string flag : {"--schedules=5", "--seed=1", "--threads=2"}) {
    std::vector<std::string> words = replay;
    words.push_back(flag);
    const SubprocessResult run = Tool(words);
    EXPECT_EQ(run.exit_status, 2) << run.output << run.errors;
    EXPECT_THAT(run.errors,
                StartsWith(absl::StrCat("[oracle] ", flag, " has no part in --strategy=replay, ")));
  }
  for (const std::string flag : {"--features=view", "--ops=mul"}) {
    const SubprocessResult run = Tool({"explore", program, flag});
    EXPECT_EQ(run.exit_status, 2) << run.output << run.errors;
    EXPECT_THAT(run.errors,
                StartsWith(absl::StrCat("[oracle] ", flag, " has no part in a run of ")));
  }
}

}  // namespace
}  // namespace twingrad::oracle

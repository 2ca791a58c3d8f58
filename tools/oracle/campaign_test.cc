// `oracle campaign` end to end, over cases with planted faults: whatever is killed, stopped, cut or
// run twice, each Program counts once and each finding comes out.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "proptests/workers/process.h"
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

using nlohmann::json;

class CampaignTest : public ToolTest {
 protected:
  CampaignTest() : ToolTest("tools/oracle/fake_oracle") {}

  // Plans a campaign in the folder `c`; `rest` are further members of its plan.
  void Plan(const std::string& job, std::string_view rest) {
    Written("plan.json", absl::StrCat("{\"campaign\": \"test\", \"seed\": 5, \"jobs\": [", job,
                                      "], ", rest, "}"));
    const SubprocessResult plan = Tool({"campaign", "plan", "plan.json", "--out=c"});
    ASSERT_EQ(plan.exit_status, 0) << plan.errors;
  }
  json Status() const {
    const SubprocessResult status = Tool({"campaign", "status", "c", "--json"});
    return json::parse(status.output, nullptr, false);
  }
  std::string Shard(std::string_view name) const { return At(absl::StrCat("c/shards/", name)); }

  // Starts the tool and does not wait for it.
  pid_t Start(std::vector<std::string> words) const {
    words.insert(words.begin(), "tools/oracle/fake_oracle");
    std::vector<std::string> additions = {"BUILD_WORKING_DIRECTORY=" + folder()};
    const std::vector<char*> argv = workers::Pointers(words);
    const std::vector<char*> environment = workers::EnvironmentWith(additions);
    pid_t pid = 0;
    EXPECT_EQ(posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), environment.data()), 0);
    return pid;
  }
  // Waits until the file exists and has more than `bytes`.
  static void AwaitSize(const std::string& path, uint64_t bytes) {
    std::error_code error;
    for (int i = 0; i < 6000; ++i) {
      const uint64_t size = std::filesystem::file_size(path, error);
      if (!error && size > bytes) return;
      usleep(10'000);
    }
    FAIL() << path << " does not grow";
  }
};

constexpr char kWrong[] = R"({"verb": "check", "programs": 300, "flags": {"features": "wrong"}})";
// 5 ms a case.
constexpr char kSlow[] = R"({"verb": "check", "programs": 300, "flags": {"ops": "slow"}})";
constexpr char kFast[] = R"("shards": 1, "checkpoint": 0.02)";

TEST_F(CampaignTest, RunsAllShardsAndShowsAFindingOnce) {
  Plan(kWrong, R"("shards": 4)");
  const SubprocessResult work = Tool({"campaign", "work", "c", "--jobs=2"});
  EXPECT_EQ(work.exit_status, 0) << work.errors;
  const SubprocessResult merge = Tool({"campaign", "merge", "c"});
  EXPECT_EQ(merge.exit_status, 1) << merge.errors;
  EXPECT_THAT(merge.output, HasSubstr("4 of 4 done"));
  const json status = Status();
  EXPECT_EQ(status["programs"], 1200);
  EXPECT_EQ(status["findings"], 1);  // `wrong`, however often and in whatever Program
  EXPECT_EQ(status["complaints"], json::array());
  EXPECT_THAT(Read(At("c/merged/results.sqlite")), StartsWith("SQLite format 3"));
  const std::string page = Read(At("c/merged/index.html"));
  EXPECT_THAT(page, HasSubstr("\"rule\":\"wrong\""));
  EXPECT_THAT(page, HasSubstr("tools/bazel run //tools/oracle -- replay "));
  // What the page tells to type works.
  const size_t at = merge.output.find("replay ") + 7;
  const std::string path = merge.output.substr(at, merge.output.find('\n', at) - at);
  EXPECT_EQ(Tool({"replay", path.substr(path.rfind(' ') + 1)}).exit_status, 1) << path;
  // All is done: a second run has nothing to do.
  EXPECT_EQ(Tool({"campaign", "work", "c"}).exit_status, 0);
  EXPECT_THAT(Tool({"campaign", "run", "c", "--shard=2"}).output, HasSubstr("is done"));
  EXPECT_EQ(Status()["programs"], 1200);
}

// The file of this name in an issue's text: `NAME`: and a block.
std::string FileIn(const std::string& issue, std::string_view name) {
  const std::string head = absl::StrCat("\n`", name, "`:\n\n```\n");
  const size_t begin = issue.find(head);
  if (begin == std::string::npos) return "";
  const size_t end = issue.find("\n```\n", begin + head.size());
  return issue.substr(begin + head.size(), end + 1 - begin - head.size());
}

TEST_F(CampaignTest, AnIssueHoldsAllThatRepeatsTheFinding) {
  // `stained` is wrong after a `stain` in the same process.
  Plan(R"({"verb": "check", "programs": 600, "flags": {"features": "stain,stained"}})",
       R"("shards": 1)");
  EXPECT_EQ(Tool({"campaign", "work", "c", "--jobs=1"}).exit_status, 0);
  const SubprocessResult merge = Tool({"campaign", "merge", "c"});
  EXPECT_EQ(merge.exit_status, 1);
  EXPECT_THAT(merge.output, HasSubstr("merged/findings.sarif, "));
  const std::vector<std::string> issues = Findings("c/merged/issues");
  ASSERT_EQ(issues.size(), 1u);
  const std::string issue = Read(issues[0]);
  EXPECT_EQ(FileIn(issue, "program.txt"), "stained\n") << issue;
  std::filesystem::create_directory(At("elsewhere"));
  for (const char* name : {"program.txt", "before-1.txt", "finding.json"}) {
    Written(absl::StrCat("elsewhere/", name), FileIn(issue, name));
  }
  std::filesystem::remove_all(At("c"));
  const SubprocessResult replay = Tool({"replay", "elsewhere"});
  EXPECT_EQ(replay.exit_status, 1) << replay.output << replay.errors;
}

TEST_F(CampaignTest, AKilledShardGoesOnAndCountsOnce) {
  Plan(R"({"verb": "check", "programs": 700, "flags": {"ops": "slow"}})", kFast);
  // Twenty processes, each killed somewhere in its work.
  for (uint64_t kill_at = 0, epoch = 1; epoch <= 20; ++epoch) {
    const pid_t pid = Start({"campaign", "run", "c", "--shard=0"});
    AwaitSize(Shard(absl::StrCat("000000.00", epoch < 10 ? "0" : "", epoch)), 0);
    kill_at = (kill_at * 5 + 3) % 97;
    usleep(static_cast<useconds_t>(50'000 + kill_at * 1000));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    EXPECT_EQ(Status()["complaints"], json::array()) << "after kill " << epoch;
  }
  EXPECT_EQ(Tool({"campaign", "work", "c", "--jobs=1"}).exit_status, 0);
  const json status = Status();
  EXPECT_EQ(status["programs"], 700);
  EXPECT_EQ(status["done"], 1);
  EXPECT_EQ(status["complaints"], json::array());
}

TEST_F(CampaignTest, WorkersMayBeKilledToo) {
  Plan(kSlow, R"("shards": 6, "checkpoint": 0.02)");
  for (int i = 0; i < 6; ++i) {
    const pid_t pid = Start({"campaign", "work", "c", "--jobs=2"});
    usleep(400'000);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  EXPECT_EQ(Tool({"campaign", "work", "c", "--jobs=3"}).exit_status, 0);
  EXPECT_EQ(Status()["programs"], 1800);
  EXPECT_EQ(Status()["complaints"], json::array());
}

// Whoever builds it anew while a campaign runs takes it away.
TEST_F(CampaignTest, AToolThatIsGoneIsMissed) {
  Plan(kSlow, R"("shards": 3, "checkpoint": 0.02)");
  const std::string tool = At("tool");
  std::filesystem::copy_file("tools/oracle/fake_oracle", tool);
  const SubprocessResult work = Shell(absl::StrCat(
      "cd ", folder(), "; ./tool campaign work c --jobs=1 & ",
      // Until its first shard is at work: some checkpoints.
      "while kill -0 $! && [ $(cat c/shards/* | wc -c) -lt 1000 ]; do sleep 0.01; done; ",
      "rm tool; wait $!"));
  EXPECT_EQ(work.exit_status, 2);
  EXPECT_THAT(work.errors, HasSubstr("[campaign] cannot run "));
  EXPECT_THAT(work.errors, HasSubstr("start `campaign work` again\n"));
  EXPECT_EQ(Tool({"campaign", "work", "c", "--jobs=2"}).exit_status, 0);
  EXPECT_EQ(Status()["programs"], 900);
}

TEST_F(CampaignTest, ASignalEndsAShardInOrder) {
  Plan(kSlow, kFast);
  const pid_t pid = Start({"campaign", "run", "c", "--shard=0"});
  AwaitSize(Shard("000000.0001"), 1000);
  kill(pid, SIGUSR1);
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(Read(Shard("000000.0001")), HasSubstr("\"done\":false"));
  // It is free at once.
  EXPECT_THAT(Tool({"campaign", "run", "c", "--shard=0"}).output, HasSubstr("epoch 2: done"));
  EXPECT_EQ(Status()["programs"], 300);
}

TEST_F(CampaignTest, AShardHasOneOwner) {
  Plan(kSlow, kFast);
  const pid_t pid = Start({"campaign", "run", "c", "--shard=0"});
  AwaitSize(Shard("000000.0001"), 0);
  const SubprocessResult second = Tool({"campaign", "run", "c", "--shard=0", "--epoch=0"});
  EXPECT_EQ(second.exit_status, 0);
  EXPECT_THAT(second.errors, HasSubstr("shard 0 was taken by another worker; allowed is one; "));
  // One that waits finds it done.
  const SubprocessResult third = Tool({"campaign", "run", "c", "--shard=0"});
  EXPECT_THAT(third.errors, HasSubstr("[campaign] shard 0 belongs to "));
  EXPECT_THAT(third.output, HasSubstr("shard 0 is done: 300 programs"));
  waitpid(pid, nullptr, 0);
  EXPECT_FALSE(std::filesystem::exists(Shard("000000.0002")));
}

TEST_F(CampaignTest, WhoWakesAfterItsLeaseAddsNothing) {
  Plan(kSlow, R"("shards": 1, "checkpoint": 0.02, "lease": 0.5)");
  const pid_t sleeper = Start({"campaign", "run", "c", "--shard=0"});
  AwaitSize(Shard("000000.0001"), 2000);
  kill(sleeper, SIGSTOP);
  const SubprocessResult next = Tool({"campaign", "run", "c", "--shard=0"});
  EXPECT_THAT(next.output, HasSubstr("epoch 2: done"));
  const uint64_t size = std::filesystem::file_size(Shard("000000.0001"));
  kill(sleeper, SIGCONT);
  int status = -1;
  waitpid(sleeper, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::filesystem::file_size(Shard("000000.0001")), size);
  EXPECT_EQ(Status()["programs"], 300);
  EXPECT_EQ(Status()["complaints"], json::array());
  // Even what it would have written counts for nothing.
  std::filesystem::copy_file(Shard("000000.0002"), Shard("000000.0001"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(Status()["programs"], 300);
}

TEST_F(CampaignTest, MergesAtOnceAndWhileShardsRun) {
  Plan(kSlow, R"("shards": 2, "checkpoint": 0.02)");
  const pid_t work = Start({"campaign", "work", "c", "--jobs=2"});
  AwaitSize(Shard("000000.0001"), 1000);
  std::vector<pid_t> merges;
  for (int i = 0; i < 4; ++i) merges.push_back(Start({"campaign", "merge", "c"}));
  for (const pid_t merge : merges) {
    int status = -1;
    waitpid(merge, &status, 0);
    EXPECT_EQ(status, 0);
  }
  waitpid(work, nullptr, 0);
  EXPECT_EQ(Tool({"campaign", "merge", "c"}).exit_status, 0);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(At("c/merged"))) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("index.html", "results.sqlite", "findings.sarif",
                                                   "junit.xml", "issues"));
  EXPECT_EQ(Status()["programs"], 600);
}

TEST_F(CampaignTest, WhatIsDamagedIsToldAndRunAgain) {
  Plan(kSlow, R"("shards": 1, "checkpoint": 0.1)");
  EXPECT_EQ(Tool({"campaign", "work", "c"}).exit_status, 0);
  const std::string whole = Read(Shard("000000.0001"));
  const auto put = [&](const std::string& text) { Written("c/shards/000000.0001", text); };

  // A last line without its end is what a kill leaves: no complaint.
  put(whole.substr(0, whole.size() - 40));
  EXPECT_EQ(Status()["complaints"], json::array());
  EXPECT_EQ(Status()["done"], 0);

  // A bit that has turned is told with its place; what stands before counts.
  const size_t middle = whole.find('\n', whole.size() / 2) + 30;
  std::string turned = whole;
  turned[middle] ^= 1;
  put(turned);
  EXPECT_THAT(Status()["complaints"].dump(), HasSubstr(" is damaged; needed are records whose "));
  EXPECT_LT(Status()["programs"], 300);
  EXPECT_GT(Status()["programs"], 0);

  // A file of another version stops all: nobody knows what it says.
  const SubprocessResult before = Tool({"campaign", "status", "c"});
  EXPECT_EQ(before.exit_status, 0);
  put("8c4a8eec65a85aec {\"type\":\"begin\",\"version\":0}\n");
  const SubprocessResult old = Tool({"campaign", "merge", "c"});
  EXPECT_EQ(old.exit_status, 2);
  EXPECT_THAT(old.errors, HasSubstr("was written by version 0 of the campaign's files; allowed is "
                                    "version 1; go on with the tool that wrote it"));

  // The damaged shard is taken up where its last whole record stands, and all is well again.
  put(turned);
  EXPECT_EQ(Tool({"campaign", "work", "c"}).exit_status, 0);
  EXPECT_EQ(Status()["programs"], 300);
  EXPECT_EQ(Status()["complaints"], json::array());

  // Without its beginning the newest file says nothing: the one before does.
  Written("c/shards/000000.0002", "no record\n");
  EXPECT_THAT(Status()["complaints"].dump(), HasSubstr("has no readable beginning; "));
}

TEST_F(CampaignTest, AFindingThatFoundNoRoomIsWrittenLater) {
  Plan(kWrong, R"("shards": 1)");
  std::filesystem::remove(At("c/findings"));
  Written("c/findings", "in the way");
  const SubprocessResult full = Tool({"campaign", "run", "c", "--shard=0"});
  EXPECT_EQ(full.exit_status, 2);
  EXPECT_THAT(full.errors, HasSubstr("cannot write "));
  EXPECT_GT(Status()["jobs"][0]["waiting"], 0);
  std::filesystem::remove(At("c/findings"));
  EXPECT_EQ(Tool({"campaign", "run", "c", "--shard=0"}).exit_status, 0);
  EXPECT_EQ(Status()["findings"], 1);
  EXPECT_EQ(Status()["programs"], 300);
  EXPECT_EQ(Status()["jobs"][0]["waiting"], 0);
}

TEST_F(CampaignTest, AFolderThatIsAwayForAWhileGetsAllOfIt) {
  Plan(R"({"verb": "check", "programs": 600, "flags": {"ops": "slow", "features": "wrong"}})",
       kFast);
  const pid_t pid = Start({"campaign", "run", "c", "--shard=0"});
  AwaitSize(Shard("000000.0001"), 1000);
  // What lies below a mount is in its place.
  std::filesystem::rename(At("c"), At("mounted"));
  std::filesystem::create_directory(At("c"));
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_TRUE(std::filesystem::is_empty(At("c")));
  EXPECT_THAT(Tool({"campaign", "run", "c", "--shard=0"}).errors, HasSubstr("holds no campaign"));
  std::filesystem::remove(At("c"));
  std::filesystem::rename(At("mounted"), At("c"));
  EXPECT_EQ(Tool({"campaign", "run", "c", "--shard=0"}).exit_status, 0);
  EXPECT_EQ(Status()["programs"], 600);
  EXPECT_EQ(Status()["findings"], 1);
  EXPECT_EQ(Status()["complaints"], json::array());
  EXPECT_EQ(Findings("c/findings/000000.0001").size() + Findings("c/findings/000000.0002").size(),
            1u);
}

TEST_F(CampaignTest, ClocksOfMachinesAreNotCompared) {
  Plan(kSlow, R"("shards": 2, "checkpoint": 0.02, "lease": 1)");
  for (const int hours : {-1, 1}) {
    const std::string shard = hours < 0 ? "0" : "1";
    const std::string path = Shard(absl::StrCat("00000", shard, ".0001"));
    const pid_t sleeper = Start({"campaign", "run", "c", "--shard=" + shard});
    AwaitSize(path, 2000);
    kill(sleeper, SIGSTOP);
    // As its own machine would have dated it.
    const auto date = std::filesystem::last_write_time(path) + std::chrono::hours(hours);
    std::filesystem::last_write_time(path, date);
    const auto begin = std::chrono::steady_clock::now();
    const SubprocessResult next = Tool({"campaign", "run", "c", "--shard=" + shard});
    EXPECT_THAT(next.output, HasSubstr("epoch 2: done"));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    kill(sleeper, SIGCONT);
    waitpid(sleeper, nullptr, 0);
  }
  EXPECT_EQ(Status()["programs"], 600);
  EXPECT_EQ(Status()["complaints"], json::array());
}

TEST_F(CampaignTest, PlantedDefectsComeOut) {
  Plan(R"({"verb": "check", "programs": 60, "flags": {"timeout": "3s"}})",
       R"("shards": 7, "canaries": 5)");
  EXPECT_EQ(Tool({"campaign", "work", "c", "--jobs=3"}).exit_status, 0);
  const SubprocessResult merge = Tool({"campaign", "merge", "c"});
  EXPECT_EQ(merge.exit_status, 0) << merge.output;  // they are no findings
  EXPECT_THAT(merge.output, HasSubstr("found 5 of 5 planted defects\n"));
  EXPECT_THAT(merge.output, HasSubstr("findings       none\n"));
}

TEST_F(CampaignTest, ACampaignThatMissesOneProvesNothing) {
  Plan(R"({"verb": "check", "programs": 1})", R"("shards": 5, "canaries": 5)");
  EXPECT_EQ(Tool({"campaign", "work", "c"}).exit_status, 0);
  const SubprocessResult merge = Tool({"campaign", "merge", "c"});
  EXPECT_EQ(merge.exit_status, 4);
  EXPECT_THAT(merge.output, HasSubstr("it missed one whose shard is done, so it proves nothing"));
  EXPECT_THAT(Read(At("c/merged/index.html")), HasSubstr("\"missed\":true"));
}

TEST_F(CampaignTest, EmptyShardsNeedNoProcess) {
  Plan(R"({"verb": "check", "programs": 0})", R"("shards": 300)");
  EXPECT_EQ(Tool({"campaign", "work", "c", "--jobs=2"}).exit_status, 0);
  EXPECT_EQ(Status()["done"], 300);
}

TEST_F(CampaignTest, WrongPlansAreToldWithTheirPlace) {
  const auto refused = [&](std::string_view text) {
    Written("plan.json", text);
    const SubprocessResult plan = Tool({"campaign", "plan", "plan.json", "--out=c"});
    EXPECT_EQ(plan.exit_status, 2) << text;
    EXPECT_FALSE(std::filesystem::exists(At("c"))) << text;
    return plan.errors;
  };
  EXPECT_THAT(refused("{\n  \"shards\": }"), HasSubstr("[campaign] plan.json:2:13: no JSON; "));
  EXPECT_THAT(refused("{}"), HasSubstr("has no `shards`; needed is"));
  EXPECT_THAT(refused(R"({"shards": 1})"), HasSubstr("has no `jobs`; needed is"));
  EXPECT_THAT(refused(R"({"shards": 1, "jobs": [{}]})"),
              HasSubstr("job 1 has no end; needed is `programs` or `time`"));
  EXPECT_THAT(refused(R"({"shards": 1, "jobs": [{"programs": 1, "sheds": 2}]})"),
              HasSubstr("job 1 has an unknown member `sheds`; allowed are verb, "));
  EXPECT_THAT(
      refused(R"({"shards": 1, "jobs": [{"programs": 1, "verb": "replay"}]})"),
      HasSubstr("a job has the verb `replay`; allowed are check, explore, conformance and fuzz; "));
  EXPECT_THAT(refused(R"({"shards": 1, "jobs": [{"programs": 1, "flags": {"jobs": "2"}}]})"),
              HasSubstr("a job has the flag `jobs`; allowed are engine, "));
  EXPECT_THAT(refused(R"({"shards": 1, "jobs": [{"programs": 1, "flags": {"features": "no"}}]})"),
              HasSubstr("unknown feature `no`"));
  EXPECT_THAT(refused(R"({"shards": 1, "canaries": 2, "jobs": [{"programs": 1}]})"),
              HasSubstr("has 2 canaries in 1 shards; allowed is"));
  EXPECT_THAT(
      refused(R"({"shards": 1, "canaries": 1, "jobs": [{"verb": "explore", "programs": 1}]})"),
      HasSubstr("has 1 canaries; allowed are 0, one in each shard"));
  EXPECT_THAT(refused(R"({"shards": 1, "checkpoint": 6, "jobs": [{"programs": 1}]})"),
              HasSubstr("allowed are at most 5 s"));
  Plan(kWrong, R"("shards": 1)");
  const SubprocessResult again = Tool({"campaign", "plan", "plan.json", "--out=c"});
  EXPECT_EQ(again.exit_status, 2);
  EXPECT_THAT(again.errors, HasSubstr("holds a campaign; allowed is a new folder; "));
  EXPECT_THAT(Tool({"campaign", "merge", "no"}).errors, HasSubstr("holds no campaign; allowed is"));
  EXPECT_THAT(Tool({"campaign", "run", "c", "--shard=1"}).errors,
              HasSubstr("there is no shard 1; allowed are 0 to 0; "));
}

TEST_F(CampaignTest, TheTaskOfAnArrayNamesItsShard) {
  Plan(kWrong, R"("shards": 3)");
  for (const char* variable : {"SLURM_ARRAY_TASK_ID=1", "JOB_COMPLETION_INDEX=2"}) {
    SubprocessOptions options;
    options.environment = {variable};
    EXPECT_EQ(Tool({"campaign", "run", "c"}, options).exit_status, 0);
  }
  EXPECT_THAT(Tool({"campaign", "run", "c"}).errors, HasSubstr("no shard is named; allowed are 0"));
  EXPECT_FALSE(std::filesystem::exists(Shard("000000.0001")));
  EXPECT_TRUE(std::filesystem::exists(Shard("000001.0001")));
  EXPECT_TRUE(std::filesystem::exists(Shard("000002.0001")));
}

TEST_F(CampaignTest, TellsHowFarItIsToPrometheusToo) {
  Plan(kWrong, R"("shards": 2)");
  EXPECT_EQ(Tool({"campaign", "run", "c", "--shard=0"}).exit_status, 0);
  EXPECT_EQ(Tool({"campaign", "status", "c", "--metrics=m.prom"}).exit_status, 1);
  const std::string metrics = Read(At("m.prom"));
  EXPECT_THAT(metrics, HasSubstr("# TYPE twingrad_campaign_shards_done gauge\n"));
  EXPECT_THAT(metrics, HasSubstr("shards_done{campaign=\"test\",job=\"1\",verb=\"check\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("twingrad_campaign_findings{campaign=\"test\"} 1\n"));
}

TEST_F(CampaignTest, RunsOnThisMachineWithNothingToSetUp) {
  const SubprocessResult run = Tool({"campaign", "run-local", "--time=2s", "--jobs=2", "--seed=3"});
  EXPECT_THAT(run.errors, HasSubstr("[campaign] seed 3: 12 shards in "));
  EXPECT_THAT(run.output, HasSubstr("12 of 12 done"));
  EXPECT_TRUE(std::filesystem::exists(At("campaign/merged/index.html")));
  // The same command goes on with it, which is done.
  EXPECT_THAT(Tool({"campaign", "run-local"}).output, HasSubstr("12 of 12 done"));
}

}  // namespace
}  // namespace twingrad::oracle

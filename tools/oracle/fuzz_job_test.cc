// Jobs of kinds `fuzz` and `conformance` in `oracle campaign`, over a stand-in for a fuzz target
// and cases with planted faults: nothing that was kept is lost, and crashes come out.

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
#include "nlohmann/json.hpp"
#include "proptests/workers/process.h"
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

using nlohmann::json;
using testing::AllOf;
namespace fs = std::filesystem;

class FuzzJobTest : public ToolTest {
 protected:
  FuzzJobTest() : ToolTest("tools/oracle/fake_oracle") {
    fs::create_directory(At("seeds"));
    Written("seeds/one", "AB");
  }

  SubprocessResult TryPlan(std::string_view job, std::string_view rest) {
    Written("plan.json",
            absl::StrCat("{\"seed\": 5, \"checkpoint\": 0.05, \"jobs\": [", job, "], ", rest, "}"));
    return Tool({"campaign", "plan", "plan.json", "--out=c"});
  }
  void Plan(std::string_view job, std::string_view rest) {
    const SubprocessResult plan = TryPlan(job, rest);
    ASSERT_EQ(plan.exit_status, 0) << plan.errors;
  }
  // A fuzz job of so many runs a shard.
  std::string Fuzz(int runs, std::string_view arguments = "-len_control=0") const {
    return absl::StrCat(R"({"verb": "fuzz", "programs": )", runs, R"(, "flags": {"target": ")",
                        Target(), R"(", "corpus": ")", At("seeds"), R"(", "arguments": ")",
                        arguments, "\"}}");
  }
  static std::string Target() {
    return fs::absolute("fuzz/campaign/targets/fake_target.py").string();
  }
  json Status() const {
    return json::parse(Tool({"campaign", "status", "c", "--json"}).output, nullptr, false);
  }
  size_t Inputs(std::string_view folder) const {
    std::error_code error;
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(At(folder), error)) ++count;
    return count;
  }
  // Waits until the epoch of shard 0 has a checkpoint.
  void AwaitCheckpoint(int epoch) const {
    const std::string path = At(absl::StrCat("c/shards/000000.000", epoch));
    for (int i = 0; i < 6000; ++i) {
      if (absl::StrContains(ReadInput(path).value_or(""), R"("type":"checkpoint")")) return;
      usleep(10'000);
    }
    FAIL() << path << " has no checkpoint";
  }
  pid_t Start(std::vector<std::string> words) const {
    words.insert(words.begin(), "tools/oracle/fake_oracle");
    std::vector<std::string> additions = {"BUILD_WORKING_DIRECTORY=" + folder()};
    const std::vector<char*> argv = workers::Pointers(words);
    const std::vector<char*> environment = workers::EnvironmentWith(additions);
    pid_t pid = 0;
    EXPECT_EQ(posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), environment.data()), 0);
    return pid;
  }
};

TEST_F(FuzzJobTest, ShardsUniteCoverageAndMinimizeTheirCorporaTogether) {
  Plan(Fuzz(150), R"("shards": 3)");
  const SubprocessResult work = Tool({"campaign", "work", "c", "--jobs=3"});
  EXPECT_EQ(work.exit_status, 0) << work.errors;
  const SubprocessResult merge = Tool({"campaign", "merge", "c"});
  EXPECT_EQ(merge.exit_status, 0) << merge.output << merge.errors;
  EXPECT_THAT(merge.output, HasSubstr(": 450 runs in "));
  EXPECT_THAT(merge.output, HasSubstr("merged/corpora/1: "));
  const json job = Status()["jobs"][0];
  EXPECT_EQ(job["programs"], 450);
  EXPECT_EQ(Status()["complaints"], json::array());
  // An input of the stand-in adds one edge, but for the seed, which has two.
  const size_t seen = job["seen"];
  EXPECT_GT(seen, 150u);  // of 256: no shard alone has so many
  EXPECT_EQ(Inputs("c/merged/corpora/1"), seen - 1);
  for (const char* shard : {"0", "1", "2"}) {
    EXPECT_LT(Inputs(absl::StrCat("c/corpora/00000", shard, ".0001")), 150u);
  }
  const std::string page = Read(At("c/merged/index.html"));
  EXPECT_THAT(page, HasSubstr("\"verb\":\"fuzz\""));
  EXPECT_THAT(page, HasSubstr("\"shard_curves\":[{\"job\":0,\"points\":[["));
  // Merged once more, it is the same.
  EXPECT_EQ(Tool({"campaign", "merge", "c"}).exit_status, 0);
  EXPECT_EQ(Inputs("c/merged/corpora/1"), seen - 1);
  EXPECT_EQ(Inputs("c/merged/corpora"), 1u);
}

TEST_F(FuzzJobTest, ACrashIsMinimizedShownOnceAndReplayed) {
  Plan(Fuzz(100, "-crash_after=30"), R"("shards": 2)");
  EXPECT_EQ(Tool({"campaign", "work", "c", "--jobs=2"}).exit_status, 0);
  const SubprocessResult merge = Tool({"campaign", "merge", "c"});
  EXPECT_EQ(merge.exit_status, 1) << merge.output;
  EXPECT_THAT(merge.output, HasSubstr("AddressSanitizer: heap-use-after-free, in "));
  EXPECT_EQ(Status()["findings"], 1);
  EXPECT_GT(Status()["jobs"][0]["failed"], 2);
  EXPECT_EQ(Status()["jobs"][0]["waiting"], 0);
  EXPECT_THAT(Read(At("c/merged/index.html")), HasSubstr("planted::Function(int)"));
  const std::vector<std::string> folders = Findings("c/findings/000000.0001");
  ASSERT_EQ(folders.size(), 1u);
  EXPECT_EQ(Read(folders[0] + "/program.txt"), "CRASH");
  EXPECT_EQ(Read(folders[0] + "/original.txt"), "some CRASH more");
  const SubprocessResult replay = Tool({"replay", folders[0]});
  EXPECT_EQ(replay.exit_status, 1) << replay.output << replay.errors;
  EXPECT_THAT(replay.output, StartsWith("the finding still shows: crash\n"));
  Written(absl::StrCat(folders[0].substr(folder().size() + 1), "/program.txt"), "harmless");
  EXPECT_EQ(Tool({"replay", folders[0]}).exit_status, 0);
}

TEST_F(FuzzJobTest, SeedsThatFailEndTheShardWithTheirFinding) {
  Written("seeds/two", "CRASH");
  Plan(Fuzz(1'000'000), R"("shards": 1)");
  EXPECT_EQ(Tool({"campaign", "run", "c", "--shard=0"}).exit_status, 0);
  EXPECT_EQ(Status()["findings"], 1);
  EXPECT_EQ(Status()["done"], 1);
}

TEST_F(FuzzJobTest, AKilledShardGoesOnWithItsCorpus) {
  Plan(Fuzz(1500), R"("shards": 1)");
  for (int epoch = 1; epoch <= 3; ++epoch) {
    const pid_t pid = Start({"campaign", "run", "c", "--shard=0"});
    AwaitCheckpoint(epoch);
    usleep(100'000);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  const size_t before = Status()["jobs"][0]["seen"];
  const size_t runs = Status()["programs"];
  EXPECT_GE(before, 2u);
  EXPECT_LT(runs, 1500u);
  EXPECT_EQ(Status()["done"], 0);
  EXPECT_EQ(Tool({"campaign", "work", "c", "--jobs=1"}).exit_status, 0);
  // A corpus is read to its end, where that takes more runs than were left.
  EXPECT_GE(Status()["programs"], 1500);
  EXPECT_LT(Status()["programs"], 1500 + 256);
  EXPECT_GE(Status()["jobs"][0]["seen"], before);
  EXPECT_EQ(Status()["complaints"], json::array());
  // What the epochs that were killed have kept is in the merge.
  EXPECT_EQ(Tool({"campaign", "merge", "c"}).exit_status, 0);
  EXPECT_EQ(Inputs("c/merged/corpora/1"), size_t{Status()["jobs"][0]["seen"]} - 1);
  EXPECT_GT(Inputs("c/corpora/000000.0001"), 0u);
}

TEST_F(FuzzJobTest, ASignalEndsAShardInOrder) {
  Plan(Fuzz(100'000), R"("shards": 1)");
  const pid_t pid = Start({"campaign", "run", "c", "--shard=0"});
  AwaitCheckpoint(1);
  kill(pid, SIGTERM);
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(Read(At("c/shards/000000.0001")), HasSubstr("\"done\":false"));
  EXPECT_GT(Status()["programs"], 0);
}

TEST_F(FuzzJobTest, ATargetThatCannotRunIsTold) {
  Plan(Fuzz(10, "-no_start"), R"("shards": 1)");
  const SubprocessResult run = Tool({"campaign", "run", "c", "--shard=0"});
  EXPECT_EQ(run.exit_status, 3);
  EXPECT_THAT(run.errors, HasSubstr("ended by exit status 1 and has left no input; needed is "));
  EXPECT_THAT(run.errors, HasSubstr("it has no library"));
}

TEST_F(FuzzJobTest, WrongJobsAreTold) {
  const auto refused = [&](std::string_view job) {
    const SubprocessResult plan = TryPlan(job, R"("shards": 1)");
    EXPECT_EQ(plan.exit_status, 2) << job;
    EXPECT_FALSE(fs::exists(At("c"))) << job;
    return plan.errors;
  };
  EXPECT_THAT(refused(R"({"verb": "fuzz", "programs": 1})"),
              HasSubstr("the target `` of a fuzz job is not there; needed is the absolute path"));
  EXPECT_THAT(refused(R"({"verb": "fuzz", "programs": 1, "flags": {"ops": "mul"}})"),
              AllOf(HasSubstr("--ops"), HasSubstr("; correct the plan")));
  EXPECT_THAT(refused(R"({"verb": "conformance", "programs": 1})"),
              HasSubstr("a job of kind `conformance` names no engine; needed is the flag"));
}

TEST_F(FuzzJobTest, ConformanceJudgesAnEngineOfOthers) {
  Plan(R"({"verb": "conformance", "programs": 40, "flags": {"engine": "exec:fake"}})",
       R"("shards": 2)");
  const SubprocessResult work = Tool({"campaign", "work", "c", "--jobs=2"});
  EXPECT_EQ(work.exit_status, 0) << work.errors;
  EXPECT_THAT(work.output, HasSubstr("its Programs: check --seed="));
  EXPECT_EQ(Tool({"campaign", "merge", "c"}).exit_status, 0);
  EXPECT_EQ(Status()["programs"], 80);
  // What the summary of `check` says is on the page.
  const std::string page = Read(At("c/merged/index.html"));
  EXPECT_THAT(page, HasSubstr("\"summary\":\"lines          "));
  EXPECT_THAT(page, HasSubstr("\"verb\":\"conformance\""));
}

}  // namespace
}  // namespace twingrad::oracle

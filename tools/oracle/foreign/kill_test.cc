// An adapter that something outside kills at random moments, through `check`: no Program is lost,
// none is judged twice, nothing is blamed, and no process is left behind.
//
//   kill_test KILLS [SEED]

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

constexpr int kPrograms = 1500;  // a run
constexpr int kMaxRuns = 5000;

int wanted_kills = 20;
uint64_t seed = 20251;

// Empty where it cannot be read: a process may end between the listing of /proc and the reading of
// its files, and a stream takes note of a read that fails, where an iterator over its buffer would
// throw.
std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Processes in whose environment `mark` stands: what a run has started, whoever its parent is now.
// With `name`, those that run that program.
std::vector<pid_t> Marked(const std::string& mark, const std::string& name = "") {
  std::vector<pid_t> found;
  std::error_code gone;
  std::filesystem::directory_iterator process("/proc", gone);
  for (; process != std::filesystem::directory_iterator(); process.increment(gone)) {
    const std::string folder = process->path().string();
    int pid = 0;
    if (!absl::SimpleAtoi(process->path().filename().string(), &pid)) continue;
    if (!name.empty() && Read(folder + "/comm") != name + "\n") continue;
    if (absl::StrContains(Read(folder + "/environ"), mark)) found.push_back(pid);
  }
  return found;
}

// Kills adapters, each at a random age, until told to stop; counts them. By age, for a machine may
// be so slow that an adapter is not ready after any time that could be named here.
int KillAdapters(const std::string& mark, std::mt19937_64& random, int most,
                 const std::atomic<bool>& stop) {
  using std::chrono::steady_clock;
  std::map<pid_t, steady_clock::time_point> due;
  int kills = 0;
  while (!stop && kills < most) {
    usleep(500);
    for (const pid_t pid : Marked(mark, "faulty")) {
      const auto age = std::chrono::microseconds(random() % 200000);
      const auto [at, fresh] = due.emplace(pid, steady_clock::now() + age);
      if (fresh || steady_clock::now() < at->second || kills == most) continue;
      at->second = steady_clock::time_point::max();
      if (kill(pid, SIGKILL) == 0) ++kills;
    }
  }
  return kills;
}

// One run with kills; returns how many. What must hold is checked.
int RunOnce(int run, int most, std::mt19937_64& random) {
  const auto folder = TemporaryFolder::Make("kill-test");
  EXPECT_TRUE(folder.ok());
  const std::string report = folder->path() + "/run.jsonl";
  const std::string mark = absl::StrCat("KILL_TEST_RUN=", getpid(), "-", run);
  std::atomic<bool> stop = false;
  int kills = 0;
  std::thread killer;
  SubprocessOptions options;
  options.environment = {mark};
  options.meanwhile = [&](pid_t) {
    killer = std::thread([&] { kills = KillAdapters(mark, random, most, stop); });
  };
  const SubprocessResult result =
      RunSubprocess({"tools/oracle/oracle_alone", "check", FaultyEngine("none"),
                     absl::StrCat("--seed=", seed + static_cast<uint64_t>(run)),
                     absl::StrCat("--programs=", kPrograms), "--jobs=2", "--report=" + report,
                     "--out=" + folder->path() + "/findings"},
                    options);
  stop = true;
  killer.join();
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  const std::string text = Read(report);
  const auto line =
      nlohmann::json::parse(text.substr(0, text.find('\n')), nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(line.is_object()) << result.output;
  if (!line.is_object()) return kills;
  EXPECT_EQ(line.value("programs", 0), kPrograms);
  EXPECT_TRUE(line.value("each_once", false)) << line;
  EXPECT_EQ(line.value("failed", -1), 0);
  // The children die with their parents; they may need a moment to be reaped.
  for (int i = 0; i < 500 && !Marked(mark).empty(); ++i) usleep(10000);
  EXPECT_TRUE(Marked(mark).empty()) << "left behind: process " << Marked(mark)[0];
  return kills;
}

TEST(KillTest, NothingIsLostJudgedTwiceOrLeftBehind) {
  std::mt19937_64 random(seed);
  int kills = 0;
  int runs = 0;
  while (kills < wanted_kills && runs < kMaxRuns && !HasFailure()) {
    kills += RunOnce(runs++, wanted_kills - kills, random);
  }
  EXPECT_EQ(kills, wanted_kills) << "in " << runs << " runs";
  std::printf("%d adapters killed in %d runs of %d programs: each program judged once\n", kills,
              runs, kPrograms);
  if (HasFailure()) {
    std::printf("repeats: tools/bazel run //tools/oracle/foreign:kill_test -- %d %llu\n",
                wanted_kills, static_cast<unsigned long long>(seed));
  }
}

}  // namespace
}  // namespace twingrad::oracle

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) twingrad::oracle::wanted_kills = std::atoi(argv[1]);
  if (argc > 2) twingrad::oracle::seed = std::strtoull(argv[2], nullptr, 10);
  return RUN_ALL_TESTS();
}

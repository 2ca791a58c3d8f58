#include "proptests/workers/campaign.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "proptests/workers/fake_cases.h"
#include "proptests/workers/files.h"

namespace twingrad::workers {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

// Of workers that judge cases one by one, and of such as judge them in batches.
class CampaignTest : public testing::TestWithParam<bool> {
 protected:
  CampaignOptions Options(uint64_t programs, int jobs, std::vector<std::string> flags) const {
    if (GetParam()) flags.emplace_back("--ops=batches");
    CampaignOptions options;
    options.seed = 1;
    options.programs = programs;
    options.jobs = jobs;
    options.worker = FakeWorker(folder_);
    options.worker.flags = std::move(flags);
    return options;
  }

  static std::unique_ptr<Campaign> Make(CampaignOptions options) {
    absl::StatusOr<std::unique_ptr<Campaign>> campaign = Campaign::Create(std::move(options));
    EXPECT_TRUE(campaign.ok()) << campaign.status();
    return *std::move(campaign);
  }

  // Runs to the end; returns the failures by index.
  static std::map<uint64_t, Failure> RunToEnd(Campaign& campaign) {
    std::map<uint64_t, Failure> failures;
    bool alive = true;
    while (alive) {
      alive = campaign.Pump(std::chrono::milliseconds(20));
      for (Failure& failure : campaign.TakeFailures()) failures.emplace(failure.index, failure);
    }
    return failures;
  }

  // The processes whose parent this is.
  static std::vector<pid_t> Children() {
    std::vector<pid_t> children;
    std::ifstream file("/proc/self/task/" + std::to_string(getpid()) + "/children");
    for (pid_t pid = 0; file >> pid;) children.push_back(pid);
    return children;
  }

  TemporaryFolder folder_ = *TemporaryFolder::Make("campaign-test");
};

TEST_P(CampaignTest, JudgesEachProgramOnceWhateverTheJobs) {
  Counters first;
  std::set<std::string> notes;
  for (const int jobs : {1, 2, 5}) {
    const auto campaign = Make(Options(500, jobs, {}));
    EXPECT_TRUE(RunToEnd(*campaign).empty());
    EXPECT_EQ(campaign->programs(), 500u);
    ASSERT_EQ(campaign->counters().size(), 2u);
    EXPECT_EQ(campaign->counters()[0], 500u);
    // The number of lines is a sum over the Programs: equal sums, equal sets.
    if (first.empty()) first = campaign->counters();
    EXPECT_EQ(campaign->counters(), first);
    if (notes.empty()) notes = campaign->notes();
    EXPECT_FALSE(notes.empty());
    EXPECT_EQ(campaign->notes(), notes);
  }
}

TEST_P(CampaignTest, FindsTheSameFailuresWhateverTheJobs) {
  std::vector<std::pair<uint64_t, std::string>> first;
  for (const int jobs : {1, 4}) {
    const auto campaign = Make(Options(200, jobs, {"--features=wrong,crash,exit"}));
    std::vector<std::pair<uint64_t, std::string>> found;
    for (const auto& [index, failure] : RunToEnd(*campaign)) {
      found.emplace_back(failure.seed, failure.result.oracle);
      EXPECT_FALSE(failure.program.empty());
    }
    EXPECT_GT(found.size(), 5u);
    EXPECT_EQ(campaign->programs(), 200u);
    EXPECT_EQ(campaign->failed(), found.size());
    if (first.empty()) first = found;
    EXPECT_EQ(found, first);
  }
}

TEST_P(CampaignTest, WhatAWorkerDiesOfIsJudgedOnceAndWhatWasBesideItIsNotLost) {
  setenv("BUILD_WORKING_DIRECTORY", folder_.path().c_str(), 1);
  const auto campaign = Make(Options(320, 1, {"--features=crash", "--ops=few_starts"}));
  const auto failures = RunToEnd(*campaign);
  EXPECT_TRUE(campaign->status().ok()) << campaign->status();
  EXPECT_GT(failures.size(), 5u);
  EXPECT_TRUE(campaign->Whole());
  // A first worker, a successor of each that died, and the one that tells what it died of.
  EXPECT_EQ(ReadInput(ResolvePath("starts"))->size(), failures.size() + 2);
  unsetenv("BUILD_WORKING_DIRECTORY");
  // All but those were judged to the end.
  EXPECT_EQ(campaign->counters()[0], 320u - failures.size());
}

TEST_P(CampaignTest, GoesOnAfterHangsAndGrowth) {
  CampaignOptions options = Options(60, 2, {"--features=hang,memory"});
  options.worker.limits.timeout = std::chrono::milliseconds(500);
  options.worker.limits.memory = uint64_t{1} << 30;
  const auto campaign = Make(std::move(options));
  const auto failures = RunToEnd(*campaign);
  EXPECT_GE(failures.size(), 1u);
  EXPECT_EQ(campaign->programs(), 60u);
  // Under a sanitizer a hog may not reach its size in time; it is found either way.
  for (const auto& [index, failure] : failures) {
    EXPECT_TRUE(failure.result.oracle == "hang" || failure.result.oracle == "memory");
  }
}

TEST(TimeLimitTest, AfterSomeHangsATenthMustDoUnlessOthersTakeNearlyAsLong) {
  EXPECT_EQ(TimeLimit(10s, 0, 1ms), 10s);
  EXPECT_EQ(TimeLimit(10s, kHangsInFull - 1, 1ms), 10s);
  EXPECT_EQ(TimeLimit(10s, kHangsInFull, 1ms), 1s);
  EXPECT_EQ(TimeLimit(50s, kHangsInFull, 1ms), 5s);
  EXPECT_EQ(TimeLimit(10s, 100, 300ms), 3s);
  EXPECT_EQ(TimeLimit(10s, 100, 5s), 10s);
  // Nothing is cut below a second.
  EXPECT_EQ(TimeLimit(2s, 100, 1ms), 1s);
  EXPECT_EQ(TimeLimit(500ms, 100, 1ms), 500ms);
}

TEST_P(CampaignTest, LosesNothingWhenWorkersAreKilled) {
  const auto campaign = Make(Options(400, 2, {"--ops=slow"}));
  int kills = 0;
  while (campaign->Pump(std::chrono::milliseconds(20))) {
    if (kills < 4 && campaign->programs() > 50u * static_cast<unsigned>(kills + 1)) {
      const std::vector<pid_t> children = Children();
      ASSERT_FALSE(children.empty());
      kill(children[0], SIGKILL);
      ++kills;
    }
  }
  EXPECT_EQ(kills, 4);
  EXPECT_EQ(campaign->restarts(), 4u);
  EXPECT_EQ(campaign->failed(), 0u);
  EXPECT_EQ(campaign->programs(), 400u);
  EXPECT_EQ(campaign->counters()[0], 400u);
}

TEST_P(CampaignTest, StopsAfterTheCurrentPrograms) {
  const auto campaign = Make(Options(1'000'000, 2, {"--ops=slow"}));
  while (campaign->programs() < 10 && campaign->Pump(std::chrono::milliseconds(20))) {
  }
  campaign->Stop();
  RunToEnd(*campaign);
  EXPECT_GE(campaign->programs(), 10u);
  EXPECT_LT(campaign->programs(), 10'000u);
}

TEST_P(CampaignTest, EndsWhenNoEngineStarts) {
  for (const char* fault : {"--ops=cannot_start", "--ops=die_starting"}) {
    const auto campaign = Make(Options(100, 3, {fault}));
    RunToEnd(*campaign);
    EXPECT_TRUE(absl::IsUnavailable(campaign->status())) << fault;
    EXPECT_EQ(campaign->programs(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(, CampaignTest, testing::Bool(), [](const auto& batches) {
  return batches.param ? "InBatches" : "OneByOne";
});

}  // namespace
}  // namespace twingrad::workers

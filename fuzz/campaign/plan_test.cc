#include "fuzz/campaign/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "proptests/workers/plant.h"

namespace twingrad::campaign {
namespace {

constexpr char kText[] = R"({
  "campaign": "nightly", "seed": 7, "shards": 40, "canaries": 7, "lease": "2m", "checkpoint": 1,
  "jobs": [{"verb": "check", "weight": 3, "programs": 20000},
           {"verb": "explore", "time": "1.5h", "flags": {"schedules": "500"}},
           {"verb": "check", "programs": 5, "flags": {"engine": "libtorch"}}]
})";

TEST(PlanTest, SurvivesPrintingAndParsing) {
  const absl::StatusOr<Plan> plan = ParsePlan(kText, "p");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->lease, 120);
  EXPECT_EQ(plan->jobs[1].seconds, 5400);
  const absl::StatusOr<Plan> again = ParsePlan(PrintPlan(*plan), "again");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(PrintPlan(*again), PrintPlan(*plan));
}

// A time is what is written, however many digits it has.
TEST(PlanTest, SurvivesATimeOfNanoseconds) {
  const auto plan = ParsePlan(R"({"shards": 1, "jobs": [{"time": 0.0000010089}]})", "p");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->jobs[0].seconds, 0.0000010089);
  const auto again = ParsePlan(PrintPlan(*plan), "again");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(PrintPlan(*again), PrintPlan(*plan));
}

TEST(PlanTest, ShardsAreSharedByWeight) {
  const Plan plan = *ParsePlan(kText, "p");
  const std::vector<uint32_t> jobs = JobsOfShards(plan);
  ASSERT_EQ(jobs.size(), 40u);
  std::map<uint32_t, int> all;
  for (const uint32_t job : jobs) ++all[job];
  EXPECT_EQ(all, (std::map<uint32_t, int>{{0, 24}, {1, 8}, {2, 8}}));
  // From the start: any five shards in a row have all jobs.
  for (size_t i = 0; i + 5 <= jobs.size(); ++i) {
    EXPECT_EQ(std::set<uint32_t>(jobs.begin() + static_cast<int>(i),
                                 jobs.begin() + static_cast<int>(i) + 5)
                  .size(),
              3u);
  }
}

TEST(PlanTest, EachShardHasASeedOfItsOwn) {
  Plan plan = *ParsePlan(kText, "p");
  std::set<uint64_t> seeds;
  for (uint64_t shard = 0; shard < plan.shards; ++shard) seeds.insert(SeedOfShard(plan, shard));
  const uint64_t first = SeedOfShard(plan, 0);
  EXPECT_EQ(seeds.size(), plan.shards);
  plan.shards = 3;  // how many there are does not matter
  EXPECT_EQ(SeedOfShard(plan, 0), first);
  plan.seed = 8;
  EXPECT_NE(SeedOfShard(plan, 0), first);
}

TEST(PlanTest, PlantsAsManyDefectsOfAllKindsAsAreAskedFor) {
  const Plan plan = *ParsePlan(kText, "p");
  const std::vector<uint32_t> jobs = JobsOfShards(plan);
  EXPECT_EQ(PlacesForCanaries(plan, jobs), 24u);
  const std::vector<uint64_t> plants = PlantsOfShards(plan);
  std::map<workers::Defect, int> defects;
  for (size_t shard = 0; shard < plants.size(); ++shard) {
    const workers::Defect defect = workers::DefectOf(plants[shard]);
    if (defect != workers::Defect::kNone) {
      EXPECT_EQ(jobs[shard], 0u);
    }
    ++defects[defect];
  }
  EXPECT_EQ(defects[workers::Defect::kNone], 33);
  EXPECT_EQ(defects.size(), 1 + workers::kNumDefects);
  // Each shard has a number, and no two the same.
  EXPECT_EQ(std::set<uint64_t>(plants.begin(), plants.end()).size(), plan.shards);
}

TEST(PlanTest, ANumberThatNothingHoldsIsRefused) {
  const absl::Status status = ParsePlan(R"({"shards": 1e999})", "p.json").status();
  EXPECT_EQ(status.message().find("[campaign] p.json has a number that is too large; allowed "), 0u)
      << status;
}

TEST(PlanTest, AListOfAnyDepthIsRefused) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  const absl::Status status =
      ParsePlan("{\"shards\": 1, \"seed\": " + deep + "}", "p.json").status();
  EXPECT_EQ(status.message().find("[campaign] p.json has `seed`: [...]; allowed is "), 0u)
      << status.message().substr(0, 200);
}

}  // namespace
}  // namespace twingrad::campaign

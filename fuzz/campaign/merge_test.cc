#include "fuzz/campaign/merge.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/record_file.h"
#include "fuzz/campaign/results.h"
#include "fuzz/campaign/shard_run.h"
#include "fuzz/campaign/synthetic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proptests/workers/files.h"
#include "proptests/workers/worker.h"

namespace twingrad::campaign {
namespace {

class MergeTest : public testing::Test {
 protected:
  std::string At(std::string_view name) const { return absl::StrCat(folder_.path(), "/", name); }
  workers::TemporaryFolder folder_ = *workers::TemporaryFolder::Make("merge-test");
};

TEST_F(MergeTest, FindingsOfOneKindAreOne) {
  ASSERT_TRUE(MakeSynthetic(At("c"), 50, 200, 20).ok());
  const absl::StatusOr<Merged> merged = MergeShards(At("c"));
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(merged->findings.size(), 20u);
  EXPECT_EQ(merged->programs(), 500u);
  EXPECT_EQ(merged->done(), 50u);
  EXPECT_THAT(merged->complaints, testing::IsEmpty());
  for (const MergedFinding& finding : merged->findings) {
    EXPECT_EQ(finding.failures, 10u);
    EXPECT_EQ(finding.programs.size(), 10u);
  }
  // All are `exp`, more or less often: what tells them apart is which oracle saw it.
  ASSERT_EQ(merged->groups.size(), 2u);
  EXPECT_EQ(merged->groups[0].findings.size(), 10u);
  EXPECT_EQ(merged->groups[0].failures, 100u);
}

// The only number that the query gives; -1: it gives none.
int64_t Asked(const std::string& database, const char* query) {
  sqlite3* opened = nullptr;
  sqlite3_stmt* statement = nullptr;
  int64_t number = -1;
  sqlite3_open(database.c_str(), &opened);
  sqlite3_prepare_v2(opened, query, -1, &statement, nullptr);
  if (sqlite3_step(statement) == SQLITE_ROW) number = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(opened);
  return number;
}

TEST_F(MergeTest, TheDatabaseHasGroupsAndTheirFindings) {
  ASSERT_TRUE(MakeSynthetic(At("c"), 50, 200, 20).ok());
  const absl::StatusOr<Merged> merged = MergeShards(At("c"));
  ASSERT_TRUE(merged.ok()) << merged.status();
  ASSERT_TRUE(WriteDatabase(*merged, At("r.sqlite")).ok());
  EXPECT_EQ(Asked(At("r.sqlite"), "SELECT count(*) FROM findings"), 20);
  EXPECT_EQ(Asked(At("r.sqlite"), "SELECT count(*) FROM finding_groups"), 2);
  EXPECT_EQ(Asked(At("r.sqlite"),
                  "SELECT count(*) FROM findings JOIN finding_groups ON number = in_group "
                  "WHERE finding_groups.rule = 'dual' AND findings.rule = 'dual'"),
            10);
  EXPECT_EQ(Asked(At("r.sqlite"), "SELECT sum(failures) FROM finding_groups"), 200);
}

TEST_F(MergeTest, CountsAndCoverageAreUnited) {
  ASSERT_TRUE(MakeSynthetic(At("c"), 3, 0, 1).ok());
  const absl::StatusOr<Merged> merged = MergeShards(At("c"));
  ASSERT_TRUE(merged.ok()) << merged.status();
  // Shard n has counted n of each.
  EXPECT_EQ(merged->jobs[0].counters, workers::Counters(1000, 3));
  EXPECT_EQ(merged->jobs[0].seen, 1000u);
  EXPECT_EQ(merged->jobs[0].unseen, 0) << "two shards have seen all of it";
  ASSERT_EQ(merged->jobs[0].curve.size(), 3u);
  EXPECT_EQ(merged->jobs[0].curve[0].seen, 0u);
  EXPECT_EQ(merged->jobs[0].curve[2].programs, 30u);
  EXPECT_EQ(merged->jobs[0].seconds, 3);
}

TEST_F(MergeTest, OneShardTellsNothingOfWhatIsUnseen) {
  ASSERT_TRUE(MakeSynthetic(At("c"), 2, 0, 1).ok());  // the first of which has seen nothing
  const absl::StatusOr<Merged> merged = MergeShards(At("c"));
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(merged->jobs[0].seen, 1000u);
  EXPECT_TRUE(std::isnan(merged->jobs[0].unseen));
  EXPECT_THAT(StatusText(*merged),
              testing::HasSubstr("1000 things, too few shards to say how many more\n"));
  EXPECT_THAT(StatusJson(*merged).dump(), testing::HasSubstr("\"unseen\":null"));
  ASSERT_TRUE(WriteDatabase(*merged, At("r.sqlite")).ok());
  EXPECT_EQ(Asked(At("r.sqlite"), "SELECT count(*) FROM jobs WHERE unseen IS NULL"), 1);
}

TEST_F(MergeTest, AProgramThatWasCountedTwiceIsTold) {
  ASSERT_TRUE(MakeSynthetic(At("c"), 1, 0, 1).ok());
  const absl::StatusOr<Plan> plan = ReadPlan(At("c"));
  ASSERT_TRUE(plan.ok());
  const absl::StatusOr<ShardView> view = ViewShard(At("c"), 0, 1);
  ASSERT_TRUE(view.ok());
  ShardView twice = *view;
  // The last one once more, in place of the one before.
  const uint64_t seed = SeedOfShard(*plan, 0);
  twice.state.seeds += workers::ProgramSeed(seed, 9) - workers::ProgramSeed(seed, 8);
  ASSERT_TRUE(Claim(At("c"), *plan, 0, twice).ok());
  const absl::StatusOr<Merged> merged = MergeShards(At("c"));
  ASSERT_TRUE(merged.ok());
  EXPECT_THAT(merged->complaints,
              testing::ElementsAre(testing::HasSubstr("has lost a Program or counted one twice")));
}

TEST_F(MergeTest, WhatAnEpochSaysBehindItsSuccessorIsNotRead) {
  ASSERT_TRUE(MakeSynthetic(At("c"), 1, 4, 2).ok());
  const absl::StatusOr<Plan> plan = ReadPlan(At("c"));
  const absl::StatusOr<ShardView> view = ViewShard(At("c"), 0, 1);
  ASSERT_TRUE(plan.ok() && view.ok());
  ASSERT_TRUE(Claim(At("c"), *plan, 0, *view).ok());
  EXPECT_TRUE(IsStale(At("c"), 0, 1));
  EXPECT_FALSE(IsStale(At("c"), 0, 2));
  // A second claim of the same epoch fails.
  EXPECT_TRUE(absl::IsAlreadyExists(Claim(At("c"), *plan, 0, *view).status()));
  ShardFinding late;
  late.signature = "late";
  ASSERT_TRUE(
      workers::AppendFile(EpochPath(At("c"), 0, 1), RecordLine(FindingRecord(3, late))).ok());
  const absl::StatusOr<Merged> merged = MergeShards(At("c"));
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->findings.size(), 2u);
  EXPECT_EQ(merged->programs(), 10u);
}

TEST(SeenTest, AStateSurvivesBeingWrittenAndRead) {
  ShardState state;
  state.after = state.programs = 7;
  state.counters = {0, 3, 0, 9};
  state.notes = {"a", "b"};
  workers::Failure failure;
  failure.index = 5;
  failure.program = "p";
  ASSERT_TRUE(state.Add(FailureRecord(failure)).ok());
  ShardState now = state;
  now.counters = {1, 3, 0, 10, 2};
  now.notes.insert("c");
  now.after = now.programs = 8;
  const nlohmann::json checkpoint = CheckpointRecord(state, now);
  EXPECT_EQ(checkpoint["counters"], nlohmann::json({0, 1, 3, 1, 4, 2}));
  EXPECT_EQ(checkpoint["notes"], nlohmann::json({"c"}));
  ASSERT_TRUE(state.Add(checkpoint).ok());
  EXPECT_EQ(state.counters, now.counters);
  EXPECT_EQ(state.Seen(), 4u + 3u);
  const absl::StatusOr<ShardState> read = StateOf({{{"state", state.ToJson()}}}, "f");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->ToJson(), state.ToJson());
  EXPECT_EQ(read->pending.size(), 1u);
  EXPECT_EQ(read->curve.size(), 1u);
  // Many checkpoints make no long curve, and its ends stay.
  for (int i = 0; i < 5000; ++i) {
    now.after = ++now.programs;
    ASSERT_TRUE(state.Add(CheckpointRecord(state, now)).ok());
  }
  EXPECT_LE(state.curve.size(), 400u);
  EXPECT_EQ(state.curve.front().programs, 8u);
  EXPECT_FALSE(state.Add({{"type", "of tomorrow"}}).ok());
  EXPECT_FALSE(state.Add({{"type", "checkpoint"}}).ok());
  nlohmann::json vast = CheckpointRecord(state, now);
  vast["size"] = UINT64_MAX;
  EXPECT_FALSE(state.Add(vast).ok());
  EXPECT_FALSE(StateOf({{{"type", "begin"}}}, "f").ok());
  for (const double number : {-1.0, 1e300}) {
    nlohmann::json odd = state.ToJson();
    odd["after"] = number;
    EXPECT_FALSE(StateOf({{{"state", odd}}}, "f").ok()) << number;
  }
  for (const nlohmann::json& seconds : {nlohmann::json(-1), nlohmann::json(uint64_t{1} << 40)}) {
    nlohmann::json odd = state.ToJson();
    odd["curve"][0][0] = seconds;
    EXPECT_FALSE(StateOf({{{"state", odd}}}, "f").ok()) << seconds;
  }
}

}  // namespace
}  // namespace twingrad::campaign

#include "proptests/workers/flight_recorder.h"

#include <csignal>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"
#include "proptests/workers/files.h"

namespace twingrad::workers {
namespace {

class FlightRecorderTest : public testing::Test {
 protected:
  TemporaryFolder folder_ = *TemporaryFolder::Make("recorder-test");
  std::string path_ = folder_.path() + "/record";
};

TEST_F(FlightRecorderTest, BeginsEmpty) {
  auto record = *MappedFile<FlightRecord>::Create(path_);
  EXPECT_EQ(static_cast<Phase>(record->phase.load()), Phase::kStarting);
  EXPECT_EQ(CommittedProgress(*record).programs, 0u);
  EXPECT_EQ(RecordedProgram(*record), "");
}

TEST_F(FlightRecorderTest, OutlivesTheProcessThatWrote) {
  auto record = *MappedFile<FlightRecord>::Create(path_);
  const pid_t child = fork();
  if (child == 0) {
    auto mine = MappedFile<FlightRecord>::Open(path_);
    if (!mine.ok()) _exit(1);
    BeginBatch(**mine, 5, 6);
    BeginGenerating(**mine, 5, 99);
    BeginJudging(**mine, "first\n");
    CommitBatch(**mine, 99, std::vector<uint64_t>{1, 10});
    BeginGenerating(**mine, 6, 100);
    BeginJudging(**mine, "second, longer\n");
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(static_cast<Phase>(record->phase.load()), Phase::kJudging);
  EXPECT_EQ(record->index, 6u);
  EXPECT_EQ(record->seed, 100u);
  EXPECT_EQ(RecordedProgram(*record), "second, longer\n");
  const FlightRecord::Progress& progress = CommittedProgress(*record);
  EXPECT_EQ(progress.programs, 1u);
  ASSERT_EQ(progress.num_counters, 2u);
  EXPECT_EQ(progress.counters[1], 10u);
}

TEST_F(FlightRecorderTest, ACommitReplacesTheCountersAndMovesOn) {
  auto record = *MappedFile<FlightRecord>::Create(path_);
  for (uint64_t i = 0; i < 5; ++i) {
    BeginBatch(*record, i, i + 1);
    BeginGenerating(*record, i, 1000 + i);
    EXPECT_EQ(RecordedProgram(*record), "");
    BeginJudging(*record, std::string(i, 'x'));
    CommitBatch(*record, 1000 + i, std::vector<uint64_t>{i * i});
    EXPECT_EQ(CommittedProgress(*record).programs, i + 1);
    EXPECT_EQ(CommittedProgress(*record).counters[0], i * i);
    EXPECT_EQ(record->index, i + 1);
    EXPECT_EQ(static_cast<Phase>(record->phase.load()), Phase::kIdle);
  }
}

TEST_F(FlightRecorderTest, ABatchIsCommittedAsOne) {
  auto record = *MappedFile<FlightRecord>::Create(path_);
  BeginChunk(*record, 8, 40);
  BeginBatch(*record, 8, 11);
  for (uint64_t i = 8; i < 11; ++i) BeginGenerating(*record, i, 100 + i);
  for (uint64_t i = 8; i < 11; ++i) {
    ResumeJudging(*record, i, 100 + i);
    EXPECT_EQ(record->index, i);
    EXPECT_EQ(record->seed, 100 + i);
    EXPECT_EQ(static_cast<Phase>(record->phase.load()), Phase::kJudging);
    EXPECT_EQ(FirstUncommitted(*record), 8u);
    EXPECT_EQ(CommittedProgress(*record).programs, 0u);
  }
  // A worker that is telling of one of them is idle, and so are those before it not committed.
  record->phase = static_cast<uint32_t>(Phase::kIdle);
  EXPECT_EQ(FirstUncommitted(*record), 8u);
  CommitBatch(*record, 108 + 109 + 110, std::vector<uint64_t>{7});
  EXPECT_EQ(FirstUncommitted(*record), 11u);
  // It dies after its commit, before it says which is next.
  record->index = 10;
  EXPECT_EQ(FirstUncommitted(*record), 11u);
  // It has taken another chunk.
  record->index = 40;
  EXPECT_EQ(FirstUncommitted(*record), 40u);
  record->index = 11;
  EXPECT_EQ(CommittedProgress(*record).programs, 3u);
  EXPECT_EQ(CommittedProgress(*record).seeds, 108u + 109u + 110u);
  EXPECT_EQ(CommittedProgress(*record).after, 11u);
  EXPECT_EQ(record->index, 11u);
  EXPECT_EQ(static_cast<Phase>(record->phase.load()), Phase::kIdle);
}

TEST_F(FlightRecorderTest, CutsProgramsAndCountersThatAreTooLong) {
  auto record = *MappedFile<FlightRecord>::Create(path_);
  BeginJudging(*record, std::string(FlightRecord::kMaxProgram + 5, 'x'));
  EXPECT_EQ(RecordedProgram(*record).size(), FlightRecord::kMaxProgram);
  CommitBatch(*record, 0, std::vector<uint64_t>(kMaxCounters + 3, 1));
  EXPECT_EQ(CommittedProgress(*record).num_counters, kMaxCounters);
}

TEST_F(FlightRecorderTest, SaysWhyAFileCannotBeMapped) {
  const absl::Status status = MappedFile<FlightRecord>::Open(path_ + "-none").status();
  EXPECT_EQ(status.message(),
            "[oracle] cannot map " + path_ +
                "-none (No such file or directory); needed is a temporary folder with "
                "some MiB free; set TMPDIR to one");
}

TEST_F(FlightRecorderTest, TellsWhatAWorkerRanBefore) {
  auto record = *MappedFile<FlightRecord>::Create(path_);
  EXPECT_TRUE(IndicesBefore(*record, 3).empty());
  BeginChunk(*record, 4, 6);
  BeginChunk(*record, 20, 23);
  EXPECT_EQ(IndicesBefore(*record, 20), (std::vector<uint64_t>{4, 5}));
  EXPECT_EQ(IndicesBefore(*record, 22), (std::vector<uint64_t>{4, 5, 20, 21}));
  // Others of its batch may have had their effect as well.
  BeginBatch(*record, 20, 23);
  EXPECT_EQ(IndicesBefore(*record, 21), (std::vector<uint64_t>{4, 5, 20, 22}));
  BeginBatch(*record, 22, 23);
  EXPECT_EQ(IndicesBefore(*record, 22), (std::vector<uint64_t>{4, 5, 20, 21}));
  // The oldest are forgotten.
  for (uint64_t i = 0; i < FlightRecord::kMaxChunks; ++i) BeginChunk(*record, 100 + i, 101 + i);
  const std::vector<uint64_t> indices = IndicesBefore(*record, 131);
  ASSERT_EQ(indices.size(), FlightRecord::kMaxChunks - 1);
  EXPECT_EQ(indices.front(), 100u);
  EXPECT_EQ(indices.back(), 130u);
}

}  // namespace
}  // namespace twingrad::workers

#include "tools/rules/fuzz_replay.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using ::testing::HasSubstr;

// What the function under replay saw; plain functions cannot capture.
std::vector<std::string>& Seen() {
  static std::vector<std::string> seen;
  return seen;
}

int Record(const uint8_t* data, size_t size) {
  Seen().emplace_back(reinterpret_cast<const char*>(data), size);
  return 0;
}

class FuzzReplayTest : public ::testing::Test {
 protected:
  FuzzReplayTest() : folder_(std::filesystem::path(::testing::TempDir()) / "corpus") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "deeper");
    Seen().clear();
  }

  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  std::filesystem::path folder_;
  std::ostringstream log_;
};

TEST_F(FuzzReplayTest, RunsTheEmptyInputThenEveryFileInOrder) {
  Write("b", "second");
  Write("a", std::string("fir\0st", 6));
  Write("deeper/c", "third");
  EXPECT_EQ(ReplayCorpus({folder_.string()}, Record, log_), 0);
  EXPECT_THAT(Seen(), ::testing::ElementsAre("", std::string("fir\0st", 6), "second", "third"));
  EXPECT_THAT(log_.str(), HasSubstr("3 inputs replayed"));
}

TEST_F(FuzzReplayTest, NamesAFileBeforeItRuns) {
  Write("a", "x");
  ReplayCorpus({(folder_ / "a").string()}, Record, log_);
  EXPECT_THAT(log_.str(), HasSubstr((folder_ / "a").string()));
}

TEST_F(FuzzReplayTest, AnEmptyCorpusIsAnError) {
  EXPECT_EQ(ReplayCorpus({folder_.string()}, Record, log_), 2);
  EXPECT_THAT(log_.str(), HasSubstr("no input"));
}

TEST_F(FuzzReplayTest, AMissingFileIsAnError) {
  EXPECT_EQ(ReplayCorpus({(folder_ / "gone").string()}, Record, log_), 2);
  EXPECT_THAT(log_.str(), HasSubstr("cannot read"));
}

}  // namespace
}  // namespace twingrad

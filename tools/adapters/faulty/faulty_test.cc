// Each fault through `check`, as an adapter's author would see it: told for what it is, and made
// small.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/oracle/files.h"
#include "tools/oracle/subprocess.h"

namespace twingrad::oracle {
namespace {

struct Case {
  std::string fault;
  std::string oracle;  // the word that the finding must have
  std::string flags;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.fault; }

class FaultTest : public testing::TestWithParam<Case> {};

std::string Read(const std::filesystem::path& path) {
  auto text = ReadInput(path.string());
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

// Statements of a Program's text.
size_t Size(const std::string& program) {
  const std::vector<std::string> lines = absl::StrSplit(program, '\n', absl::SkipEmpty());
  return lines.size() - 1;
}

TEST_P(FaultTest, IsToldAndMadeSmall) {
  auto folder = TemporaryFolder::Make("faulty-test");
  ASSERT_TRUE(folder.ok());
  const std::string out = folder->path() + "/findings";
  std::vector<std::string> words = {
      "tools/oracle/oracle_alone",
      "check",
      "--engine=exec:tools/adapters/faulty/faulty " + GetParam().fault,
      "--seed=1",
      "--jobs=1",
      "--out=" + out};
  for (std::string_view flag : absl::StrSplit(GetParam().flags, ' ', absl::SkipEmpty())) {
    words.emplace_back(flag);
  }
  if (!absl::StrContains(GetParam().flags, "--programs")) words.push_back("--programs=200");
  const SubprocessResult run = RunSubprocess(words);
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  size_t smallest = SIZE_MAX;
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    const auto finding = nlohmann::json::parse(Read(entry.path() / "finding.json"));
    const std::string program = Read(entry.path() / "program.txt");
    absl::StrAppend(&all, finding.value("oracle", ""), ":\n", finding.value("text", ""), program);
    if (finding.value("oracle", "") != GetParam().oracle) continue;
    smallest = std::min(smallest, Size(program));
  }
  EXPECT_LE(smallest, 5u) << "no small finding of " << GetParam().oracle << " among\n" << all;
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultTest,
    testing::Values(Case{"wrong_sign", "twin", ""}, Case{"dropped", "twin", ""},
                    Case{"doubled", "twin", ""}, Case{"off_by_one", "recount", ""},
                    Case{"nan", "twin", ""}, Case{"wrong_shape", "gradient type", ""},
                    Case{"wrong_dtype", "gradient type", ""},
                    Case{"broken_after_error", "canary", ""},
                    Case{"crash", "crash", "--features=chain"},
                    Case{"hang", "hang", "--timeout=0.5 --features=chain --programs=8"},
                    Case{"garbage", "protocol", "--features=chain"},
                    Case{"endless", "protocol", "--features=chain"},
                    Case{"early_exit", "crash", "--features=chain"},
                    Case{"truncated", "hang", "--timeout=0.5 --features=chain --programs=8"},
                    Case{"twice", "protocol", "--features=chain"},
                    Case{"memory", "memory", "--memory=400M --features=chain --programs=8"}),
    [](const auto& test) { return test.param.fault; });

TEST(FaultyTest, NoneIsRight) {
  const SubprocessResult run = RunSubprocess({"tools/oracle/oracle_alone", "check",
                                              "--engine=exec:tools/adapters/faulty/faulty none",
                                              "--seed=1", "--programs=1000", "--jobs=1"});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_TRUE(absl::EndsWith(run.output, "findings       none\n")) << run.output;
  EXPECT_TRUE(absl::StrContains(run.output, "counts         recounted on 99.")) << run.output;
}

TEST(FaultyTest, AFindingIsReplayedOnItsEngine) {
  auto folder = TemporaryFolder::Make("faulty-test");
  ASSERT_TRUE(folder.ok());
  const std::string out = folder->path() + "/findings";
  RunSubprocess({"tools/oracle/oracle_alone", "check",
                 "--engine=exec:tools/adapters/faulty/faulty wrong_sign", "--seed=1",
                 "--programs=10", "--jobs=1", "--out=" + out});
  ASSERT_TRUE(std::filesystem::exists(out));
  const auto finding = std::filesystem::directory_iterator(out)->path();
  const SubprocessResult replay = RunSubprocess({"tools/oracle/oracle_alone", "replay", finding});
  EXPECT_EQ(replay.exit_status, 1) << replay.output << replay.errors;
  EXPECT_TRUE(absl::StrContains(replay.output, "the finding still shows")) << replay.output;
}

TEST(FaultyTest, AnEngineThatDoesNotStartIsNamed) {
  const SubprocessResult run = RunSubprocess(
      {"tools/oracle/oracle_alone", "check", "--engine=exec:/no/such/adapter", "--programs=10"});
  EXPECT_EQ(run.exit_status, 3) << run.output << run.errors;
  EXPECT_TRUE(absl::StrContains(run.errors, "in the handshake: ")) << run.errors;
  const SubprocessResult unknown =
      RunSubprocess({"tools/oracle/oracle_alone", "check", "--engine=numpy", "--programs=10"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_TRUE(absl::StrContains(unknown.errors, "allowed are libtorch and exec:CMD ARGS"));
}

}  // namespace
}  // namespace twingrad::oracle

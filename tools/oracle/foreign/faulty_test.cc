// Each fault through `check`, as an adapter's author would see it: told for what it is, and made
// small.

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "proptests/workers/files.h"
#include "proptests/workers/subprocess.h"

namespace twingrad::oracle {
namespace {

using workers::ReadInput;
using workers::RunSubprocess;
using workers::SubprocessResult;
using workers::TemporaryFolder;
using workers::WriteFile;

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
      "--engine=exec:proptests/mutants/adapter/faulty " + GetParam().fault,
      "--seed=1",
      "--jobs=1",
      "--programs=200",
      "--findings=1",
      "--out=" + out};
  for (std::string_view flag : absl::StrSplit(GetParam().flags, ' ', absl::SkipEmpty())) {
    words.emplace_back(flag);
  }
  const SubprocessResult run = RunSubprocess(words);
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  ASSERT_TRUE(std::filesystem::exists(out)) << run.output << run.errors;
  int findings = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    ++findings;
    const auto finding = nlohmann::json::parse(Read(entry.path() / "finding.json"));
    const std::string program = Read(entry.path() / "program.txt");
    const std::string all =
        absl::StrCat(finding.value("oracle", ""), ":\n", finding.value("text", ""), program);
    EXPECT_EQ(finding.value("oracle", ""), GetParam().oracle) << all;
    EXPECT_LT(finding.value("index", 200), 200) << all;
    EXPECT_LE(Size(program), 5u) << all;
  }
  EXPECT_EQ(findings, 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultTest,
    testing::Values(Case{"wrong_sign", "twin", ""}, Case{"dropped", "twin", ""},
                    Case{"doubled", "twin", ""}, Case{"off_by_one", "recount", ""},
                    Case{"nan", "twin", ""}, Case{"wrong_shape", "gradient type", ""},
                    Case{"wrong_dtype", "gradient type", ""},
                    Case{"broken_after_error", "canary", ""}, Case{"crash", "crash", ""},
                    Case{"hang", "hang", "--timeout=0.5"}, Case{"garbage", "protocol", ""},
                    Case{"endless", "protocol", ""}, Case{"early_exit", "crash", ""},
                    Case{"truncated", "hang", "--timeout=0.5"}, Case{"twice", "protocol", ""},
                    Case{"memory", "memory", "--memory=100M"}),
    [](const auto& test) { return test.param.fault; });

TEST(FaultyTest, NoneIsRight) {
  const SubprocessResult run = RunSubprocess({"tools/oracle/oracle_alone", "check",
                                              "--engine=exec:proptests/mutants/adapter/faulty none",
                                              "--seed=1", "--programs=1000", "--jobs=1"});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_TRUE(absl::EndsWith(run.output, "findings       none\n")) << run.output;
  EXPECT_TRUE(absl::StrContains(run.output, "recounted ")) << run.output;
  EXPECT_TRUE(absl::StrContains(run.output, " (100.0 %), predicted ")) << run.output;
}

TEST(FaultyTest, AFindingIsReplayedOnItsEngine) {
  auto folder = TemporaryFolder::Make("faulty-test");
  ASSERT_TRUE(folder.ok());
  const std::string out = folder->path() + "/findings";
  RunSubprocess({"tools/oracle/oracle_alone", "check",
                 "--engine=exec:proptests/mutants/adapter/faulty wrong_sign", "--seed=1",
                 "--programs=10", "--jobs=1", "--out=" + out});
  ASSERT_TRUE(std::filesystem::exists(out));
  const auto finding = std::filesystem::directory_iterator(out)->path();
  const SubprocessResult replay = RunSubprocess({"tools/oracle/oracle_alone", "replay", finding});
  EXPECT_EQ(replay.exit_status, 1) << replay.output << replay.errors;
  EXPECT_TRUE(absl::StrContains(replay.output, "the finding still shows")) << replay.output;
  // The `make:` line of its report makes the same Program.
  const auto known = nlohmann::json::parse(Read(finding / "finding.json"));
  const SubprocessResult made = RunSubprocess(
      {"tools/oracle/oracle_alone", "generate", absl::StrCat("--seed=", known["seed"].dump()),
       "--engine=exec:proptests/mutants/adapter/faulty wrong_sign"});
  EXPECT_EQ(made.output, Read(finding / "original.txt")) << made.errors;
}

SubprocessResult Doctor(const std::string& engine, std::vector<std::string> flags = {}) {
  flags.insert(flags.begin(), {"tools/oracle/oracle_alone", "doctor", "--engine=exec:" + engine});
  return RunSubprocess(flags);
}

// The doctor on an adapter that is a shell script; a file, for --engine is cut at blanks.
SubprocessResult DoctorOfScript(const std::string& script) {
  auto folder = TemporaryFolder::Make("faulty-test");
  EXPECT_TRUE(folder.ok());
  const std::string path = folder->path() + "/adapter.sh";
  EXPECT_TRUE(WriteFile(path, script).ok());
  return Doctor("sh " + path);
}

// One that claims little, and skips what it gets after `look` has seen it on its standard input.
SubprocessResult DoctorOfSkipping(const std::string& look) {
  return DoctorOfScript(
      "read line; echo hello 1 name=a version=1 ops=leaf,mul,backward dtypes=f64\n"
      "while read word id bytes; do\n"
      "  test \"$word\" = bye && exit\n"
      "  head -c $bytes | " +
      look + "\n  echo skip $id not today\ndone\n");
}

// Replies that are malformed, endless, late or missing.
TEST(FaultyTest, DoctorTellsWhatIsWrongWithReplies) {
  const auto told = [](const std::string& fault, std::vector<std::string> flags = {}) {
    const SubprocessResult run =
        Doctor("proptests/mutants/adapter/faulty " + fault, std::move(flags));
    EXPECT_EQ(run.exit_status, 1) << fault << ": " << run.output << run.errors;
    EXPECT_TRUE(absl::StartsWith(run.output, "handshake: hello 1 name=faulty")) << run.output;
    EXPECT_TRUE(absl::EndsWith(run.output, "not healthy\n")) << run.output;
    return run.output;
  };
  using absl::StrContains;
  EXPECT_TRUE(
      StrContains(told("garbage"), "not a reply` is no reply; allowed are hello, ok, skip"));
  EXPECT_TRUE(StrContains(told("endless"), "[protocol] a line of more than 65536 bytes"));
  EXPECT_TRUE(StrContains(told("truncated", {"--timeout=0.2"}),
                          "hang: no complete reply after 0.2 s, only "));
  EXPECT_TRUE(StrContains(told("hang", {"--timeout=0.2"}), "hang: no reply after 0.2 s"));
  EXPECT_TRUE(StrContains(told("hang", {"--timeout=0.2"}), "\nstopped after 2 hangs: "));
  EXPECT_TRUE(StrContains(told("early_exit"), "ended with exit status 0 before its reply"));
  EXPECT_TRUE(StrContains(told("crash"), "ended with signal 11"));
  EXPECT_TRUE(StrContains(told("twice"), "[protocol]"));
}

TEST(FaultyTest, DoctorFindsARightEngineHealthy) {
  const SubprocessResult run = Doctor("proptests/mutants/adapter/faulty none");
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_TRUE(absl::StrContains(run.output, "\nop cross_entropy: agree ")) << run.output;
  EXPECT_TRUE(absl::StrContains(run.output, "\nop expect: not examined, ")) << run.output;
  EXPECT_TRUE(absl::EndsWith(run.output, "\nhealthy\n")) << run.output;
}

TEST(FaultyTest, DoctorFindsAnEngineThatSkipsAllNotHealthy) {
  const SubprocessResult run = DoctorOfSkipping("cat >/dev/null");
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_TRUE(absl::StrContains(run.output, "\nop mul: refuse ")) << run.output;
  EXPECT_TRUE(absl::EndsWith(run.output, "\nnot healthy\n")) << run.output;
}

// The adapter ends at the first line that it has not claimed: random Programs, canary, conventions.
TEST(FaultyTest, WhatTheHelloDoesNotClaimIsNotSent) {
  const SubprocessResult run = DoctorOfSkipping(
      "grep -v -q -E '^(twingrad 1|backward .*|%[a-z0-9]+ = (leaf type=f64.*|mul .*))$' && exit 7");
  EXPECT_FALSE(absl::StrContains(run.output, "exit status 7")) << run.output << run.errors;
  EXPECT_TRUE(absl::StrContains(run.output, "\n  relu'(0) ")) << run.output;
  EXPECT_TRUE(absl::StrContains(run.output, "the hello does not claim the op relu")) << run.output;
  EXPECT_TRUE(absl::StrContains(run.output, "\nop mul: refuse ")) << run.output;
}

// An engine of which nothing but the handshake is there.
TEST(FaultyTest, DoctorTellsWhatIsWrongWithTheHandshake) {
  const auto told = [](const std::string& script) {
    const SubprocessResult run = DoctorOfScript(script);
    EXPECT_EQ(run.exit_status, 3) << script << ": " << run.output << run.errors;
    return run.errors;
  };
  using absl::StrContains;
  EXPECT_TRUE(StrContains(told("echo hello 2 name=a"), "it speaks version `2`; allowed is 1"));
  EXPECT_TRUE(StrContains(told("echo good day"), "`good day` is no reply"));
  EXPECT_TRUE(StrContains(told("echo hello 1 name=a version=1 ops=ad dtypes=f64"),
                          "ops= names the unknown `ad`; allowed are leaf add"));
  EXPECT_TRUE(StrContains(told("echo hello 1 name=a version=1 dtypes=f64"), "ops= is missing"));
  EXPECT_TRUE(StrContains(told("echo hello 1 name=a name=b"), "name= stands twice"));
  EXPECT_TRUE(StrContains(told("yes | tr -d '\\n'"), "a line of more than 65536 bytes"));
  EXPECT_TRUE(StrContains(told("echo no torch here >&2; exit 1"), "no torch here"));
  EXPECT_TRUE(StrContains(told("exec >&-; sleep 60"), "closed its standard output and lives on"));
}

// No grad, no hooks and no accelerators, but retain_grad.
TEST(FaultyTest, ProgramsHoldWhatTheHelloClaims) {
  auto folder = TemporaryFolder::Make("faulty-test");
  ASSERT_TRUE(folder.ok());
  const std::string path = folder->path() + "/adapter.sh";
  ASSERT_TRUE(
      WriteFile(path,
                "read line\necho hello 1 name=a version=1 ops=leaf,mul,sum,backward,retain_grad "
                "dtypes=f64\ncat >/dev/null\n")
          .ok());
  std::string programs;
  for (int seed = 0; seed < 20; ++seed) {
    programs += RunSubprocess({"tools/oracle/oracle_alone", "generate",
                               "--features=chain,hook,calls,grad_of_grad,error",
                               "--engine=exec:sh " + path, absl::StrCat("--seed=", seed)})
                    .output;
  }
  EXPECT_TRUE(absl::StrContains(programs, "\nbackward %")) << programs;
  EXPECT_TRUE(absl::StrContains(programs, "\nretain_grad %")) << programs;
  EXPECT_FALSE(absl::StrContains(programs, "= grad %")) << programs;
  EXPECT_FALSE(absl::StrContains(programs, "\nhook %")) << programs;
  EXPECT_FALSE(absl::StrContains(programs, "dev:")) << programs;
}

TEST(FaultyTest, AnEngineThatDoesNotStartIsNamed) {
  const SubprocessResult run = RunSubprocess(
      {"tools/oracle/oracle_alone", "check", "--engine=exec:/no/such/adapter", "--programs=10"});
  EXPECT_EQ(run.exit_status, 3) << run.output << run.errors;
  EXPECT_TRUE(
      absl::StrContains(run.errors, "[protocol] in the handshake with `/no/such/adapter`: "))
      << run.errors;
  const SubprocessResult unknown =
      RunSubprocess({"tools/oracle/oracle_alone", "check", "--engine=numpy", "--programs=10"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_TRUE(absl::StrContains(unknown.errors, "allowed are libtorch and exec:CMD ARGS"));
}

}  // namespace
}  // namespace twingrad::oracle

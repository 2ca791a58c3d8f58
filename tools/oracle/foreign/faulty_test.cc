// Each fault through `check`, as an adapter's author would see it: told for what it is, and made
// small.

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

class FaultyTest : public ToolTest {
 protected:
  FaultyTest() : ToolTest("tools/oracle/oracle_alone") {}

  // One job over the Programs of seed 3, on the adapter with this fault.
  SubprocessResult Check(const std::string& fault, int programs,
                         const std::vector<std::string>& flags = {}) const {
    std::vector<std::string> words = {"check", FaultyEngine(fault), "--seed=3", "--jobs=1",
                                      absl::StrCat("--programs=", programs)};
    words.insert(words.end(), flags.begin(), flags.end());
    return Tool(words);
  }
  SubprocessResult Doctor(const std::string& engine, std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), {"doctor", engine});
    return Tool(std::move(flags));
  }
  // An adapter that is a shell script; a file, for --engine is cut at blanks.
  std::string Script(const std::string& script) const {
    return "--engine=exec:sh " + Written("adapter.sh", script);
  }
  // One that claims little, and skips what it gets after `look` has seen it on its standard input.
  std::string Skipping(const std::string& look) const {
    return Script(
        "read line; echo hello 1 name=a version=1 ops=leaf,mul,backward dtypes=f64\n"
        "while read word id bytes; do\n"
        "  test \"$word\" = bye && exit\n"
        "  head -c $bytes | " +
        look + "\n  echo skip $id not today\ndone\n");
  }
};

struct Case {
  std::string fault;
  std::string oracle;  // the word that the finding must have
  std::string flags;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.fault; }

class FaultTest : public FaultyTest, public testing::WithParamInterface<Case> {};

TEST_P(FaultTest, IsToldAndMadeSmall) {
  std::vector<std::string> flags = absl::StrSplit(GetParam().flags, ' ', absl::SkipEmpty());
  flags.push_back("--findings=1");
  constexpr int kPrograms = 400;
  const SubprocessResult run = Check(GetParam().fault, kPrograms, flags);
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_EQ(Findings().size(), 1u) << run.output << run.errors;
  for (const std::string& folder : Findings()) {
    const auto finding = nlohmann::json::parse(Read(folder + "/finding.json"));
    const std::string program = Read(folder + "/program.txt");
    const std::string all =
        absl::StrCat(finding.value("oracle", ""), ":\n", finding.value("text", ""), program);
    EXPECT_EQ(finding.value("oracle", ""), GetParam().oracle) << all;
    EXPECT_LT(finding.value("index", kPrograms), kPrograms) << all;
    const std::vector<std::string> lines = absl::StrSplit(program, '\n', absl::SkipEmpty());
    EXPECT_LE(lines.size() - 1, 5u) << all;  // the first is no statement
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultTest,
    testing::Values(Case{"wrong_sign", "twin", ""}, Case{"dropped", "twin", ""},
                    Case{"doubled", "twin", ""}, Case{"off_by_one", "recount", ""},
                    Case{"nan", "twin", ""}, Case{"wrong_shape", "gradient type", ""},
                    Case{"wrong_dtype", "gradient type", ""}, Case{"wrong_clone", "accessors", ""},
                    Case{"no_numpy", "accessors", ""}, Case{"shared_grads", "accessors", ""},
                    Case{"broken_after_error", "canary", ""}, Case{"crash", "crash", ""},
                    Case{"hang", "hang", "--timeout=0.5"}, Case{"garbage", "protocol", ""},
                    Case{"endless", "protocol", ""}, Case{"early_exit", "crash", ""},
                    Case{"truncated", "hang", "--timeout=0.5"}, Case{"twice", "protocol", ""},
                    Case{"memory", "memory", "--memory=100M"}),
    [](const auto& test) { return test.param.fault; });

TEST_F(FaultyTest, NoneIsRight) {
  const SubprocessResult run = Check("none", 1000);
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_THAT(run.output, EndsWith("findings       none\n"));
  EXPECT_THAT(run.output, HasSubstr("recounted "));
  EXPECT_THAT(run.output, HasSubstr(" (100.0 %), predicted "));
}

TEST_F(FaultyTest, AFindingIsReplayedOnItsEngine) {
  Check("wrong_sign", 10);
  ASSERT_FALSE(Findings().empty());
  const std::string finding = Findings()[0];
  const SubprocessResult replay = Tool({"replay", finding});
  EXPECT_EQ(replay.exit_status, 1) << replay.output << replay.errors;
  EXPECT_THAT(replay.output, HasSubstr("the finding still shows"));
  // The `make:` line of its report makes the same Program.
  const auto known = nlohmann::json::parse(Read(finding + "/finding.json"));
  const SubprocessResult made =
      Tool({"generate", absl::StrCat("--seed=", known["seed"].dump()), FaultyEngine("wrong_sign")});
  EXPECT_EQ(made.output, Read(finding + "/original.txt")) << made.errors;
}

// Replies that are malformed, endless, late or missing.
TEST_F(FaultyTest, DoctorTellsWhatIsWrongWithReplies) {
  const auto told = [this](const std::string& fault, std::vector<std::string> flags = {}) {
    const SubprocessResult run = Doctor(FaultyEngine(fault), std::move(flags));
    EXPECT_EQ(run.exit_status, 1) << fault << ": " << run.output << run.errors;
    EXPECT_THAT(run.output, StartsWith("handshake: hello 1 name=faulty"));
    EXPECT_THAT(run.output, EndsWith("not healthy\n"));
    return run.output;
  };
  EXPECT_THAT(told("garbage"), HasSubstr("not a reply` is no reply; allowed are hello, ok, skip"));
  EXPECT_THAT(told("endless"), HasSubstr("[protocol] a line of more than 65536 bytes"));
  EXPECT_THAT(told("truncated", {"--timeout=0.2"}),
              HasSubstr("hang: no complete reply after 0.2 s, only "));
  EXPECT_THAT(told("hang", {"--timeout=0.2"}), HasSubstr("hang: no reply after 0.2 s"));
  EXPECT_THAT(told("hang", {"--timeout=0.2"}), HasSubstr("\nstopped after 2 hangs: "));
  EXPECT_THAT(told("early_exit"), HasSubstr("ended with exit status 0 before its reply"));
  EXPECT_THAT(told("crash"), HasSubstr("ended with signal 11"));
  EXPECT_THAT(told("twice"), HasSubstr("[protocol]"));
}

TEST_F(FaultyTest, DoctorFindsARightEngineHealthy) {
  const SubprocessResult run = Doctor(FaultyEngine("none"));
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("\nop cross_entropy: agree "));
  EXPECT_THAT(run.output, HasSubstr("\nop expect: not examined, "));
  EXPECT_THAT(run.output, EndsWith("\nhealthy\n"));
}

TEST_F(FaultyTest, DoctorFindsAnEngineThatSkipsAllNotHealthy) {
  const SubprocessResult run = Doctor(Skipping("cat >/dev/null"));
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("\nop mul: refuse "));
  EXPECT_THAT(run.output, EndsWith("\nnot healthy\n"));
}

// The adapter ends at the first line that it has not claimed: random Programs, canary, conventions.
TEST_F(FaultyTest, WhatTheHelloDoesNotClaimIsNotSent) {
  const SubprocessResult run =
      Doctor(Skipping("grep -v -q -E '^(twingrad 1|backward .*|%[a-z0-9]+ = (leaf type=f64.*|mul "
                      ".*))$' && exit 7"));
  EXPECT_THAT(run.output, Not(HasSubstr("exit status 7"))) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("\n  relu'(0) "));
  EXPECT_THAT(run.output, HasSubstr("the hello does not claim the op relu"));
  EXPECT_THAT(run.output, HasSubstr("\nop mul: refuse "));
}

// An engine of which nothing but the handshake is there.
TEST_F(FaultyTest, DoctorTellsWhatIsWrongWithTheHandshake) {
  const auto told = [this](const std::string& script) {
    const SubprocessResult run = Doctor(Script(script));
    EXPECT_EQ(run.exit_status, 3) << script << ": " << run.output << run.errors;
    return run.errors;
  };
  EXPECT_THAT(told("echo hello 2 name=a"), HasSubstr("it speaks version `2`; allowed is 1"));
  EXPECT_THAT(told("echo good day"), HasSubstr("`good day` is no reply"));
  EXPECT_THAT(told("echo hello 1 name=a version=1 ops=ad dtypes=f64"),
              HasSubstr("ops= names the unknown `ad`; allowed are leaf add"));
  EXPECT_THAT(told("echo hello 1 name=a version=1 dtypes=f64"), HasSubstr("ops= is missing"));
  EXPECT_THAT(told("echo hello 1 name=a name=b"), HasSubstr("name= stands twice"));
  EXPECT_THAT(told("yes | tr -d '\\n'"), HasSubstr("a line of more than 65536 bytes"));
  EXPECT_THAT(told("echo no torch here >&2; exit 1"), HasSubstr("no torch here"));
  EXPECT_THAT(told("exec >&-; sleep 60"), HasSubstr("closed its standard output and lives on"));
}

// No grad, no hooks and no accelerators, but retain_grad.
TEST_F(FaultyTest, ProgramsHoldWhatTheHelloClaims) {
  const std::string engine = Script(
      "read line\necho hello 1 name=a version=1 ops=leaf,mul,sum,backward,retain_grad "
      "dtypes=f64\ncat >/dev/null\n");
  std::string programs;
  for (int seed = 0; seed < 20; ++seed) {
    programs += Tool({"generate", "--features=chain,hook,calls,grad_of_grad,error", engine,
                      absl::StrCat("--seed=", seed)})
                    .output;
  }
  EXPECT_THAT(programs, HasSubstr("\nbackward %"));
  EXPECT_THAT(programs, HasSubstr("\nretain_grad %"));
  EXPECT_THAT(programs, Not(HasSubstr("= grad %")));
  EXPECT_THAT(programs, Not(HasSubstr("\nhook %")));
  EXPECT_THAT(programs, Not(HasSubstr("dev:")));
}

TEST_F(FaultyTest, AnEngineThatDoesNotStartIsNamed) {
  const SubprocessResult run = Tool({"check", "--engine=exec:/no/such/adapter", "--programs=10"});
  EXPECT_EQ(run.exit_status, 3) << run.output << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("[protocol] in the handshake with `/no/such/adapter`: "));
  const SubprocessResult unknown = Tool({"check", "--engine=numpy", "--programs=10"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("allowed are libtorch and exec:CMD ARGS"));
}

}  // namespace
}  // namespace twingrad::oracle

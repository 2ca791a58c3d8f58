// The command line as a user meets it: help, wrong usage, and the verbs that take one Program.

#include "tools/oracle/oracle.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "proptests/workers/files.h"
#include "proptests/workers/subprocess.h"
#include "tools/adapters/named_adapters.h"

namespace twingrad::oracle {
namespace {

using absl::StrContains;
using workers::ReadInput;
using workers::RunSubprocess;
using workers::SubprocessOptions;
using workers::SubprocessResult;
using workers::TemporaryFolder;
using workers::WriteFile;

SubprocessResult Oracle(std::vector<std::string> words, const SubprocessOptions& options = {}) {
  words.insert(words.begin(), "tools/oracle/fake_oracle");
  return RunSubprocess(std::move(words), options);
}

// The page of the verb as its golden has it; `{adapters}` stands for the names in adapters.bzl.
std::string GoldenHelp(std::string_view verb) {
  std::string names;
  for (const auto& adapter : adapters::NamedAdapters()) absl::StrAppend(&names, adapter.name, ", ");
  const std::string text = *ReadInput(absl::StrCat("tools/oracle/help/", verb, ".txt"));
  return absl::StrReplaceAll(text, {{"{adapters}", names}});
}

TEST(OracleTest, HelpIsAsInTheGoldens) {
  const SubprocessResult tool = Oracle({"--help"});
  EXPECT_EQ(tool.exit_status, 0);
  EXPECT_EQ(tool.output, *ReadInput("tools/oracle/help/oracle.txt"));
  for (const VerbSpec& verb : Verbs()) {
    if (verb.hidden) continue;
    const SubprocessResult help = Oracle({std::string(verb.name), "--help"});
    EXPECT_EQ(help.exit_status, 0);
    EXPECT_EQ(help.output, GoldenHelp(verb.name));
    EXPECT_EQ(Oracle({"help", std::string(verb.name)}).output, help.output);
  }
}

TEST(OracleTest, WrongUsageIsStatusTwo) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"chek"},
      {"check", "--programs"},
      {"check", "--programs=many"},
      {"check", "--features=nonsense"},
      {"check", "extra"},
      {"run"},
      {"run", "no/such/file"},
      {"explain", "."},
      {"replay", "/no/such/finding"},
      {"generate", "--seed=-1"},
      {"doctor"},
  };
  for (const std::vector<std::string>& words : wrong) {
    const SubprocessResult run = Oracle(words);
    const std::string shown = words.empty() ? "nothing" : words.back();
    EXPECT_EQ(run.exit_status, 2) << shown;
    EXPECT_EQ(run.output, "") << shown;
    EXPECT_TRUE(absl::StartsWith(run.errors, "[oracle] ")) << run.errors;
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
    EXPECT_GE(std::count(run.errors.begin(), run.errors.end(), ';'), 2) << run.errors;
  }
}

TEST(OracleTest, RunsAProgramFromAFileOrStandardInput) {
  SubprocessOptions options;
  options.input = "value 1\nvalue 2\n";
  EXPECT_EQ(Oracle({"run", "-"}, options).output, "ran 2 lines\n");
  const TemporaryFolder folder = *TemporaryFolder::Make("oracle-test");
  ASSERT_TRUE(WriteFile(folder.path() + "/p.txt", "value 1\n").ok());
  SubprocessOptions elsewhere;
  elsewhere.environment = {"BUILD_WORKING_DIRECTORY=" + folder.path()};
  EXPECT_EQ(Oracle({"run", "p.txt"}, elsewhere).output, "ran 1 lines\n");
}

TEST(OracleTest, AMalformedProgramIsToldWithItsPlace) {
  SubprocessOptions options;
  options.input = "value 1\nvalue 2\nnonsense\n";
  const SubprocessResult run = Oracle({"run", "-"}, options);
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(
      run.errors,
      "[fake] standard input:3:1: unknown word `nonsense`; allowed is value; mend the line\n");
}

TEST(OracleTest, ExplainsAsAPictureOrItsSource) {
  SubprocessOptions options;
  options.input = "value 17\n";
  const SubprocessResult drawn = Oracle({"explain", "-"}, options);
  EXPECT_EQ(drawn.exit_status, 0);
  EXPECT_TRUE(StrContains(drawn.output, "value 17"));
  options.environment = {"PATH=/nonexistent"};
  const SubprocessResult source = Oracle({"explain", "-"}, options);
  EXPECT_EQ(source.exit_status, 0);
  EXPECT_EQ(source.output, "digraph {\n  n0 [label=\"value 17\"];\n}\n");
  EXPECT_TRUE(StrContains(source.errors, "install the package graphviz")) << source.errors;

  const TemporaryFolder folder = *TemporaryFolder::Make("oracle-test");
  EXPECT_EQ(Oracle({"explain", "-", "--out", folder.path() + "/x.svg"}, options).output, "");
  EXPECT_FALSE(ReadInput(folder.path() + "/x.svg").ok());
  EXPECT_EQ(*ReadInput(folder.path() + "/x.dot"), source.output);
}

TEST(OracleTest, ExplainLeavesALargeGraphToACommand) {
  SubprocessOptions options;
  for (int i = 0; i < 501; ++i) options.input += "value 1\n";
  const TemporaryFolder folder = *TemporaryFolder::Make("oracle-test");
  const std::string name = folder.path() + "/x";
  const SubprocessResult run = Oracle({"explain", "-", "--out", name + ".svg"}, options);
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_TRUE(StrContains(run.errors, "its source is in " + name + ".dot; `dot -Tsvg " + name +
                                          ".dot -o " + name + ".svg` draws it\n"))
      << run.errors;
  EXPECT_TRUE(StrContains(*ReadInput(name + ".dot"), "n500 [label=\"value 1\"]"));
}

TEST(OracleTest, GeneratesTheSameProgramFromTheSameSeed) {
  const SubprocessResult first = Oracle({"generate", "--seed=0x7"});
  EXPECT_EQ(first.exit_status, 0);
  EXPECT_TRUE(absl::StartsWith(first.output, "value "));
  EXPECT_EQ(Oracle({"generate", "--seed=7"}).output, first.output);
  EXPECT_TRUE(absl::StartsWith(Oracle({"generate"}).errors, "[oracle] seed "));
}

TEST(OracleTest, FindingsOfExploreNeedTheModelWithTheirScheduleOrWithout) {
  const TemporaryFolder folder = *TemporaryFolder::Make("oracle-test");
  const auto needs_model = [&] {
    std::vector<std::string> words = {"oracle", "replay", folder.path()};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    return NeedsModel(static_cast<int>(argv.size()), argv.data());
  };
  EXPECT_FALSE(needs_model());
  for (const char* other : {"{\"verb\": \"check\"}", "{\"verb\": 3}", "[]", "no json"}) {
    ASSERT_TRUE(WriteFile(folder.path() + "/finding.json", other).ok());
    EXPECT_FALSE(needs_model()) << other;
  }
  ASSERT_TRUE(WriteFile(folder.path() + "/finding.json", "{\"verb\": \"explore\"}").ok());
  EXPECT_TRUE(needs_model());
  ASSERT_TRUE(WriteFile(folder.path() + "/finding.json", "{}").ok());
  ASSERT_TRUE(WriteFile(folder.path() + "/schedule.txt", "").ok());
  EXPECT_TRUE(needs_model());
}

TEST(OracleTest, AReplaySaysWhichLineOfItsScheduleCannotBeRead) {
  const TemporaryFolder folder = *TemporaryFolder::Make("oracle-test");
  ASSERT_TRUE(WriteFile(folder.path() + "/program.txt", "value 1\n").ok());
  ASSERT_TRUE(WriteFile(folder.path() + "/schedule.txt", "twingrad-schedule 9\n").ok());
  const SubprocessResult run = Oracle({"replay", folder.path()});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.errors.find("[interleave] " + folder.path() +
                            "/schedule.txt:1: cannot read `twingrad-schedule 9`; allowed is "),
            0u)
      << run.errors;
}

TEST(OracleTest, AWorkerIsNotStartedByHand) {
  const SubprocessResult bare = RunSubprocess({"tools/oracle/fake_oracle", "worker"});
  EXPECT_EQ(bare.exit_status, 2);
  EXPECT_EQ(bare.errors,
            "[oracle] `worker` is started by other verbs; allowed is `oracle check`; start that\n");
}

}  // namespace
}  // namespace twingrad::oracle

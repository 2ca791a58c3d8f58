// The command line as a user meets it: help, wrong usage, and the verbs that take one Program.

#include "tools/oracle/oracle.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tools/adapters/named_adapters.h"
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

class OracleTest : public ToolTest {
 protected:
  OracleTest() : ToolTest("tools/oracle/fake_oracle") {}
  SubprocessResult Reading(std::string_view input, const std::vector<std::string>& words) const {
    SubprocessOptions options;
    options.input = input;
    return Tool(words, options);
  }
};

// The page of the verb as its golden has it; `{adapters}` stands for the names in adapters.bzl.
std::string GoldenHelp(std::string_view verb) {
  std::string names;
  for (const auto& adapter : adapters::NamedAdapters()) absl::StrAppend(&names, adapter.name, ", ");
  const std::string text = *ReadInput(
      absl::StrCat("tools/oracle/help/", absl::StrReplaceAll(verb, {{" ", "-"}}), ".txt"));
  return absl::StrReplaceAll(text, {{"{adapters}", names}});
}

TEST_F(OracleTest, HelpIsAsInTheGoldens) {
  const SubprocessResult tool = Tool({"--help"});
  EXPECT_EQ(tool.exit_status, 0);
  EXPECT_EQ(tool.output, Read("tools/oracle/help/oracle.txt"));
  for (const VerbSpec& verb : Verbs()) {
    if (verb.hidden) continue;
    const SubprocessResult help = Tool({std::string(verb.name), "--help"});
    EXPECT_EQ(help.exit_status, 0);
    EXPECT_EQ(help.output, GoldenHelp(verb.name));
    EXPECT_EQ(Tool({"help", std::string(verb.name)}).output, help.output);
  }
}

TEST_F(OracleTest, WrongUsageIsStatusTwo) {
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
    const SubprocessResult run = Tool(words);
    const std::string shown = words.empty() ? "nothing" : words.back();
    EXPECT_EQ(run.exit_status, 2) << shown;
    EXPECT_EQ(run.output, "") << shown;
    EXPECT_THAT(run.errors, StartsWith("[oracle] "));
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
    EXPECT_GE(std::count(run.errors.begin(), run.errors.end(), ';'), 2) << run.errors;
  }
}

TEST_F(OracleTest, RunsAProgramFromAFileOrStandardInput) {
  EXPECT_EQ(Reading("value 1\nvalue 2\n", {"run", "-"}).output, "ran 2 lines\n");
  ASSERT_TRUE(WriteFile(At("p.txt"), "value 1\n").ok());
  EXPECT_EQ(Tool({"run", "p.txt"}).output, "ran 1 lines\n");
}

TEST_F(OracleTest, AMalformedProgramIsToldWithItsPlace) {
  const SubprocessResult run = Reading("value 1\nvalue 2\nnonsense\n", {"run", "-"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(
      run.errors,
      "[fake] standard input:3:1: unknown word `nonsense`; allowed is value; mend the line\n");
}

TEST_F(OracleTest, ExplainsAsAPictureOrItsSource) {
  SubprocessOptions options;
  options.input = "value 17\n";
  const SubprocessResult drawn = Tool({"explain", "-"}, options);
  EXPECT_EQ(drawn.exit_status, 0);
  EXPECT_THAT(drawn.output, HasSubstr("value 17"));
  options.environment = {"PATH=/nonexistent"};
  const SubprocessResult source = Tool({"explain", "-"}, options);
  EXPECT_EQ(source.exit_status, 0);
  EXPECT_EQ(source.output, "digraph {\n  n0 [label=\"value 17\"];\n}\n");
  EXPECT_THAT(source.errors, HasSubstr("install the package graphviz"));

  EXPECT_EQ(Tool({"explain", "-", "--out=x.svg"}, options).output, "");
  EXPECT_FALSE(ReadInput(At("x.svg")).ok());
  EXPECT_EQ(Read(At("x.dot")), source.output);
}

TEST_F(OracleTest, ExplainLeavesALargeGraphToACommand) {
  std::string program;
  for (int i = 0; i < 501; ++i) program += "value 1\n";
  const std::string name = At("x");
  const SubprocessResult run = Reading(program, {"explain", "-", "--out", name + ".svg"});
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_THAT(run.errors, HasSubstr("its source is in " + name + ".dot; `dot -Tsvg " + name +
                                    ".dot -o " + name + ".svg` draws it\n"));
  EXPECT_THAT(Read(name + ".dot"), HasSubstr("n500 [label=\"value 1\"]"));
}

TEST_F(OracleTest, GeneratesTheSameProgramFromTheSameSeed) {
  const SubprocessResult first = Tool({"generate", "--seed=0x7"});
  EXPECT_EQ(first.exit_status, 0);
  EXPECT_THAT(first.output, StartsWith("value "));
  EXPECT_EQ(Tool({"generate", "--seed=7"}).output, first.output);
  EXPECT_THAT(Tool({"generate"}).errors, StartsWith("[oracle] seed "));
}

TEST_F(OracleTest, FindingsOfExploreNeedTheModelWithTheirScheduleOrWithout) {
  const auto needs_model = [&] {
    std::vector<std::string> words = {"oracle", "replay", folder()};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    return NeedsModel(static_cast<int>(argv.size()), argv.data());
  };
  EXPECT_FALSE(needs_model());
  for (const char* other : {"{\"verb\": \"check\"}", "{\"verb\": 3}", "[]", "no json"}) {
    ASSERT_TRUE(WriteFile(At("finding.json"), other).ok());
    EXPECT_FALSE(needs_model()) << other;
  }
  ASSERT_TRUE(WriteFile(At("finding.json"), "{\"verb\": \"explore\"}").ok());
  EXPECT_TRUE(needs_model());
  ASSERT_TRUE(WriteFile(At("finding.json"), "{}").ok());
  ASSERT_TRUE(WriteFile(At("schedule.txt"), "").ok());
  EXPECT_TRUE(needs_model());
}

TEST_F(OracleTest, AReplaySaysWhatIsWrongWithItsDescription) {
  ASSERT_TRUE(WriteFile(At("program.txt"), "value 1\n").ok());
  ASSERT_TRUE(WriteFile(At("finding.json"), "{\"timeout_ms\": \"1\"}").ok());
  const SubprocessResult run = Tool({"replay", folder()});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_THAT(run.errors, HasSubstr("/finding.json has a `timeout_ms` of type string; allowed is"));
  std::filesystem::remove(At("finding.json"));
  EXPECT_EQ(Tool({"replay", folder()}).exit_status, 0);
}

TEST_F(OracleTest, AReplaySaysWhichLineOfItsScheduleCannotBeRead) {
  ASSERT_TRUE(WriteFile(At("program.txt"), "value 1\n").ok());
  ASSERT_TRUE(WriteFile(At("schedule.txt"), "twingrad-schedule 9\n").ok());
  const SubprocessResult run = Tool({"replay", folder()});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_THAT(run.errors,
              StartsWith("[interleave] " + folder() +
                         "/schedule.txt:1: cannot read `twingrad-schedule 9`; allowed is "));
}

TEST_F(OracleTest, AWorkerIsNotStartedByHand) {
  const SubprocessResult bare = Tool({"worker"});
  EXPECT_EQ(bare.exit_status, 2);
  EXPECT_EQ(bare.errors,
            "[oracle] `worker` is started by other verbs; allowed is `oracle check`; start that\n");
}

}  // namespace
}  // namespace twingrad::oracle

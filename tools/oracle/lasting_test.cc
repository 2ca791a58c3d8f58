// `check` over engines in which an earlier Program changes what a later one does: the finding is
// the two of them, small, and one command repeats both.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

class LastingTest : public ToolTest, public testing::WithParamInterface<const char*> {
 protected:
  LastingTest() : ToolTest(GetParam()) {}
};

TEST_P(LastingTest, TheEarlierProgramIsFoundToo) {
  const SubprocessResult run = Tool(
      {"check", "--seed=3", "--programs=20000", "--jobs=1", "--findings=1", "--weights=swarm"});
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  ASSERT_EQ(Findings().size(), 1u) << run.output;
  const std::string folder = Findings()[0];
  EXPECT_THAT(run.output, HasSubstr("-- replay " + folder + "\n"));
  EXPECT_THAT(Read(folder + "/report.txt"), HasSubstr("it shows after before-1.txt, run first"));
  EXPECT_THAT(Read(folder + "/before-1.txt"), StartsWith("twingrad 1\n"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/before-2.txt")) << Read(folder + "/report.txt");
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_LE(lines(Read(folder + "/before-1.txt")), 8) << Read(folder + "/before-1.txt");
  EXPECT_LE(lines(Read(folder + "/program.txt")), 9) << Read(folder + "/program.txt");

  const SubprocessResult again = Tool({"replay", folder});
  EXPECT_EQ(again.exit_status, 1) << again.output;
  EXPECT_THAT(again.output, StartsWith("the finding still shows: "));
  // Alone the Program is right.
  std::filesystem::remove(folder + "/before-1.txt");
  EXPECT_EQ(Tool({"replay", folder}).exit_status, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, LastingTest,
                         testing::Values("tools/oracle/refused_write_oracle",
                                         "tools/oracle/refused_result_oracle"));

}  // namespace
}  // namespace twingrad::oracle

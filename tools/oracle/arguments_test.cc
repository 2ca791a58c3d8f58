#include "tools/oracle/arguments.h"

#include "gmock/gmock.h"
#include "proptests/subjects/number_text.h"

namespace twingrad::oracle {
namespace {

using testing::HasSubstr;

constexpr FlagSpec kFlags[] = {
    {"count", "N", FlagType::kCount, "7", "how many"},
    {"seed", "N", FlagType::kSeed, "fresh", "seed"},
    {"time", "TIME", FlagType::kDuration, "none", "limit"},
    {"memory", "SIZE", FlagType::kSize, "1G", "limit"},
    {"ops", "A,B", FlagType::kList, "all", "ops"},
    {"out", "DIR", FlagType::kPath, "here", "folder"},
    {"few", "N", FlagType::kCount, "2", "some", 32},
};
constexpr VerbSpec kVerbs[] = {
    {"go", "", "goes", "Goes far.\n", kFlags, "go --count=2\n"},
    {"read", "FILE", "reads", "Reads a file.\n", {}, "read -\n"},
    {"secret", "", "hides", "Hides.\n", {}, "", true},
};

absl::StatusOr<Arguments> Parse(const std::vector<std::string>& words) {
  return ParseArguments(kVerbs, words);
}

std::string ErrorOf(const std::vector<std::string>& words) {
  return std::string(Parse(words).status().message());
}

TEST(ArgumentsTest, ReadsFlagsInBothForms) {
  absl::StatusOr<Arguments> a = Parse(
      {"go", "--count=1_000", "--seed", "0xff", "--time=1.5m", "--memory=2G", "--ops=mul,sum"});
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(a->verb->name, "go");
  EXPECT_EQ(a->Number("count"), 1000u);
  EXPECT_EQ(a->Number("seed"), 255u);
  EXPECT_EQ(a->Duration("time"), std::chrono::seconds(90));
  EXPECT_EQ(a->Number("memory"), uint64_t{2} << 30);
  EXPECT_EQ(a->List("ops"), (std::vector<std::string>{"mul", "sum"}));
  EXPECT_FALSE(a->Path("out").has_value());
  EXPECT_EQ(a->Text({"ops", "out", "count"}), " --ops=mul,sum --count=1_000");
}

TEST(ArgumentsTest, ReadsOperands) {
  EXPECT_EQ(Parse({"read", "a.txt"})->operand, "a.txt");
  EXPECT_EQ(Parse({"read", "-"})->operand, "-");
}

TEST(ArgumentsTest, FindsHelp) {
  EXPECT_TRUE(Parse({"--help"})->help);
  EXPECT_EQ(Parse({"--help"})->verb, nullptr);
  EXPECT_EQ(Parse({"help", "go"})->verb->name, "go");
  EXPECT_EQ(Parse({"read", "--help"})->verb->name, "read");
  EXPECT_TRUE(Parse({"read", "--help"})->help);
}

TEST(ArgumentsTest, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf({}),
            "[oracle] no verb is given; allowed is one of those that `oracle --help` lists; "
            "start with `oracle check`");
  EXPECT_EQ(ErrorOf({"fly"}),
            "[oracle] unknown verb `fly`; allowed are go, read; see `oracle --help`");
  EXPECT_EQ(ErrorOf({"go", "--cuont=3"}),
            "[oracle] `go` has no flag --cuont; allowed are --count --seed --time --memory --ops "
            "--out --few "
            "--help; see `oracle go --help`");
  EXPECT_EQ(ErrorOf({"go", "-v"}).substr(0, 28), "[oracle] `go` has no flag -v");
  EXPECT_EQ(
      ErrorOf({"go", "--count"}),
      "[oracle] --count lacks its value; allowed is a whole number of at least 1; write --count=N");
  EXPECT_EQ(ErrorOf({"go", "--count=x"}),
            "[oracle] --count=x cannot be read; allowed is a whole number of at least 1; "
            "see `oracle go --help`");
  EXPECT_EQ(ErrorOf({"go", "--few=32"}), "");
  EXPECT_EQ(ErrorOf({"go", "--few=3_3"}),
            "[oracle] --few=3_3 is more than 32; allowed is a whole number from 1 to 32; "
            "see `oracle go --help`");
  EXPECT_EQ(ErrorOf({"go", "--count=1", "--count=2"}),
            "[oracle] --count is given twice; allowed is once; leave one of the two out");
  EXPECT_EQ(
      ErrorOf({"go", "there"}),
      "[oracle] `go` takes no operand but got `there`; allowed are flags; see `oracle go --help`");
  EXPECT_EQ(
      ErrorOf({"read"}),
      "[oracle] `read` lacks its FILE; allowed is `oracle read FILE`; see `oracle read --help`");
  EXPECT_EQ(ErrorOf({"read", "a", "b"}),
            "[oracle] `read` got a second operand `b`; allowed is one FILE; run it once for each");
}

TEST(ArgumentsTest, RefusesMalformedValues) {
  for (const char* bad : {"", "0", "-1", "1.5", "99999999999999999999", "1e3"}) {
    EXPECT_FALSE(ReadCount(bad).has_value()) << bad;
  }
  for (const char* bad :
       {"", "-1", "0x", "0xg", "0x11112222333344445", " 1", "18446744073709551616"}) {
    EXPECT_FALSE(ReadSeed(bad).has_value()) << bad;
  }
  for (const char* bad : {"", "0", "-1s", "1d", "nan", "inf", "1e300h", "1e-10"}) {
    EXPECT_FALSE(subjects::ReadDuration(bad).has_value()) << bad;
  }
  for (const char* bad : {"", "0", "1K", "G", "99999999999G", "4194304G"}) {
    EXPECT_FALSE(ReadSize(bad).has_value()) << bad;
  }
  EXPECT_FALSE(Parse({"go", "--ops=a,,b"}).ok());
}

TEST(ArgumentsTest, HelpNamesEveryVerbAndFlagButHiddenOnes) {
  const std::string tool = ToolHelp(kVerbs);
  EXPECT_THAT(tool, HasSubstr("  go                    goes\n"));
  EXPECT_THAT(tool, HasSubstr("  read FILE             reads\n"));
  EXPECT_THAT(tool, testing::Not(HasSubstr("secret")));
  const std::string go = VerbHelp(kVerbs[0]);
  EXPECT_THAT(go, HasSubstr("some (at most 32; default: 2)\n"));
  for (const FlagSpec& flag : kFlags) {
    EXPECT_THAT(go, HasSubstr("--" + std::string(flag.name) + "="));
  }
}

}  // namespace
}  // namespace twingrad::oracle

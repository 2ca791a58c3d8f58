#include "fuzz/campaign/targets/fuzzer_output.h"

#include <optional>
#include <set>
#include <string>

#include "fuzz/campaign/targets/finding_folder.h"
#include "fuzz/campaign/targets/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::campaign {
namespace {

TEST(ProgressTest, IsReadFromTheLinesThatHaveIt) {
  const std::optional<Progress> pulse =
      ProgressIn("#4096\tpulse  cov: 310 ft: 402 corp: 9/87b lim: 4 exec/s: 2048 rss: 40Mb");
  ASSERT_TRUE(pulse.has_value());
  EXPECT_EQ(pulse->runs, 4096u);
  EXPECT_EQ(pulse->covered, 310u);
  const std::optional<Progress> last = ProgressIn("stat::number_of_executed_units: 65172");
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->runs, 65172u);
  for (const char* line : {"", "#", "#x cov: 3", "#7\tREDUCE ft: 3", "#7 cov: many",
                           "stat::peak_rss_mb:              268", "    #0 0x55 in F f.cc:1:2"}) {
    EXPECT_FALSE(ProgressIn(line).has_value()) << line;
  }
  EXPECT_TRUE(IsBegun("#2\tINITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 31Mb"));
  EXPECT_FALSE(IsBegun("#4096\tpulse  cov: 310 ft: 402"));
}

constexpr char kOverflow[] =
    "#1652\tREDUCE cov: 11 ft: 12 corp: 3/7b lim: 17 exec/s: 0 rss: 32Mb\n"
    "=================================================================\n"
    "==27363==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x502000058116 at pc 0x56\n"
    "READ of size 1 at 0x502000058116 thread T0\n"
    "    #0 0x5607c1b4ba7d in __interceptor_memcpy (/t+0x147a7d) (BuildId: 27)\n"
    "    #1 0x5607c1b4df31 in planted::Read(unsigned char const*, unsigned long) /t.cc:6:110\n"
    "    #2 0x5607c1b4e11d in LLVMFuzzerTestOneInput /t.cc:9:99\n"
    "    #3 0x5607c1a523a6 in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*) (/t+0x4e3a6)\n"
    "\n"
    "allocated by thread T0 here:\n"
    "    #0 0x5607c1b4ba7d in other::Function(int) /t.cc:1:1\n";

TEST(DeathTest, IsWhatASanitizerSaidInTheInnermostFunctions) {
  const workers::CaseResult result = DeathIn(kOverflow, "crash-0123");
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.oracle, "crash");
  EXPECT_EQ(result.text,
            "crash of a fuzz target: AddressSanitizer: heap-buffer-overflow\n"
            "  in:  planted::Read(unsigned char const*, unsigned long)\n");
}

TEST(DeathTest, IsWhatTheTargetItselfDemands) {
  const workers::CaseResult result = DeathIn(
      "[fuzz] it reads as another; text:\nERROR: of the input\n"
      "==1== ERROR: libFuzzer: deadly signal\n"
      "    #0 0x5 in __sanitizer_print_stack_trace (/t+0x1)\n"
      "    #1 0x5 in fuzzer::PrintStackTrace() (/t+0x1)\n"
      "    #2 0x7 (/lib/x86_64-linux-gnu/libc.so.6+0x3c04f)\n"
      "    #3 0x7 in abort stdlib/abort.c:79:7\n"
      "    #4 0x5 in twingrad::Require(bool, char const*) fuzz/require.h:17:3\n"
      "    #5 0x5 in twingrad::(anonymous namespace)::CheckFile(std::string) fuzz/s.cc:40:3\n"
      "    #6 0x5 in LLVMFuzzerTestOneInput fuzz/s.cc:49:3\n",
      "crash-0123");
  EXPECT_EQ(result.text,
            "crash of a fuzz target: it reads as another\n"
            "  in:  twingrad::(anonymous namespace)::CheckFile(std::string)\n");
}

TEST(DeathTest, ItsKindIsInTheNameOfTheFile) {
  EXPECT_EQ(DeathIn("", "timeout-01").oracle, "hang");
  EXPECT_EQ(DeathIn("", "oom-01").oracle, "memory");
  EXPECT_EQ(DeathIn("", "leak-01").oracle, "leak");
  EXPECT_EQ(DeathIn("", "").text, "crash of a fuzz target: nothing\n  in:  unknown\n");
}

TEST(DeathTest, WithoutNamesOfFunctionsTheirPlacesCount) {
  const workers::CaseResult result = DeathIn(
      "x.cc:3:7: runtime error: signed integer overflow\n    #0 0x5 (/t+0x14)\n", "crash-1");
  EXPECT_EQ(result.text,
            "crash of a fuzz target: x.cc:3:7: runtime error: signed integer overflow\n"
            "  in:  (/t+0x14)\n");
}

TEST(DeathTest, TwoOfOneStackAreOneFindingWhateverTheirNumbers) {
  std::string other = kOverflow;
  other.replace(other.find("READ of size 1"), 14, "READ of size 8");
  EXPECT_EQ(TargetSignature(DeathIn(kOverflow, "crash-1")),
            TargetSignature(DeathIn(other, "crash-2")));
  other.replace(other.find("planted::Read"), 13, "planted::Find");
  EXPECT_NE(TargetSignature(DeathIn(kOverflow, "crash-1")),
            TargetSignature(DeathIn(other, "crash-2")));
}

TEST(ShownTest, ProgramsAreTextAndAllElseIsADump) {
  EXPECT_EQ(Shown("twingrad 1\n%a = leaf\n"), "twingrad 1\n%a = leaf\n");
  EXPECT_EQ(Shown(std::string("{\"\xff", 3)),
            "# 3 bytes\n# 000000  7b 22 ff" + std::string(41, ' ') + "{\".\n");
  EXPECT_THAT(Shown(std::string(5000, 'x')), testing::EndsWith("# ...\n"));
}

TEST(HexTest, SurvivesBothWays) {
  const std::string bytes("\0\xff\n", 3);
  EXPECT_EQ(Hex(bytes), "00ff0a");
  EXPECT_EQ(Unhex(Hex(bytes)), bytes);
  EXPECT_FALSE(Unhex("0").has_value());
  EXPECT_FALSE(Unhex("zz").has_value());
}

TEST(EdgesTest, AreThoseOfAllInputsOfAControlFile) {
  EXPECT_EQ(EdgesIn("2\n0\na\nb\nSTARTED 0 3\nFT 0 7 8\nCOV 0 4 9\nSTARTED 1 3\nCOV 1 9 11\n"
                    "COV 1 99999999 x\n"),
            (std::set<uint32_t>{4, 9, 11}));
  EXPECT_TRUE(EdgesIn("").empty());
}

TEST(CommandTest, HoldsLimitsDictionaryAndArguments) {
  const Target target = {"/t", "/s", "/d", {"-max_len=9"}, 5, 100};
  EXPECT_THAT(Command(target, {"-runs=0"}),
              testing::ElementsAre("/t", "-timeout=5", "-rss_limit_mb=100", "-dict=/d",
                                   "-max_len=9", "-runs=0"));
}

TEST(CommandTest, FilesMustBeThere) {
  EXPECT_TRUE(CheckTarget({"/bin/sh", "/", "", {}, 1, 1}).ok());
  for (const Target& target :
       {Target{"sh", "", "", {}, 1, 1}, Target{"/no", "", "", {}, 1, 1},
        Target{"/bin/sh", "/no", "", {}, 1, 1}, Target{"/bin/sh", "", "/no", {}, 1, 1}}) {
    EXPECT_THAT(std::string(CheckTarget(target).message()),
                testing::HasSubstr("of a fuzz job is not there; needed is the absolute path of "));
  }
}

}  // namespace
}  // namespace twingrad::campaign

#include "proptests/findings/case_text.h"

#include "gtest/gtest.h"

namespace twingrad::findings {
namespace {

constexpr char kProgram[] = "twingrad 1\n# a remark\n%x = leaf type=f64[]\n";
constexpr char kSchedule[] = "twingrad-schedule 1\nthreads 2\ndecisions 1\nthread 1/3 9f3a2b11\n";

TEST(CaseText, ThePartsOfACaseAreThoseItWasMadeOf) {
  for (const Case& parts :
       {Case{kProgram, std::nullopt, false, ""}, Case{kProgram, 7, false, ""},
        Case{kProgram, std::nullopt, false, kSchedule}, Case{kProgram, 7, false, "", true},
        Case{kProgram, std::nullopt, false, "", true},
        Case{kProgram, UINT64_MAX, true, kSchedule}}) {
    EXPECT_EQ(SplitCase(JoinCase(parts)), parts) << JoinCase(parts);
  }
}

TEST(CaseText, AProgramAloneStaysAsItIs) {
  EXPECT_EQ(JoinCase(SplitCase(kProgram)), kProgram);
  for (const char* text : {"", "wrong", "wrong\n\n"}) EXPECT_EQ(SplitCase(text).program, text);
}

TEST(CaseText, AllButTheProgramIsComments) {
  const std::string text = JoinCase({kProgram, 7, true, kSchedule});
  EXPECT_EQ(text, std::string(kProgram) +
                      "# seed 7\n# as found\n# twingrad-schedule 1\n# threads 2\n# decisions 1\n"
                      "# thread 1/3 9f3a2b11\n");
}

}  // namespace
}  // namespace twingrad::findings

#include "tools/oracle/conventions.h"

#include <map>
#include <string>

#include "autograd/program/parse.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"

namespace twingrad::oracle {
namespace {

TEST(ConventionsTest, TheTwinsOwnChoices) {
  const std::map<std::string, std::string, std::less<>> choices = {{"abs'(0)", "0"},
                                                                   {"relu'(0)", "0"},
                                                                   {"sqrt'(0)", "inf"},
                                                                   {"log'(0)", "inf"},
                                                                   {"maximum at a tie", "0.5, 0.5"},
                                                                   {"maximum(nan, 1)", "1, 1"},
                                                                   {"pow(0, 0)", "0, 0"},
                                                                   {"pow(0, 1)", "1, 0"},
                                                                   {"div(0, 0)", "inf, nan"},
                                                                   {"unused leaf", "-1, none"}};
  for (const Convention& convention : Conventions()) {
    const auto program = autograd::program::Parse(convention.program);
    ASSERT_TRUE(program.ok()) << convention.point << ": " << program.status();
    const auto twin = autograd::reference::RunTwin(*program);
    ASSERT_EQ(choices.count(convention.point), 1u) << convention.point;
    EXPECT_EQ(ChoiceText(*program, twin.observation), choices.find(convention.point)->second)
        << convention.point;
  }
  EXPECT_EQ(Conventions().size(), choices.size());
}

}  // namespace
}  // namespace twingrad::oracle

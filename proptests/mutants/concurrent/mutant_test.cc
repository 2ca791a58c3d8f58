#include "proptests/mutants/concurrent/mutant.h"

#include <string>

#include "gtest/gtest.h"

namespace twingrad::mutants {
namespace {

TEST(MutantTest, ReadsARow) {
  const auto mutant = ParseMutant({"split_decrement", "scenario=two_into_one_slot",
                                   "detector=data race", "rule=run contributions",
                                   "programs.detector=invariant", "programs.hunt=rare_failing",
                                   "programs.without_rules=errors", "programs.seed=7"});
  ASSERT_TRUE(mutant.ok()) << mutant.status();
  EXPECT_EQ(mutant->name, "split_decrement");
  EXPECT_EQ(mutant->scenario, FindScenario("two_into_one_slot"));
  EXPECT_EQ(mutant->detector, "data race");
  EXPECT_EQ(mutant->rule, "run contributions");
  EXPECT_EQ(mutant->programs.detector, "invariant");
  EXPECT_EQ(mutant->programs.without_rules, "errors");
  EXPECT_EQ(mutant->programs.hunt.schedules_to_shrink, 500);
  EXPECT_EQ(mutant->programs.hunt.seed, 7u);
}

TEST(MutantTest, AControlHasNoScenario) {
  const auto control = ParseMutant({"control", "scenario=", "detector=", "rule="});
  ASSERT_TRUE(control.ok()) << control.status();
  EXPECT_EQ(control->scenario, nullptr);
  EXPECT_EQ(control->programs.detector, "");
}

TEST(MutantTest, ErrorsSayWhatIsAllowed) {
  const auto message = [](std::string_view word) {
    return std::string(ParseMutant({"x", word}).status().message());
  };
  EXPECT_NE(message("scenario=none").find("two_into_one_slot"), std::string::npos);
  EXPECT_NE(message("programs.hunt=all").find("rare_failing"), std::string::npos);
  EXPECT_NE(message("programs.seed=x").find("a seed is a number"), std::string::npos);
  EXPECT_NE(message("nodes=3").find("allowed are scenario"), std::string::npos);
  EXPECT_FALSE(ParseMutant({}).ok());
}

}  // namespace
}  // namespace twingrad::mutants

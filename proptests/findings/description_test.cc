#include "proptests/findings/description.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::findings {
namespace {

TEST(DescriptionTest, SurvivesPrintingAndParsing) {
  Description description;
  description.verb = "explore";
  description.engine = "exec:a \"b\"";
  description.strategy = "pct";
  description.seed = UINT64_MAX;
  description.plant = 0;
  description.schedules = 500;
  const absl::StatusOr<Description> again = ParseDescription(PrintDescription(description), "f");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, description);
  EXPECT_EQ(PrintDescription(Description()), "{}\n");
}

TEST(DescriptionTest, OtherMembersAreNotLookedAt) {
  const absl::StatusOr<Description> read =
      ParseDescription(R"({"probes": {}, "text": 3, "seed": 7})", "f");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->seed, 7u);
}

TEST(DescriptionTest, WhatIsWrongIsNamed) {
  const auto refused = [](std::string_view text) {
    return std::string(ParseDescription(text, "f.json").status().message());
  };
  using testing::HasSubstr;
  EXPECT_THAT(refused("no json"), HasSubstr("[oracle] f.json is no JSON object; allowed is "));
  EXPECT_THAT(refused("[]"), HasSubstr("is no JSON object"));
  EXPECT_THAT(refused(R"({"verb": 3})"),
              HasSubstr("has a `verb` of type number; allowed is a text; "));
  EXPECT_THAT(refused(R"({"seed": -1})"), HasSubstr("allowed is a whole number from 0 on; "));
  EXPECT_THAT(refused(R"({"plant": "x"})"), HasSubstr("has a `plant` of type string"));
}

}  // namespace
}  // namespace twingrad::findings

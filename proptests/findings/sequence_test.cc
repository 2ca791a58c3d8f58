#include "proptests/findings/sequence.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace twingrad::findings {
namespace {

std::vector<std::string> Cases(int count) {
  std::vector<std::string> cases;
  for (int i = 0; i < count; ++i) cases.push_back(absl::StrCat(i));
  return cases;
}

// Fails where all of `needed` are there, in their order.
struct Needs {
  std::vector<std::string> needed;
  int* probes;

  bool operator()(absl::Span<const std::string> cases) const {
    ++*probes;
    auto at = needed.begin();
    for (const std::string& one : cases) {
      if (at != needed.end() && one == *at) ++at;
    }
    return at == needed.end();
  }
};

TEST(SequenceTest, FindsTheFewestInTheirOrder) {
  for (const std::vector<std::string>& needed :
       {std::vector<std::string>{"99"}, {"0"}, {"17", "18"}, {"3", "50", "98"}}) {
    int probes = 0;
    const auto few = FewestBefore(Cases(100), Needs{needed, &probes});
    ASSERT_TRUE(few.has_value());
    EXPECT_EQ(*few, needed);
    EXPECT_LT(probes, 100);
  }
}

TEST(SequenceTest, OneBeforeIsSeenAtOnce) {
  int probes = 0;
  EXPECT_EQ(FewestBefore(Cases(100), Needs{{"99"}, &probes})->size(), 1u);
  EXPECT_LE(probes, 2);
}

TEST(SequenceTest, WhatAllOfThemDoNotShowIsNotFound) {
  int probes = 0;
  EXPECT_FALSE(FewestBefore(Cases(100), Needs{{"3", "2"}, &probes}).has_value());
  EXPECT_FALSE(FewestBefore({}, Needs{{"3"}, &probes}).has_value());
  EXPECT_LT(probes, 20);
}

}  // namespace
}  // namespace twingrad::findings

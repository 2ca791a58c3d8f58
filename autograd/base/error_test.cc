// Errors carry a kind and a message; every kind has a word of its own.

#include "autograd/base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace twingrad {
namespace {

TEST(ErrorTest, CarriesKindAndMessage) {
  try {
    throw Error(ErrorKind::kShape, "[tensor] wrong");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kShape);
    EXPECT_STREQ(error.what(), "[tensor] wrong");
  }
}

TEST(ErrorTest, EveryKindHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (int i = 0; i < kNumErrorKinds; ++i) words.insert(ErrorKindName(static_cast<ErrorKind>(i)));
  EXPECT_EQ(words.size(), static_cast<size_t>(kNumErrorKinds));
  EXPECT_FALSE(words.contains("?"));
}

TEST(ErrorTest, NamesFollowTheKinds) {
  EXPECT_EQ(ErrorKindName(ErrorKind::kInvalidArgument), "invalid_argument");
  EXPECT_EQ(ErrorKindName(ErrorKind::kFreed), "freed");
  EXPECT_EQ(ErrorKindName(ErrorKind::kLeafInPlace), "leaf_in_place");
  EXPECT_EQ(ErrorKindName(ErrorKind::kInternal), "internal");
}

}  // namespace
}  // namespace twingrad

// Method: each way to make a span is used as an argument, and what the span shows is compared with
// the list; its parts and their comparison on small lists.

#include "autograd/base/span.h"

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "autograd/base/inlined_vector.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

int64_t Sum(Span<const int64_t> numbers) {
  int64_t sum = 0;
  for (int64_t number : numbers) sum += number;
  return sum;
}

TEST(Span, IsMadeOfLists) {
  const std::vector<int64_t> vector = {1, 2};
  const std::array<int64_t, 2> array = {1, 2};
  const int64_t plain[] = {1, 2};
  EXPECT_EQ(Sum({}), 0);
  EXPECT_EQ(Sum({1, 2}), 3);
  EXPECT_EQ(Sum(vector), 3);
  EXPECT_EQ(Sum(array), 3);
  EXPECT_EQ(Sum(plain), 3);
  EXPECT_EQ(Sum({plain, 1}), 1);
  EXPECT_EQ(Sum(InlinedVector<int64_t, 4>{1, 2}), 3);
  EXPECT_EQ(Sum(std::span(vector)), 3);
  EXPECT_EQ(Sum(absl::Span<const int64_t>(vector)), 3);
}

TEST(Span, BecomesOtherSpans) {
  const std::vector<int64_t> kept = {3, 4};
  EXPECT_EQ(std::span<const int64_t>(Span<const int64_t>(kept)).size(), 2u);
  EXPECT_EQ(absl::Span<const int64_t>(Span<const int64_t>(kept))[1], 4);
}

TEST(Span, OfWhatMayBeWritten) {
  std::vector<std::string> words = {"a", "b"};
  const Span<std::string> span = words;
  span[1] = "c";
  EXPECT_EQ(words[1], "c");
  EXPECT_EQ(Span<const std::string>(span), Span<const std::string>(words));
  static_assert(!std::is_convertible_v<const std::vector<std::string>&, Span<std::string>>);
  static_assert(!std::is_convertible_v<std::vector<int>&, Span<int64_t>>);
}

TEST(Span, Parts) {
  const std::vector<int64_t> list = {1, 2, 3};
  Span<const int64_t> span = list;
  EXPECT_EQ(span.front(), 1);
  EXPECT_EQ(span.back(), 3);
  EXPECT_EQ(*span.rbegin(), 3);
  EXPECT_TRUE(span.subspan(1) == Span<const int64_t>({2, 3}));
  EXPECT_TRUE(span.subspan(1, 1) == Span<const int64_t>({2}));
  EXPECT_TRUE(span.subspan(3).empty());
  EXPECT_TRUE(span.first(1) == Span<const int64_t>({1}));
  EXPECT_TRUE(span.last(1) == Span<const int64_t>({3}));
  EXPECT_FALSE(span == Span<const int64_t>({1, 2}));
  EXPECT_FALSE(span == Span<const int64_t>({1, 2, 4}));
  EXPECT_EQ(span.at(2), 3);
  EXPECT_THROW(span.at(3), std::out_of_range);
  span.remove_prefix(1);
  span.remove_suffix(1);
  EXPECT_TRUE(span == Span<const int64_t>({2}));
}

}  // namespace
}  // namespace twingrad

#include "proptests/fuzzing/libfuzzer.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace twingrad::fuzzing {
namespace {

TEST(LibFuzzerTest, AProgramWithoutLibFuzzerHasNoMutation) { EXPECT_FALSE(LibFuzzerMutation()); }

TEST(LibFuzzerTest, GivesAnInput) {
  uint8_t out[] = {9, 9, 9};
  EXPECT_EQ(Give({1, 2}, out), 2u);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2);
  EXPECT_EQ(out[2], 9);
}

}  // namespace
}  // namespace twingrad::fuzzing

#include "autograd/program/dropout.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace twingrad::program {
namespace {

// The words of counter 0 and key 0, as the paper's authors publish them: 6627e8d5 e169c58d bc57ac4c
// 9b00dbd8.
TEST(DropoutTest, GoesByTheWordsOfPhilox) {
  constexpr double kWords[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(IsDropped(0, i, kWords[i] / 0x1p32)) << i;
    EXPECT_TRUE(IsDropped(0, i, (kWords[i] + 1) / 0x1p32)) << i;
  }
}

TEST(DropoutTest, DropsTheShareAskedFor) {
  for (const double by : {0.0, 0.25, 0.5, 0.9}) {
    int dropped = 0;
    for (int64_t i = 0; i < 10000; ++i) dropped += IsDropped(7, i, by) ? 1 : 0;
    EXPECT_NEAR(dropped, 10000 * by, 150) << by;  // three deviations
  }
}

TEST(DropoutTest, SeedsDiffer) {
  int equal = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    equal += IsDropped(1, i, 0.5) == IsDropped(int64_t{1} << 32, i, 0.5) ? 1 : 0;
  }
  EXPECT_NEAR(equal, 500, 50);
}

}  // namespace
}  // namespace twingrad::program

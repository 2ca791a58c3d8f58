#include "autograd/program/leaf_data.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "autograd/program/builder.h"
#include "autograd/program/parse.h"

namespace twingrad::program {
namespace {

Bits DataOf(const std::string& leaf) {
  const auto program = Parse("twingrad 1\n%x = leaf " + leaf + "\n");
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? LeafData(program->statements[0]) : Bits();
}

TEST(LeafData, ThreeSourcesAndNone) {
  EXPECT_EQ(DataOf("type=f64[2] data=1,-2"), FloatBits({1, -2}));
  EXPECT_EQ(DataOf("type=i64[2] data=1,-2"), IntBits({1, -2}));
  EXPECT_EQ(DataOf("type=f32[2,2] fill=0.5"), FloatBits({0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(DataOf("type=bool[3] fill=1"), IntBits({1, 1, 1}));
  EXPECT_EQ(DataOf("type=f64[3]"), FloatBits({0, 0, 0}));
  EXPECT_EQ(DataOf("type=f64[0,3] seed=4"), Bits());
}

TEST(LeafData, SeedsAreTheDocumentedFormula) {
  // splitmix64 from state 0 begins e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f.
  constexpr uint64_t kOutputs[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f};
  constexpr int64_t kValues[] = {-4, -3, -2, -1, 1, 2, 3, 4};
  for (int64_t i = 0; i < 3; ++i) {
    const uint64_t r = kOutputs[i] >> 59;
    const int64_t expected = r < 8 ? 0 : kValues[r % 8];
    EXPECT_EQ(SeededElement(0, i, DType::kI64), static_cast<uint64_t>(expected)) << i;
    EXPECT_EQ(SeededElement(0, i, DType::kF32),
              std::bit_cast<uint64_t>(static_cast<double>(expected)));
    EXPECT_EQ(SeededElement(0, i, DType::kBool), kOutputs[i] & 1);
  }
  EXPECT_EQ(DataOf("type=i64[5] seed=0"), IntBits({1, 2, 0, 4, 0}));
}

TEST(LeafData, SeedsSpreadEvenlyWithAQuarterOfZeros) {
  std::vector<int> counts(9);
  for (int64_t i = 0; i < 32000; ++i) {
    ++counts[static_cast<int64_t>(SeededElement(-7, i, DType::kI64)) + 4];
  }
  for (int v = 0; v < 9; ++v) {
    EXPECT_NEAR(counts[v], v == 4 ? 8000 : 3000, 400) << v - 4;
  }
}

TEST(LeafData, CountsElements) {
  EXPECT_EQ(NumElements({}), 1);
  EXPECT_EQ(NumElements({2, 3}), 6);
  EXPECT_EQ(NumElements({2, 0, 3}), 0);
}

}  // namespace
}  // namespace twingrad::program

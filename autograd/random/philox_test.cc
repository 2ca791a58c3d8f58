// Philox against the answers published with it (kat_vectors of Random123, philox4x32 with 10
// rounds): all zeros, all ones, and the digits of pi.

#include "autograd/random/philox.h"

#include "gtest/gtest.h"

namespace twingrad {
namespace {

TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

static_assert(Philox({}, {})[0] == 0x6627e8d5, "a constant expression where its arguments are");

}  // namespace
}  // namespace twingrad

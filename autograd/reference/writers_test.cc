#include "autograd/reference/writers.h"

#include <gtest/gtest.h>

namespace twingrad::reference {
namespace {

TEST(Writers, TheLastOfEachPlaceStays) {
  Arena arena;
  const int32_t places[] = {2, 0, 2, 1, 0};
  const Writers writers = LastWriters(arena, {places, 5}, 4);
  ASSERT_EQ(writers.from.size, 3);
  ASSERT_EQ(writers.to.size, 3);
  const int32_t from[] = {2, 3, 4}, to[] = {2, 1, 0};
  for (int32_t k = 0; k < 3; ++k) {
    EXPECT_EQ(writers.from[k], from[k]);
    EXPECT_EQ(writers.to[k], to[k]);
  }
  EXPECT_EQ(LastWriters(arena, {places, 0}, 0).to.size, 0);
}

}  // namespace
}  // namespace twingrad::reference

// What is put is taken once, by its stream and size; sizes leave little idle.
#include "cuda/block_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

TEST(BlockCacheTest, SizesHoldWhatIsAskedAndLittleMore) {
  std::set<size_t> sizes;
  for (size_t bytes = 0; bytes < 1 << 16; ++bytes) {
    const size_t size = BlockCache::SizeFor(bytes);
    ASSERT_GE(size, bytes);
    ASSERT_LE(size, std::max(bytes + bytes / 8 + 1, bytes + 512));
    ASSERT_EQ(size % 512, 0u);
    ASSERT_EQ(BlockCache::SizeFor(size), size);
    sizes.insert(size);
  }
  EXPECT_EQ(BlockCache::SizeFor(0), 512u);
  EXPECT_LT(sizes.size(), 50u);
  EXPECT_EQ(BlockCache::SizeFor(SIZE_MAX), SIZE_MAX);
}

TEST(BlockCacheTest, ABlockIsItsStreamsAndItsSizes) {
  BlockCache cache;
  int x = 0, y = 0;
  cache.Put(1, 512, &x);
  EXPECT_EQ(cache.bytes(), 512u);
  EXPECT_EQ(cache.Take(0, 512), nullptr);
  EXPECT_EQ(cache.Take(1, 1024), nullptr);
  EXPECT_EQ(cache.Take(1, 512), &x);
  EXPECT_EQ(cache.Take(1, 512), nullptr);
  EXPECT_EQ(cache.bytes(), 0u);
  cache.Put(1, 512, &x);
  cache.Put(2, 1024, &y);
  EXPECT_EQ(cache.bytes(), 1536u);
  EXPECT_EQ(cache.count(), 2u);
  EXPECT_EQ(cache.TakeAll().size(), 2u);
  EXPECT_EQ(cache.bytes(), 0u);
  EXPECT_TRUE(cache.TakeAll().empty());
}

}  // namespace
}  // namespace twingrad::cuda

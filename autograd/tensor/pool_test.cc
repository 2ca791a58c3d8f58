// Blocks are distinct while in use, come back from any thread, and large ones bypass the lists.

#include "autograd/tensor/pool.h"

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

TEST(PoolTest, BlocksInUseDoNotOverlap) {
  for (size_t bytes : {size_t{1}, size_t{32}, size_t{33}, size_t{200}, size_t{512}, size_t{513}}) {
    std::set<char*> blocks;
    for (int i = 0; i < 100; ++i) {
      auto* block = static_cast<char*>(pool::Allocate(bytes));
      std::memset(block, i, bytes);
      for (char* other : blocks) EXPECT_TRUE(block + bytes <= other || other + bytes <= block);
      EXPECT_TRUE(blocks.insert(block).second);
    }
    for (char* block : blocks) pool::Free(block, bytes);
  }
}

// Blocks of both kinds, freed here and elsewhere.
TEST(PoolTest, CountsWhatIsInUse) {
  const pool::Use of_process = pool::UseOfProcess();
  const pool::Use before = pool::UseOfThread();
  void* small = pool::Allocate(100);
  void* large = pool::Allocate(1000);
#if defined(AG_POOL_PASSES_THROUGH)
  const pool::Use used = pool::UseOfProcess() - of_process;
  EXPECT_EQ(used.bytes, 1100);
#else
  const pool::Use used = pool::UseOfThread() - before;
  EXPECT_EQ(used.bytes, 112 + 1000);
  pool::Use elsewhere;
  sync::Thread("other", [&] {
    pool::Free(small, 100);
    small = pool::Allocate(100);
    pool::Free(large, 1000);
    elsewhere = pool::UseOfThread();
    large = pool::Allocate(1000);
  }).Join();
  EXPECT_EQ(elsewhere.blocks, -1);
#endif
  EXPECT_EQ(used.blocks, 2);
  pool::Free(small, 100);
  pool::Free(large, 1000);
  EXPECT_EQ((pool::UseOfThread() - before).blocks, 0);
  EXPECT_EQ((pool::UseOfThread() - before).bytes, 0);
  EXPECT_EQ((pool::UseOfProcess() - of_process).blocks, 0);
}

// More than a chunk of each, also of the larger chunks.
TEST(PoolTest, BlocksOfWholeCacheLinesBeginWithOne) {
  for (const size_t bytes : {size_t{64}, size_t{128}, size_t{192}, size_t{256}}) {
    const size_t alignment = bytes % 128 == 0 ? 128 : 64;
    std::vector<void*> blocks((size_t{8} << 20) / bytes);
    for (void*& block : blocks) block = pool::Allocate(bytes);
    size_t misplaced = 0;
    for (void* block : blocks) misplaced += reinterpret_cast<uintptr_t>(block) % alignment != 0;
    EXPECT_EQ(misplaced, 0u) << bytes;
    for (void* block : blocks) pool::Free(block, bytes);
  }
}

#if !defined(AG_POOL_PASSES_THROUGH)
TEST(PoolTest, AFreedBlockIsUsedAgain) {
  void* first = pool::Allocate(100);
  pool::Free(first, 100);
  void* second = pool::Allocate(100);
  EXPECT_EQ(first, second);
  pool::Free(second, 100);
}

TEST(PoolTest, AFullListGoesToOtherThreads) {
  std::vector<void*> blocks(pool::kListLimit + 10);
  for (void*& block : blocks) block = pool::Allocate(16);
  const std::set<void*> all(blocks.begin(), blocks.end());
  for (void* block : blocks) pool::Free(block, 16);
  EXPECT_LT(pool::Lists().count[0], pool::kListLimit);
  sync::Thread thread("take", [&] {
    void* block = pool::Allocate(16);
    EXPECT_EQ(all.count(block), 1u);
    pool::Free(block, 16);
  });
  thread.Join();
}

TEST(PoolTest, TheListsOfAThreadThatEndedAreUsedAgain) {
  void* block = nullptr;
  sync::Thread first("first", [&] {
    block = pool::Allocate(500);
    pool::Free(block, 500);
  });
  first.Join();
  bool found = false;
  sync::Thread second("second", [&] {
    std::vector<void*> blocks(1000);
    for (void*& b : blocks) {
      b = pool::Allocate(500);
      found = found || b == block;
    }
    for (void* b : blocks) pool::Free(b, 500);
  });
  second.Join();
  EXPECT_TRUE(found);
}

TEST(PoolTest, LargeSizesBypassTheLists) {
  void* block = pool::Allocate(pool::kLargest + 1);
  std::memset(block, 1, pool::kLargest + 1);
  pool::Free(block, pool::kLargest + 1);
}
#endif

TEST(PoolTest, ABlockMayBeFreedByAnotherThread) {
  std::vector<void*> blocks(1000);
  for (void*& block : blocks) block = pool::Allocate(64);
  sync::Thread thread("free", [&] {
    for (void* block : blocks) pool::Free(block, 64);
  });
  thread.Join();
}

}  // namespace
}  // namespace twingrad

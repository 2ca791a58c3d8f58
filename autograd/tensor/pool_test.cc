// Blocks are distinct while in use, come back from any thread, and large ones bypass the lists.

#include "autograd/tensor/pool.h"

#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/sync/thread.h"

namespace autograd {
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

#if !defined(AG_POOL_PASSES_THROUGH)
TEST(PoolTest, AFreedBlockIsUsedAgain) {
  void* first = pool::Allocate(100);
  pool::Free(first, 100);
  void* second = pool::Allocate(100);
  EXPECT_EQ(first, second);
  pool::Free(second, 100);
}

TEST(PoolTest, ListsAreBounded) {
  std::vector<void*> blocks(pool::kListLimit + 10);
  for (void*& block : blocks) block = pool::Allocate(16);
  for (void* block : blocks) pool::Free(block, 16);
  EXPECT_LE(pool::Lists().count[0], pool::kListLimit);
}
#endif

TEST(PoolTest, ABlockMayBeFreedByAnotherThread) {
  std::vector<void*> blocks(1000);
  for (void*& block : blocks) block = pool::Allocate(64);
  sync::Thread thread("free", [&] {
    for (void* block : blocks) pool::Free(block, 64);
    // Lists of this thread go back to the system when it ends; leak checkers see the difference.
  });
  thread.Join();
}

}  // namespace
}  // namespace autograd

// Which large blocks are kept for the next tensor, and that all of them can be written to.

#include "autograd/tensor/elements.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "autograd/sync/thread.h"
#include "autograd/tensor/pool.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::elements {
namespace {

#if defined(AG_POOL_PASSES_THROUGH)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

constexpr size_t kMegabyte = size_t{1} << 20;

TEST(Elements, BlocksOfAllSizesAreAlignedAndWritable) {
  for (const size_t bytes : {size_t{65}, size_t{4096}, size_t{16384}, kLarge - 1, kLarge,
                             kLarge + 1, 3 * kMegabyte, 4 * kMegabyte, 9 * kMegabyte + 3}) {
    void* const data = Allocate(bytes);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % (bytes >= 16384 ? 4096 : 64), 0u);
    std::memset(data, 1, bytes);
    Free(data, bytes);
  }
}

TEST(Elements, ALargeBlockServesTheNextOfAboutItsSize) {
  void* const data = Allocate(5 * kMegabyte);
  const size_t before = Kept();
  Free(data, 5 * kMegabyte);
  EXPECT_EQ(Kept(), before + (kKeeps ? 5 * kMegabyte : 0));
  void* const next = Allocate(5 * kMegabyte - 1000);
  if (kKeeps) {
    EXPECT_EQ(next, data);
    EXPECT_EQ(Kept(), before);
  }
  Free(next, 5 * kMegabyte - 1000);
}

// Blocks of one size, in use at once, freed by another thread than the one that took them.
TEST(Elements, SmallBlocksGoFromThreadToThread) {
  for (const size_t bytes : {size_t{65}, size_t{129}, size_t{4096}, size_t{65536}, size_t{65537}}) {
    std::vector<void*> blocks;
    for (int i = 0; i < 20; ++i) {
      blocks.push_back(Allocate(bytes));
      ASSERT_EQ(reinterpret_cast<uintptr_t>(blocks.back()) % 64, 0u);
      std::memset(blocks.back(), i, bytes);
    }
    for (int i = 0; i < 20; ++i) {
      const auto* block = static_cast<const unsigned char*>(blocks[static_cast<size_t>(i)]);
      ASSERT_EQ(block[0], i);
      ASSERT_EQ(block[bytes - 1], i);
    }
    sync::Thread other("free", [&] {
      for (void* const block : blocks) Free(block, bytes);
    });
    other.Join();
    void* const again = Allocate(bytes);
    Free(again, bytes);
    void* const same = Allocate(bytes);
    if (kKeeps && bytes <= 65536) {
      EXPECT_EQ(same, again);
    }
    Free(same, bytes);
  }
}

TEST(Elements, HugeBlocksAreNotKept) {
  void* const data = Allocate(kMostKept / 2 + 1);
  const size_t before = Kept();
  Free(data, kMostKept / 2 + 1);
  EXPECT_EQ(Kept(), before);
}

TEST(Elements, WhatIsKeptIsBounded) {
  constexpr size_t kBytes = 60 * kMegabyte;
  std::vector<void*> blocks;
  for (int i = 0; i < 6; ++i) blocks.push_back(Allocate(kBytes));
  for (void* const data : blocks) Free(data, kBytes);
  EXPECT_LE(Kept(), kMostKept);
  if (kKeeps) {
    EXPECT_GE(Kept(), kMostKept - kBytes);
  }
}

// Of the least size that is kept, of which many would be little memory.
TEST(Elements, BlocksThatAreKeptAreFew) {
  std::vector<void*> blocks;
  for (int i = 0; i < 300; ++i) blocks.push_back(Allocate(kLarge));
  for (void* const data : blocks) Free(data, kLarge);
  // Larger ones of other tests are the oldest, and have made room.
  EXPECT_EQ(Kept(), kKeeps ? 256 * kLarge : 0);
}

TEST(Elements, WhatTheSystemCannotGiveIsNull) {
  EXPECT_EQ(Allocate(size_t{1} << 62), nullptr);
  EXPECT_EQ(Allocate(SIZE_MAX), nullptr);
}

TEST(Elements, TensorsUseThem) {
  const Shape sizes = {1024, 1024};
  Tensor a = Tensor::Empty(sizes, DType::kF64);
  const void* const data = a.raw_data();
  a.reset();
  const Tensor b = Tensor::Empty(sizes, DType::kF64);
  if (kKeeps) {
    EXPECT_EQ(b.raw_data(), data);
  }
}

}  // namespace
}  // namespace twingrad::elements

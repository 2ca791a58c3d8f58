// Which large blocks are kept for the next tensor, and that all of them can be written to.

#include "autograd/tensor/elements.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

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
  for (const size_t bytes : {size_t{65}, size_t{4096}, kLarge - 1, kLarge, kLarge + 1,
                             3 * kMegabyte, 4 * kMegabyte, 9 * kMegabyte + 3}) {
    void* const data = Allocate(bytes);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
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

TEST(Elements, SmallBlocksAndHugeOnesAreNotKept) {
  for (const size_t bytes : {kLarge - 1, kMostKept / 2 + 1}) {
    void* const data = Allocate(bytes);
    const size_t before = Kept();
    Free(data, bytes);
    EXPECT_EQ(Kept(), before);
  }
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

// The heap of a local run gives the order of a sorted list, stable among equal keys.

#include "autograd/engine/ready_heap.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace twingrad {
namespace {

// Rules: E1.
TEST(ReadyHeapTest, AgreesWithASortedListUnderRandomPushesAndPops) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    ReadyHeap heap;
    std::vector<std::pair<uint64_t, uint32_t>> sorted;  // (key, index), in order of arrival
    uint32_t next = 0;
    for (int step = 0; step < 200; ++step) {
      ASSERT_EQ(heap.IsEmpty(), sorted.empty());
      if (sorted.empty() || random() % 5 < 3) {
        const uint64_t key = random() % 10 == 0 ? UINT64_MAX : random() % 20;
        heap.Push(key, next);
        sorted.emplace_back(key, next++);
        continue;
      }
      const auto first = std::max_element(
          sorted.begin(), sorted.end(),
          [](const auto& a, const auto& b) { return a.first < b.first; });  // the first of equals
      ASSERT_EQ(heap.Pop(), first->second);
      sorted.erase(first);
    }
  }
}

}  // namespace
}  // namespace twingrad

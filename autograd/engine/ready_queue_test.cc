// Order, wake-ups and shutdown of the queue of one consumer. The heap of a local run gives the
// order of a sorted list, stable among equal keys.

#include "autograd/engine/ready_queue.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/ready_heap.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

class NoWork final : public QueuedWork {
 public:
  void RunNode(uint32_t /*index*/) override {}
};

sync::IntrusivePtr<QueuedWork> MakeWork() { return sync::MakeIntrusive<NoWork>(); }

// Rules: E1, E2.
TEST(ReadyQueueTest, HighestKeyFirstThenOrderOfPushes) {
  ReadyQueue queue;
  const auto work = MakeWork();
  const uint64_t keys[] = {3, 9, 3, UINT64_MAX, 9, 0};
  for (uint32_t i = 0; i < 6; ++i) queue.Push({work, i, keys[i]});
  EXPECT_EQ(queue.Size(), 6u);
  std::vector<uint32_t> order;
  for (int i = 0; i < 6; ++i) order.push_back(queue.Pop()->index);
  EXPECT_EQ(order, (std::vector<uint32_t>{3, 1, 4, 0, 2, 5}));
}

// Rules: E1.
TEST(ReadyQueueTest, WakeUpsComeFirst) {
  ReadyQueue queue;
  queue.Push({MakeWork(), 0, UINT64_MAX});
  queue.Push({});
  EXPECT_EQ(queue.Pop()->work, nullptr);
  EXPECT_NE(queue.Pop()->work, nullptr);
}

// Rules: E15.
TEST(ReadyQueueTest, AfterShutdownNothingIsPopped) {
  ReadyQueue queue;
  const auto work = MakeWork();
  queue.Push({work, 0, 1});
  queue.PushShutdown();
  EXPECT_FALSE(queue.Pop().has_value());
  EXPECT_FALSE(queue.Pop().has_value());
}

TEST(ReadyQueueTest, ADroppedQueueDropsItsTasks) {
  const auto work = MakeWork();
  {
    ReadyQueue queue;
    queue.Push({work, 0, 1});
    EXPECT_EQ(work->ReferenceCount(), 2u);
  }
  EXPECT_EQ(work->ReferenceCount(), 1u);
}

// Rules: E3.
TEST(ReadyQueueTest, PopWaitsForAnotherThread) {
  ReadyQueue queue;
  const auto work = MakeWork();
  std::vector<uint32_t> popped;
  sync::Thread consumer("consumer", [&] {
    while (std::optional<NodeTask> task = queue.Pop()) {
      if (task->work == nullptr) break;
      popped.push_back(task->index);
      if (popped.size() == 1000) queue.Push({});
    }
  });
  for (uint32_t i = 0; i < 1000; ++i) queue.Push({work, i, i});
  consumer.Join();
  EXPECT_EQ(popped.size(), 1000u);
}

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

TEST(ReadyHeapTest, DropsWhatIsReadyAndBeginsAnew) {
  ReadyHeap heap;
  for (uint32_t i = 0; i < 100; ++i) heap.Push(i % 7, i);
  heap.Empty(/*most_room=*/0);
  EXPECT_TRUE(heap.IsEmpty());
  EXPECT_EQ(heap.Size(), 0u);
  heap.Push(3, 1);
  heap.Push(3, 2);
  EXPECT_EQ(heap.Pop(), 1u);
  EXPECT_EQ(heap.Pop(), 2u);
  EXPECT_TRUE(heap.IsEmpty());
}

}  // namespace
}  // namespace twingrad

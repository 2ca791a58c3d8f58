// The engine's ReadyQueue under controlled interleavings: the same source file as in production,
// compiled against the model. And the proof that the search would find what it looks for: copies of
// the queue, broken in ways that plain threads seldom show, are found, replayed from their seed and
// repeated decision by decision.
#include "autograd/engine/ready_queue.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/sync/atomic.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/ref_count.h"
#include "autograd/sync/thread.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/explore.h"

namespace twingrad::interleave {
namespace {

using sync::Thread;

// Names the running test, so that a failure's replay command runs it alone.
Options OptionsHere() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return {.schedules = 5000,
          .seed = 20240602,
          .test_filter = std::string(test.test_suite_name()) + "." + test.name()};
}
constexpr int kProducers = 3;
constexpr int kTasksEach = 3;
constexpr int kTasks = kProducers * kTasksEach;

class NoWork final : public QueuedWork {
 public:
  void RunNode(uint32_t) override {}
};

// Task i of producer p has index p * kTasksEach + i. Its key falls with i, and is that of the tasks
// i of the others.
NodeTask TaskOf(const sync::IntrusivePtr<QueuedWork>& work, int producer, int i) {
  return {work, static_cast<uint32_t>(producer * kTasksEach + i),
          static_cast<uint64_t>(kTasksEach - i)};
}

// A producer's tasks, whose keys fall, come out in the order in which it pushed them; none twice.
void CheckOrder(const std::vector<uint32_t>& popped) {
  std::vector<int> next(kProducers, 0);
  for (uint32_t index : popped) {
    const size_t producer = index / kTasksEach;
    const int i = static_cast<int>(index % kTasksEach);
    Check(i == next[producer], "[test] a task is missing, doubled or out of order");
    ++next[producer];
  }
}

template <typename Queue>
std::vector<Thread> StartProducers(Queue& queue, const sync::IntrusivePtr<QueuedWork>& work) {
  std::vector<Thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back("producer" + std::to_string(p), [&queue, &work, p] {
      for (int i = 0; i < kTasksEach; ++i) queue.Push(TaskOf(work, p, i));
    });
  }
  return producers;
}

// Several producers and a consumer that takes all tasks, then a shutdown that it must see.
template <typename Queue>
void DeliverAll() {
  sync::IntrusivePtr<QueuedWork> work = sync::MakeIntrusive<NoWork>();
  {
    Queue queue;
    std::vector<uint32_t> popped;
    Thread consumer("consumer", [&] {
      while (std::optional<NodeTask> task = queue.Pop()) {
        Check(task->work == work, "[test] a task lost its work");
        popped.push_back(task->index);
        if (popped.size() == static_cast<size_t>(kTasks)) queue.PushShutdown();
      }
    });
    std::vector<Thread> producers = StartProducers(queue, work);
    for (Thread& producer : producers) producer.Join();
    consumer.Join();
    Check(popped.size() == static_cast<size_t>(kTasks), "[test] not all tasks were delivered");
    CheckOrder(popped);
    Check(queue.Size() == 0, "[test] a task is left");
  }
  Check(work->IsUniquelyOwned(), "[test] a reference to the work is left");
}

// A shutdown once `kJoined` producers have ended: the consumer ends, and what it did not take is
// destroyed with the queue.
template <typename Queue, int kJoined>
void ShutDownAfter() {
  sync::IntrusivePtr<QueuedWork> work = sync::MakeIntrusive<NoWork>();
  {
    Queue queue;
    std::vector<uint32_t> popped;
    Thread consumer("consumer", [&] {
      while (std::optional<NodeTask> task = queue.Pop()) popped.push_back(task->index);
      Check(!queue.Pop().has_value(), "[test] a task after the shutdown was seen");
    });
    std::vector<Thread> producers = StartProducers(queue, work);
    for (int p = 0; p < kJoined; ++p) producers[static_cast<size_t>(p)].Join();
    queue.PushShutdown();
    for (int p = kJoined; p < kProducers; ++p) producers[static_cast<size_t>(p)].Join();
    consumer.Join();
    CheckOrder(popped);
    Check(popped.size() + queue.Size() == static_cast<size_t>(kTasks), "[test] a task is lost");
  }
  Check(work->IsUniquelyOwned(), "[test] a reference to the work is left");
}

// Rules: E3.
TEST(ReadyQueueInterleavingTest, DeliversEveryTaskOnceAndInOrder) {
  const Report report = Explore(OptionsHere(), DeliverAll<ReadyQueue>);
  EXPECT_TRUE(report.ok()) << report.text;
}

TEST(ReadyQueueInterleavingTest, ShutsDownAtAnyMoment) {
  for (const auto& body : {ShutDownAfter<ReadyQueue, 0>, ShutDownAfter<ReadyQueue, 1>,
                           ShutDownAfter<ReadyQueue, kProducers>}) {
    const Report report = Explore(OptionsHere(), body);
    EXPECT_TRUE(report.ok()) << report.text;
  }
}

TEST(ReadyQueueInterleavingTest, TasksThatWakeComeFirstThenKeysThenArrival) {
  const Report report = Explore(OptionsHere(), [] {
    sync::IntrusivePtr<QueuedWork> work = sync::MakeIntrusive<NoWork>();
    ReadyQueue queue;
    queue.Push({work, 0, 1});
    queue.Push({work, 1, 2});
    Thread other("other", [&] { queue.Push({nullptr, 2, 0}); });
    queue.Push({work, 3, 2});
    other.Join();
    for (uint32_t expected : {2u, 1u, 3u, 0u}) {
      Check(queue.Pop()->index == expected, "[test] another order");
    }
  });
  EXPECT_TRUE(report.ok()) << report.text;
}

// --- Broken copies
// ---------------------------------------------------------------------------------

enum class Defect {
  kNone,
  kIfForWhile,          // the wait is not repeated when its condition does not hold
  kDroppedNotify,       // notifies only if its task is alone, as seen after unlocking
  kFlagOutsideTheLock,  // the shutdown flag is set without the mutex
  kPushOutsideTheLock,  // a push does not take the mutex
};

// ReadyQueue with a list for its heap and one defect planted.
template <Defect kDefect>
class BrokenQueue {
 public:
  void Push(NodeTask task) AG_NO_THREAD_SAFETY_ANALYSIS {  // it may be broken
    if constexpr (kDefect != Defect::kPushOutsideTheLock) mutex_.Lock();
    tasks_.Mutable().push_back(std::move(task));
    if constexpr (kDefect != Defect::kPushOutsideTheLock) mutex_.Unlock();
    if (kDefect != Defect::kDroppedNotify || Size() == 1) not_empty_.NotifyOne();
  }
  void PushShutdown() AG_NO_THREAD_SAFETY_ANALYSIS {
    if constexpr (kDefect != Defect::kFlagOutsideTheLock) mutex_.Lock();
    shut_down_.Store(true, sync::kRelease);
    if constexpr (kDefect != Defect::kFlagOutsideTheLock) mutex_.Unlock();
    not_empty_.NotifyOne();
  }
  std::optional<NodeTask> Pop() {
    sync::MutexLock lock(mutex_);
    if constexpr (kDefect == Defect::kIfForWhile) {
      if (MustWait()) not_empty_.Wait(mutex_);
    } else {
      while (MustWait()) not_empty_.Wait(mutex_);
    }
    if (shut_down_.Load(sync::kAcquire)) return std::nullopt;
    Check(!tasks_.Read().empty(), "[test] a pop from an empty queue");
    const auto first = std::max_element(
        tasks_.Mutable().begin(), tasks_.Mutable().end(),
        [](const NodeTask& a, const NodeTask& b) { return a.order_key < b.order_key; });
    NodeTask task = std::move(*first);
    tasks_.Mutable().erase(first);
    return task;
  }
  size_t Size() {
    sync::MutexLock lock(mutex_);
    return tasks_.Read().size();
  }

 private:
  bool MustWait() const { return tasks_.Read().empty() && !shut_down_.Load(sync::kAcquire); }

  sync::Mutex mutex_{"broken_queue"};
  sync::CondVar not_empty_{"broken_queue.not_empty"};
  sync::Cell<std::deque<NodeTask>> tasks_;
  sync::Atomic<bool> shut_down_{false};
};

// Found within the schedules of the passing tests, and the same again from seed and from trace.
void ExpectFound(OutcomeKind kind, const std::string& part_of_message,
                 const std::function<void()>& body) {
  const Report report = Explore(OptionsHere(), body);
  ASSERT_FALSE(report.ok()) << "survived: " << report.text;
  EXPECT_EQ(report.outcome.kind, kind) << report.text;
  EXPECT_NE(report.outcome.message.find(part_of_message), std::string::npos) << report.text;
  EXPECT_FALSE(report.uncontrolled) << report.text;
  EXPECT_NE(report.text.find("--test_filter=BrokenQueueTest."), std::string::npos) << report.text;
  const ExecutionOutcome from_seed = RunSeed(*report.failing_seed, OptionsHere(), body);
  EXPECT_EQ(from_seed.kind, kind);
  EXPECT_EQ(from_seed.decisions, report.outcome.decisions);
  const ExecutionOutcome from_trace = ReplayTrace(report.outcome.decisions, OptionsHere(), body);
  EXPECT_EQ(from_trace.kind, kind);
  EXPECT_EQ(from_trace.decisions, report.outcome.decisions);
  EXPECT_EQ(FormatEvents(from_trace, 10000), FormatEvents(report.outcome, 10000));
  std::printf("found after %d schedules, %zu decisions\n", static_cast<int>(report.schedules),
              report.outcome.decisions.size());
}

TEST(BrokenQueueTest, TheCopyItselfIsSound) {
  for (const auto& body : {DeliverAll<BrokenQueue<Defect::kNone>>,
                           ShutDownAfter<BrokenQueue<Defect::kNone>, kProducers>}) {
    const Report report = Explore(OptionsHere(), body);
    EXPECT_TRUE(report.ok()) << report.text;
  }
}

TEST(BrokenQueueTest, IfForWhileIsFound) {
  ExpectFound(OutcomeKind::kFailedCheck, "a pop from an empty queue",
              DeliverAll<BrokenQueue<Defect::kIfForWhile>>);
}

TEST(BrokenQueueTest, ADroppedNotifyIsFound) {
  ExpectFound(OutcomeKind::kDeadlock, "consumer waits in wait broken_queue.not_empty",
              DeliverAll<BrokenQueue<Defect::kDroppedNotify>>);
}

TEST(BrokenQueueTest, AFlagSetOutsideTheLockIsFound) {
  ExpectFound(OutcomeKind::kLostWakeUp, "main's notify_one broken_queue.not_empty",
              ShutDownAfter<BrokenQueue<Defect::kFlagOutsideTheLock>, kProducers>);
}

TEST(BrokenQueueTest, APushOutsideTheLockIsFound) {
  ExpectFound(OutcomeKind::kRace, "data race on a cell",
              DeliverAll<BrokenQueue<Defect::kPushOutsideTheLock>>);
}

}  // namespace
}  // namespace twingrad::interleave

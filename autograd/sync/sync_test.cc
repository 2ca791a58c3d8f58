// The standard back end, type by type.
#include "autograd/sync/sync.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::sync {
namespace {

static_assert(!kIsModel);
static_assert(sizeof(Mutex) == sizeof(std::mutex));
static_assert(sizeof(Atomic<uint64_t>) == sizeof(uint64_t));
static_assert(sizeof(Cell<char>) == sizeof(char));
static_assert(sizeof(RefCount) == sizeof(uint32_t));
static_assert(sizeof(IntrusivePtr<int>) == sizeof(void*));

class Counter {
 public:
  void Increment() AG_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++count_;
    changed_.NotifyAll();
  }
  void WaitFor(int count) AG_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (count_ < count) changed_.Wait(mutex_);
  }
  bool WaitUntil(int count, TimePoint deadline) AG_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (count_ < count) {
      if (!changed_.WaitUntil(mutex_, deadline)) return count_ >= count;
    }
    return true;
  }
  bool TryIncrement() AG_EXCLUDES(mutex_) {
    if (!mutex_.TryLock()) return false;
    ++count_;
    mutex_.Unlock();
    return true;
  }
  int IncrementTwice() AG_EXCLUDES(mutex_) {
    ReleasableMutexLock lock(mutex_);
    ++count_;
    lock.Unlock();
    lock.Lock();
    return ++count_;
  }

 private:
  Mutex mutex_{"counter"};
  CondVar changed_{"changed"};
  int count_ AG_GUARDED_BY(mutex_) = 0;
};

TEST(MutexTest, GuardsAndWakes) {
  Counter counter;
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back("increments", [&] {
      for (int j = 0; j < 1000; ++j) counter.Increment();
    });
  }
  counter.WaitFor(4000);
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(counter.IncrementTwice(), 4002);
  EXPECT_TRUE(counter.TryIncrement());
}

TEST(MutexTest, AWaitEndsAtItsDeadline) {
  Counter counter;
  const TimePoint deadline = Now() + std::chrono::milliseconds(5);
  EXPECT_FALSE(counter.WaitUntil(1, deadline));
  EXPECT_GE(Now(), deadline);
  counter.Increment();
  EXPECT_TRUE(counter.WaitUntil(1, deadline));
}

TEST(ClockTest, SleepsAtLeastAsLongAsAsked) {
  const TimePoint begin = Now();
  SleepFor(std::chrono::milliseconds(2));
  EXPECT_GE(Now() - begin, std::chrono::milliseconds(2));
}

TEST(AtomicTest, EachOperationReturnsTheValueBefore) {
  Atomic<int> atomic{5};
  EXPECT_EQ(atomic.FetchAdd(3, kRelaxed), 5);
  EXPECT_EQ(atomic.FetchSub(2, kAcqRel), 8);
  EXPECT_EQ(atomic.FetchOr(8, kSeqCst), 6);
  EXPECT_EQ(atomic.FetchAnd(12, kSeqCst), 14);
  EXPECT_EQ(atomic.Exchange(1, kAcqRel), 12);
  int expected = 2;
  EXPECT_FALSE(atomic.CompareExchangeStrong(expected, 3, kAcqRel, kAcquire));
  EXPECT_EQ(expected, 1);
  EXPECT_TRUE(atomic.CompareExchangeStrong(expected, 3, kAcqRel, kAcquire));
  while (!atomic.CompareExchangeWeak(expected, 4, kAcqRel, kAcquire)) expected = 3;
  atomic.Store(atomic.Load(kAcquire) + 1, kRelease);
  EXPECT_EQ(atomic.Load(kSeqCst), 5);
}

TEST(ThreadTest, MovesAndJoins) {
  int result = 0;
  Thread thread("a name longer than the system takes", [&] { result = 1; });
  EXPECT_TRUE(thread.IsJoinable());
  Thread moved = std::move(thread);
  moved.Join();
  EXPECT_FALSE(moved.IsJoinable());
  EXPECT_EQ(result, 1);
  EXPECT_GE(Thread::HardwareConcurrency(), 1);
}

TEST(ThreadDeathTest, AThreadMustBeJoined) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(Thread("lost", [] { SleepFor(std::chrono::seconds(10)); }),
               "destroyed before it was joined");
}

AG_THREAD_LOCAL(int, Depth, 5);
AG_THREAD_LOCAL(std::vector<int>, Path);

TEST(ThreadLocalTest, EachThreadHasItsOwn) {
  Depth() = 1;
  Path() = {1, 2};
  Thread("other", [] {
    EXPECT_EQ(Depth(), 5);
    EXPECT_TRUE(Path().empty());
    Depth() = 2;
  }).Join();
  EXPECT_EQ(Depth(), 1);
  EXPECT_EQ(Path().size(), 2u);
  Depth() = 5;
}

struct Node : RefCounted<Node> {
  explicit Node(int* destroyed_in) : destroyed(destroyed_in) {}
  ~Node() { ++*destroyed; }
  int* destroyed;
};
struct SpecialNode : Node {
  using Node::Node;
};

TEST(IntrusivePtrTest, CountsReferencesAndDestroysOnce) {
  int destroyed = 0;
  IntrusivePtr<Node> first = MakeIntrusive<Node>(&destroyed);
  EXPECT_TRUE(first->IsUniquelyOwned());
  IntrusivePtr<Node> second = first;
  EXPECT_EQ(first->ReferenceCount(), 2u);
  IntrusivePtr<const Node> third = second;
  EXPECT_EQ(first->ReferenceCount(), 3u);
  EXPECT_EQ(third.get(), first.get());
  second = nullptr;
  IntrusivePtr<Node>& same = first;
  first = std::move(same);
  EXPECT_NE(first, nullptr);
  third.reset();
  EXPECT_EQ(destroyed, 0);
  Node* raw = first.Detach();
  EXPECT_EQ(first, nullptr);
  IntrusivePtr<Node>::Adopt(raw).reset();
  EXPECT_EQ(destroyed, 1);
}

TEST(IntrusivePtrTest, ConvertsToItsBase) {
  int destroyed = 0;
  {
    IntrusivePtr<Node> node = MakeIntrusive<SpecialNode>(&destroyed);
    const IntrusivePtr<Node> same(node.get());
    EXPECT_EQ(node, same);
    EXPECT_EQ(std::hash<IntrusivePtr<Node>>()(node), std::hash<IntrusivePtr<Node>>()(same));
    // A copy of the object is an object with a count of its own.
    const Node copy = *node;
    EXPECT_TRUE(copy.IsUniquelyOwned());
    EXPECT_EQ(node->ReferenceCount(), 2u);
  }
  EXPECT_EQ(destroyed, 2);
}

TEST(IntrusivePtrTest, ThreadsShareOneObject) {
  int destroyed = 0;
  IntrusivePtr<Node> node = MakeIntrusive<Node>(&destroyed);
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back("shares", [copy = node] {
      for (int j = 0; j < 1000; ++j) IntrusivePtr<Node> another = copy;
    });
  }
  node.reset();
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(destroyed, 1);
}

struct Pooled;
struct ReturnToPool {
  void operator()(Pooled* object) const;
};
struct Pooled : RefCounted<Pooled, ReturnToPool> {
  bool returned = false;
};
void ReturnToPool::operator()(Pooled* object) const { object->returned = true; }

TEST(IntrusivePtrTest, DisposesAsTheClassSays) {
  Pooled pooled;
  IntrusivePtr<Pooled>::Adopt(&pooled).reset();
  EXPECT_TRUE(pooled.returned);
}

TEST(SharedPtrTest, IsShared) {
  WeakPtr<int> weak;
  {
    SharedPtr<int> shared = MakeShared<int>(3);
    weak = shared;
    EXPECT_EQ(*weak.lock(), 3);
  }
  EXPECT_EQ(weak.lock(), nullptr);
}

Atomic<int> built{0};
Lazy<int> lazy([] { return new int(built.FetchAdd(1, kRelaxed) + 1); });
Lazy<int> moody([]() -> int* {
  if (built.FetchAdd(1, kRelaxed) == 1) throw std::string("not yet");
  return new int(7);
});

TEST(LazyTest, IsBuiltOnceAtFirstUse) {
  EXPECT_EQ(built.Load(kRelaxed), 0);
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back("uses", [] { EXPECT_EQ(lazy.Get(), 1); });
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(built.Load(kRelaxed), 1);
  EXPECT_THROW(moody.Get(), std::string);
  EXPECT_EQ(*moody, 7);
}

struct Bare {
  char byte = 0;
};
struct Watched {
  char byte = 0;
  AG_INSPECTED(Watched);
};

TEST(InspectedTest, TakesNoSpaceAndNoCode) {
  static_assert(sizeof(Watched) == sizeof(Bare));
  static_assert(std::is_trivially_destructible_v<Watched>);
}

TEST(CellTest, IsAPlainVariable) {
  Cell<std::string> cell{"a"};
  cell.Mutable() += "b";
  EXPECT_EQ(cell.Read(), "ab");
  cell.Write("c");
  EXPECT_EQ(cell.Read(), "c");
  EXPECT_EQ(&cell.Peek(), &cell.Read());
  static_assert(sizeof(cell) == sizeof(std::string));
}

}  // namespace
}  // namespace twingrad::sync

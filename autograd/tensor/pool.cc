// The slow paths of the pool: the shared store, new memory, and the life of a thread's lists. See
// pool.h.

#include "autograd/tensor/pool.h"

#include <sys/mman.h>

#include <new>
#include <utility>
#include <vector>

#include "autograd/sync/annotations.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/fork.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/once.h"
#include "autograd/sync/watch.h"

namespace twingrad::pool {
namespace {

#if defined(AG_POOL_PASSES_THROUGH)
constexpr bool kPassesThrough = true;
#else
constexpr bool kPassesThrough = false;
#endif

// Chunks start on a pair of cache lines, which some processors fetch together.
constexpr std::align_val_t kAlignment{128};
constexpr size_t kChunkBytes = size_t{1} << 16;
// A thread that has taken kManyBytes of one class goes on in chunks of the size of a huge page: few
// page faults, and a walk over a large graph misses few translations of addresses.
constexpr int64_t kManyBytes = int64_t{1} << 22;

size_t BlockBytes(size_t size_class) { return (size_class + 1) * kGranule; }

// Lists that threads have given up.
class Store {
 public:
  Store() { mark_.Set(); }

  struct List {
    FreeBlock* head = nullptr;
    uint32_t count = 0;
  };
  void Put(size_t size_class, List list) AG_EXCLUDES(mutex_) {
    // In a forked child another thread may have held the lock: what is given up is lost there.
    if (list.head == nullptr || mark_.IsStale()) return;
    sync::MutexLock lock(mutex_);
    try {
      lists_[size_class].push_back(list);
    } catch (const std::bad_alloc&) {
      // Blocks are given up where nothing may throw. These are lost.
    }
  }
  List Take(size_t size_class) AG_EXCLUDES(mutex_) {
    if (mark_.IsStale()) return {};
    sync::MutexLock lock(mutex_);
    if (lists_[size_class].empty()) return {};
    const List list = lists_[size_class].back();
    lists_[size_class].pop_back();
    return list;
  }

 private:
  sync::ForkMark mark_;
  sync::Mutex mutex_{"pool"};
  std::vector<List> lists_[kNumClasses] AG_GUARDED_BY(mutex_);
};
constinit sync::Lazy<Store> store;

void* CutBlock(ThreadLists& lists, size_t size_class) {
  char* block = lists.uncut[size_class];
  lists.uncut[size_class] += BlockBytes(size_class);
  return block;
}

bool HasUncut(const ThreadLists& lists, size_t size_class) {
  return static_cast<size_t>(lists.uncut_end[size_class] - lists.uncut[size_class]) >=
         BlockBytes(size_class);
}

// New memory for blocks of the class.
void TakeChunk(ThreadLists& lists, size_t size_class) {
  const int64_t taken = lists.received[size_class] * static_cast<int64_t>(BlockBytes(size_class));
  const size_t bytes = taken < kManyBytes ? kChunkBytes : kHugePage;
  auto* chunk = static_cast<char*>(AllocateArray(bytes));
  lists.uncut[size_class] = chunk;
  lists.uncut_end[size_class] = chunk + bytes;
}

void GiveUpList(ThreadLists& lists, size_t size_class) {
  lists.received[size_class] -= lists.count[size_class];
  store.Get().Put(size_class, {std::exchange(lists.head[size_class], nullptr),
                               std::exchange(lists.count[size_class], 0)});
}

// Empties the lists of its thread when that ends.
struct Reaper {
  ThreadLists* lists = nullptr;
  ~Reaper() {
    if (lists == nullptr) return;
    lists->state = ThreadLists::State::kEnded;
    for (size_t c = 0; c < kNumClasses; ++c) {
      while (HasUncut(*lists, c)) {
        Push(*lists, c, CutBlock(*lists, c));
        ++lists->received[c];
      }
      GiveUpList(*lists, c);
    }
  }
};
AG_THREAD_LOCAL(Reaper, ThreadReaper);

void Register(ThreadLists& lists) {
  if (lists.state != ThreadLists::State::kUnused) return;
  ThreadReaper().lists = &lists;
  lists.state = ThreadLists::State::kReady;
}

// Of all threads, where everything passes through.
constinit sync::Atomic<int64_t> used_blocks{0};
constinit sync::Atomic<int64_t> used_bytes{0};

void CountLarge(int64_t blocks, int64_t bytes) {
  if (kPassesThrough) {
    const sync::WatchScope watching;
    used_blocks.FetchAdd(blocks, sync::kRelaxed);
    used_bytes.FetchAdd(bytes, sync::kRelaxed);
  } else {
    Lists().large_blocks += blocks;
    Lists().large_bytes += bytes;
  }
}

}  // namespace

void* AllocateArray(size_t bytes) {
  if (bytes < kHugePage) return ::operator new(bytes, kAlignment);
  void* const array = ::operator new (bytes, std::align_val_t{kHugePage});
  // What it refuses costs time only.
  (void)madvise(array, bytes, MADV_HUGEPAGE);
  return array;
}

void FreeArray(void* array, size_t bytes) {
  ::operator delete (array, bytes < kHugePage ? kAlignment : std::align_val_t{kHugePage});
}

Use UseOfThread() {
  if (kPassesThrough) return {};
  const ThreadLists& lists = Lists();
  Use use{lists.large_blocks, lists.large_bytes};
  for (size_t c = 0; c < kNumClasses; ++c) {
    const int64_t taken = lists.received[c] - static_cast<int64_t>(lists.count[c]);
    use.blocks += taken;
    use.bytes += taken * static_cast<int64_t>(BlockBytes(c));
  }
  return use;
}

Use UseOfProcess() {
  const sync::WatchScope watching;
  return {used_blocks.Load(sync::kRelaxed), used_bytes.Load(sync::kRelaxed)};
}

void* AllocateSlow(size_t bytes) {
  if (kPassesThrough || bytes > kLargest) {
    void* const block = ::operator new(bytes, kAlignment);
    CountLarge(1, static_cast<int64_t>(bytes));
    return block;
  }
  ThreadLists& lists = Lists();
  Register(lists);
  const size_t size_class = ClassOf(bytes);
  if (FreeBlock* block = lists.head[size_class]; block != nullptr) {
    // The caller's code is built for a sanitizer and never looks at the lists; this library is not.
    lists.head[size_class] = block->next;
    --lists.count[size_class];
    return block;
  }
  if (HasUncut(lists, size_class)) {
    ++lists.received[size_class];
    return CutBlock(lists, size_class);
  }
  const Store::List list = store.Get().Take(size_class);
  if (list.head != nullptr) {
    lists.head[size_class] = list.head->next;
    lists.count[size_class] = list.count - 1;
    lists.received[size_class] += list.count;
    return list.head;
  }
  TakeChunk(lists, size_class);
  ++lists.received[size_class];
  return CutBlock(lists, size_class);
}

void FreeSlow(void* block, size_t bytes) {
  if (kPassesThrough || bytes > kLargest) {
    ::operator delete(block, kAlignment);
    CountLarge(-1, -static_cast<int64_t>(bytes));
    return;
  }
  ThreadLists& lists = Lists();
  Register(lists);
  const size_t size_class = ClassOf(bytes);
  Push(lists, size_class, block);
  const bool ended = lists.state == ThreadLists::State::kEnded;
  if (ended || lists.count[size_class] > kListLimit) GiveUpList(lists, size_class);
}

}  // namespace twingrad::pool

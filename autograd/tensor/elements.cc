#include "autograd/tensor/elements.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <new>
#include <vector>

#include "autograd/sync/annotations.h"
#include "autograd/sync/fork.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/once.h"
#include "autograd/sync/thread_local.h"
#include "autograd/tensor/pool.h"

namespace twingrad::elements {
namespace {

#if defined(AG_POOL_PASSES_THROUGH)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

// From here on with pages of 2 MiB, where the system has them to give.
constexpr size_t kHugePage = size_t{2} << 20;

constexpr size_t kLine = 64;

// From kPaged on blocks begin where pages do, against 4K aliasing: a load waits for an earlier
// store whose address has the same last 12 bits. An addition whose result lay two lines further in
// its page than the operands in theirs took 1.7 times as long at 16 KiB and 1.2 times at 400 KB.
constexpr size_t kPage = 4096, kPaged = size_t{16} << 10;

// Few enough to be looked through sooner than memory would be asked for.
constexpr size_t kMostBlocks = 256;

std::align_val_t AlignmentOf(size_t bytes) {
  if (bytes >= 2 * kHugePage) return std::align_val_t{kHugePage};
  return std::align_val_t{bytes >= kPaged ? kPage : kLine};
}

void* New(size_t bytes) noexcept {
  void* const data = ::operator new(bytes, AlignmentOf(bytes), std::nothrow);
#if defined(MADV_HUGEPAGE)
  // A hint, which may be refused.
  if (bytes >= 2 * kHugePage && data != nullptr) madvise(data, bytes, MADV_HUGEPAGE);
#endif
  return data;
}

void Delete(void* data, size_t bytes) noexcept { ::operator delete(data, AlignmentOf(bytes)); }

// Few sizes, so that a block fits the next tensor of about its size: eight for each power of 2.
size_t SizeOfBlock(size_t bytes) {
  const size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

class Store {
 public:
  Store() { mark_.Set(); }

  void* Take(size_t size) AG_EXCLUDES(mutex_) {
    // In a forked child another thread may have held the lock.
    if (mark_.IsStale()) return nullptr;
    const sync::MutexLock lock(mutex_);
    for (size_t i = blocks_.size(); i-- > 0;) {
      if (blocks_[i].size != size) continue;
      void* const data = blocks_[i].data;
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      kept_ -= size;
      return data;
    }
    return nullptr;
  }

  // False if it is not kept. The oldest ones make room.
  bool Put(void* data, size_t size) AG_EXCLUDES(mutex_) {
    if (size > kMostKept / 2 || mark_.IsStale()) return false;
    const sync::MutexLock lock(mutex_);
    while (kept_ + size > kMostKept || blocks_.size() >= kMostBlocks) DropOldest();
    try {
      blocks_.push_back({data, size});
    } catch (const std::bad_alloc&) {
      return false;
    }
    kept_ += size;
    return true;
  }

  void DropAll() AG_EXCLUDES(mutex_) {
    if (mark_.IsStale()) return;
    const sync::MutexLock lock(mutex_);
    while (!blocks_.empty()) DropOldest();
  }

  size_t kept() AG_EXCLUDES(mutex_) {
    if (mark_.IsStale()) return 0;
    const sync::MutexLock lock(mutex_);
    return kept_;
  }

 private:
  struct Block {
    void* data;
    size_t size;
  };

  void DropOldest() AG_REQUIRES(mutex_) {
    Delete(blocks_.front().data, blocks_.front().size);
    kept_ -= blocks_.front().size;
    blocks_.erase(blocks_.begin());
  }

  sync::ForkMark mark_;
  sync::Mutex mutex_{"elements"};
  std::vector<Block> blocks_ AG_GUARDED_BY(mutex_);  // from the oldest on
  size_t kept_ AG_GUARDED_BY(mutex_) = 0;
};
constinit sync::Lazy<Store> store;

// Small blocks that a thread has freed, a few of each power of two of bytes.
constexpr int kClasses = 10;
constexpr size_t kLeastClass = 128;
static_assert(kLeastClass << (kClasses - 1) == kLarge);
constexpr uint8_t kDepth = 8;

// Trivially destructible, so that reaching it costs no guard.
struct Cache {
  void* blocks[kClasses][kDepth];
  uint8_t count[kClasses];
  enum class State : uint8_t { kUnused, kReady, kEnded } state;
};
AG_THREAD_LOCAL(Cache, ThreadCache);

// Empties the cache of its thread when that ends.
struct Reaper {
  Cache* cache = nullptr;
  ~Reaper() {
    if (cache == nullptr) return;
    cache->state = Cache::State::kEnded;
    for (int c = 0; c < kClasses; ++c) {
      while (cache->count[c] > 0) {
        Delete(cache->blocks[c][--cache->count[c]], kLeastClass << c);
      }
    }
  }
};
AG_THREAD_LOCAL(Reaper, ThreadReaper);

int ClassOf(size_t bytes) {
  return bytes <= kLeastClass ? 0 : std::bit_width(bytes - 1) - std::bit_width(kLeastClass - 1);
}

void* NewSmall(size_t bytes) noexcept {
  Cache& cache = ThreadCache();
  const int c = ClassOf(bytes);
  if (cache.count[c] > 0) return cache.blocks[c][--cache.count[c]];
  return New(kLeastClass << c);
}

void DeleteSmall(void* data, size_t bytes) noexcept {
  Cache& cache = ThreadCache();
  const int c = ClassOf(bytes);
  if (cache.state != Cache::State::kEnded) {
    if (cache.state == Cache::State::kUnused) {
      ThreadReaper().cache = &cache;
      cache.state = Cache::State::kReady;
    }
    if (cache.count[c] < kDepth) {
      cache.blocks[c][cache.count[c]++] = data;
      return;
    }
  }
  Delete(data, kLeastClass << c);
}

}  // namespace

void* Allocate(size_t bytes) noexcept {
  if (bytes > PTRDIFF_MAX) return nullptr;  // rounded up it might be little
  if (!kKeeps) return New(bytes);
  if (bytes < kLarge) return NewSmall(bytes);
  const size_t size = SizeOfBlock(bytes);
  Store& kept = store.Get();
  if (void* const data = kept.Take(size)) return data;
  if (void* const data = New(size)) return data;
  kept.DropAll();
  return New(size);
}

void Free(void* data, size_t bytes) noexcept {
  if (!kKeeps) return Delete(data, bytes);
  if (bytes < kLarge) return DeleteSmall(data, bytes);
  const size_t size = SizeOfBlock(bytes);
  if (!store.Get().Put(data, size)) Delete(data, size);
}

size_t Kept() { return kKeeps ? store.Get().kept() : 0; }

}  // namespace twingrad::elements

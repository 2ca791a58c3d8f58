#include "autograd/tensor/elements.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "autograd/sync/annotations.h"
#include "autograd/sync/fork.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/once.h"
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

// The allocator takes three times as long for what it is to align. So it is aligned here: what the
// allocator gave is noted before it.
[[maybe_unused]] void* NewSmall(size_t bytes) noexcept {
  void* const given = ::operator new(bytes + kLine, std::nothrow);
  if (given == nullptr) return nullptr;
  static_assert(sizeof(void*) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  const size_t past = reinterpret_cast<uintptr_t>(given) % kLine;
  char* const data = static_cast<char*>(given) + (kLine - past);
  std::memcpy(data - sizeof(given), &given, sizeof(given));
  return data;
}

[[maybe_unused]] void DeleteSmall(void* data) noexcept {
  void* given;
  std::memcpy(&given, static_cast<char*>(data) - sizeof(given), sizeof(given));
  ::operator delete(given);
}

std::align_val_t AlignmentOf(size_t bytes) {
  return std::align_val_t{bytes >= 2 * kHugePage ? kHugePage : kLine};
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
    while (kept_ + size > kMostKept) DropOldest();
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
  std::vector<Block> blocks_ AG_GUARDED_BY(mutex_);  // at most 256, from the oldest on
  size_t kept_ AG_GUARDED_BY(mutex_) = 0;
};
constinit sync::Lazy<Store> store;

}  // namespace

void* Allocate(size_t bytes) noexcept {
  if (bytes > PTRDIFF_MAX) return nullptr;  // rounded up it might be little
  if (!kKeeps || bytes < kLarge) return ::operator new (bytes, std::align_val_t{64}, std::nothrow);
  const size_t size = SizeOfBlock(bytes);
  Store& kept = store.Get();
  if (void* const data = kept.Take(size)) return data;
  if (void* const data = New(size)) return data;
  kept.DropAll();
  return New(size);
}

void Free(void* data, size_t bytes) noexcept {
  if (!kKeeps || bytes < kLarge) return ::operator delete (data, std::align_val_t{64});
  const size_t size = SizeOfBlock(bytes);
  if (!store.Get().Put(data, size)) Delete(data, size);
}

size_t Kept() { return kKeeps ? store.Get().kept() : 0; }

}  // namespace twingrad::elements

// Pairs of functions for codegen_test: `ours_NAME` is written with autograd/sync, `twin_NAME` by
// hand with the standard library. codegen_test.py finds them by name in this program's machine
// code.
//
// Both of a pair must compile to the same instructions. The pair `control` does not, so that a
// comparison that sees nothing fails. Each function uses objects of its own pair, named alike.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "autograd/sync/sync.h"

namespace twingrad::sync {
namespace {

struct Guarded {
  Mutex mutex;
  CondVar changed;
  int value = 0;
};
struct StdGuarded {
  std::mutex mutex;
  std::condition_variable changed;
  int value = 0;
};

struct Counted : RefCounted<Counted> {
  int value = 0;
};
struct StdCounted {
  mutable std::atomic<uint32_t> references{1};
  int value = 0;
};

AG_THREAD_LOCAL(int, OursDepth, 0);
thread_local int twin_depth = 0;

}  // namespace
}  // namespace twingrad::sync

#define PAIR extern "C" [[gnu::noinline, gnu::used, gnu::retain]]

using namespace twingrad::sync;  // NOLINT(google-build-using-namespace): only pairs follow

// --- a lock, for a scope
PAIR void ours_lock(Guarded& g) AG_NO_THREAD_SAFETY_ANALYSIS {
  MutexLock lock(g.mutex);
  ++g.value;
}
PAIR void twin_lock(StdGuarded& g) {
  std::lock_guard<std::mutex> lock(g.mutex);
  ++g.value;
}

// --- a lock given up in the middle
PAIR int ours_release(Guarded& g) AG_NO_THREAD_SAFETY_ANALYSIS {
  ReleasableMutexLock lock(g.mutex);
  const int before = g.value;
  lock.Unlock();
  return before;
}
PAIR int twin_release(StdGuarded& g) {
  g.mutex.lock();
  const int before = g.value;
  g.mutex.unlock();
  return before;
}

// --- a lock if it is free
PAIR bool ours_try_lock(Guarded& g) AG_NO_THREAD_SAFETY_ANALYSIS {
  if (!g.mutex.TryLock()) return false;
  ++g.value;
  g.mutex.Unlock();
  return true;
}
PAIR bool twin_try_lock(StdGuarded& g) {
  if (!g.mutex.try_lock()) return false;
  ++g.value;
  g.mutex.unlock();
  return true;
}

// --- a wait for a condition
PAIR void ours_wait(Guarded& g) AG_NO_THREAD_SAFETY_ANALYSIS {
  g.mutex.Lock();
  while (g.value == 0) g.changed.Wait(g.mutex);
  g.mutex.Unlock();
}
PAIR void twin_wait(StdGuarded& g) {
  g.mutex.lock();
  while (g.value == 0) {
    std::unique_lock<std::mutex> lock(g.mutex, std::adopt_lock);
    g.changed.wait(lock);
    lock.release();
  }
  g.mutex.unlock();
}

// --- a change, told to one and to all
PAIR void ours_notify(Guarded& g) AG_NO_THREAD_SAFETY_ANALYSIS {
  {
    MutexLock lock(g.mutex);
    g.value = 1;
  }
  g.changed.NotifyOne();
  g.changed.NotifyAll();
}
PAIR void twin_notify(StdGuarded& g) {
  {
    std::lock_guard<std::mutex> lock(g.mutex);
    g.value = 1;
  }
  g.changed.notify_one();
  g.changed.notify_all();
}

// --- the last of several arrives
PAIR bool ours_decrement(Atomic<uint32_t>& pending) { return pending.FetchSub(1, kAcqRel) == 1; }
PAIR bool twin_decrement(std::atomic<uint32_t>& pending) {
  return pending.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

// --- a claim by compare-exchange, repeated
PAIR uint64_t ours_claim(Atomic<uint64_t>& word, uint64_t bits) {
  uint64_t before = word.Load(kRelaxed);
  while (!word.CompareExchangeWeak(before, before | bits, kAcqRel, kRelaxed)) {
  }
  return before;
}
PAIR uint64_t twin_claim(std::atomic<uint64_t>& word, uint64_t bits) {
  uint64_t before = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(before, before | bits, std::memory_order_acq_rel,
                                     std::memory_order_relaxed)) {
  }
  return before;
}

// --- an exchange that publishes, and a load that sees it
PAIR int ours_publish(Atomic<int>& flag, Atomic<int>& other) {
  const int before = flag.Exchange(1, kAcqRel);
  other.Store(before, kRelease);
  return before + flag.Load(kAcquire);
}
PAIR int twin_publish(std::atomic<int>& flag, std::atomic<int>& other) {
  const int before = flag.exchange(1, std::memory_order_acq_rel);
  other.store(before, std::memory_order_release);
  return before + flag.load(std::memory_order_acquire);
}

// --- a reference taken and the last one given up
PAIR bool ours_reference(const Counted& object) {
  object.AddRef();
  return object.IsUniquelyOwned();
}
PAIR bool twin_reference(const StdCounted& object) {
  object.references.fetch_add(1, std::memory_order_relaxed);
  return object.references.load(std::memory_order_acquire) == 1;
}

// --- a thread-local
PAIR int ours_thread_local() { return ++OursDepth(); }
PAIR int twin_thread_local() { return ++twin_depth; }

// --- a plain variable
PAIR int ours_cell(Cell<int>& cell) {
  cell.Write(cell.Read() + 1);
  return cell.Mutable() *= 3;
}
PAIR int twin_cell(int& cell) {
  cell = cell + 1;
  return cell *= 3;
}

// --- the clock
PAIR int64_t ours_clock() { return Now().time_since_epoch().count(); }
PAIR int64_t twin_clock() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// --- not alike: an update in one step, and in two
PAIR void ours_control(Atomic<uint32_t>& pending) { pending.FetchSub(1, kAcqRel); }
PAIR void twin_control(std::atomic<uint32_t>& pending) {
  pending.store(pending.load(std::memory_order_acquire) - 1, std::memory_order_release);
}

int main() { return 0; }

// The places of threads that read saved tensors. See saved_readers.h.

#include "autograd/graph/saved_readers.h"

#include "autograd/sync/fork.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

constinit sync::ForkMark mark;

}  // namespace

constinit SavedReaders::Table SavedReaders::table;

bool SavedReader::Begin(const LockByte& lock) {
  if (mark.IsStale()) return false;  // forked in the midst of the run
  reads_.Store(&lock, sync::kSeqCst);
  if (lock.Load(sync::kSeqCst) == 0) return true;
  End();
  return false;
}

SavedReader* SavedReaders::Take() {
  mark.Set();
  if (mark.IsStale()) return nullptr;
  for (SavedReader& place : table.places) {
    bool is_taken = false;
    if (place.is_taken_.Load(sync::kRelaxed) ||
        !place.is_taken_.CompareExchangeStrong(is_taken, true, sync::kAcquire, sync::kRelaxed)) {
      continue;
    }
    table.count.FetchAdd(1, sync::kSeqCst);
    return &place;
  }
  return nullptr;
}

SavedReaders::Scope::Scope(bool reads)
    : before_(CurrentThread().reader), place_(reads ? Take() : nullptr) {
  CurrentThread().reader = place_;
}

SavedReaders::Scope::~Scope() {
  CurrentThread().reader = before_;
  if (place_ == nullptr) return;
  table.count.FetchSub(1, sync::kRelease);
  place_->is_taken_.Store(false, sync::kRelease);
}

void SavedReaders::WaitForEach(const LockByte& lock) {
  if (mark.IsStale()) return;
  for (const SavedReader& place : table.places) {
    while (place.reads_.Load(sync::kSeqCst) == &lock) sync::Thread::Yield();
  }
}

}  // namespace twingrad

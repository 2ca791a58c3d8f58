// The table of tasks that are alive. See task_id.h.

#include "autograd/engine/task_id.h"

#include "autograd/sync/atomic.h"

namespace twingrad {
namespace {

// A task's id is in place id % kPlaces while it is alive. A power of two.
constexpr uint32_t kPlaces = 256;

struct Table {
  sync::Atomic<uint32_t> place[kPlaces];
  sync::Atomic<uint64_t> next_number{1};
};
constinit Table table;

}  // namespace

TaskId::TaskId() {
  for (uint32_t attempt = 0; attempt < kPlaces; ++attempt) {
    number_ = table.next_number.FetchAdd(1, sync::kRelaxed);
    const uint32_t id = static_cast<uint32_t>(number_);
    uint32_t free = 0;
    if (id != 0 &&
        table.place[id % kPlaces].CompareExchangeStrong(free, id, sync::kAcqRel, sync::kRelaxed)) {
      claim_id_ = id;
      return;
    }
  }
}

TaskId::~TaskId() {
  if (claim_id_ != 0) table.place[claim_id_ % kPlaces].Store(0, sync::kRelease);
}

bool TaskId::IsInTable(uint32_t claim_id) {
  return table.place[claim_id % kPlaces].Load(sync::kAcquire) == claim_id;
}

}  // namespace twingrad

// The table of tasks that are alive. See task_id.h.

#include "autograd/engine/task_id.h"

#include "autograd/sync/atomic.h"

namespace twingrad {

constinit TaskId::Table TaskId::table;

TaskId::TaskId() {
  for (uint32_t attempt = 0; attempt < kPlaces; ++attempt) {
    number_ = table.next_number.FetchAdd(1, sync::kRelaxed);
    const uint32_t id = static_cast<uint32_t>(number_);
    uint32_t free = 0;
    if (id != 0 && id != kNobody &&
        table.place[id % kPlaces].CompareExchangeStrong(free, id, sync::kAcqRel, sync::kRelaxed)) {
      claim_id_ = id;
      return;
    }
  }
}

TaskId::~TaskId() {
  if (claim_id_ != 0) table.place[claim_id_ % kPlaces].Store(0, sync::kRelease);
}

}  // namespace twingrad

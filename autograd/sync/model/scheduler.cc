// The parts of the model's joint that need no scheduler: names, thread-locals, misuse.
#include "autograd/sync/model/scheduler.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/base/check.h"

namespace twingrad::sync::model {

namespace {
LocalTable process_locals;
}  // namespace

const char* OperationName(OperationKind kind) {
  switch (kind) {
    case OperationKind::kLock:
      return "lock";
    case OperationKind::kTryLock:
      return "try_lock";
    case OperationKind::kUnlock:
      return "unlock";
    case OperationKind::kWait:
      return "wait";
    case OperationKind::kNotifyOne:
      return "notify_one";
    case OperationKind::kNotifyAll:
      return "notify_all";
    case OperationKind::kAtomicLoad:
      return "load";
    case OperationKind::kAtomicStore:
      return "store";
    case OperationKind::kAtomicUpdate:
      return "update";
    case OperationKind::kCellRead:
      return "read";
    case OperationKind::kCellWrite:
      return "write";
    case OperationKind::kSpawn:
      return "spawn";
    case OperationKind::kJoin:
      return "join";
    case OperationKind::kSleep:
      return "sleep";
    case OperationKind::kYield:
      return "yield";
  }
  return "unknown";
}

void* LocalTable::Get(const void* key, Create create, Destroy destroy) {
  for (const Entry& entry : entries_) {
    if (entry.key == key) return entry.object;
  }
  void* object = create();  // may itself use other thread-locals
  entries_.push_back({key, object, destroy});
  return object;
}

void LocalTable::Clear() {
  while (!entries_.empty()) {
    const Entry entry = entries_.back();
    entries_.pop_back();
    entry.destroy(entry.object);
  }
}

LocalTable& CurrentLocals() {
  Scheduler* scheduler = Current();
  return scheduler != nullptr ? scheduler->Locals() : process_locals;
}

void Misuse(const std::string& message, std::source_location where) {
  if (Scheduler* scheduler = Current()) {
    scheduler->Fail(absl::StrCat(message, " (", where.file_name(), ":", where.line(), ")"));
  }
  CheckFailed(where.file_name(), static_cast<int>(where.line()), "outside an execution", message);
}

}  // namespace twingrad::sync::model

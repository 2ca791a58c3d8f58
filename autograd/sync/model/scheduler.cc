// The parts of the model's joint that need no scheduler: names, thread-locals, misuse.
#include "autograd/sync/model/scheduler.h"

#include <cstddef>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/base/check.h"

namespace twingrad::sync::model {

namespace {

// In the order of OperationKind.
constexpr const char* kOperationNames[] = {
    "lock", "try_lock", "unlock", "wait", "notify_one", "notify_all", "load",  "store", "update",
    "read", "write",    "spawn",  "join", "sleep",      "yield",      "fence", "work"};
static_assert(std::size(kOperationNames) == static_cast<size_t>(OperationKind::kWork) + 1);

LocalTable process_locals;

}  // namespace

const char* OperationName(OperationKind kind) {
  const auto place = static_cast<size_t>(kind);
  return place < std::size(kOperationNames) ? kOperationNames[place] : "unknown";
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

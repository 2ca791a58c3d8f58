// The parts of the model's joint that need no scheduler: names, thread-locals, misuse.
#include "autograd/sync/model/scheduler.h"

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/check.h"

namespace twingrad::sync::model {

namespace {

// In the order of OperationKind.
constexpr const char* kOperationNames[] = {
    "lock", "try_lock", "unlock", "wait", "notify_one", "notify_all", "load",  "store", "update",
    "read", "write",    "spawn",  "join", "sleep",      "yield",      "fence", "work"};
static_assert(std::size(kOperationNames) == static_cast<size_t>(OperationKind::kWork) + 1);

uint32_t local_keys = 0;  // that have a number

}  // namespace

const char* OperationName(OperationKind kind) {
  const auto place = static_cast<size_t>(kind);
  return place < std::size(kOperationNames) ? kOperationNames[place] : "unknown";
}

void* LocalTable::Make(LocalKey& key, Create create, Destroy destroy) {
  if (key.number_ == 0) key.number_ = ++local_keys;
  void* object = create();  // may itself use other thread-locals
  if (objects_.size() <= key.number_) objects_.resize(size_t{local_keys} + 1);
  objects_[key.number_] = object;
  made_.push_back({key.number_, destroy});
  return object;
}

void LocalTable::Clear() {
  while (!made_.empty()) {
    const Made youngest = made_.back();
    made_.pop_back();
    youngest.destroy(std::exchange(objects_[youngest.number], nullptr));
  }
  objects_.clear();  // that of the process may be asked again by destructors of statics
}

void Misuse(const std::string& message, std::source_location where) {
  if (Scheduler* scheduler = Current()) {
    scheduler->Fail(absl::StrCat(message, " (", where.file_name(), ":", where.line(), ")"));
  }
  CheckFailed(where.file_name(), static_cast<int>(where.line()), "outside an execution", message);
}

}  // namespace twingrad::sync::model

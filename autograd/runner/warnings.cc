// From warnings to records of them. See warnings.h.

#include "autograd/runner/warnings.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/graph/grad_slot.h"
#include "autograd/program/observation_text.h"
#include "autograd/sync/user_code.h"
#include "autograd/sync/watch.h"

namespace twingrad::runner {

using program::WarningRecord;
using program::WarningSource;

void ProgramWarnings::Raise(const Node& node, int32_t at) {
  const sync::WatchScope watching;
  WarningRecord record;
  record.source = WarningSource::kHook;
  record.statement = at;
  record.node = recorder_.NameOf(node);
  record.text = absl::StrCat("[runner] do=warn of statement ", at, " is run at ",
                             program::NodeText(program_, record.node),
                             "; the call goes on; leave do=warn out for silence");
  const std::string text = record.text;
  {
    sync::MutexLock lock(mutex_);
    raised_.try_emplace(text, std::move(record));
  }
  Warn(text);
}

void ProgramWarnings::Handle(const Warning& warning) {
  sync::UserCode("a handler of warnings");
  const sync::WatchScope watching;
  WarningRecord record;
  sync::MutexLock lock(mutex_);
  if (const auto it = raised_.find(warning.message); it != raised_.end()) {
    record = it->second;
  } else {
    if (absl::StartsWith(warning.message, kLayoutWarning)) record.source = WarningSource::kLayout;
    record.text = warning.message;
  }
  record.call = recorder_.StatementOfCall();
  given_.push_back(std::move(record));
}

std::vector<WarningRecord> ProgramWarnings::Take() {
  sync::MutexLock lock(mutex_);
  std::stable_sort(given_.begin(), given_.end(),
                   [](const WarningRecord& a, const WarningRecord& b) { return a.call < b.call; });
  return std::exchange(given_, {});
}

}  // namespace twingrad::runner

#include "proptests/interleave/checker/outcome.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace twingrad::interleave {

std::string_view OutcomeName(OutcomeKind kind) {
  constexpr std::string_view kNames[] = {
      "passed",        "deadlock",     "lost wake-up",    "leaked thread",
      "leaked object", "step budget",  "data race",       "escaped exception",
      "invariant",     "failed check", "diverged replay", "user code under a lock",
      "lock order"};
  return kNames[static_cast<int>(kind)];
}

std::string PlaceText(const Operation& operation) {
  return absl::StrCat(sync::model::OperationName(operation.kind),
                      *operation.name == '\0' ? "" : " ", operation.name, " at ",
                      operation.where.file_name(), ":", operation.where.line());
}

bool SameEvents(const ExecutionOutcome& a, const ExecutionOutcome& b) {
  const auto same = [](const Event& x, const Event& y) {
    return x.thread == y.thread && x.phase == y.phase && x.switched == y.switched &&
           x.operation.kind == y.operation.kind &&
           x.operation.where.line() == y.operation.where.line() &&
           x.operation.where.column() == y.operation.where.column() &&
           std::strcmp(x.operation.where.file_name(), y.operation.where.file_name()) == 0;
  };
  return std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), same);
}

std::string FormatEvents(const ExecutionOutcome& outcome, size_t limit) {
  const size_t begin = outcome.events.size() > limit ? outcome.events.size() - limit : 0;
  constexpr std::string_view kPhases[] = {"", " (parks)", " (woken)", " (time-out)"};
  std::string text;
  if (begin > 0) absl::StrAppend(&text, "  ... ", begin, " earlier steps\n");
  const auto name = [&](ThreadId thread) {
    return outcome.thread_names[static_cast<size_t>(thread)];
  };
  for (size_t i = begin; i < outcome.events.size(); ++i) {
    const Event& event = outcome.events[i];
    const Operation& operation = event.operation;
    const bool is_join = operation.kind == OperationKind::kJoin;
    absl::StrAppendFormat(&text, "%c %4d %-12s %-11s %-12s %s:%d%s\n", event.switched ? '>' : ' ',
                          i, name(event.thread), sync::model::OperationName(operation.kind),
                          is_join ? name(operation.holder) : operation.name,
                          operation.where.file_name(), operation.where.line(),
                          kPhases[static_cast<int>(event.phase)]);
  }
  return text;
}

}  // namespace twingrad::interleave

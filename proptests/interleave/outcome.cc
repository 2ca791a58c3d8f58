// Text of outcomes and events.
#include "proptests/interleave/outcome.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace twingrad::interleave {

std::string_view OutcomeName(OutcomeKind kind) {
  constexpr std::string_view kNames[] = {"passed",       "deadlock",       "leaked thread",
                                         "step budget",  "data race",      "escaped exception",
                                         "failed check", "diverged replay"};
  return kNames[static_cast<int>(kind)];
}

std::string FormatEvents(const Outcome& outcome, size_t limit) {
  const size_t begin = outcome.events.size() > limit ? outcome.events.size() - limit : 0;
  constexpr std::string_view kPhases[] = {"", " (parks)", " (woken)", " (time-out)"};
  std::string text;
  if (begin > 0) absl::StrAppend(&text, "  ... ", begin, " earlier steps\n");
  for (size_t i = begin; i < outcome.events.size(); ++i) {
    const Event& event = outcome.events[i];
    absl::StrAppendFormat(&text, "%c %4d %-12s %-11s %-12s %s:%d%s\n", event.switched ? '>' : ' ',
                          i, outcome.thread_names[static_cast<size_t>(event.thread)],
                          autograd::sync::model::OperationName(event.operation.kind),
                          event.operation.name, event.operation.where.file_name(),
                          event.operation.where.line(), kPhases[static_cast<int>(event.phase)]);
  }
  return text;
}

}  // namespace twingrad::interleave

// Final callbacks, by the log of the call alone.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

constexpr std::string_view kOracle = "callbacks";

// A callback by the statement whose hook queued it, and the thread that did.
struct Queued {
  int32_t statement;
  int16_t thread;
};

bool Queues(const Program& program, int32_t statement) {
  const Statement& s = program.statements[statement];
  const std::string* action = std::get_if<std::string>(s.Find(Key::kDo));
  return action != nullptr && *action == "callback";
}

struct Log {
  std::vector<Queued> queued;
  std::vector<int32_t> ran;
  bool ends_with_callbacks = true;
};

Log LogOf(const Program& program, const CallRecord& call) {
  Log log;
  for (const HookRecord& record : call.hooks) {
    if (record.node < 0) {
      log.ran.push_back(record.statement);
      continue;
    }
    if (!log.ran.empty()) log.ends_with_callbacks = false;
    if (Queues(program, record.statement)) {
      log.queued.push_back({record.statement, record.thread});
    }
  }
  return log;
}

std::string ListText(std::vector<int32_t> statements) {
  if (statements.empty()) return "none";
  return absl::StrCat("of statements ", absl::StrJoin(statements, ","));
}

// Whether each that one thread queued before another ran before it. Callbacks that are queued more
// than once cannot be told apart and are passed over where several threads queue.
bool InOrder(const Log& log) {
  const auto times = [&log](int32_t statement) { return std::ranges::count(log.ran, statement); };
  const auto place = [&log](int32_t statement) { return std::ranges::find(log.ran, statement); };
  for (size_t i = 0; i < log.queued.size(); ++i) {
    for (size_t j = i + 1; j < log.queued.size(); ++j) {
      const Queued& a = log.queued[i];
      const Queued& b = log.queued[j];
      if (a.thread != b.thread || times(a.statement) != 1 || times(b.statement) != 1) continue;
      if (place(a.statement) > place(b.statement)) return false;
    }
  }
  return true;
}

bool IsRight(const CallRecord& call, const Log& log) {
  if (call.failed && log.ran.empty()) return true;
  std::vector<int32_t> queued;
  for (const Queued& q : log.queued) queued.push_back(q.statement);
  if (!log.ends_with_callbacks || !std::ranges::is_permutation(queued, log.ran)) return false;
  const auto same_thread = [&log](const Queued& q) { return q.thread == log.queued[0].thread; };
  return std::ranges::all_of(log.queued, same_thread) ? queued == log.ran : InOrder(log);
}

}  // namespace

Verdict JudgeCallbacks(const Program& program, const Observation& observed) {
  for (const CallRecord& call : observed.calls) {
    if (call.nodes.empty()) continue;  // whether a node's hook ran or a callback is not shown
    const Log log = LogOf(program, call);
    if (log.queued.empty() && log.ran.empty()) continue;
    if (IsRight(call, log)) continue;
    std::vector<int32_t> queued;
    for (const Queued& q : log.queued) queued.push_back(q.statement);
    return Disagree(
        kOracle,
        absl::StrCat(
            "callbacks: each that a hook of a call queues runs once, at the end of the "
            "call, in their order\n",
            ExpectedText(ListText(queued),
                         absl::StrCat(ListText(log.ran),
                                      log.ends_with_callbacks ? "" : ", before a node ran")),
            "  in the call of ", LineOf(program, call.statement),
            call.outer < 0 ? "\n" : ", which is nested\n"),
        {call.statement});
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles

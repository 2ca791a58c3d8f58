// A call leaves its thread as it was.

#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/program/observation_text.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {

Verdict JudgeThreadState(const Program& program, const Observation& observed) {
  constexpr std::string_view kOracle = "thread state";
  for (const CallRecord& call : observed.calls) {
    if (call.left_changed == 0) continue;
    return Disagree(
        kOracle,
        absl::StrCat("thread state: the calling thread was not left as it was before a ",
                     call.failed ? "call that failed" : "call",
                     "\n  changed: ", program::ThreadPartsText(call.left_changed),
                     "\n  in the call of ", LineOf(program, call.statement),
                     call.outer < 0 ? "\n" : ", which is nested\n"),
        {call.statement});
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles

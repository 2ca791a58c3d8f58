// Memory is given back.

#include <string_view>

#include "absl/strings/str_cat.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {

Verdict JudgeLeaks(const Program& program, const Observation& observed) {
  constexpr std::string_view kOracle = "leaks";
  for (const CallRecord& call : observed.calls) {
    if (call.held_blocks == 0) continue;
    return Disagree(kOracle,
                    absl::StrCat("leaks: a call that failed kept ", call.held_blocks,
                                 " blocks of memory\n  which the next call on its thread freed\n  "
                                 "in the call of ",
                                 LineOf(program, call.statement), "\n"),
                    {call.statement});
  }
  if (observed.leaked_blocks == 0 && observed.leaked_bytes == 0) return Agree(kOracle);
  const int last = static_cast<int>(program.statements.size()) - 1;
  return Disagree(kOracle,
                  absl::StrCat("leaks: the run did not give back what it took\n  left over: ",
                               observed.leaked_blocks, " blocks, ", observed.leaked_bytes,
                               " bytes\n  after ", LineOf(program, last), "\n"),
                  {});
}

}  // namespace twingrad::oracles

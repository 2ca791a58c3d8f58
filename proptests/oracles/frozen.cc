// Nothing writes a .grad late.

#include <string_view>

#include "absl/strings/str_cat.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {

Verdict JudgeFrozen(const Program& program, const Observation& observed) {
  constexpr std::string_view kOracle = "frozen";
  const auto& late = observed.late_write;
  if (!late) return Agree(kOracle);
  return Disagree(
      kOracle,
      absl::StrCat("frozen: .grad of ", NameOf(program, late->value),
                   " was written after the call had ended\n  ", LineOf(program, late->statement),
                   "\n  nothing may write it once the call has returned or thrown\n"),
      {late->statement});
}

}  // namespace twingrad::oracles

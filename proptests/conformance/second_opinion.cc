#include "proptests/conformance/second_opinion.h"

#include "absl/strings/str_cat.h"
#include "proptests/oracles/oracles.h"
#include "proptests/oracles/evidence.h"

namespace twingrad::conformance {

Opinion SecondOpinion(const twingrad::program::Program& program,
                      const twingrad::reference::TwinResult& twin,
                      const twingrad::reference::DualResult& dual) {
  if (twin.observation.error) {
    return {"  second opinion: none, the Program ends in an error\n"};
  }
  if (dual.kink) return {"  second opinion: none, at a kink\n"};
  if (!dual.not_applicable.empty()) {
    return {absl::StrCat("  second opinion: none, ", dual.not_applicable, "\n")};
  }
  const oracles::Evidence evidence = {program, twin, twin.observation};
  const oracles::Verdict verdict = oracles::JudgeDual(evidence, dual);
  if (verdict.outcome != oracles::Outcome::kDisagree) {
    return {"  second opinion: the dual numbers agree with the twin\n"};
  }
  return {absl::StrCat("  second opinion: the dual numbers contradict the twin\n", verdict.text),
          /*doubtful=*/true};
}

}  // namespace twingrad::conformance

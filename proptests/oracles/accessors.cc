// Gradients read in every way that an engine has.

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/program/observation_text.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

constexpr std::string_view kOracle = "accessors";

}  // namespace

Verdict JudgeAccessors(const Program& program, const Observation& observed) {
  for (const program::AccessorRecord& record : observed.accessors) {
    if (record.shown == record.expected) continue;
    const int statement = StatementOf(program, record.value);
    return Disagree(
        kOracle,
        absl::StrCat("accessors: ", record.accessor, " of ", NameOf(program, record.value),
                     record.is_grad ? ".grad" : "", ", ", LineOf(program, statement),
                     "\n  expected ", program::TensorText(record.expected), "\n  actual   ",
                     record.shown ? program::TensorText(*record.shown)
                                  : absl::StrCat("error, ", record.error),
                     "\n"),
        {statement});
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles

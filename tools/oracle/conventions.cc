#include "tools/oracle/conventions.h"

#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace twingrad::oracle {
namespace {

using autograd::program::Observation;
using autograd::program::Opcode;
using autograd::program::Program;

constexpr Convention kConventions[] = {
    {"abs'(0)", "twingrad 1\n%x = leaf type=f64[] grad=1\n%y = abs %x\nbackward %y\n"},
    {"relu'(0)", "twingrad 1\n%x = leaf type=f64[] grad=1\n%y = relu %x\nbackward %y\n"},
    {"sqrt'(0)", "twingrad 1\n%x = leaf type=f64[] grad=1\n%y = sqrt %x\nbackward %y\n"},
    {"log'(0)", "twingrad 1\n%x = leaf type=f64[] grad=1\n%y = log %x\nbackward %y\n"},
    {"maximum at a tie",
     "twingrad 1\n%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] grad=1\n%y = maximum %x %z\n"
     "backward %y\n"},
    {"maximum(nan, 1)",
     "twingrad 1\n%x = leaf type=f64[] data=nan grad=1\n%z = leaf type=f64[] data=1 grad=1\n"
     "%y = maximum %x %z\nbackward %y\n"},
    {"pow(0, 0)",
     "twingrad 1\n%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] grad=1\n%y = pow %x %z\n"
     "backward %y\n"},
    {"pow(0, 1)",
     "twingrad 1\n%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] data=1 grad=1\n"
     "%y = pow %x %z\nbackward %y\n"},
    {"div(0, 0)",
     "twingrad 1\n%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] grad=1\n%y = div %x %z\n"
     "backward %y\n"},
    {"unused leaf",
     "twingrad 1\n%x = leaf type=f64[] data=2 grad=1\n%z = leaf type=f64[] grad=1\n%y = neg %x\n"
     "backward %y\n"},
};

}  // namespace

absl::Span<const Convention> Conventions() { return kConventions; }

std::string ChoiceText(const Program& program, const Observation& observed) {
  if (observed.error) return std::string(ErrorClassName(observed.error->error));
  std::string text;
  for (const auto& statement : program.statements) {
    if (statement.op != Opcode::kLeaf) continue;
    const auto& value = observed.values[static_cast<size_t>(statement.results[0])];
    absl::StrAppend(&text, text.empty() ? "" : ", ");
    if (!value.grad_defined || value.grad.bits.empty()) {
      text += "none";
    } else {
      absl::StrAppendFormat(&text, "%g", std::bit_cast<double>(value.grad.bits[0]));
    }
  }
  return text;
}

}  // namespace twingrad::oracle

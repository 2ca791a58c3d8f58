#include "proptests/conformance/conventions.h"

#include <bit>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace twingrad::oracle {
namespace {

using twingrad::program::Observation;
using twingrad::program::Program;

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
    {"minimum at a tie",
     "twingrad 1\n%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] grad=1\n%y = minimum %x %z\n"
     "backward %y\n"},
    {"sgn'(0)", "twingrad 1\n%x = leaf type=f64[] grad=1\n%y = sgn %x\nbackward %y\n"},
    {"clamp at its limits",
     "twingrad 1\n%x = leaf type=f64[2] data=-1,1 grad=1\n%p = clamp %x min=-1 max=1\n"
     "%y = sum %p\nbackward %y\n"},
    {"amax at a tie",
     "twingrad 1\n%x = leaf type=f64[2] data=3,3 grad=1\n%y = amax %x\nbackward %y\n"},
    {"amin at a tie",
     "twingrad 1\n%x = leaf type=f64[2] data=3,3 grad=1\n%y = amin %x\nbackward %y\n"},
    {"amax(nan, 1, nan)",
     "twingrad 1\n%x = leaf type=f64[3] data=nan,1,nan grad=1\n%y = amax %x\nbackward %y\n"},
    {"max along a dimension at a tie",
     "twingrad 1\n%x = leaf type=f64[2] data=3,3 grad=1\n%y = max %x dim=0\nbackward %y\n"},
    {"min along a dimension at a tie",
     "twingrad 1\n%x = leaf type=f64[2] data=3,3 grad=1\n%y = min %x dim=0\nbackward %y\n"},
    {"max(nan, 1, nan) along a dimension",
     "twingrad 1\n%x = leaf type=f64[3] data=nan,1,nan grad=1\n%y = max %x dim=0\nbackward %y\n"},
    {"sort at a tie",
     "twingrad 1\n%x = leaf type=f64[2] data=3,3 grad=1\n%w = leaf type=f64[2] data=1,10\n"
     "%p = sort %x dim=0\n%q = mul %p %w\n%y = sum %q\nbackward %y\n"},
    {"sort, descending, at a tie",
     "twingrad 1\n%x = leaf type=f64[2] data=3,3 grad=1\n%w = leaf type=f64[2] data=1,10\n"
     "%p = sort %x dim=0 descending=1\n%q = mul %p %w\n%y = sum %q\nbackward %y\n"},
    {"logsumexp(-inf, -inf)",
     "twingrad 1\n%x = leaf type=f64[2] data=-inf,-inf grad=1\n%y = logsumexp %x\n"
     "backward %y\n"},
    // No point without a derivative, but sums whose order is the engine's: 0 in order of index.
    {"index_select, 1e16 + 1 - 1e16",
     "twingrad 1\n%x = leaf type=f64[1] grad=1\n%i = leaf type=i64[3]\n"
     "%w = leaf type=f64[3] data=1e16,1,-1e16\n%p = index_select %x %i dim=0\n%q = mul %p %w\n"
     "%y = sum %q\nbackward %y\n"},
    {"gather, 1e16 + 1 - 1e16",
     "twingrad 1\n%x = leaf type=f64[1] grad=1\n%i = leaf type=i64[3]\n"
     "%w = leaf type=f64[3] data=1e16,1,-1e16\n%p = gather %x %i dim=0\n%q = mul %p %w\n"
     "%y = sum %q\nbackward %y\n"},
    {"scatter_add, 1e16 + 1 - 1e16",
     "twingrad 1\n%x = leaf type=f64[1] grad=1\n%i = leaf type=i64[3]\n%o = leaf type=f64[1]\n"
     "%w = leaf type=f64[3] data=1e16,1,-1e16\n%p = scatter_add %o %i %w dim=0\n%y = mul %x %p\n"
     "%s = sum %y\nbackward %s\n"},
    {"unused leaf",
     "twingrad 1\n%x = leaf type=f64[] data=2 grad=1\n%z = leaf type=f64[] grad=1\n%y = neg %x\n"
     "backward %y\n"},
};

}  // namespace

absl::Span<const Convention> Conventions() { return kConventions; }

std::string ChoiceText(const Program& program, const Observation& observed) {
  if (observed.error) return std::string(ErrorKindName(observed.error->error));
  std::string text;
  for (const auto& statement : program.statements) {
    if (!statement.Get<bool>(twingrad::program::Key::kGrad)) continue;
    const auto& value = observed.values[static_cast<size_t>(statement.results[0])];
    absl::StrAppend(&text, text.empty() ? "" : ", ");
    if (!value.grad_defined || value.grad.bits.empty()) {
      text += "none";
      continue;
    }
    absl::StrAppend(&text, absl::StrJoin(value.grad.bits, " ", [](std::string* out, uint64_t bits) {
      absl::StrAppendFormat(out, "%g", std::bit_cast<double>(bits));
    }));
  }
  return text;
}

}  // namespace twingrad::oracle

#include "proptests/conformance/conventions.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "autograd/program/parse.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Observation;
using twingrad::program::Program;

struct Row {
  std::string_view point;
  std::string_view statements;  // before `backward %y`
};
constexpr Row kRows[] = {
    {"abs'(0)", "%x = leaf type=f64[] grad=1\n%y = abs %x\n"},
    {"relu'(0)", "%x = leaf type=f64[] grad=1\n%y = relu %x\n"},
    {"sqrt'(0)", "%x = leaf type=f64[] grad=1\n%y = sqrt %x\n"},
    {"log'(0)", "%x = leaf type=f64[] grad=1\n%y = log %x\n"},
    {"maximum at a tie",
     "%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] grad=1\n%y = maximum %x %z\n"},
    {"maximum(nan, 1)",
     "%x = leaf type=f64[] data=nan grad=1\n%z = leaf type=f64[] data=1 grad=1\n"
     "%y = maximum %x %z\n"},
    {"pow(0, 0)", "%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] grad=1\n%y = pow %x %z\n"},
    {"pow(0, 1)",
     "%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] data=1 grad=1\n%y = pow %x %z\n"},
    {"div(0, 0)", "%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] grad=1\n%y = div %x %z\n"},
    {"minimum at a tie",
     "%x = leaf type=f64[] grad=1\n%z = leaf type=f64[] grad=1\n%y = minimum %x %z\n"},
    {"sgn'(0)", "%x = leaf type=f64[] grad=1\n%y = sgn %x\n"},
    {"clamp at its limits",
     "%x = leaf type=f64[2] data=-1,1 grad=1\n%p = clamp %x min=-1 max=1\n%y = sum %p\n"},
    {"amax at a tie", "%x = leaf type=f64[2] data=3,3 grad=1\n%y = amax %x\n"},
    {"amin at a tie", "%x = leaf type=f64[2] data=3,3 grad=1\n%y = amin %x\n"},
    {"amax(nan, 1, nan)", "%x = leaf type=f64[3] data=nan,1,nan grad=1\n%y = amax %x\n"},
    {"max along a dimension at a tie",
     "%x = leaf type=f64[2] data=3,3 grad=1\n%y = max %x dim=0\n"},
    {"min along a dimension at a tie",
     "%x = leaf type=f64[2] data=3,3 grad=1\n%y = min %x dim=0\n"},
    {"max(nan, 1, nan) along a dimension",
     "%x = leaf type=f64[3] data=nan,1,nan grad=1\n%y = max %x dim=0\n"},
    {"sort at a tie",
     "%x = leaf type=f64[2] data=3,3 grad=1\n%w = leaf type=f64[2] data=1,10\n%p = sort %x dim=0\n"
     "%q = mul %p %w\n%y = sum %q\n"},
    {"sort, descending, at a tie",
     "%x = leaf type=f64[2] data=3,3 grad=1\n%w = leaf type=f64[2] data=1,10\n"
     "%p = sort %x dim=0 descending=1\n%q = mul %p %w\n%y = sum %q\n"},
    {"logsumexp(-inf, -inf)", "%x = leaf type=f64[2] data=-inf,-inf grad=1\n%y = logsumexp %x\n"},
    // No point without a derivative, but sums whose order is the engine's: 0 in order of index.
    {"index_select, 1e16 + 1 - 1e16",
     "%x = leaf type=f64[1] grad=1\n%i = leaf type=i64[3]\n"
     "%w = leaf type=f64[3] data=1e16,1,-1e16\n%p = index_select %x %i dim=0\n%q = mul %p %w\n"
     "%y = sum %q\n"},
    {"gather, 1e16 + 1 - 1e16",
     "%x = leaf type=f64[1] grad=1\n%i = leaf type=i64[3]\n"
     "%w = leaf type=f64[3] data=1e16,1,-1e16\n%p = gather %x %i dim=0\n%q = mul %p %w\n"
     "%y = sum %q\n"},
    {"scatter_add, 1e16 + 1 - 1e16",
     "%x = leaf type=f64[1] grad=1\n%i = leaf type=i64[3]\n%o = leaf type=f64[1]\n"
     "%w = leaf type=f64[3] data=1e16,1,-1e16\n%p = scatter_add %o %i %w dim=0\n%q = mul %x %p\n"
     "%y = sum %q\n"},
    {"unused leaf",
     "%x = leaf type=f64[] data=2 grad=1\n%z = leaf type=f64[] grad=1\n%y = neg %x\n"},
};

}  // namespace

std::vector<Convention> Conventions() {
  std::vector<Convention> conventions;
  for (const Row& row : kRows) {
    auto program =
        twingrad::program::Parse(absl::StrCat("twingrad 1\n", row.statements, "backward %y\n"));
    if (program.ok()) conventions.push_back({row.point, *std::move(program)});
  }
  return conventions;
}

std::string ChoiceText(const Program& program, const Observation& observed) {
  if (observed.error) return std::string(ErrorKindName(observed.error->error));
  std::vector<std::string> choices;
  for (const auto& statement : program.statements) {
    if (!statement.Get<bool>(twingrad::program::Key::kGrad)) continue;
    const auto& value = observed.values[static_cast<size_t>(statement.results[0])];
    const auto number = [](std::string* out, uint64_t bits) {
      absl::StrAppendFormat(out, "%g", std::bit_cast<double>(bits));
    };
    const bool none = !value.grad_defined || value.grad.bits.empty();
    choices.push_back(none ? "none" : absl::StrJoin(value.grad.bits, " ", number));
  }
  return absl::StrJoin(choices, ", ");
}

}  // namespace twingrad::conformance

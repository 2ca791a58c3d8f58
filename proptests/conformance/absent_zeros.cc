#include "proptests/conformance/absent_zeros.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace twingrad::conformance {
namespace {

using twingrad::program::Observation;
using twingrad::program::Program;

bool IsZero(const twingrad::program::TensorData& data) {
  return twingrad::IsFloating(data.dtype) &&
         std::all_of(data.bits.begin(), data.bits.end(),
                     [](uint64_t bits) { return bits << 1 == 0; });
}

}  // namespace

bool TakeZerosForAbsent(const Observation& expected, Observation& observed) {
  bool differed = false;
  for (size_t i = 0; i < observed.values.size() && i < expected.values.size(); ++i) {
    const auto& e = expected.values[i];
    auto& o = observed.values[i];
    if (e.defined != o.defined && IsZero(e.defined ? e.data : o.data)) {
      o = e;
      differed = true;
    }
    if (e.grad_defined == o.grad_defined || !IsZero(e.grad_defined ? e.grad : o.grad)) continue;
    o.grad_defined = e.grad_defined;
    o.grad = e.grad;
    differed = true;
  }
  return differed;
}

bool CreatesGraph(const Program& program) {
  return std::any_of(program.statements.begin(), program.statements.end(), [](const auto& s) {
    return s.template Get<bool>(twingrad::program::Key::kCreateGraph);
  });
}

}  // namespace twingrad::conformance

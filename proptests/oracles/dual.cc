// Values and gradients beside the dual numbers.

#include <bit>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {

using reference::DualResult;
using reference::DualTensor;

namespace {

constexpr std::string_view kOracle = "dual";

struct DualDifference {
  bool found = false;
  size_t index = 0;
  double bound = 0;
};

DualDifference Find(const DualTensor& dual, const TensorData& actual,
                    absl::Span<const double> twin_bounds) {
  if (!dual.known || !IsFloating(actual.dtype)) return {};
  if (dual.data.size() != actual.bits.size()) return {true, 0, 0};
  for (size_t i = 0; i < dual.data.size(); ++i) {
    const double own = i < twin_bounds.size() ? twin_bounds[i] : 0;
    const double witness = i < dual.bound.size() ? dual.bound[i] : 0;
    const double bound = own + witness;
    const double seen = std::bit_cast<double>(actual.bits[i]);
    if (std::isinf(bound) || seen == dual.data[i]) continue;
    if (std::isnan(seen) && std::isnan(dual.data[i])) continue;
    if (!(std::fabs(seen - dual.data[i]) <= bound)) return {true, i, bound};
  }
  return {};
}

Verdict Differs(const Evidence& evidence, const DualResult& dual, ValueId value, const char* what,
                const DualTensor& expected, const TensorData& actual,
                const DualDifference& difference) {
  const int statement = StatementOf(evidence.program, value);
  std::string numbers;
  if (difference.index < expected.data.size()) {
    char text[160];
    std::snprintf(text, sizeof text, "  dual     %.17g\n  actual   ",
                  expected.data[difference.index]);
    numbers = absl::StrCat(text, ElementText(actual, difference.index), "\n");
    std::snprintf(text, sizeof text, "  at element %zu: may differ by %.3g\n", difference.index,
                  difference.bound);
    numbers += text;
  } else {
    numbers = absl::StrCat("  dual has ", expected.data.size(), " elements, actual ",
                           actual.bits.size(), "\n");
  }
  return Disagree(
      kOracle,
      absl::StrCat("dual: ", what, " of ", NameOf(evidence.program, value), ", ",
                   LineOf(evidence.program, statement), "\n", numbers,
                   dual.kink ? "  a kink was touched: other subgradients are conventions\n" : "",
                   "  ", EngineText(evidence.device_threads), "\n"),
      {statement});
}

}  // namespace

Verdict JudgeDual(const Evidence& evidence, const DualResult& dual) {
  if (!dual.not_applicable.empty()) return Skip(kOracle, dual.not_applicable);
  const auto& values = evidence.observed.values;
  static constexpr double kExact[1] = {0};
  const auto bounds = [&](const std::vector<reference::Judged>& all, size_t i) {
    return i < all.size() ? absl::Span<const double>(all[i].bound)
                          : absl::Span<const double>(kExact, 0);
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueRecord& record = values[i];
    const auto value = static_cast<ValueId>(i);
    if (i < dual.values.size() && record.defined) {
      const DualDifference d =
          Find(dual.values[i], record.data, bounds(evidence.expected.value_bounds, i));
      if (d.found) return Differs(evidence, dual, value, "value", dual.values[i], record.data, d);
    }
    if (i >= dual.grads.size() || !dual.grads[i].known) continue;
    if (record.grad_defined) {
      const DualDifference d =
          Find(dual.grads[i], record.grad, bounds(evidence.expected.grad_bounds, i));
      if (d.found) return Differs(evidence, dual, value, ".grad", dual.grads[i], record.grad, d);
      continue;
    }
    // An absent gradient is zero.
    for (size_t k = 0; k < dual.grads[i].data.size(); ++k) {
      const double bound = k < dual.grads[i].bound.size() ? dual.grads[i].bound[k] : 0;
      if (dual.grads[i].data[k] == 0 || std::fabs(dual.grads[i].data[k]) <= bound ||
          std::isinf(bound) || std::isnan(dual.grads[i].data[k])) {
        continue;
      }
      TensorData absent;
      return Differs(evidence, dual, value, "absent .grad", dual.grads[i], absent,
                     {true, k, bound});
    }
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles

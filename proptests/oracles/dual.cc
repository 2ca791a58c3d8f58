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

// Of the twin, whose bounds say how far an engine may be off.
struct Allowance {
  absl::Span<const double> bounds;
  const TensorData* data;
  bool single;  // f32 is about, which over- and underflows where the dual numbers, all f64, do not
};

// Whether the number is right. What is infinite or zero for a reason is known whatever the twin
// knows.
bool IsRight(const DualTensor& dual, size_t i, double seen, double own, double expected,
             bool single) {
  const double d = dual.data[i], witness = dual.bound[i];
  const bool or_nan = i < dual.or_nan.size() && dual.or_nan[i];
  if (std::isnan(d) || std::isinf(witness) || seen == d) return true;
  if (std::isnan(seen) && or_nan) return true;
  const bool overflows = single && !(std::isfinite(expected) && std::isfinite(d));
  if (overflows) return true;
  // Of a / 0 either infinity is right, for 0 and -0 are one number.
  if (std::isinf(d)) return std::isinf(seen) || (std::isnan(seen) && std::isnan(expected));
  if (std::isinf(own)) {
    // No term of it depends on the variable, so that rounding cannot change it; 0 times what
    // overflowed may be NaN.
    const bool nothing = d == 0 && witness == 0;
    return !nothing || std::isnan(seen);
  }
  return std::fabs(seen - d) <= own + witness;
}

DualDifference Find(const DualTensor& dual, const TensorData& actual, const Allowance& allowance) {
  if (!dual.known || !IsFloating(actual.dtype)) return {};
  if (dual.data.size() != actual.bits.size()) return {true, 0, 0};
  for (size_t i = 0; i < dual.data.size(); ++i) {
    const double own = i < allowance.bounds.size() ? allowance.bounds[i] : 0;
    const double seen = std::bit_cast<double>(actual.bits[i]);
    const auto& expected = allowance.data->bits;
    const double twin = i < expected.size() ? std::bit_cast<double>(expected[i]) : seen;
    if (IsRight(dual, i, seen, own, twin, allowance.single)) continue;
    return {true, i, std::isinf(own) ? 0 : own + dual.bound[i]};
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
      absl::StrCat(
          "dual: ", what, " of ", NameOf(evidence.program, value), ", ",
          LineOf(evidence.program, statement), "\n", numbers,
          dual.kinks.empty() ? "" : "  at a kink the dual numbers take the twin's choice\n", "  ",
          EngineText(evidence.device_threads), "\n"),
      {statement});
}

}  // namespace

Verdict JudgeDual(const Evidence& evidence, const DualResult& dual) {
  if (!dual.not_applicable.empty()) return Skip(kOracle, dual.not_applicable);
  const auto& values = evidence.observed.values;
  const bool single = HoldsSingle(evidence.program);
  static const ValueRecord kNone;
  const auto allowance = [&](const std::vector<reference::Judged>& all, size_t i, bool grad) {
    const auto& expected = evidence.expected.observation.values;
    const ValueRecord& record = i < expected.size() ? expected[i] : kNone;
    return Allowance{
        i < all.size() ? absl::Span<const double>(all[i].bound) : absl::Span<const double>(),
        grad ? &record.grad : &record.data, single};
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueRecord& record = values[i];
    const auto value = static_cast<ValueId>(i);
    if (i < dual.values.size() && record.defined) {
      const DualDifference d =
          Find(dual.values[i], record.data, allowance(evidence.expected.value_bounds, i, false));
      if (d.found) return Differs(evidence, dual, value, "value", dual.values[i], record.data, d);
    }
    if (i >= dual.grads.size() || !dual.grads[i].known) continue;
    if (record.grad_defined) {
      const DualDifference d =
          Find(dual.grads[i], record.grad, allowance(evidence.expected.grad_bounds, i, true));
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

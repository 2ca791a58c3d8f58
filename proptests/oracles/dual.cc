// Values and gradients beside the dual numbers.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "autograd/base/float_format.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {

using reference::DualResult;
using reference::DualTensor;

namespace {

constexpr std::string_view kOracle = "dual";

// Of the twin, whose bounds say how far an engine may be off.
struct Allowance {
  absl::Span<const double> bounds;
  const TensorData* data;
  // Whether a format is about that over- and underflows where the dual numbers' f64 does not.
  bool is_short;
  const Program* program;
  ValueId value;
  bool is_grad;  // the value's .grad

  // Whether it is a derivative, which may be 0 for want of any term.
  bool IsGradient() const {
    if (is_grad) return true;
    const int statement = StatementOf(*program, value);
    return statement >= 0 &&
           program->statements[static_cast<size_t>(statement)].op == program::Opcode::kGrad;
  }
  double Of(size_t i) const { return i < bounds.size() ? bounds[i] : 0; }
};

// Whether a number that is not that of the dual numbers is right. What is infinite or zero for a
// reason is known whatever the twin knows.
bool IsRight(const DualTensor& dual, size_t i, double seen, double expected,
             const Allowance& allowance) {
  const double own = allowance.Of(i);
  const double d = dual.data[i], witness = dual.BoundOf(i);
  if (std::isnan(d) || std::isinf(witness)) return true;
  if (std::isnan(seen) && dual.IsOrNan(i)) return true;
  const bool overflows = allowance.is_short && !(std::isfinite(expected) && std::isfinite(d));
  if (overflows) return true;
  // Of a / 0 either infinity is right, for 0 and -0 are one number.
  if (std::isinf(d)) return std::isinf(seen) || (std::isnan(seen) && std::isnan(expected));
  if (std::isinf(own)) {
    // No term of it depends on the variable, so that rounding cannot change it; 0 times what
    // overflowed may be NaN. But what a short format rounded may have a sign where the exact
    // difference is 0.
    const bool certain = !allowance.is_short || (expected == 0 && allowance.IsGradient());
    const bool nothing = d == 0 && witness == 0 && certain;
    return !nothing || std::isnan(seen);
  }
  return std::fabs(seen - d) <= own + witness;
}

// The first element from `start` on that is wrong; the number of elements if there is none.
size_t FindWrong(const DualTensor& dual, const TensorData& actual, const Allowance& allowance,
                 size_t start = 0) {
  const absl::Span<const uint64_t> bits(actual.bits), expected(allowance.data->bits);
  for (size_t i = start; i < dual.data.size(); ++i) {
    const double seen = std::bit_cast<double>(bits[i]);
    if (seen == dual.data[i]) continue;
    const double twin = i < expected.size() ? std::bit_cast<double>(expected[i]) : seen;
    if (!IsRight(dual, i, seen, twin, allowance)) return i;
  }
  return dual.data.size();
}

const ValueRecord& ExpectedOf(const Evidence& evidence, size_t value) {
  static const ValueRecord kNone;
  const auto& values = evidence.expected.observation.values;
  return value < values.size() ? values[value] : kNone;
}

Allowance AllowanceOfValue(const Evidence& evidence, size_t value, bool is_short) {
  return {BoundsOf(evidence.expected.value_bounds, value),
          &ExpectedOf(evidence, value).data,
          is_short,
          &evidence.program,
          static_cast<ValueId>(value),
          /*is_grad=*/false};
}

Allowance AllowanceOfGrad(const Evidence& evidence, size_t value, bool is_short) {
  const absl::Span<const double> bounds = BoundsOf(evidence.expected.grad_bounds, value);
  const ValueRecord& usual = ExpectedOf(evidence, value);
  const auto id = static_cast<ValueId>(value);
  const ValueRecord& seen = evidence.observed.values[value];
  const auto is_usual = [&] {
    return usual.grad_defined == seen.grad_defined &&
           !(usual.grad_defined && Compare(usual.grad, seen.grad, bounds));
  };
  if (!evidence.expected.grad_alternatives.empty() && !is_usual()) {
    if (const auto* other = AlternativeSeen(evidence, id)) {
      return {other->bound.bound, &other->data, is_short, &evidence.program, id, true};
    }
  }
  return {bounds, &usual.grad, is_short, &evidence.program, id, true};
}

Allowance AllowanceOf(const Evidence& evidence, size_t value, bool grad, bool is_short) {
  return grad ? AllowanceOfGrad(evidence, value, is_short)
              : AllowanceOfValue(evidence, value, is_short);
}

// Calls see(value, grad, dual tensor, actual tensor) for each that is there in both.
template <typename F>
void ForEachTensor(const Evidence& evidence, const DualResult& dual, F see) {
  const auto& values = evidence.observed.values;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<ValueId>(i);
    const auto is_there = [](const std::vector<DualTensor>& tensors, size_t at, bool defined,
                             const TensorData& actual) {
      return at < tensors.size() && tensors[at].known && defined && IsFloating(actual.dtype);
    };
    if (is_there(dual.values, i, values[i].defined, values[i].data)) {
      see(value, false, dual.values[i], values[i].data);
    }
    if (is_there(dual.grads, i, values[i].grad_defined, values[i].grad)) {
      see(value, true, dual.grads[i], values[i].grad);
    }
  }
}

Verdict Differs(const Evidence& evidence, const DualResult& dual, ValueId value, const char* what,
                const DualTensor& expected, const TensorData& actual, size_t index, double bound) {
  const int statement = StatementOf(evidence.program, value);
  std::string numbers;
  if (index < expected.data.size()) {
    char text[160];
    std::snprintf(text, sizeof text, "  dual     %.17g\n  actual   ", expected.data[index]);
    numbers = absl::StrCat(text, ElementText(actual, index), "\n");
    std::snprintf(text, sizeof text, "  at element %zu: may differ by %.3g\n", index, bound);
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
          EngineText(evidence), "\n"),
      {statement});
}

}  // namespace

std::vector<DualMiss> DualMisses(const Evidence& evidence, const DualResult& dual) {
  std::vector<DualMiss> misses;
  const bool is_short = CoarsestUnit(evidence.program) > kF64Format.unit;
  ForEachTensor(evidence, dual,
                [&](ValueId value, bool grad, const DualTensor& known, const TensorData& actual) {
                  if (known.data.size() != actual.bits.size()) return;
                  const auto allowance =
                      AllowanceOf(evidence, static_cast<size_t>(value), grad, is_short);
                  for (size_t i = 0; i < known.data.size(); ++i) {
                    i = FindWrong(known, actual, allowance, i);
                    if (i < known.data.size()) misses.push_back({value, grad, i});
                  }
                });
  return misses;
}

Verdict JudgeDual(const Evidence& evidence, const DualResult& dual) {
  if (!dual.not_applicable.empty()) return Skip(kOracle, dual.not_applicable);
  const bool is_short = CoarsestUnit(evidence.program) > kF64Format.unit;
  Verdict verdict = Agree(kOracle);
  ForEachTensor(evidence, dual,
                [&](ValueId value, bool grad, const DualTensor& known, const TensorData& actual) {
                  if (verdict.outcome == Outcome::kDisagree) return;
                  const auto allowance =
                      AllowanceOf(evidence, static_cast<size_t>(value), grad, is_short);
                  const bool same = known.data.size() == actual.bits.size();
                  const size_t wrong = same ? FindWrong(known, actual, allowance) : 0;
                  if (same && wrong == known.data.size()) return;
                  const double own = allowance.Of(wrong);
                  const double bound = same && std::isfinite(own) ? own + known.BoundOf(wrong) : 0;
                  verdict = Differs(evidence, dual, value, grad ? ".grad" : "value", known, actual,
                                    same ? wrong : known.data.size(), bound);
                });
  if (verdict.outcome == Outcome::kDisagree) return verdict;
  // An absent gradient is zero.
  for (size_t i = 0; i < std::min(evidence.observed.values.size(), dual.grads.size()); ++i) {
    const DualTensor& known = dual.grads[i];
    if (!known.known || evidence.observed.values[i].grad_defined) continue;
    for (size_t k = 0; k < known.data.size(); ++k) {
      const double bound = known.BoundOf(k);
      if (known.data[k] == 0 || std::isnan(known.data[k]) || std::isinf(bound) ||
          std::fabs(known.data[k]) <= bound) {
        continue;
      }
      return Differs(evidence, dual, static_cast<ValueId>(i), "absent .grad", known, TensorData(),
                     k, bound);
    }
  }
  return verdict;
}

GradientCount CountGradients(const Evidence& evidence, const DualResult& dual) {
  GradientCount count;
  const auto add = [&](size_t value, bool grad, int order, const TensorData& actual) {
    const std::vector<DualTensor>& tensors = grad ? dual.grads : dual.values;
    const DualTensor* known =
        value < tensors.size() && tensors[value].known ? &tensors[value] : nullptr;
    const auto at = static_cast<size_t>(order - 1);
    count.asked[at] += actual.bits.size();
    if (!dual.not_applicable.empty() || known == nullptr) return;
    // Of its bounds alone, which no format decides.
    const Allowance allowance = AllowanceOf(evidence, value, grad, /*is_short=*/false);
    for (size_t i = 0; i < std::min(actual.bits.size(), known->data.size()); ++i) {
      const double bound = known->BoundOf(i);
      const bool is_number = !std::isnan(known->data[i]) && !std::isinf(bound);
      const bool nothing = known->data[i] == 0 && bound == 0;
      if (is_number && (nothing || !std::isinf(allowance.Of(i)))) ++count.judged[at];
    }
  };
  const auto order_of = [](const std::vector<int>& orders, size_t value) {
    return value < orders.size() && orders[value] <= 2 ? orders[value] : 0;
  };
  const auto& values = evidence.observed.values;
  for (size_t v = 0; v < values.size(); ++v) {
    const int of_value = order_of(dual.value_orders, v), of_grad = order_of(dual.grad_orders, v);
    if (of_value > 0 && values[v].defined && IsFloating(values[v].data.dtype)) {
      add(v, false, of_value, values[v].data);
    }
    if (of_grad > 0 && values[v].grad_defined && IsFloating(values[v].grad.dtype)) {
      add(v, true, of_grad, values[v].grad);
    }
  }
  return count;
}

}  // namespace twingrad::oracles

// Every value, .grad, version and flag beside the twin's.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

constexpr std::string_view kOracle = "twin";

// The last lines of every disagreement of this oracle.
Verdict Differs(const Evidence& evidence, ValueId value, const std::string& what,
                const std::string& body, Detail detail = Detail::kNone) {
  const int statement = StatementOf(evidence.program, value);
  return Disagree(kOracle,
                  absl::StrCat("twin: ", what, " of ", NameOf(evidence.program, value), ", ",
                               LineOf(evidence.program, statement), "\n", body, "  ",
                               EngineText(evidence), "\n"),
                  {statement}, detail);
}

const char* Defined(bool defined) { return defined ? "defined" : "undefined"; }

// The Verdict if only one of the two is defined.
Verdict OneIsThere(const Evidence& evidence, ValueId value, const std::string& what, bool actual) {
  return Differs(evidence, value, what, ExpectedText(Defined(!actual), Defined(actual)),
                 actual ? Detail::kOnlyDefined : Detail::kNone);
}

void Count(bool gradient, const TensorData& expected, absl::Span<const double> bounds,
           Compared& compared) {
  ++compared.values;
  if (!gradient) return;
  switch (RuleOf(expected, bounds)) {
    case Rule::kExact:
      ++compared.gradients_exact;
      break;
    case Rule::kBounded:
      ++compared.gradients_bounded;
      break;
    case Rule::kNotCompared:
      ++compared.gradients_not_compared;
      break;
  }
}

// Which values are results of `grad` or `read_grad`.
std::vector<bool> GradientValues(const Evidence& evidence) {
  std::vector<bool> gradients(evidence.program.names.size(), false);
  for (const auto& statement : evidence.program.statements) {
    if (statement.op != Opcode::kGrad && statement.op != Opcode::kReadGrad) continue;
    for (ValueId result : statement.results) gradients[static_cast<size_t>(result)] = true;
  }
  return gradients;
}

// What is wrong with the .grad of a value, if anything.
std::optional<Verdict> FindWrongGrad(const Evidence& evidence, ValueId value,
                                     const ValueRecord& expected, const ValueRecord& actual,
                                     Compared& compared) {
  const absl::Span<const double> bounds =
      BoundsOf(evidence.expected.grad_bounds, static_cast<size_t>(value));
  if (expected.grad_defined != actual.grad_defined) {
    if (AlternativeSeen(evidence, value) != nullptr) return std::nullopt;
    return OneIsThere(evidence, value, ".grad", actual.grad_defined);
  }
  if (!expected.grad_defined) return std::nullopt;
  if (const Difference difference = Compare(expected.grad, actual.grad, bounds)) {
    if (AlternativeSeen(evidence, value) != nullptr) return std::nullopt;
    return Differs(evidence, value, ".grad",
                   DifferenceText(difference, expected.grad, actual.grad));
  }
  Count(/*gradient=*/true, expected.grad, bounds, compared);
  return std::nullopt;
}

Verdict JudgeAll(const Evidence& evidence, Compared& compared) {
  const auto& expected = evidence.expected.observation.values;
  const auto& actual = evidence.observed.values;
  if (expected.size() != actual.size()) {
    return Disagree(kOracle, absl::StrCat("twin: number of values\n",
                                          ExpectedText(absl::StrCat(expected.size()),
                                                       absl::StrCat(actual.size())),
                                          "  ", EngineText(evidence), "\n"));
  }
  const std::vector<bool> gradients = GradientValues(evidence);
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto value = static_cast<ValueId>(i);
    const ValueRecord& e = expected[i];
    const ValueRecord& a = actual[i];
    if (e.defined != a.defined) return OneIsThere(evidence, value, "value", a.defined);
    if (e.defined) {
      const absl::Span<const double> bounds = BoundsOf(evidence.expected.value_bounds, i);
      if (const Difference difference = Compare(e.data, a.data, bounds)) {
        return Differs(evidence, value, "value", DifferenceText(difference, e.data, a.data));
      }
      Count(gradients[i], e.data, bounds, compared);
      if (e.requires_grad != a.requires_grad) {
        return Differs(evidence, value, "requires_grad",
                       ExpectedText(e.requires_grad ? "1" : "0", a.requires_grad ? "1" : "0"));
      }
      if (e.version != a.version) {
        return Differs(evidence, value, "version",
                       ExpectedText(absl::StrCat(e.version), absl::StrCat(a.version)));
      }
    }
    if (auto wrong = FindWrongGrad(evidence, value, e, a, compared)) return *std::move(wrong);
  }
  return Agree(kOracle);
}

}  // namespace

Verdict JudgeValues(const Evidence& evidence) {
  Compared compared;
  Verdict verdict = JudgeAll(evidence, compared);
  verdict.compared = compared;
  return verdict;
}

}  // namespace twingrad::oracles

#include "proptests/oracles/compare.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/base/float_format.h"
#include "autograd/program/element_text.h"
#include "autograd/program/print.h"

namespace twingrad::oracles {
namespace {

bool Within(double expected, double actual, double bound) {
  if (bound == std::numeric_limits<double>::infinity()) return true;
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (expected == actual) return true;
  return bound > 0 && std::fabs(actual - expected) <= bound;
}

}  // namespace

Difference Compare(const TensorData& expected, const TensorData& actual,
                   absl::Span<const double> bounds) {
  if (!SameType(expected, actual)) return {Difference::Kind::kType, 0, 0};
  const bool floating = IsFloating(expected.dtype);
  const absl::Span<const uint64_t> wanted(expected.bits), seen(actual.bits);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == seen[i]) continue;
    const double bound = i < bounds.size() ? bounds[i] : 0;
    const bool within =
        floating ? Within(std::bit_cast<double>(wanted[i]), std::bit_cast<double>(seen[i]), bound)
                 : bound == std::numeric_limits<double>::infinity();
    if (!within) return {Difference::Kind::kElement, i, bound};
  }
  return {};
}

const reference::GradAlternative* AlternativeSeen(const Evidence& evidence, ValueId value) {
  if (!evidence.SeveralOutcomes()) return nullptr;
  const ValueRecord& actual = evidence.observed.values[static_cast<size_t>(value)];
  for (const auto& alternative : evidence.expected.grad_alternatives) {
    if (alternative.value != value || alternative.defined != actual.grad_defined) continue;
    if (!alternative.defined || !Compare(alternative.data, actual.grad, alternative.bound.bound)) {
      return &alternative;
    }
  }
  return nullptr;
}

Difference CompareBits(const TensorData& a, const TensorData& b) {
  if (!SameType(a, b)) return {Difference::Kind::kType, 0, 0};
  for (size_t i = 0; i < a.bits.size(); ++i) {
    if (a.bits[i] != b.bits[i]) return {Difference::Kind::kElement, i, 0};
  }
  return {};
}

bool IsTooWide(double element, double bound) {
  const double size = std::isfinite(element) ? std::fabs(element) : 0;
  return bound > std::fmax(size, 1) / 8;
}

Rule RuleOf(const TensorData& expected, absl::Span<const double> bounds) {
  Rule rule = Rule::kExact;
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i] == 0) continue;
    const bool is_float = IsFloating(expected.dtype) && i < expected.bits.size();
    const double element = is_float ? std::bit_cast<double>(expected.bits[i]) : 0;
    if (IsTooWide(element, bounds[i])) return Rule::kNotCompared;
    rule = Rule::kBounded;
  }
  return rule;
}

double CoarsestUnit(const Program& program) {
  double unit = kF64Format.unit;
  for (const Statement& statement : program.statements) {
    for (const auto& [key, value] : statement.attributes) {
      const auto* type = std::get_if<program::TensorType>(&value);
      const auto* dtype = type != nullptr ? &type->dtype : std::get_if<DType>(&value);
      if (dtype != nullptr) unit = std::fmax(unit, FormatOf(*dtype).unit);
    }
  }
  return unit;
}

std::string NameOf(const Program& program, ValueId value) {
  if (value < 0 || value >= static_cast<ValueId>(program.names.size())) return "_";
  return absl::StrCat("%", program.names[value]);
}

int StatementOf(const Program& program, ValueId value) {
  // Ids ascend, so it is found by halving; statements without results are passed over.
  int begin = 0;
  int end = static_cast<int>(program.statements.size());
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    int at = middle;
    while (at < end && program.statements[at].results.empty()) ++at;
    if (at == end || program.statements[at].results.front() > value) {
      end = middle;
    } else if (program.statements[at].results.back() < value) {
      begin = at + 1;
    } else {
      return at;
    }
  }
  return -1;
}

std::string LineOf(const Program& program, int statement) {
  if (statement < 0 || statement >= static_cast<int>(program.statements.size())) {
    return absl::StrCat("statement ", statement);
  }
  std::string line = program::PrintStatement(program, statement);
  if (line.size() > 120) line.replace(117, std::string::npos, "...");
  return absl::StrCat("statement ", statement, ": ", line);
}

std::string TypeText(DType dtype, const Shape& shape) {
  return absl::StrCat(DTypeName(dtype), "[", absl::StrJoin(shape, ","), "]");
}

std::string ElementText(const TensorData& data, size_t index) {
  if (index >= data.bits.size()) return "nothing";
  std::string exact;
  program::AppendElement(data.bits[index], data.dtype, exact);
  const bool plain = !IsFloating(data.dtype) || exact.find('p') == std::string::npos;
  if (plain) return exact;
  char decimal[40];
  std::snprintf(decimal, sizeof decimal, "%.17g", std::bit_cast<double>(data.bits[index]));
  return absl::StrCat(decimal, " (", exact, ")");
}

// A different order or form of the computation explains 256 units in the last place of the element
// type, or of f32 on the way to it, at a magnitude of at least 1.
std::string RoundingText(const TensorData& expected, const TensorData& actual, size_t index) {
  if (!IsFloating(expected.dtype) || index >= actual.bits.size()) return "\n";
  const double wanted = std::bit_cast<double>(expected.bits[index]);
  const double seen = std::bit_cast<double>(actual.bits[index]);
  const auto within = [&](double unit) {
    return std::fabs(wanted - seen) <= unit * std::fmax(std::fabs(wanted), 1);
  };
  if (within(0x1p8 * FormatOf(expected.dtype).unit)) {
    return "; they differ by rounding\n";
  }
  return within(0x1p-16) ? "; they differ as f32 rounds\n" : "\n";
}

std::string ExpectedText(std::string_view expected, std::string_view actual) {
  return absl::StrCat("  expected ", expected, "\n  actual   ", actual, "\n");
}

std::string DifferenceText(const Difference& difference, const TensorData& expected,
                           const TensorData& actual) {
  if (difference.kind == Difference::Kind::kType) {
    return ExpectedText(TypeText(expected.dtype, expected.shape),
                        TypeText(actual.dtype, actual.shape));
  }
  char bound[40];
  std::snprintf(bound, sizeof bound, "%.3g", difference.bound);
  return absl::StrCat(
      ExpectedText(ElementText(expected, difference.index), ElementText(actual, difference.index)),
      "  at element ", difference.index,
      difference.bound == 0 ? std::string(": exact, so the bits must be equal")
                            : absl::StrCat(": may differ by ", bound),
      RoundingText(expected, actual, difference.index));
}

std::string EngineText(int device_threads, int helpers) {
  if (device_threads == 0) return "engine on the caller's thread";
  std::string text = absl::StrCat("engine with ", device_threads, " device thread",
                                  device_threads == 1 ? "" : "s");
  if (helpers > 0) absl::StrAppend(&text, " and ", helpers, helpers == 1 ? " helper" : " helpers");
  return text;
}

std::string EngineText(const Evidence& evidence) {
  return EngineText(evidence.device_threads, evidence.helpers);
}

std::string NodeText(const NodeName& name) {
  std::string_view role = program::NodeRoleName(name.role);
  if (name.role == NodeRole::kStatement) role = "node";
  if (name.role == NodeRole::kBackward) role = "node made by create_graph";
  std::string text = absl::StrCat(std::string(role), " of statement ", name.statement);
  if (name.index != 0) absl::StrAppend(&text, " number ", name.index);
  return text;
}

}  // namespace twingrad::oracles

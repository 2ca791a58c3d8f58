#include "proptests/oracles/compare.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/program/element_text.h"
#include "autograd/program/print.h"

namespace twingrad::oracles {

using twingrad::DType;
using twingrad::program::NodeName;
using twingrad::program::NodeRole;
using twingrad::program::Program;
using twingrad::program::TensorData;
using twingrad::program::ValueId;

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
  if (expected.dtype != actual.dtype || expected.shape != actual.shape ||
      expected.bits.size() != actual.bits.size()) {
    return {Difference::Kind::kType, 0, 0};
  }
  const bool floating = twingrad::IsFloating(expected.dtype);
  for (size_t i = 0; i < expected.bits.size(); ++i) {
    if (expected.bits[i] == actual.bits[i]) continue;
    const double bound = i < bounds.size() ? bounds[i] : 0;
    const bool within = floating ? Within(std::bit_cast<double>(expected.bits[i]),
                                          std::bit_cast<double>(actual.bits[i]), bound)
                                 : bound == std::numeric_limits<double>::infinity();
    if (!within) return {Difference::Kind::kElement, i, bound};
  }
  return {};
}

Difference CompareBits(const TensorData& a, const TensorData& b) {
  if (a.dtype != b.dtype || a.shape != b.shape || a.bits.size() != b.bits.size()) {
    return {Difference::Kind::kType, 0, 0};
  }
  for (size_t i = 0; i < a.bits.size(); ++i) {
    if (a.bits[i] != b.bits[i]) return {Difference::Kind::kElement, i, 0};
  }
  return {};
}

Rule RuleOf(absl::Span<const double> bounds) {
  double widest = 0;
  for (double bound : bounds) widest = bound > widest ? bound : widest;
  if (widest == 0) return Rule::kExact;
  return std::isinf(widest) ? Rule::kNotCompared : Rule::kBounded;
}

std::string NameOf(const Program& program, ValueId value) {
  if (value < 0 || value >= static_cast<ValueId>(program.names.size())) return "_";
  return absl::StrCat("%", program.names[value]);
}

int StatementOf(const Program& program, ValueId value) {
  for (size_t i = 0; i < program.statements.size(); ++i) {
    for (ValueId result : program.statements[i].results) {
      if (result == value) return static_cast<int>(i);
    }
  }
  return -1;
}

std::string LineOf(const Program& program, int statement) {
  if (statement < 0 || statement >= static_cast<int>(program.statements.size())) {
    return absl::StrCat("statement ", statement);
  }
  std::string line = twingrad::program::PrintStatement(program, statement);
  if (line.size() > 120) line.replace(117, std::string::npos, "...");
  return absl::StrCat("statement ", statement, ": ", line);
}

std::string TypeText(DType dtype, const twingrad::Shape& shape) {
  std::string text(twingrad::DTypeName(dtype));
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : ",", shape[i]);
  text += ']';
  return text;
}

std::string ElementText(const TensorData& data, size_t index) {
  if (index >= data.bits.size()) return "nothing";
  std::string exact;
  twingrad::program::AppendElement(data.bits[index], data.dtype, exact);
  const bool plain = !twingrad::IsFloating(data.dtype) || exact.find('p') == std::string::npos;
  if (plain) return exact;
  char decimal[40];
  std::snprintf(decimal, sizeof decimal, "%.17g", std::bit_cast<double>(data.bits[index]));
  return absl::StrCat(decimal, " (", exact, ")");
}

// Adds a note if two elements are so close that a different order or form of the computation
// explains the difference: 256 units in the last place of the element type, or of f32 on the way to
// it, at a magnitude of at least 1.
std::string RoundingText(const TensorData& expected, const TensorData& actual, size_t index) {
  if (!twingrad::IsFloating(expected.dtype) || index >= actual.bits.size()) return "\n";
  const double wanted = std::bit_cast<double>(expected.bits[index]);
  const double seen = std::bit_cast<double>(actual.bits[index]);
  const auto within = [&](double unit) {
    return std::fabs(wanted - seen) <= unit * std::fmax(std::fabs(wanted), 1);
  };
  if (within(expected.dtype == DType::kF64 ? 0x1p-45 : 0x1p-16)) {
    return "; they differ by rounding\n";
  }
  return within(0x1p-16) ? "; they differ as f32 rounds\n" : "\n";
}

std::string DifferenceText(const Difference& difference, const TensorData& expected,
                           const TensorData& actual) {
  if (difference.kind == Difference::Kind::kType) {
    return absl::StrCat("  expected ", TypeText(expected.dtype, expected.shape), "\n  actual   ",
                        TypeText(actual.dtype, actual.shape), "\n");
  }
  char bound[40];
  std::snprintf(bound, sizeof bound, "%.3g", difference.bound);
  return absl::StrCat("  expected ", ElementText(expected, difference.index), "\n  actual   ",
                      ElementText(actual, difference.index), "\n  at element ", difference.index,
                      difference.bound == 0 ? std::string(": exact, so the bits must be equal")
                                            : absl::StrCat(": may differ by ", bound),
                      RoundingText(expected, actual, difference.index));
}

std::string EngineText(int device_threads) {
  if (device_threads == 0) return "engine on the caller's thread";
  return absl::StrCat("engine with ", device_threads, " device thread",
                      device_threads == 1 ? "" : "s");
}

std::string NodeText(const NodeName& name) {
  std::string_view role = twingrad::program::NodeRoleName(name.role);
  if (name.role == NodeRole::kStatement) role = "node";
  if (name.role == NodeRole::kBackward) role = "node made by create_graph";
  std::string text = absl::StrCat(std::string(role), " of statement ", name.statement);
  if (name.index != 0) absl::StrAppend(&text, " number ", name.index);
  return text;
}

}  // namespace twingrad::oracles

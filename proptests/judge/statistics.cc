#include "proptests/judge/statistics.h"

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "proptests/oracles/compare.h"

namespace twingrad::judge {
namespace {

// The elements of a gradient, and those of them that the twin leaves open.
void CountOpen(const twingrad::program::TensorData& gradient,
               const std::vector<reference::Judged>& bounds, size_t at, uint64_t& elements,
               std::array<uint64_t, kNumOpenReasons>& open) {
  elements += gradient.bits.size();
  if (at >= bounds.size() || !IsFloating(gradient.dtype)) return;
  const std::vector<double>& bound = bounds[at].bound;
  for (size_t k = 0; k < bound.size() && k < gradient.bits.size(); ++k) {
    if (bound[k] == 0) continue;
    const double value = std::bit_cast<double>(gradient.bits[k]);
    if (std::isinf(bound[k])) {
      ++open[std::isfinite(value) ? 1 : 0];
    } else if (oracles::IsTooWide(value, bound[k])) {
      ++open[2];
    }
  }
}

}  // namespace

void Statistics::AddProgram(const twingrad::program::Program& program) {
  ++programs;
  statements += program.statements.size();
  const auto held = TraitsOf(program);
  for (size_t i = 0; i < held.size(); ++i) traits[i] += held[i] ? 1 : 0;
  for (const auto& statement : program.statements) {
    ++opcodes[static_cast<size_t>(statement.op)];
  }
  for (const int kind : KindsOf(program)) ++kinds[static_cast<size_t>(kind)];
}

void Statistics::AddDual(const reference::DualResult& dual, const oracles::GradientCount& count) {
  std::array<bool, 2> judged = {};
  for (size_t order = 0; order < judged.size(); ++order) {
    dual_asked[order] += count.asked[order];
    dual_judged[order] += count.judged[order];
    judged[order] = count.asked[order] == 0 || count.judged[order] > 0;
  }
  if (dual.not_applicable.empty() && !dual.kinks.empty()) ++dual_kinks;
  if (dual.not_applicable.empty() && judged[0]) {
    ++dual_first;
    if (judged[1]) ++dual_second;
    if (count.asked[0] + count.asked[1] == 0) ++dual_values_only;
    return;
  }
  const std::string_view why = dual.not_applicable.empty() ? reference::kAllDisturbed
                                                           : std::string_view(dual.not_applicable);
  const size_t reason = reference::DualReason(why);
  if (reason < reference::kNumDualReasons) ++dual_refused[reason];
}

void Statistics::AddClasses(const twingrad::program::Program& program,
                            const reference::TwinResult& twin) {
  const auto& values = twin.observation.values;
  const auto& error = twin.observation.error;
  const size_t count = error ? static_cast<size_t>(error->statement) : program.statements.size();
  absl::InlinedVector<const twingrad::program::TensorData*, 4> operands;
  for (size_t at = 0; at < count && at < program.statements.size(); ++at) {
    const auto& statement = program.statements[at];
    operands.clear();
    for (const auto operand : statement.operands) {
      const auto i = static_cast<size_t>(operand);
      const bool is_known = operand >= 0 && i < values.size() && values[i].defined;
      operands.push_back(is_known ? &values[i].data : nullptr);
    }
    for (const int k : OpClassesOf(statement, operands)) ++classes[static_cast<size_t>(k)];
  }
}

void Statistics::AddOpen(const twingrad::program::Program& program,
                         const reference::TwinResult& twin) {
  uint64_t elements = 0;
  std::array<uint64_t, kNumOpenReasons> found = {};
  const auto& values = twin.observation.values;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].grad_defined) CountOpen(values[i].grad, twin.grad_bounds, i, elements, found);
  }
  for (const auto& statement : program.statements) {
    if (statement.op != twingrad::program::Opcode::kGrad) continue;
    for (const auto result : statement.results) {
      const auto i = static_cast<size_t>(result);
      if (i < values.size() && values[i].defined) {
        CountOpen(values[i].data, twin.value_bounds, i, elements, found);
      }
    }
  }
  if (elements == 0) return;
  gradient_elements += elements;
  uint64_t open_ones = 0;
  for (size_t reason = 0; reason < found.size(); ++reason) {
    open[reason] += found[reason];
    open_ones += found[reason];
  }
  for (const int kind : KindsOf(program)) {
    kinds_elements[static_cast<size_t>(kind)] += elements;
    kinds_open[static_cast<size_t>(kind)] += open_ones;
  }
}

void Statistics::AddSkipped(const twingrad::program::Program& program) {
  ++skipped;
  for (const int kind : KindsOf(program)) ++kinds_skipped[static_cast<size_t>(kind)];
}

}  // namespace twingrad::judge

#include "proptests/judge/statistics.h"

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proptests/oracles/compare.h"

namespace twingrad::judge {
namespace {

// All counters in one fixed order.
template <typename Stats>
auto Counters(Stats& s) {
  std::vector counters = {&s.programs,
                          &s.statements,
                          &s.runs,
                          &s.nodes_executed,
                          &s.findings,
                          &s.skipped,
                          &s.compared.values,
                          &s.compared.gradients_exact,
                          &s.compared.gradients_bounded,
                          &s.compared.gradients_not_compared,
                          &s.compared.counts_predicted,
                          &s.compared.counts_recounted,
                          &s.compared.elements_in_balls,
                          &s.compared.elements_without_ball,
                          &s.compared.waits,
                          &s.compared.needless_waits,
                          &s.compared.unordered,
                          &s.compared.racing,
                          &s.compared.races,
                          &s.unordered,
                          &s.racing,
                          &s.twin_judged,
                          &s.dual_first,
                          &s.dual_second,
                          &s.dual_values_only,
                          &s.dual_kinks,
                          &s.dual_asked[0],
                          &s.dual_asked[1],
                          &s.dual_judged[0],
                          &s.dual_judged[1],
                          &s.gradient_elements,
                          &s.ball_asked,
                          &s.errors_judged,
                          &s.linearity_judged};
  for (auto& count : s.dual_refused) counters.push_back(&count);
  for (auto& count : s.ball_refusals) counters.push_back(&count);
  for (auto& count : s.traits) counters.push_back(&count);
  for (auto& count : s.opcodes) counters.push_back(&count);
  for (auto& count : s.kinds) counters.push_back(&count);
  for (auto& count : s.kinds_skipped) counters.push_back(&count);
  for (auto& count : s.open) counters.push_back(&count);
  for (auto& count : s.kinds_elements) counters.push_back(&count);
  for (auto& count : s.kinds_open) counters.push_back(&count);
  return counters;
}

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

void Statistics::Merge(const Statistics& other) {
  const auto own = Counters(*this);
  const auto others = Counters(other);
  for (size_t i = 0; i < own.size(); ++i) *own[i] += *others[i];
}

std::string Statistics::ToText() const {
  return absl::StrJoin(Counters(*this), " ", absl::DereferenceFormatter());
}

std::optional<Statistics> Statistics::FromText(std::string_view text) {
  Statistics statistics;
  const auto places = Counters(statistics);
  const std::vector<absl::string_view> pieces = absl::StrSplit(text, ' ');
  if (pieces.size() != places.size()) return std::nullopt;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!absl::SimpleAtoi(pieces[i], places[i])) return std::nullopt;
  }
  return statistics;
}

}  // namespace twingrad::judge

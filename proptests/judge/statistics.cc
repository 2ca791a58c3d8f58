#include "proptests/judge/statistics.h"

#include <array>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

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
                          &s.twin_judged,
                          &s.dual_first,
                          &s.dual_second,
                          &s.dual_values_only,
                          &s.dual_kinks,
                          &s.dual_asked[0],
                          &s.dual_asked[1],
                          &s.dual_judged[0],
                          &s.dual_judged[1],
                          &s.ball_asked,
                          &s.errors_judged,
                          &s.linearity_judged};
  for (auto& count : s.dual_refused) counters.push_back(&count);
  for (auto& count : s.ball_refusals) counters.push_back(&count);
  for (auto& count : s.traits) counters.push_back(&count);
  for (auto& count : s.opcodes) counters.push_back(&count);
  for (auto& count : s.kinds) counters.push_back(&count);
  for (auto& count : s.kinds_skipped) counters.push_back(&count);
  return counters;
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

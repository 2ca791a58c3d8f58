#include "proptests/conformance/diagnosis.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proptests/conformance/facts.h"
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Bits;
using twingrad::program::Key;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::ValueId;
using twingrad::reference::DialectRules;
using twingrad::reference::TwinResult;

// What stood in .grad at some time, of any value.
struct Grads {
  void Add(const Observation& observation, const std::vector<twingrad::reference::Judged>* bounds) {
    for (size_t v = 0; v < observation.values.size(); ++v) {
      const auto& value = observation.values[v];
      for (size_t i = 0; value.grad_defined && i < value.grad.bits.size(); ++i) {
        const double bound = bounds == nullptr ? 0 : (*bounds)[v].Of(i);
        elements.push_back({value.grad.bits[i], bound});
      }
    }
  }
  bool Holds(uint64_t bits) const {
    const double x = std::bit_cast<double>(bits);
    return std::ranges::any_of(elements, [&](const auto& element) {
      return element.first == bits ||
             std::fabs(std::bit_cast<double>(element.first) - x) <= element.second;
    });
  }
  std::vector<std::pair<uint64_t, double>> elements;  // and how far the engine's may be off
};

// Those at the end, and those after each call where something puts others in their place:
// create_graph and zero_grad.
Grads GradsOf(const Program& program, const DialectRules& rules, const Observation& observed) {
  Grads grads;
  grads.Add(observed, nullptr);
  if (!CreatesGraph(program) && !Holds(program, Opcode::kZeroGrad)) return grads;
  for (Program part = program; !part.statements.empty(); part.statements.pop_back()) {
    if (part.statements.back().op != Opcode::kBackward) continue;
    const TwinResult twin = twingrad::reference::RunTwin(part, rules);
    if (!twin.skipped) grads.Add(twin.observation, &twin.grad_bounds);
  }
  return grads;
}

// The values that the attribute lists.
std::vector<ValueId> Listed(const twingrad::program::Statement& statement, Key key) {
  return statement.Get<std::vector<ValueId>>(key);
}

bool Knows(const twingrad::reference::DualResult& dual, const ElementDifference& d) {
  const auto& tensors = d.grad ? dual.grads : dual.values;
  const auto value = static_cast<size_t>(d.value);
  if (value >= tensors.size() || !tensors[value].known) return false;
  return d.index < tensors[value].data.size() && std::isfinite(tensors[value].BoundOf(d.index));
}

Opinion OfDualNumbers(const Program& program, const TwinResult& twin,
                      const twingrad::reference::DualResult& dual, const Differences& differences) {
  if (!dual.not_applicable.empty()) {
    return {absl::StrCat("  second opinion: none, ", dual.not_applicable, "\n")};
  }
  const oracles::Verdict verdict = oracles::JudgeDual({program, twin, twin.observation}, dual);
  if (verdict.outcome != oracles::Outcome::kDisagree) {
    if (differences.empty())
      return {"  second opinion: none, the dual numbers know numbers alone\n"};
    if (!Knows(dual, differences.front())) {
      return {"  second opinion: none, the dual numbers do not know this element\n"};
    }
    return {"  second opinion: the dual numbers agree with the twin\n"};
  }
  return {absl::StrCat("  second opinion: the dual numbers contradict the twin\n", verdict.text),
          /*doubtful=*/true};
}

}  // namespace

Opinion SecondOpinion(const Program& program, const TwinResult& twin,
                      const twingrad::reference::DualResult& dual, const Differences& differences,
                      const twingrad::reference::ball::BallResult* ball) {
  Opinion opinion = OfDualNumbers(program, twin, dual, differences);
  if (ball == nullptr) return opinion;
  bool contradicts = false;
  opinion.text += oracles::BallOpinion(program, twin, *ball, &contradicts);
  opinion.doubtful |= contradicts;
  return opinion;
}

bool SeedBecameGrad(const Program& program, const DialectRules& rules, const Observation& expected,
                    const Observation& observed) {
  std::optional<Grads> grads;
  const auto written = [&](const Bits& before, const Bits& now) {
    if (before.size() != now.size() || before == now) return false;
    if (!grads) grads = GradsOf(program, rules, observed);
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i] != before[i] && !grads->Holds(now[i])) return false;
    }
    return true;
  };
  for (const auto& statement : program.statements) {
    for (const ValueId id : Listed(statement, Key::kSeeds)) {
      if (id == twingrad::program::kNoValue) continue;
      const auto& seed = observed.values[static_cast<size_t>(id)];
      const auto& before = expected.values[static_cast<size_t>(id)];
      if (!seed.defined) continue;
      if (before.defined && written(before.data.bits, seed.data.bits)) return true;
      for (size_t v = 0; v < observed.values.size(); ++v) {
        const auto& now = observed.values[v];
        const bool same = now.grad_defined && now.grad.bits == seed.data.bits;
        if (same && now.grad.bits != expected.values[v].grad.bits) return true;
      }
    }
  }
  return false;
}

}  // namespace twingrad::conformance

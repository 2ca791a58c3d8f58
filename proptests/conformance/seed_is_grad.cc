#include "proptests/conformance/seed_is_grad.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "proptests/conformance/absent_zeros.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::reference::Dialect;

// What stood in .grad at some time, of any value.
struct Grads {
  void Add(const Observation& observation, const std::vector<twingrad::reference::Judged>* bounds) {
    for (size_t v = 0; v < observation.values.size(); ++v) {
      const auto& value = observation.values[v];
      for (size_t i = 0; value.grad_defined && i < value.grad.bits.size(); ++i) {
        const double bound = bounds == nullptr ? 0 : (*bounds)[v].bound[i];
        elements.push_back({value.grad.bits[i], bound});
      }
    }
  }
  bool Holds(uint64_t bits) const {
    const double x = std::bit_cast<double>(bits);
    return std::any_of(elements.begin(), elements.end(), [&](const auto& element) {
      return element.first == bits ||
             std::fabs(std::bit_cast<double>(element.first) - x) <= element.second;
    });
  }
  std::vector<std::pair<uint64_t, double>> elements;  // and how far the engine's may be off
};

// Those at the end, and those after each call where something puts others in their place:
// create_graph and zero_grad.
Grads GradsOf(const Program& program, Dialect dialect, const Observation& observed) {
  Grads grads;
  grads.Add(observed, nullptr);
  Program part = program;
  const bool replaced =
      CreatesGraph(program) || std::any_of(program.statements.begin(), program.statements.end(),
                                           [](const auto& s) { return s.op == Opcode::kZeroGrad; });
  while (replaced && !part.statements.empty()) {
    const Opcode last = part.statements.back().op;
    if (last == Opcode::kBackward) {
      const auto twin = twingrad::reference::RunTwin(part, dialect);
      if (!twin.skipped) grads.Add(twin.observation, &twin.grad_bounds);
    }
    part.statements.pop_back();
  }
  return grads;
}

}  // namespace

bool SeedBecameGrad(const Program& program, Dialect dialect, const Observation& expected,
                    const Observation& observed) {
  std::optional<Grads> grads;
  const auto written = [&](const twingrad::program::Bits& before,
                           const twingrad::program::Bits& now) {
    if (before.size() != now.size() || before == now) return false;
    if (!grads) grads = GradsOf(program, dialect, observed);
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i] != before[i] && !grads->Holds(now[i])) return false;
    }
    return true;
  };
  for (const auto& statement : program.statements) {
    const auto* seeds = statement.Find(twingrad::program::Key::kSeeds);
    if (seeds == nullptr) continue;
    for (const auto id : std::get<std::vector<twingrad::program::ValueId>>(*seeds)) {
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

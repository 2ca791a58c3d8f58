// The check of anomaly mode: whether a node returned NaN, on every correct engine or on none.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "autograd/reference/call.h"

namespace twingrad::reference {
namespace {

constexpr char kOfCreateGraph[] = "a NaN of nodes that create_graph made, under anomaly mode";

enum class HasNan : uint8_t { kNo, kYes, kUnknown };

HasNan NanIn(const Variable& gradient) {
  if (!gradient.defined() || !IsFloating(gradient.data->dtype)) return HasNan::kNo;
  HasNan found = HasNan::kNo;
  for (int32_t i = 0; i < gradient.data->size; ++i) {
    const Number x = gradient.data->Signless(i);
    if (std::isnan(x.v) && x.e == 0) return HasNan::kYes;
    // An engine's number may be anything where nothing is known of it.
    if (std::isnan(x.v) || x.e == kUnknown) found = HasNan::kUnknown;
  }
  return found;
}

bool HoldsInfinity(const Variable& gradient) {
  if (!gradient.defined()) return false;
  const absl::Span<const double> values(gradient.data->v, static_cast<size_t>(gradient.data->size));
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isinf(v); });
}

// Whether infinities may meet in one formula of the op's derivative and not in another, as the two
// of a variance do in the gradient of its mean, which is 0.
bool IsOfFormula(const Node& node, const Variable& gradient) {
  const auto first = node.steps.empty() ? Primitive::kEnd : node.steps[0].primitive;
  const bool has_several = node.steps.size() > 1 || first == Primitive::kVariance ||
                           first == Primitive::kDeviation || first == Primitive::kNormalize;
  return !node.elementwise && has_several && NanIn(gradient) == HasNan::kNo &&
         HoldsInfinity(gradient);
}

}  // namespace

void Call::CheckForNan(const Node& node, const Variable& gradient,
                       absl::Span<const Variable> results) const {
  if (!interpreter_.modes().anomaly) return;
  for (size_t k = 0; k < results.size(); ++k) {
    const HasNan found = NanIn(results[k]);
    if (found == HasNan::kNo) continue;
    if (IsOfFormula(node, gradient)) {
      throw Skipped{
          "a NaN of infinities that meet in a formula of several steps, under anomaly mode"};
    }
    if (found == HasNan::kUnknown) throw Skipped{"rounding decides whether a gradient is NaN"};
    // Which nodes create_graph made, and what each computes, is left to the engine; so is whether
    // their infinities meet in a sum.
    const bool of_sum = !predicted_ && NanIn(gradient) != HasNan::kNo;
    if (node.name.role == program::NodeRole::kBackward || of_sum) {
      throw Skipped{kOfCreateGraph};
    }
    throw Raised{ErrorKind::kAnomaly};
  }
}

// Infinities that meet where gradients are added up: a node of create_graph may stand there and
// return their sum, as a cast does that an operand of a short format was read through.
void Call::CheckSumForNan(absl::Span<const Variable> terms, const Variable& sum) const {
  if (!interpreter_.modes().anomaly || predicted_ || terms.size() < 2) return;
  if (NanIn(sum) == HasNan::kNo) return;
  if (std::all_of(terms.begin(), terms.end(),
                  [](const Variable& term) { return NanIn(term) == HasNan::kNo; })) {
    throw Skipped{kOfCreateGraph};
  }
}

}  // namespace twingrad::reference

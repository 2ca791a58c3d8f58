#include "proptests/conformance/legality.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "autograd/base/float_format.h"
#include "autograd/program/signature.h"
#include "proptests/conformance/hull.h"
#include "proptests/conformance/reach.h"
#include "proptests/oracles/compare.h"

namespace twingrad::conformance {
namespace {

using oracles::TensorData;
using twingrad::program::Category;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::ValueId;
using twingrad::reference::DualResult;
using twingrad::reference::Judged;
using twingrad::reference::LegalAnswers;
using twingrad::reference::LegalRange;
using twingrad::reference::TwinResult;

// `of` says of what; number `at` of the bounds is that of these.
void AddDifferences(ElementDifference of, const TensorData& expected, const TensorData& actual,
                    const std::vector<Judged>& bounds, size_t at, Differences* differences) {
  if (!oracles::SameType(expected, actual) || !IsFloating(expected.dtype)) return;
  for (size_t i = 0; i < expected.bits.size(); ++i) {
    of.bound = at < bounds.size() ? bounds[at].Of(i) : 0;
    const TensorData e{expected.dtype, {}, {expected.bits[i]}};
    const TensorData a{actual.dtype, {}, {actual.bits[i]}};
    if (!oracles::Compare(e, a, {&of.bound, 1})) continue;
    of.index = i;
    of.expected = std::bit_cast<double>(expected.bits[i]);
    of.actual = std::bit_cast<double>(actual.bits[i]);
    differences->push_back(of);
  }
}

void AddSeen(const TwinResult& expected, const Observation& observed,
             const std::vector<SeenGradient>& seen, Differences* differences) {
  for (size_t i = 0; i < seen.size(); ++i) {
    const SeenGradient& s = seen[i];
    const auto& e = expected.observation.calls[s.call].hooks[s.expected];
    const auto& o = observed.calls[s.call].hooks[s.observed];
    if (!e.gradient_defined || !o.gradient_defined) continue;
    AddDifferences({.value = s.value, .seen = static_cast<int32_t>(i)}, e.gradient, o.gradient,
                   expected.hook_bounds[s.call], s.expected, differences);
  }
}

// What is made of gradients.
enum class Origin : uint8_t { kForward, kGradient, kComputed };

// By value: whether it is a gradient, or computed from one.
std::vector<Origin> OriginsOf(const Program& program) {
  std::vector<Origin> origins(program.names.size(), Origin::kForward);
  bool writes_gradients = false;
  for (const auto& statement : program.statements) {
    const bool of_gradients = std::ranges::any_of(statement.operands, [&](ValueId operand) {
      return origins[static_cast<size_t>(operand)] != Origin::kForward;
    });
    const bool gradient = statement.op == Opcode::kGrad || statement.op == Opcode::kReadGrad;
    for (const ValueId result : statement.results) {
      Origin& origin = origins[static_cast<size_t>(result)];
      if (gradient) {
        origin = Origin::kGradient;
      } else if (of_gradients) {
        origin = Origin::kComputed;
      }
    }
    writes_gradients |= of_gradients && statement.results.empty() &&
                        twingrad::program::SignatureOf(statement.op).category == Category::kInPlace;
  }
  // Which values share what was written is not followed.
  if (writes_gradients) std::ranges::fill(origins, Origin::kComputed);
  return origins;
}

class Judge {
 public:
  Judge(const Program& program, const TwinResult& expected, const Observation& observed,
        const Differences& differences, const LegalAnswers& legal,
        const std::vector<SeenGradient>& seen)
      : expected_(expected),
        observed_(observed),
        differences_(differences),
        legal_(legal),
        seen_(seen),
        origins_(OriginsOf(program)),
        // The witness counts two roundings of f64 or more for each operation; an engine has as many
        // in its own format, from the first operand on.
        roundings_(2 * oracles::CoarsestUnit(program) / kF64Format.unit),
        reached_(ReachedBy(legal.points, program)),
        computes_(std::ranges::count(origins_, Origin::kComputed) > 0) {}

  Ruling Run() {
    ruling_.fates.resize(differences_.size(), Fate::kWrong);
    std::vector<size_t> within;
    for (size_t i = 0; i < differences_.size(); ++i) {
      ruling_.fates[i] = Alone(i);
      if (ruling_.fates[i] == Fate::kConvention) within.push_back(i);
    }
    if (!within.empty() && !legal_.enclosed) Together(within);
    const bool taken = std::ranges::count(ruling_.fates, Fate::kConvention) > 0;
    if (taken) NoteTaken(within);
    ruling_.enclosed = taken && legal_.enclosed;
    return ruling_;
  }

 private:
  double At(const DualResult& vertex, const ElementDifference& d) const {
    if (d.seen >= 0) return vertex.watched[NumberOf(d)].data[d.index];
    const auto& tensors = d.grad ? vertex.grads : vertex.values;
    return tensors[static_cast<size_t>(d.value)].data[d.index];
  }
  // The watch of what was seen, if it is known.
  size_t NumberOf(const ElementDifference& d) const {
    return static_cast<size_t>(seen_[static_cast<size_t>(d.seen)].number);
  }
  LegalRange RangeOf(const ElementDifference& d) const {
    if (d.seen < 0) return legal_.RangeOf(d.value, d.grad, d.index);
    if (!seen_[static_cast<size_t>(d.seen)].IsKnown()) return {};
    return legal_.RangeOfWatched(NumberOf(d), d.index);
  }
  static bool IsGradient(const ElementDifference& d) { return d.grad || d.seen >= 0; }

  Fate Unknown(const ElementDifference& d) const {
    return reached_[static_cast<size_t>(d.value)] ? Fate::kNotJudged : Fate::kWrong;
  }
  bool IsComputed(const ElementDifference& d) const {
    return !IsGradient(d) && origins_[static_cast<size_t>(d.value)] == Origin::kComputed;
  }

  double Tolerance(const ElementDifference& d, const LegalRange& range) const {
    return (std::isfinite(d.bound) ? d.bound : 0) + roundings_ * range.bound;
  }

  static bool IsWithin(const LegalRange& range, double tolerance, double x) {
    return range.low - tolerance <= x && x <= range.high + tolerance;
  }

  // Each for itself.
  Fate Alone(size_t i) {
    const ElementDifference& d = differences_[i];
    const bool forward = origins_[static_cast<size_t>(d.value)] == Origin::kForward;
    if (!IsGradient(d) && forward) return Fate::kWrong;
    const LegalRange range = RangeOf(d);
    // Intervals are not followed through what is computed from gradients.
    if (!range.known || (legal_.enclosed && computes_)) return Unknown(d);
    if (range.or_nan &&
        (std::isnan(d.actual) || (std::isnan(d.expected) && d.actual == range.low))) {
      ruling_.or_nan = true;
      return Fate::kConvention;
    }
    if (!range.chosen) {
      // The witness may be less certain than the choices are apart, an enclosure than it is wide:
      // then no choice shows in it.
      const double own = std::isfinite(d.bound) ? d.bound : 0;
      const bool open = (range.low < range.high && IsWithin(range, own, d.actual)) ||
                        (legal_.enclosed && IsWithin(range, range.bound, d.actual));
      return open ? Unknown(d) : Fate::kWrong;
    }
    if (std::isnan(d.actual)) return std::isinf(range.high) ? Fate::kConvention : Fate::kWrong;
    if (IsWithin(range, Tolerance(d, range), d.actual)) return Fate::kConvention;
    return IsComputed(d) || legal_.nested ? Fate::kNotJudged : Fate::kWrong;
  }

  // All at once, those that are as the twin's included: an answer of one combination, or between
  // those. What is computed from gradients is not affine in the choices, so that between two
  // combinations nothing is known.
  void Together(const std::vector<size_t>& within) {
    Differences chosen;
    bool computed = legal_.nested;
    for (const size_t i : within) {
      computed |= IsComputed(differences_[i]);
      if (std::isfinite(differences_[i].seen)) chosen.push_back(differences_[i]);
    }
    if (chosen.empty()) return;
    AddOthers(&chosen);
    std::vector<double> point, tolerance;
    for (const ElementDifference& d : chosen) {
      point.push_back(d.actual);
      tolerance.push_back(Tolerance(d, RangeOf(d)));
    }
    std::vector<std::vector<double>> vertices;
    for (const DualResult& vertex : legal_.vertices) {
      std::vector<double> coordinates;
      for (const ElementDifference& d : chosen) coordinates.push_back(At(vertex, d));
      if (std::ranges::all_of(coordinates, [](double x) { return std::isfinite(x); })) {
        vertices.push_back(std::move(coordinates));
      }
    }
    const bool legal =
        computed ? std::ranges::any_of(
                       vertices,
                       [&](const auto& vertex) { return IsWithinHull({vertex}, point, tolerance); })
                 : IsWithinHull(vertices, point, tolerance);
    if (legal) return;
    for (const size_t i : within) ruling_.fates[i] = computed ? Fate::kNotJudged : Fate::kWrong;
  }

  // Elements that depend on a choice and are as the twin's.
  void AddOthers(Differences* chosen) const {
    const auto& values = expected_.observation.values;
    const auto add = [&](ElementDifference of, const TensorData& data,
                         const std::vector<Judged>& bounds, size_t at) {
      if (at >= bounds.size() || !IsFloating(data.dtype)) return;
      for (size_t i = 0; i < data.bits.size(); ++i) {
        of.index = i;
        of.expected = of.actual = std::bit_cast<double>(data.bits[i]);
        of.bound = bounds[at].Of(i);
        if (chosen->size() >= kMostCoordinates || !std::isfinite(of.actual + of.bound)) continue;
        const LegalRange range = RangeOf(of);
        if (!range.known || !range.chosen) continue;
        const bool there = std::ranges::any_of(*chosen, [&](const ElementDifference& d) {
          return d.value == of.value && d.grad == of.grad && d.seen == of.seen && d.index == i;
        });
        if (!there) chosen->push_back(of);
      }
    };
    for (size_t v = 0; v < std::min(values.size(), observed_.values.size()); ++v) {
      const auto& o = observed_.values[v];
      const auto value = static_cast<ValueId>(v);
      if (o.defined && values[v].defined && origins_[v] == Origin::kGradient) {
        add({.value = value}, o.data, expected_.value_bounds, v);
      }
      if (!o.grad_defined || !values[v].grad_defined) continue;
      add({.value = value, .grad = true}, o.grad, expected_.grad_bounds, v);
    }
    for (size_t i = 0; i < seen_.size(); ++i) {
      const SeenGradient& s = seen_[i];
      const auto& o = observed_.calls[s.call].hooks[s.observed];
      if (!o.gradient_defined) continue;
      add({.value = s.value, .seen = static_cast<int32_t>(i)}, o.gradient,
          expected_.hook_bounds[s.call], s.expected);
    }
  }

  // The points on which an excused element depends.
  void NoteTaken(const std::vector<size_t>& within) {
    const auto take = [&](size_t p) {
      ruling_.taken[static_cast<size_t>(legal_.points[p].kink)] = true;
    };
    if (legal_.enclosed || legal_.nested) {
      for (size_t p = 0; p < legal_.points.size(); ++p) take(p);
      return;
    }
    for (size_t p = 0; p < legal_.points.size(); ++p) {
      for (size_t u = 0; u < legal_.vertices.size(); ++u) {
        for (size_t v = 0; v < u; ++v) {
          if (!DifferAt(legal_.digits[u], legal_.digits[v], p)) continue;
          for (const size_t i : within) {
            const double a = At(legal_.vertices[u], differences_[i]);
            if (a != At(legal_.vertices[v], differences_[i])) take(p);
          }
        }
      }
    }
  }

  static bool DifferAt(const std::vector<int32_t>& a, const std::vector<int32_t>& b, size_t p) {
    for (size_t k = 0; k < a.size(); ++k) {
      if ((a[k] != b[k]) != (k == p)) return false;
    }
    return true;
  }

  // Further ones are held to their own ranges alone.
  static constexpr size_t kMostCoordinates = 48;

  const TwinResult& expected_;
  const Observation& observed_;
  const Differences& differences_;
  const LegalAnswers& legal_;
  const std::vector<SeenGradient>& seen_;
  const std::vector<Origin> origins_;
  const double roundings_;
  const std::vector<bool> reached_;  // by a kink
  const bool computes_;              // something from gradients
  Ruling ruling_;
};

}  // namespace

Differences FindDifferences(const TwinResult& expected, const Observation& observed,
                            const std::vector<SeenGradient>& seen) {
  Differences differences;
  const auto& values = expected.observation.values;
  for (size_t v = 0; v < std::min(values.size(), observed.values.size()); ++v) {
    const auto& e = values[v];
    const auto& o = observed.values[v];
    const auto value = static_cast<ValueId>(v);
    if (e.defined && o.defined) {
      AddDifferences({.value = value}, e.data, o.data, expected.value_bounds, v, &differences);
    }
    if (e.grad_defined && o.grad_defined) {
      AddDifferences({.value = value, .grad = true}, e.grad, o.grad, expected.grad_bounds, v,
                     &differences);
    }
  }
  AddSeen(expected, observed, seen, &differences);
  return differences;
}

Ruling RuleOn(const Program& program, const TwinResult& expected, const Observation& observed,
              const Differences& differences, const LegalAnswers& legal,
              const std::vector<SeenGradient>& seen) {
  return Judge(program, expected, observed, differences, legal, seen).Run();
}

}  // namespace twingrad::conformance

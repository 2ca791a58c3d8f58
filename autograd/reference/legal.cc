#include "autograd/reference/legal.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace twingrad::reference {
namespace {

// What each run is of.
struct Asked {
  const program::Program& program;
  absl::Span<const int32_t> failed;
  absl::Span<const Watch> watches;

  DualResult Run(Choices& choices) const { return RunDualWith(program, choices, failed, watches); }
};

const DualTensor* TensorOf(const DualResult& result, program::ValueId value, bool grad) {
  const std::vector<DualTensor>& tensors = grad ? result.grads : result.values;
  const auto at = static_cast<size_t>(value);
  return at < tensors.size() && tensors[at].known ? &tensors[at] : nullptr;
}

// The next combination, in the order of an odometer over the points that the last run met; empty
// after the last.
std::vector<int32_t> Next(std::vector<int32_t> digits, const std::vector<KinkPoint>& points) {
  while (!digits.empty() && digits.back() + 1 >= points[digits.size() - 1].extremes) {
    digits.pop_back();
  }
  if (!digits.empty()) ++digits.back();
  return digits;
}

// False if there are too many.
bool Enumerate(const Asked& asked, bool with_own, LegalAnswers* legal) {
  std::vector<int32_t> digits;
  do {
    if (legal->vertices.size() == kMaxVertices) return false;
    Choices choices(Choices::Rule::kVertex, digits, with_own);
    DualResult result = asked.Run(choices);
    const std::vector<KinkPoint>& points = choices.points();
    if (!result.not_applicable.empty()) {
      legal->not_known = result.not_applicable;
      return true;
    }
    if (legal->vertices.empty()) {
      double combinations = 1;
      for (const KinkPoint& point : points) combinations *= point.extremes;
      if (combinations > static_cast<double>(kMaxVertices)) return false;
      legal->points = points;
    }
    legal->nested |= points != legal->points;
    digits.resize(points.size(), 0);
    legal->digits.push_back(digits);
    legal->vertices.push_back(std::move(result));
    digits = Next(std::move(digits), points);
  } while (!digits.empty());
  return true;
}

// Over the vertices, of an element of the tensor that `tensor_of` a vertex gives.
template <typename TensorOf>
LegalRange RangeOver(const LegalAnswers& legal, size_t index, const TensorOf& tensor_of) {
  LegalRange range;
  bool any = false;
  for (const DualResult& vertex : legal.vertices) {
    const DualTensor* tensor = tensor_of(vertex);
    if (tensor == nullptr || index >= tensor->data.size()) return {};
    const double x = tensor->data[index], bound = tensor->BoundOf(index);
    if (std::isnan(x) || !(bound < kUnknown)) return {};
    const double spread = index < tensor->spread.size() ? tensor->spread[index] : 0;
    range.or_nan |= tensor->IsOrNan(index);
    range.bound = std::max(range.bound, bound);
    range.low = any ? std::min(range.low, x - spread) : x - spread;
    range.high = any ? std::max(range.high, x + spread) : x + spread;
    any = true;
  }
  range.known = any && legal.not_known.empty();
  range.chosen = range.high - range.low > 2 * range.bound;
  return range;
}

}  // namespace

LegalAnswers FindLegalAnswers(const program::Program& program, absl::Span<const int32_t> failed,
                              absl::Span<const Watch> watches) {
  const Asked asked{program, failed, watches};
  LegalAnswers legal;
  Choices of_own(Choices::Rule::kOwn);
  DualResult own = asked.Run(of_own);
  if (!own.not_applicable.empty()) {
    legal.not_known = own.not_applicable;
    legal.points = KinksOf(program, failed);
    return legal;
  }
  const bool with_own = own.order_needed > 1;
  if (Enumerate(asked, with_own, &legal)) return legal;
  Choices all(Choices::Rule::kEnclosure);
  DualResult enclosure = asked.Run(all);
  LegalAnswers enclosed;
  enclosed.enclosed = true;
  enclosed.points = all.points();
  enclosed.not_known = enclosure.not_applicable;
  enclosed.vertices.push_back(std::move(enclosure));
  return enclosed;
}

LegalRange LegalAnswers::RangeOf(program::ValueId value, bool grad, size_t index) const {
  return RangeOver(*this, index,
                   [&](const DualResult& vertex) { return TensorOf(vertex, value, grad); });
}

LegalRange LegalAnswers::RangeOfWatched(size_t watch, size_t index) const {
  return RangeOver(*this, index, [&](const DualResult& vertex) -> const DualTensor* {
    const bool known = watch < vertex.watched.size() && vertex.watched[watch].known;
    return known ? &vertex.watched[watch] : nullptr;
  });
}

}  // namespace twingrad::reference

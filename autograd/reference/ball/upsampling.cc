// Planes of other sizes: each entry a sum of those around its place, times weights.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Key;
using program::Opcode;

namespace {

// By place: what may be off in the place of a run that rounds the scale.
constexpr double kRoundings = 4;

// Keys' cubic convolution with a = -3/4, "Cubic Convolution Interpolation for Digital Image
// Processing", 1981, (8), at a distance.
Real CubicWeight(const Real& distance) {
  const Real a(-0.75), x = distance;
  const Real one(1.0);
  if ((x - one).IsNegative() || (x - one).IsZero()) {
    return ((a + Real(2.0)) * x - (a + Real(3.0))) * x * x + one;
  }
  if (!(x - Real(2.0)).IsNegative()) return Real(0.0);
  return ((a * x - Real(5.0) * a) * x + Real(8.0) * a) * x - Real(4.0) * a;
}
Real LinearWeight(const Real& distance) {
  const Real weight = Real(1.0) - distance;
  return weight.IsPositive() ? weight : Real(0.0);
}

int64_t FloorOf(int64_t numerator, int64_t divisor) {
  const int64_t quotient = numerator / divisor;
  return quotient * divisor > numerator ? quotient - 1 : quotient;
}

}  // namespace

// Of each entry of the new dimension those of the old one that it is made of, and their weights.
// The slopes of both kinds of weights are 2 at most, so that a run whose place is off by a bound
// has weights that are off by twice that.
std::vector<std::vector<std::pair<int64_t, Ref>>> Evaluation::NeighboursAlong(int64_t size,
                                                                              int64_t count) {
  const bool corners = statement_.Get<bool>(Key::kAlignCorners);
  const bool cubic = op_ == Opcode::kUpsampleBicubic2d;
  const bool nearest = program::SignatureOf(op_).Find(Key::kAlignCorners) == nullptr;
  const int64_t divisor = !corners ? 2 * count : std::max<int64_t>(count - 1, 1);
  const double unit = FormatOf(type()).unit;
  int64_t step = corners ? (count > 1 ? size - 1 : 0) : 2 * size;
  std::vector<std::vector<std::pair<int64_t, Ref>>> all(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    auto& terms = all[static_cast<size_t>(i)];
    if (nearest) {
      terms.emplace_back(i * size / count, math_.Point(1));
      continue;
    }
    int64_t numerator = i * step + (corners ? 0 : size - count);
    if (!cubic) numerator = std::max<int64_t>(numerator, 0);
    const int64_t first = FloorOf(numerator, divisor);
    const Real place = Real::OfInteger(numerator) / Real::OfInteger(divisor);
    const double off = kRoundings * unit * static_cast<double>(size + 1);
    const int64_t before = cubic ? 2 : 1, after = cubic ? 2 : 1;
    for (int64_t at = first - before; at <= first + after; ++at) {
      Real distance = place - Real::OfInteger(at);
      if (distance.IsNegative()) distance = -distance;
      const Real weight = cubic ? CubicWeight(distance) : LinearWeight(distance);
      Real run = weight;
      run.Widen((cubic ? 16 : 2) * off);
      const bool far = weight.IsZero() && (at == first - before);
      if (far && numerator % divisor != 0) continue;
      const int64_t inside = std::clamp<int64_t>(at, 0, size - 1);
      terms.emplace_back(inside, math_.Keep({weight, run, {}}));
    }
  }
  return all;
}

void Evaluation::Upsample() {
  const auto counts = statement_.Get<std::vector<int64_t>>(Key::kShape);
  const absl::Span<const int64_t> sizes(in_[0].shape);
  const auto plane = sizes.last(counts.size());
  using Terms = std::vector<std::pair<int64_t, Ref>>;
  std::vector<Terms> windows = {{{0, math_.Point(1)}}};
  for (size_t d = 0; d < plane.size(); ++d) {
    const std::vector<Terms> lines = NeighboursAlong(plane[d], counts[d]);
    std::vector<Terms> crossed;
    for (const Terms& window : windows) {
      for (const Terms& line : lines) {
        Terms& terms = crossed.emplace_back();
        for (const auto& [place, weight] : window) {
          for (const auto& [at, factor] : line) {
            terms.emplace_back(place * plane[d] + at, math_.Multiply(weight, factor, type()));
          }
        }
      }
    }
    windows = std::move(crossed);
  }
  const auto elements = static_cast<int64_t>(in_[0].elements.size());
  for (int64_t first = 0; first < elements; first += CountOf(plane)) {
    for (const Terms& terms : windows) {
      std::vector<std::pair<Ref, Ref>> products;
      for (const auto& [place, weight] : terms) {
        products.emplace_back(in_[0].elements[static_cast<size_t>(first + place)], weight);
      }
      Put(math_.SumOfProducts(products, nullptr, type()));
    }
  }
}

}  // namespace twingrad::reference::ball

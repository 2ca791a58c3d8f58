#include "autograd/gradcheck/difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace twingrad {
namespace {

constexpr int kLevels = 12;
constexpr double kLargestStep = 0x1p-5;
constexpr double kUlps = 4;  // of rounding that a value is taken to have
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// The values around x at one step.
struct Sample {
  double step = 0;
  double below = 0;
  double above = 0;

  bool IsFinite() const { return std::isfinite(below) && std::isfinite(above); }
  double Slope() const { return (above - below) / (2 * step); }
  double Rounding() const {
    return kUlps * kEpsilon * std::max(std::abs(above), std::abs(below)) / step;
  }
};

// The best entry of the tableau over the samples, whose steps halve.
void Extrapolate(const std::vector<Sample>& samples, Difference& d) {
  std::array<double, kLevels> before{};  // the row of the step twice as large
  double best = std::numeric_limits<double>::infinity();
  for (size_t k = 0; k < samples.size(); ++k) {
    std::array<double, kLevels> row{};
    row[0] = samples[k].Slope();
    double power = 1;
    for (size_t j = 1; j <= k; ++j) {
      power *= 4;
      row[j] = (power * row[j - 1] - before[j - 1]) / (power - 1);
      const double moved =
          std::max({std::abs(row[j] - row[j - 1]), std::abs(row[j] - before[j - 1])});
      const double error = moved + samples[k].Rounding();
      if (error < best) {
        best = error;
        d.slope = row[j];
        d.error = error;
      }
    }
    before = row;
  }
  if (!std::isfinite(best)) d.state = Difference::State::kUnclear;
}

// Whether the gap between the two one-sided slopes stays, instead of shrinking
// with the step.
bool IsKink(const std::vector<Sample>& samples, double middle, Difference& d) {
  const Sample& small = samples.back();
  const Sample& large = samples[samples.size() - 5];  // 16 times as large
  const auto gap = [middle](const Sample& s) {
    return std::abs((s.above - middle) - (middle - s.below)) / s.step;
  };
  d.right = (small.above - middle) / small.step;
  d.left = (middle - small.below) / small.step;
  const double rounding =
      16 * std::max(small.Rounding(), kUlps * kEpsilon * std::abs(middle) / small.step);
  const double scale = std::max(std::abs(d.left), std::abs(d.right));
  return gap(small) > std::max(rounding, 0x1p-12 * scale) && gap(small) > gap(large) / 3;
}

Difference OfSamples(const std::vector<Sample>& all, double middle) {
  Difference d;
  std::vector<Sample> samples;  // the finite ones at the end, so that steps halve
  for (const Sample& sample : all) {
    if (!sample.IsFinite()) {
      samples.clear();
    } else {
      samples.push_back(sample);
    }
  }
  if (!std::isfinite(middle) || samples.size() < 6) {
    d.state = Difference::State::kUnclear;
    return d;
  }
  Extrapolate(samples, d);
  if (IsKink(samples, middle, d)) d.state = Difference::State::kKink;
  return d;
}

}  // namespace

std::vector<Difference> Differentiate(const std::function<void(double x, double* y)>& f, double x,
                                      size_t outputs) {
  std::vector<double> middle(outputs);
  std::vector<double> values(outputs);
  f(x, middle.data());
  std::vector<std::vector<Sample>> samples(outputs, std::vector<Sample>(kLevels));
  const double largest = kLargestStep * std::exp2(std::ceil(std::log2(std::max(1.0, std::abs(x)))));
  for (int k = 0; k < kLevels; ++k) {
    const double step = std::ldexp(largest, -k);
    for (const bool above : {false, true}) {
      const double at = above ? x + step : x - step;
      f(at, values.data());
      for (size_t i = 0; i < outputs; ++i) {
        Sample& sample = samples[i][k];
        sample.step = step;
        (above ? sample.above : sample.below) = values[i];
      }
    }
  }
  std::vector<Difference> result;
  for (size_t i = 0; i < outputs; ++i) result.push_back(OfSamples(samples[i], middle[i]));
  return result;
}

}  // namespace twingrad

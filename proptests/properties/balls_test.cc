// Law: values and derivatives of engine, twin and dual numbers lie within their stated bounds of
// the exact ones, to third order. And the judges are judged: the twin's bounds are not much wider
// than they have to be, so that they find what is wrong.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autograd/reference/ball/ball.h"
#include "autograd/reference/dual.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using oracles::Evidence;
using program::TensorData;
using reference::ball::BallResult;
using reference::ball::BallTensor;
using reference::ball::Enclosure;
using reference::ball::Refusal;

// How many times as wide as it has to be each bound is that is not 0 and counts as compared: what
// it has to allow for is the greater of the deviations that the twin and the engine have shown, or
// one rounding of a number of this size, at least of 1: to f32 where the Program holds one.
struct Widths {
  std::vector<double> values;
  std::vector<double> gradients;
  double unit = 0x1p-53;
  std::set<double> seen;    // of the Program at hand
  size_t not_compared = 0;  // wider than an eighth of the number, or of 1

  void Add(const Evidence& evidence, const BallResult& ball) {
    seen.clear();
    const auto& twin = evidence.expected.observation.values;
    unit = oracles::HoldsSingle(evidence.program) ? 0x1p-24 : 0x1p-53;
    for (size_t v = 0; v < ball.values.size(); ++v) {
      const auto& engine = evidence.observed.values[v];
      if (twin[v].defined && engine.defined) {
        AddTensor(ball.values[v], twin[v].data, engine.data,
                  evidence.expected.value_bounds[v].bound, &values);
      }
      if (twin[v].grad_defined && engine.grad_defined) {
        AddTensor(ball.grads[v], twin[v].grad, engine.grad, evidence.expected.grad_bounds[v].bound,
                  &gradients);
      }
    }
  }

  void AddTensor(const BallTensor& ball, const TensorData& twin, const TensorData& engine,
                 const std::vector<double>& bounds, std::vector<double>* widths) {
    if (!ball.known || ball.elements.size() != twin.bits.size()) return;
    for (size_t i = 0; i < bounds.size() && i < engine.bits.size(); ++i) {
      const Enclosure& exact = ball.elements[i];
      // Hulls at kinks and infinities say nothing of rounding.
      if (!std::isfinite(exact.nearest)) continue;
      if (bounds[i] == 0 || !(exact.radius < 1e-6 * bounds[i])) continue;
      if (!seen.insert(bounds[i]).second) continue;  // what one share reaches is one number
      if (bounds[i] > std::max(1.0, std::fabs(exact.nearest)) / 8) {
        ++not_compared;
        continue;
      }
      const double needed = std::max({exact.Distance(std::bit_cast<double>(twin.bits[i])),
                                      exact.Distance(std::bit_cast<double>(engine.bits[i])),
                                      unit * std::max(1.0, std::fabs(exact.nearest))});
      widths->push_back(bounds[i] / needed);
    }
  }

  // Prints and returns the median and the 99th percentile.
  static std::pair<double, double> Print(std::vector<double> widths, const char* of) {
    if (widths.empty()) return {};
    std::sort(widths.begin(), widths.end());
    const double median = widths[widths.size() / 2], high = widths[widths.size() * 99 / 100];
    std::printf(
        "bounds of %zu %s: %.3g times what is needed in the median, %.3g at the 99th percentile, "
        "%.3g at most\n",
        widths.size(), of, median, high, widths.back());
    return {median, high};
  }

  void Check() const {
    std::printf("bounds of %zu numbers count as not compared\n", not_compared);
    EXPECT_GE(gradients.size(), 500u);
    EXPECT_LE(not_compared, values.size() / 20);
    std::vector<double> all = values;
    all.insert(all.end(), gradients.begin(), gradients.end());
    // The widest are of shares where rounding decides which operand is the greater, as of a number
    // and its copy; of gradients then those of an inverse after what saturates, as atanh after
    // tanh, where the condition is as bad as the bound, and of norms and attention, whose second
    // derivatives cancel to numbers that are small beside their terms.
    const auto check = [](const std::vector<double>& widths, const char* of, double limit) {
      const auto [median, high] = Print(widths, of);
      EXPECT_LE(median, 100) << of;
      EXPECT_LE(high, limit) << of;
    };
    check(values, "values", 10'000);
    check(gradients, "gradients", 20'000);
    check(all, "numbers", 10'000);
  }
};

TEST(Balls, HoldAllWitnessesAndTheEngine) {
  constexpr int kPrograms = 24000;  // fewer, and one Program of many wide shares decides
  judge::EngineRun run;
  Widths widths;
  int asked = 0, judged = 0;
  oracles::Compared compared;
  ForAllRuns(kPrograms, {}, {0}, std::ref(run), [&](const Evidence& evidence) {
    const program::Observation& expected = evidence.expected.observation;
    if (expected.error || !expected.survived.empty() || evidence.observed.error) {
      return std::string();
    }
    ++asked;
    const BallResult ball = reference::ball::RunBall(evidence.program);
    if (ball.refusal != Refusal::kNone) return std::string();
    ++judged;
    const auto dual = reference::RunDual(evidence.program);
    const oracles::Verdict verdict = JudgeBall(evidence, ball, &dual);
    compared.Add(verdict.compared);
    widths.Add(evidence, ball);
    return TextOf(verdict);
  });
  std::printf("judged %d of %d Programs, %llu elements and not %llu\n", judged, asked,
              static_cast<unsigned long long>(compared.elements_in_balls),
              static_cast<unsigned long long>(compared.elements_without_ball));
  EXPECT_GE(judged, asked * 85 / 100);
  EXPECT_GE(compared.elements_in_balls, 20 * compared.elements_without_ball);
  widths.Check();
}

TEST(Balls, OfViewsWritesAndSecondDerivatives) {
  judge::EngineRun run;
  int judged = 0;
  ForAllRuns(1000, Features("chain,view,in_place,repeated_operand,grad_of_grad"), {0},
             std::ref(run), [&](const Evidence& evidence) {
               if (evidence.expected.observation.error) return std::string();
               const BallResult ball = reference::ball::RunBall(evidence.program);
               judged += ball.refusal == Refusal::kNone && ball.order == 2 ? 1 : 0;
               return TextOf(JudgeBall(evidence, ball, nullptr));
             });
  EXPECT_GE(judged, 500);
}

}  // namespace
}  // namespace twingrad::properties

// Law: values and derivatives of engine, twin and dual numbers lie within their stated bounds of
// the exact ones, to third order. And the judges are judged: the twin's bounds are not much wider
// than they have to be, so that they find what is wrong.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/program/opcode.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/ball.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/twin.h"
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
// one rounding of a number of this size, at least of 1: to the shortest format where the Program
// holds one.
//
// Of a Program its greatest width counts, and no other: what one wide number reaches is wide too,
// so that of all numbers those of a few Programs would decide.
class Widths {
 public:
  void Add(const Evidence& evidence, const BallResult& ball) {
    const auto& twin = evidence.expected.observation.values;
    unit_ = oracles::CoarsestUnit(evidence.program);
    double of_values = 0, of_gradients = 0;
    has_wider_ = false;
    for (size_t v = 0; v < ball.values.size(); ++v) {
      const auto& engine = evidence.observed.values[v];
      if (twin[v].defined && engine.defined) {
        Widen(ball.values[v], twin[v].data, engine.data, evidence.expected.value_bounds[v].bound,
              &of_values);
      }
      if (twin[v].grad_defined && engine.grad_defined) {
        Widen(ball.grads[v], twin[v].grad, engine.grad, evidence.expected.grad_bounds[v].bound,
              &of_gradients);
      }
    }
    const double widest = std::max(of_values, of_gradients);
    std::set<program::Opcode> ops;
    for (const auto& statement : evidence.program.statements) ops.insert(statement.op);
    for (const program::Opcode op : ops) {
      if (widest > 0) of_ops_[op].push_back(widest);
    }
    if (of_values > 0) values_.push_back(of_values);
    if (of_gradients > 0) gradients_.push_back(of_gradients);
    Wider& wider = wider_[unit_ > kF32Format.unit];
    if (of_values > 0 || of_gradients > 0 || has_wider_) ++wider.among;
    if (has_wider_) ++wider.programs;
  }

  // The limits are far from what the draws of a seed change, and near enough that bounds twice as
  // wide break the first, those of one family of operations a hundred times as wide a later one.
  //
  // The widest are of shares where rounding decides which operand is the greater, as of a number
  // and its copy; of gradients then those of an inverse after what saturates, as atanh after tanh,
  // where the condition is as bad as the bound, and of norms and attention, whose second
  // derivatives cancel to numbers that are small beside their terms.
  void Check() {
    EXPECT_GE(gradients_.size(), 1000u);
    CheckOf("values", values_, {.half = 32, .above_1000 = 0.035, .above_10000 = 0.011});
    CheckOf("gradients", gradients_, {.half = 32, .above_1000 = 0.07, .above_10000 = 0.022});
    // An eighth of a number is some sixteen roundings of it in bf16.
    for (const bool is_short : {false, true}) {
      const Wider& wider = wider_[is_short];
      const double share = static_cast<double>(wider.programs) / static_cast<double>(wider.among);
      std::printf("%.2f %% of %zu Programs%s with bounds have some that count as not compared\n",
                  100 * share, wider.among, is_short ? " of f16 or bf16" : "");
      EXPECT_LE(share, is_short ? 0.3 : 0.055);
    }
    CheckOps();
  }

 private:
  struct Limits {
    double half;  // the greatest width of half of the Programs
    // Which share of the Programs may have a width above these.
    double above_1000, above_10000;
  };

  void Widen(const BallTensor& ball, const TensorData& twin, const TensorData& engine,
             const std::vector<double>& bounds, double* widest) {
    if (!ball.known || ball.elements.size() != twin.bits.size()) return;
    for (size_t i = 0; i < bounds.size() && i < engine.bits.size(); ++i) {
      const Enclosure& exact = ball.elements[i];
      // Hulls at kinks and infinities say nothing of rounding.
      if (!std::isfinite(exact.nearest)) continue;
      if (bounds[i] == 0 || !(exact.radius < 1e-6 * bounds[i])) continue;
      if (bounds[i] > std::max(1.0, std::fabs(exact.nearest)) / 8) {
        has_wider_ = true;
        continue;
      }
      const double needed = std::max({exact.Distance(std::bit_cast<double>(twin.bits[i])),
                                      exact.Distance(std::bit_cast<double>(engine.bits[i])),
                                      unit_ * std::max(1.0, std::fabs(exact.nearest))});
      *widest = std::max(*widest, bounds[i] / needed);
    }
  }

  // Bounds of one op that are far too wide are those of few Programs among all, not among those
  // that hold it.
  void CheckOps() {
    constexpr size_t kEnough = 80;  // Programs
    constexpr double kMost = 250;
    double greatest = 0;
    std::string_view of;
    for (auto& [op, widest] : of_ops_) {
      if (widest.size() < kEnough) continue;
      std::sort(widest.begin(), widest.end());
      const double half = widest[widest.size() / 2];
      const std::string_view name = program::SignatureOf(op).name;
      EXPECT_LE(half, kMost) << name << " in " << widest.size() << " Programs";
      if (half > greatest) of = name;
      greatest = std::max(greatest, half);
    }
    std::printf("of the ops it is widest in half of the Programs with %s: %.3g times\n",
                std::string(of).c_str(), greatest);
  }

  static void CheckOf(const char* of, std::vector<double>& widest, const Limits& limits) {
    ASSERT_FALSE(widest.empty()) << of;
    std::sort(widest.begin(), widest.end());
    const auto share_above = [&](double width) {
      const auto wider = widest.end() - std::upper_bound(widest.begin(), widest.end(), width);
      return static_cast<double>(wider) / static_cast<double>(widest.size());
    };
    const double half = widest[widest.size() / 2];
    const double above_1000 = share_above(1000), above_10000 = share_above(10'000);
    std::printf(
        "the widest bound of %s is %.3g times what is needed in the median of %zu Programs, more "
        "than 1,000 times in %.2f %%, more than 10,000 times in %.2f %%, %.3g times at most\n",
        of, half, widest.size(), 100 * above_1000, 100 * above_10000, widest.back());
    EXPECT_LE(half, limits.half) << of;
    EXPECT_LE(above_1000, limits.above_1000) << of;
    EXPECT_LE(above_10000, limits.above_10000) << of;
  }

  // The greatest width of each Program that has some; of all numbers, for each op that it holds.
  std::vector<double> values_, gradients_;
  std::map<program::Opcode, std::vector<double>> of_ops_;
  // Programs with a bound that is wider than an eighth of the number, or of 1, which counts as not
  // compared, among those with any that is not 0.
  struct Wider {
    size_t programs = 0, among = 0;
  };
  Wider wider_[2];  // those that hold f16 or bf16 are the second
  // Of the Program at hand.
  double unit_ = 0;
  bool has_wider_ = false;
};

TEST(Balls, HoldAllWitnessesAndTheEngine) {
  constexpr int kPrograms = 24000;  // fewer, and the shares of wide ones change with the draws
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

// What ends in an error is not judged by balls. Asked all the same, they refuse or say something,
// and read nothing that is not there, which ASan sees.
TEST(Balls, MayBeAskedWhatEndsInAnError) {
  int ended = 0, refused = 0;
  ForAll(6000, {}, [&](const program::Program& program) {
    const auto twin = reference::RunTwin(program);
    if (!twin.observation.error && twin.observation.survived.empty()) return std::string();
    ++ended;
    const BallResult ball = reference::ball::RunBall(program);
    refused += ball.refusal == Refusal::kNone ? 0 : 1;
    const bool fits = ball.refusal != Refusal::kNone || ball.values.size() == program.names.size();
    return std::string(fits ? "" : "balls for other values than those of the Program");
  });
  std::printf("%d ended in an error, of which balls refused %d\n", ended, refused);
  EXPECT_GE(ended, 300);
}

}  // namespace
}  // namespace twingrad::properties

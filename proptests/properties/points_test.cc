// Law: at special points each op has the value, the first and the second derivatives, mixed ones
// too, that mathematics says: within the stated bounds of what balls enclose where the op is
// smooth, one of the legal answers at kinks and at the ends of domains.
//
// The engine's numbers are judged by the oracles that judge random Programs, and the slopes of
// elementwise ops by the table of points. Each test prints how much was judged and by whom.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/float_format.h"
#include "autograd/program/print.h"
#include "autograd/reference/ball/ball.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/points.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/oracles.h"
#include "proptests/properties/point_program.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

using program::Signature;
using program::ValueId;
using reference::Point;
using reference::PointClass;
using reference::PointRow;
using reference::ball::BallResult;
using reference::ball::Enclosure;

#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
constexpr int kPoints = 1000;
constexpr int kPointsOfStorage = 500;
#else
constexpr int kPoints = 10'000;
constexpr int kPointsOfStorage = 1000;
#endif

// Who judges a number; else why nobody does.
enum class By : uint8_t {
  kBall,      // an enclosure
  kOthers,    // twin or dual numbers alone: infinities, NaN, integers
  kNoAnswer,  // mathematics names none there
  kBeyond,    // it leaves the format, or does on the way
  kWide,      // the bound says little
  kEnd,
};
using Counts = std::array<uint64_t, static_cast<size_t>(By::kEnd)>;

struct PointRun {
  const PointProgram& made;
  const PointRow* row;  // of the table of points; null: none
  const reference::TwinResult twin;
  const program::Observation engine;
  const reference::DualResult dual;
  const BallResult ball;

  oracles::Evidence evidence() const { return {made.program, twin, engine}; }
  size_t num_inputs() const { return made.by.size(); }
};

// The class of the slope by the k-th input.
Point SlopeAt(const PointRun& run, size_t k, size_t i) {
  if (run.row == nullptr || !run.made.elementwise) return {};
  const auto slope = run.made.by[k] == 0 ? run.row->by_a : run.row->by_b;
  if (slope == nullptr) return {};
  const auto& [a, b] = run.made.operands;
  return slope(a[i], i < b.size() ? b[i] : 0);
}

// Whether the table says that number `which` of the derivatives of this order does not exist. A
// slope that is infinite has none itself.
bool IsUndefined(const PointRun& run, size_t order, size_t which, size_t i) {
  const auto is_one_of = [&](size_t k, bool boundary) {
    const PointClass kind = SlopeAt(run, k, i).kind;
    return kind == PointClass::kUndefined || kind == PointClass::kJump ||
           (boundary && kind == PointClass::kBoundary);
  };
  if (order == 0) return false;
  if (order == 1) return is_one_of(which, false);
  return is_one_of(which / run.num_inputs(), true) || is_one_of(which % run.num_inputs(), true);
}

bool IsWide(double bound, double x) { return !(bound <= std::fmax(1, std::fabs(x)) / 8); }

By WhoJudges(const PointRun& run, size_t order, size_t which, size_t i) {
  const auto v = static_cast<size_t>(run.made.orders[order][which]);
  const auto& expected = run.twin.observation.values[v].data;
  if (!IsFloating(expected.dtype)) return By::kOthers;
  const double twin = std::bit_cast<double>(expected.bits[i]);
  const double bound = run.twin.value_bounds[v].Of(i);
  if (run.ball.values[v].known && run.ball.values[v].elements[i].IsKnown()) {
    const Enclosure& exact = run.ball.values[v].elements[i];
    if (std::isinf(exact.nearest) && twin == exact.nearest) return By::kBall;
    if (!IsWide(bound, exact.nearest) && std::isfinite(exact.nearest) == std::isfinite(twin)) {
      return By::kBall;
    }
  }
  const bool little = std::isfinite(twin) && IsWide(bound, twin);
  if (!std::isinf(bound) && !little) return By::kOthers;
  const auto& dual = run.dual.values[v];
  const bool dual_speaks = dual.known && run.dual.not_applicable.empty();
  if ((dual_speaks && std::isnan(dual.data[i])) || IsUndefined(run, order, which, i)) {
    return By::kNoAnswer;
  }
  if (dual_speaks && !std::isinf(dual.BoundOf(i))) return By::kOthers;
  return std::isinf(bound) ? By::kBeyond : By::kWide;
}

// The percentage of results that may leave the format or rest on a bound that says little. In
// second derivatives of norms and attention several numbers of any size meet in products of four
// and more. What is counted is a sample, so three standard errors of the share come on top.
double MostUnjudged(const Signature& signature, size_t order, double results, bool is_short) {
  const bool meet = signature.category == program::Category::kNorm ||
                    signature.op == program::Opcode::kStd ||
                    signature.op == program::Opcode::kScaledDotProductAttention;
  const double share = (meet && order == 2 ? 25 : 10) * (is_short ? 2 : 1);
  return share + 3 * std::sqrt(share * (100 - share) / results);
}

struct Tally {
  int points = 0;
  std::array<Counts, 3> orders = {};  // by order of the derivative

  void Add(const PointRun& run) {
    for (size_t order = 0; order < orders.size(); ++order) {
      for (size_t which = 0; which < run.made.orders[order].size(); ++which) {
        const auto v = static_cast<size_t>(run.made.orders[order][which]);
        const auto& record = run.twin.observation.values[v];
        for (size_t i = 0; record.defined && i < record.data.bits.size(); ++i) {
          ++orders[order][static_cast<size_t>(WhoJudges(run, order, which, i))];
        }
      }
    }
  }

  // With `is_short` the ends of the format are near, and twice as much may lie beyond them.
  void Check(const Signature& signature, int expected_points, bool is_short) const {
    EXPECT_GE(points, expected_points);
    std::printf("%-13s %6d points", std::string(signature.name).c_str(), points);
    for (size_t order = 0; order < orders.size(); ++order) {
      const Counts& counts = orders[order];
      double all = 0;
      for (const uint64_t count : counts) all += static_cast<double>(count);
      if (all == 0) continue;
      const auto share = [&](By by) {
        return 100 * static_cast<double>(counts[static_cast<size_t>(by)]) / all;
      };
      static constexpr const char* kNames[] = {"values", "slopes", "second"};
      std::printf(" | %s: ball %.1f, others %.1f, no answer %.1f, beyond %.1f, wide %.1f",
                  kNames[order], share(By::kBall), share(By::kOthers), share(By::kNoAnswer),
                  share(By::kBeyond), share(By::kWide));
      EXPECT_LE(share(By::kBeyond) + share(By::kWide),
                MostUnjudged(signature, order, all, is_short))
          << kNames[order];
      const bool numbers = signature.facts.numbers != program::Numbers::kIndices;
      if (order == 0 && numbers) {
        EXPECT_GT(share(By::kBall), 20);
      }
    }
    std::printf("\n");
  }
};

// The slopes of elementwise ops beside the table of points.
std::string JudgeByTable(const PointRun& run) {
  for (size_t k = 0; k < run.made.orders[1].size(); ++k) {
    const auto& record = run.engine.values[static_cast<size_t>(run.made.orders[1][k])];
    for (size_t i = 0; record.defined && i < record.data.bits.size(); ++i) {
      const double slope = std::bit_cast<double>(record.data.bits[i]);
      Point point = SlopeAt(run, k, i);
      point.low = Rounded(point.low, FormatOf(record.data.dtype));
      const bool is_right =
          point.kind == PointClass::kKink       ? point.low <= slope && slope <= point.high
          : point.kind == PointClass::kBoundary ? std::fabs(slope) == std::fabs(point.low)
                                                : true;
      if (is_right) continue;
      return absl::StrCat("table: slope ", slope, " by operand ", run.made.by[k], " at element ", i,
                          "; legal: ", point.low, " to ", point.high, "\n");
    }
  }
  return {};
}

// Empty if all is right.
std::string Judge(const PointRun& run) {
  if (run.twin.skipped) return *run.twin.skipped;
  if (run.engine.error) return absl::StrCat("error: ", run.engine.error->message, "\n");
  for (const oracles::Verdict& verdict :
       {oracles::JudgeValues(run.evidence()), oracles::JudgeDual(run.evidence(), run.dual),
        oracles::JudgeBall(run.evidence(), run.ball, &run.dual)}) {
    if (verdict.outcome != oracles::Outcome::kAgree) return verdict.text;
  }
  return JudgeByTable(run);
}

const PointRow* RowOf(program::Opcode op) {
  const auto rows = reference::Points();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [op](const PointRow& row) { return row.op == op; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<Signature> OpsWithPoints() {
  std::vector<Signature> ops;
  for (const Signature& signature : program::Signatures()) {
    if (program::IsComputed(signature.category)) ops.push_back(signature);
  }
  return ops;
}

class Points : public testing::TestWithParam<Signature> {};

// Judges the op at this many points of the type.
void JudgePoints(const Signature& signature, DType type, int points, judge::EngineRun& engine,
                 Tally* tally) {
  SpecialNumbers numbers(type, /*seed=*/20240229);
  for (const int end = tally->points + points; tally->points < end;) {
    const PointProgram made = MakePointProgram(signature, type, numbers);
    const PointRun run = {made,
                          RowOf(signature.performs),
                          reference::RunTwin(made.program),
                          engine(made.program, 0),
                          reference::RunDual(made.program),
                          reference::ball::RunBall(made.program)};
    const std::string wrong = Judge(run);
    ASSERT_EQ(wrong, "") << "of the Program\n" << program::Print(made.program);
    tally->Add(run);
    tally->points += made.points;
  }
}

TEST_P(Points, AreRight) {
  const Signature& signature = GetParam();
  judge::EngineRun engine;
  Tally tally, of_storage;
  for (const DType type : {DType::kF64, DType::kF32}) {
    JudgePoints(signature, type, kPoints / 2, engine, &tally);
    if (HasFatalFailure()) return;
  }
  tally.Check(signature, kPoints, /*is_short=*/false);
  for (const DType type : {DType::kF16, DType::kBF16}) {
    JudgePoints(signature, type, kPointsOfStorage / 2, engine, &of_storage);
    if (HasFatalFailure()) return;
  }
  of_storage.Check(signature, kPointsOfStorage, /*is_short=*/true);
}

std::string NameOf(const testing::TestParamInfo<Signature>& op) {
  return std::string(op.param.name);
}

INSTANTIATE_TEST_SUITE_P(OfEachOp, Points, testing::ValuesIn(OpsWithPoints()), NameOf);

}  // namespace
}  // namespace twingrad::properties

// Law: forward values of elementwise ops are as near to the exact ones as a table says, in units in
// the last place (ulps) of what balls enclose.
//
// Of an elementary function the error itself is bounded; of one that is composed of several, what
// the rounding of its operands brings is allowed for as well: |x f'(x)| times the unit of rounding
// (a conditioned bound; Higham, Accuracy and Stability of Numerical Algorithms, chapter 1).
// `--test_output=all` prints the table, with the worst point of each op.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_format.h"
#include "autograd/base/dtype.h"
#include "autograd/base/float_format.h"
#include "autograd/program/builder.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/ball.h"
#include "gtest/gtest.h"
#include "proptests/judge/engine_run.h"
#include "proptests/properties/special_numbers.h"

namespace twingrad::properties {
namespace {

using program::Key;
using program::Opcode;
using program::ProgramBuilder;
using program::Signature;
using program::ValueId;
using reference::ball::BallResult;
using reference::ball::Enclosure;

#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
constexpr int kPrograms = 8;
#else
constexpr int kPrograms = 90;
#endif
constexpr int kElements = 128;  // of a Program

double UlpOf(double x, const FloatFormat& format) {
  return std::fmax(x == 0 ? 0 : std::ldexp(2 * format.unit, std::ilogb(x)), format.tiny);
}

// Numbers of all sizes, and those at which functions are hard: near 1, near multiples of pi / 2.
class Points {
 public:
  Points(DType type, uint64_t seed)
      : format_(FormatOf(type)), special_(type, seed), random_(seed) {}

  // Of one of kKinds kinds.
  static constexpr int kKinds = 6;
  double Next(int kind) {
    switch (kind) {
      case 0:
        return special_.Next();
      case 1:
        return Rounded(Between(-1, 1) *
                           std::ldexp(1, Whole(std::ilogb(format_.tiny), 1 - format_.min_exponent)),
                       format_);
      case 2:
        return Rounded(
            Sign() * (1 + Sign() * std::ldexp(Between(1, 2), Whole(-format_.precision, -1))),
            format_);
      case 3:
        return Rounded(Sign() * Whole(0, 1 << 20) * 1.57079632679489661923, format_);
      case 4:
        return Rounded(Between(-20, 20), format_);
      default:
        return Rounded(Between(-2, 2), format_);
    }
  }
  double Small() { return Rounded(Between(-8, 8), format_); }
  bool Flips() { return random_() % 2 == 0; }

 private:
  double Between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int Whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  double Sign() { return Flips() ? 1 : -1; }

  const FloatFormat& format_;
  SpecialNumbers special_;
  std::mt19937_64 random_;
};

// The op at many points, and the sum of its results, whose gradients are its slopes.
struct PointsOfOp {
  program::Program program;
  std::vector<ValueId> operands;
  ValueId result = program::kNoValue;
};

ProgramBuilder::Attributes AttributesOf(const Signature& signature) {
  ProgramBuilder::Attributes attributes;
  for (const auto& attribute : signature.attributes) {
    if (attribute.key == Key::kMin) attributes.push_back({Key::kMin, -1.0});
    if (attribute.key == Key::kMax) attributes.push_back({Key::kMax, 1.0});
    if (attribute.key == Key::kBy) attributes.push_back({Key::kBy, 0.5});
    if (attribute.key == Key::kSeed) attributes.push_back({Key::kSeed, int64_t{1}});
  }
  return attributes;
}

PointsOfOp MakePoints(const Signature& signature, DType type, Points& points, int kind) {
  ProgramBuilder builder;
  PointsOfOp made;
  const bool small = points.Flips();
  for (int k = 0; k < signature.min_operands; ++k) {
    std::vector<double> data(kElements);
    for (double& x : data) x = small && k > 0 ? points.Small() : points.Next(kind);
    made.operands.push_back(
        builder.Leaf({type, {kElements}}, program::FloatBits(data), /*grad=*/true));
  }
  made.result = builder.Op(signature.op, made.operands, AttributesOf(signature));
  const ValueId sum = builder.Op(Opcode::kSum, {made.result});
  builder.Add(Opcode::kBackward, {sum});
  made.program = builder.Take();
  return made;
}

// The greatest error that an op has shown, and where.
struct Worst {
  double error = 0;
  std::vector<double> at;
  double value = 0;
  double exact = 0;

  void Add(double new_error, const std::vector<double>& new_at, double new_value,
           double new_exact) {
    if (!(new_error > error)) return;
    *this = {new_error, new_at, new_value, new_exact};
  }
};
struct Errors {
  Worst ulps;
  Worst conditioned;
  int points = 0;
};

void Measure(const PointsOfOp& made, const program::Observation& engine, const BallResult& ball,
             DType type, Errors& errors) {
  const FloatFormat& format = FormatOf(type);
  // Half a unit in the last place beyond the greatest number; infinite for f64.
  const double end = format.largest + std::ldexp(format.unit, 1 - format.min_exponent);
  const auto& exact_values = ball.values[made.result];
  const auto& values = engine.values[made.result].data;
  for (int i = 0; i < kElements; ++i) {
    if (!exact_values.known || !exact_values.elements[i].IsKnown()) continue;
    const Enclosure& exact = exact_values.elements[i];
    const double value = std::bit_cast<double>(values.bits[i]);
    // What rounds to an infinity is one.
    if (!(std::fabs(exact.nearest) < end) && value == std::copysign(INFINITY, exact.nearest)) {
      continue;
    }
    const double ulp = UlpOf(exact.nearest, format);
    const double error =
        std::isfinite(value) ? std::fabs((value - exact.nearest) - exact.rest) : INFINITY;
    double allowed = ulp;
    std::vector<double> at;
    bool sloped = true;
    for (const ValueId operand : made.operands) {
      at.push_back(std::bit_cast<double>(engine.values[operand].data.bits[i]));
      const auto& slopes = ball.grads[operand];
      sloped &= slopes.known && slopes.elements[i].IsKnown();
      if (!sloped) continue;
      allowed += std::fabs(at.back() * slopes.elements[i].nearest) * 2 * format.unit;
    }
    ++errors.points;
    errors.ulps.Add(error / ulp, at, value, exact.nearest);
    if (sloped) errors.conditioned.Add(error / allowed, at, value, exact.nearest);
  }
}

std::string TextOf(const Worst& worst) {
  std::string at;
  for (const double x : worst.at) absl::StrAppendFormat(&at, "%s%.17g", at.empty() ? "" : ", ", x);
  return absl::StrFormat("%7.3f at (%s): %.17g, exact %.17g", worst.error, at, worst.value,
                         worst.exact);
}

// Those that are composed of several functions.
bool IsComposite(Opcode op) {
  constexpr Opcode kComposites[] = {
      Opcode::kLogaddexp, Opcode::kSigmoid, Opcode::kSilu, Opcode::kSoftplus, Opcode::kGelu,
      Opcode::kGeluTanh,  Opcode::kElu,     Opcode::kCelu, Opcode::kSelu,     Opcode::kHardsigmoid};
  return std::find(std::begin(kComposites), std::end(kComposites), op) != std::end(kComposites);
}

Errors ErrorsOf(const Signature& signature, DType type, judge::EngineRun& run) {
  Points points(type, static_cast<uint64_t>(signature.op) + 1);
  Errors errors;
  for (int n = 0; n < kPrograms; ++n) {
    const PointsOfOp made = MakePoints(signature, type, points, n % Points::kKinds);
    const program::Observation engine = run(made.program, 0);
    const BallResult ball = reference::ball::RunBall(made.program);
    EXPECT_FALSE(engine.error.has_value()) << program::Print(made.program);
    EXPECT_EQ(ball.refusal, reference::ball::Refusal::kNone) << program::Print(made.program);
    if (testing::Test::HasFailure()) return errors;
    Measure(made, engine, ball, type, errors);
  }
  return errors;
}

void CheckType(DType type, double limit) {
  constexpr double kConditionedLimit = 2;
  judge::EngineRun run;
  for (const Signature& signature : program::Signatures()) {
    if (signature.category != program::Category::kElementwise) continue;
    if (signature.min_operands > 2 || signature.op == Opcode::kMaskedFill) continue;
    const Errors errors = ErrorsOf(signature, type, run);
    const std::string name(signature.name);
    EXPECT_GE(errors.points, 20 * kPrograms) << name;
    const bool composite = IsComposite(signature.op);
    const Worst& worst = composite ? errors.conditioned : errors.ulps;
    std::printf("%-12s %-4s %-12s %s\n", name.c_str(), std::string(DTypeName(type)).c_str(),
                composite ? "conditioned" : "ulps", TextOf(worst).c_str());
    EXPECT_LE(worst.error, composite ? kConditionedLimit : limit) << name << TextOf(worst);
  }
}

TEST(Ulps, OfF64) { CheckType(DType::kF64, 2.5); }
TEST(Ulps, OfF32) { CheckType(DType::kF32, 1); }
// Rounded to f32 before, which a tie can turn.
TEST(Ulps, OfF16) { CheckType(DType::kF16, 0.5 + 0x1p-12); }
TEST(Ulps, OfBF16) { CheckType(DType::kBF16, 0.5 + 0x1p-15); }

}  // namespace
}  // namespace twingrad::properties

#include "proptests/conformance/number_circumstances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/float_format.h"
#include "autograd/program/signature.h"
#include "autograd/reference/twin.h"
#include "proptests/conformance/facts.h"
#include "proptests/shrink/rebuild.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Key;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::SignatureOf;
using twingrad::program::TensorData;
using twingrad::program::ValueId;
using twingrad::reference::TwinResult;

bool MultipliesZeros(const Program& program, const Observation& expected) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    if (s.op != Opcode::kProd || s.Find(Key::kDims) != nullptr) return false;
    const auto operand = static_cast<size_t>(s.operands[0]);
    if (operand >= expected.values.size() || !expected.values[operand].defined) return false;
    return std::ranges::count_if(expected.values[operand].data.bits,
                                 [](uint64_t x) { return x << 1 == 0; }) > 1;
  });
}

// Whether an operand of an `op` has an element like that.
template <typename Like>
bool Takes(const Program& program, const Observation& expected, Opcode op, const Like& like) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    return s.op == op && std::ranges::any_of(s.operands, [&](ValueId operand) {
             const auto at = static_cast<size_t>(operand);
             if (at >= expected.values.size() || !expected.values[at].defined) return false;
             const auto& data = expected.values[at].data;
             return std::ranges::any_of(data.bits, [&](uint64_t x) { return like(data, x); });
           });
  });
}

// Whether a result of an `op` has a zero.
bool GivesZero(const Program& program, const Observation& expected, Opcode op) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    return s.op == op && std::ranges::any_of(s.results, [&](ValueId result) {
             const auto at = static_cast<size_t>(result);
             return at < expected.values.size() && expected.values[at].defined &&
                    std::ranges::any_of(expected.values[at].data.bits,
                                        [](uint64_t x) { return x << 1 == 0; });
           });
  });
}

bool IsZero(const TensorData&, uint64_t bits) { return bits << 1 == 0; }

bool IsInfinite(const TensorData&, uint64_t bits) {
  return std::isinf(std::bit_cast<double>(bits));
}

// Where cos(πx) and sinc, whose difference is in sinc's slope, are both positive and cancel.
bool IsNearZero(const TensorData&, uint64_t bits) {
  const double x = std::fabs(std::bit_cast<double>(bits));
  return x > 0 && x < 0.5;
}

// Whether weights of a cubic, whose magnitudes sum to 1.375 at most, may make an infinity of it.
bool IsNearTheLargest(const TensorData& data, uint64_t bits) {
  const double x = std::fabs(std::bit_cast<double>(bits));
  return std::isfinite(x) && x > twingrad::FormatOf(data.dtype).largest / 1.375;
}

// Whether a logarithm that is added to it is lost, or much of it.
bool HidesLogarithms(const TensorData& data, uint64_t bits) {
  const double x = std::fabs(std::bit_cast<double>(bits));
  return std::isfinite(x) && x * twingrad::FormatOf(data.dtype).unit > 0x1p-20;
}

bool HasNoSquare(const TensorData& data, uint64_t bits) {
  const double x = std::bit_cast<double>(bits);
  return std::isfinite(x) && x * x > twingrad::FormatOf(data.dtype).largest;
}

bool HasNoCosh(const TensorData& data, uint64_t bits) {
  const double x = std::bit_cast<double>(bits);
  const double argument =
      std::numbers::inv_sqrtpi * std::numbers::sqrt2 * (x + 0.044715 * x * x * x);
  return std::cosh(argument) > twingrad::FormatOf(data.dtype).largest;
}

bool ClampsToOne(const Program& program) {
  return std::ranges::any_of(program.statements, [](const auto& s) {
    return s.op == Opcode::kClamp && s.Find(Key::kMin) != nullptr && s.Find(Key::kMax) != nullptr &&
           s.template Get<double>(Key::kMin) >= s.template Get<double>(Key::kMax);
  });
}

// Of what the elements of two operands are, the least and the most; the most that exp can be of.
double LimitsOf(const Observation& expected, const twingrad::program::Statement& s, double* least,
                double* most) {
  double limit = std::log(std::numeric_limits<double>::max());
  for (size_t i = 0; i < 2; ++i) {
    least[i] = std::numeric_limits<double>::infinity();
    most[i] = -least[i];
    const auto at = static_cast<size_t>(s.operands[i]);
    if (at >= expected.values.size() || !expected.values[at].defined) continue;
    const auto& data = expected.values[at].data;
    limit = std::log(twingrad::FormatOf(data.dtype).largest);
    for (const uint64_t bits : data.bits) {
      least[i] = std::fmin(least[i], std::bit_cast<double>(bits));
      most[i] = std::fmax(most[i], std::bit_cast<double>(bits));
    }
  }
  return limit;
}

// Whether the exponential of how far two operands of a logaddexp are apart overflows, or its power
// does.
bool AddsFarApart(const Program& program, const Observation& expected, int power = 1) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    if (s.op != Opcode::kLogaddexp) return false;
    double least[2], most[2];
    const double limit = LimitsOf(expected, s, least, most);
    return std::fmax(most[0] - least[1], most[1] - least[0]) * power > limit;
  });
}

// The elements of an operand as numbers; none where it is not known or not floating.
std::vector<double> NumbersOf(const Observation& expected, ValueId value) {
  std::vector<double> numbers;
  const auto at = static_cast<size_t>(value);
  if (at >= expected.values.size() || !expected.values[at].defined) return numbers;
  const auto& data = expected.values[at].data;
  if (!IsFloating(data.dtype)) return numbers;
  for (const uint64_t bits : data.bits) numbers.push_back(std::bit_cast<double>(bits));
  return numbers;
}

// Whether the mean over a deviation, times the weight, may overflow in a norm.
bool NormsFarOut(const Program& program, const Observation& expected) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    const bool norms = s.op == Opcode::kBatchNorm || s.op == Opcode::kGroupNorm;
    if (!norms || s.operands.size() < 2 || NumbersOf(expected, s.operands[0]).empty()) return false;
    const auto greatest = [&](size_t operand) {
      double most = 0;
      for (const double x : NumbersOf(expected, s.operands[operand])) {
        most = std::fmax(most, std::fabs(x));
      }
      return most;
    };
    const auto dtype = expected.values[static_cast<size_t>(s.operands[0])].data.dtype;
    const double deviation = std::sqrt(s.template Get<double>(Key::kEps));
    return greatest(1) / deviation * std::fmax(1, greatest(0)) > twingrad::FormatOf(dtype).largest;
  });
}

// Whether a pow has an exponent of 1, which its slope lowers to 0.
bool RaisesToOne(const Program& program, const Observation& expected) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    return s.op == Opcode::kPow && std::ranges::count(NumbersOf(expected, s.operands[1]), 1.0) > 0;
  });
}

// Whether the quotient of a and b, rounded to their type, has another whole part than the quotient.
bool RoundsToAnotherWhole(double a, double b, const twingrad::FloatFormat& format) {
  const double quotient = twingrad::Rounded(a / b, format);
  const double rest = std::fmod(a, b);
  if (!std::isfinite(quotient) || !std::isfinite(rest)) return false;
  const double whole = std::round((a - rest) / b);
  const bool below = rest != 0 && (rest < 0) != (b < 0);
  return std::trunc(quotient) != whole || std::floor(quotient) != (below ? whole - 1 : whole);
}

// Of any element of the one operand and any of the other.
bool DividesIntoAnotherWhole(const Program& program, const Observation& expected, Opcode op) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    if (s.op != op) return false;
    const auto dividends = NumbersOf(expected, s.operands[0]);
    const auto divisors = NumbersOf(expected, s.operands[1]);
    if (dividends.empty()) return false;
    const twingrad::FloatFormat& format =
        twingrad::FormatOf(expected.values[static_cast<size_t>(s.operands[0])].data.dtype);
    return std::ranges::any_of(dividends, [&](double a) {
      return std::ranges::any_of(divisors,
                                 [&](double b) { return RoundsToAnotherWhole(a, b, format); });
    });
  });
}

// Whether a pool that takes the greatest has more than one NaN before it.
bool PoolsSeveralNans(const Program& program, const Observation& expected) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    const bool pools = SignatureOf(s.op).name.find("max_pool") != std::string_view::npos;
    if (!pools) return false;
    const auto numbers = NumbersOf(expected, s.operands[0]);
    return std::ranges::count_if(numbers, [](double x) { return std::isnan(x); }) > 1;
  });
}

// Whether a scatter_reduce that does not include what is there gives, somewhere, just that.
bool LeavesAnExtremeOut(const Program& program, const Observation& expected) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    if (s.op != Opcode::kScatterReduce || s.template Get<bool>(Key::kIncludeSelf, true)) {
      return false;
    }
    const auto reduction = s.template Get<std::string>(Key::kReduction);
    if (reduction != "amax" && reduction != "amin") return false;
    const auto there = NumbersOf(expected, s.operands[0]),
               sent = NumbersOf(expected, s.operands[2]);
    return std::ranges::any_of(
        sent, [&](double x) { return std::ranges::find(there, x) != there.end(); });
  });
}

bool SendsSeveralZeros(const Program& program, const Observation& expected) {
  return std::ranges::any_of(program.statements, [&](const auto& s) {
    if (s.op != Opcode::kScatterReduce) return false;
    if (s.template Get<std::string>(Key::kReduction) != "prod") return false;
    return std::ranges::count(NumbersOf(expected, s.operands[2]), 0.0) > 1;
  });
}

// Whether what a logcumsumexp gave gets a gradient that has a 0, as a hook on it would see.
bool AccumulatesZeros(const Program& program, const Observation& expected) {
  if (!Holds(program, Opcode::kLogcumsumexp)) return false;
  shrink::Rebuilder rebuilder(program);
  for (const auto& s : program.statements) {
    rebuilder.Add(s);
    if (s.op != Opcode::kLogcumsumexp) continue;
    const auto result = static_cast<size_t>(s.results[0]);
    if (result >= expected.values.size() || !expected.values[result].requires_grad) continue;
    twingrad::program::Statement hook;
    hook.op = Opcode::kHook;
    hook.operands = {s.results[0]};
    hook.attributes = {{Key::kDo, std::string("record")}};
    rebuilder.Add(hook);
  }
  const Program hooked = rebuilder.Take();
  const TwinResult twin = twingrad::reference::RunTwin(hooked);
  if (twin.skipped) return false;
  const auto holds_zero = [&](const auto& record) {
    const auto at = static_cast<size_t>(record.statement);
    if (at == 0 || at >= hooked.statements.size()) return false;
    return hooked.statements[at - 1].op == Opcode::kLogcumsumexp &&
           std::ranges::any_of(record.gradient.bits, [](uint64_t x) { return x << 1 == 0; });
  };
  return std::ranges::any_of(twin.observation.calls, [&](const auto& call) {
    return std::ranges::any_of(call.hooks, holds_zero);
  });
}

// Of zeros and what is near them.
std::string OfSmallNumbers(const Program& program, const Observation& expected,
                           const Observation& observed) {
  std::string text;
  if (MultipliesZeros(program, expected)) text += "  circumstance: prod of several zeros\n";
  if (Takes(program, expected, Opcode::kPow, IsZero)) text += "  circumstance: pow with a 0\n";
  if (RaisesToOne(program, expected)) text += "  circumstance: pow to the 1\n";
  // An engine's own rounding may leave something of a 0.
  if (Takes(program, expected, Opcode::kSinc, IsNearZero) ||
      Takes(program, observed, Opcode::kSinc, IsNearZero)) {
    text += "  circumstance: sinc near 0\n";
  }
  if (GivesZero(program, expected, Opcode::kDet)) {
    text += "  circumstance: det of a singular matrix\n";
  }
  if (GivesZero(program, expected, Opcode::kStd)) {
    text += "  circumstance: std of equal elements\n";
  }
  for (const Opcode op : {Opcode::kElu, Opcode::kCelu, Opcode::kSelu}) {
    if (!Takes(program, expected, op, IsZero)) continue;
    absl::StrAppend(&text, "  circumstance: ", SignatureOf(op).name, " of a 0\n");
  }
  if (ClampsToOne(program)) text += "  circumstance: clamp between equal limits\n";
  return text;
}

// Of infinities, NaN, and numbers that are too large for a square.
std::string OfLargeNumbers(const Program& program, const Observation& expected) {
  std::string text;
  for (const Opcode op :
       {Opcode::kSilu, Opcode::kGelu, Opcode::kErf, Opcode::kErfc, Opcode::kBceWithLogits,
        Opcode::kUpsampleLinear1d, Opcode::kUpsampleBilinear2d, Opcode::kUpsampleTrilinear3d,
        Opcode::kBatchNorm, Opcode::kGroupNorm, Opcode::kLerp}) {
    if (!Takes(program, expected, op, IsInfinite)) continue;
    absl::StrAppend(&text, "  circumstance: ", SignatureOf(op).name, " of an infinity\n");
  }
  if (NormsFarOut(program, expected)) text += "  circumstance: a norm far out\n";
  if (Takes(program, expected, Opcode::kUpsampleBicubic2d, IsNearTheLargest)) {
    text += "  circumstance: upsample_bicubic2d far out\n";
  }
  if (Takes(program, expected, Opcode::kLogcumsumexp, HidesLogarithms)) {
    text += "  circumstance: logcumsumexp far out\n";
  }
  if (Takes(program, expected, Opcode::kGelu, HasNoSquare)) {
    text += "  circumstance: gelu far out\n";
  }
  if (Takes(program, expected, Opcode::kGeluTanh, HasNoCosh)) {
    text += "  circumstance: gelu_tanh far out\n";
  }
  if (AddsFarApart(program, expected)) text += "  circumstance: logaddexp far apart\n";
  if (AddsFarApart(program, expected, /*power=*/2)) {
    text += "  circumstance: logaddexp with a subnormal square\n";
  }
  if (AccumulatesZeros(program, expected)) {
    text += "  circumstance: logcumsumexp with a gradient of 0\n";
  }
  return text;
}

}  // namespace

std::string NumberCircumstances(const Program& program, const Observation& expected,
                                const Observation& observed) {
  std::string text =
      OfSmallNumbers(program, expected, observed) + OfLargeNumbers(program, expected);
  for (const Opcode op : {Opcode::kFmod, Opcode::kRemainder}) {
    if (!DividesIntoAnotherWhole(program, expected, op)) continue;
    absl::StrAppend(&text, "  circumstance: ", SignatureOf(op).name, " by a rounded quotient\n");
  }
  if (PoolsSeveralNans(program, expected)) text += "  circumstance: max_pool of several NaN\n";
  if (LeavesAnExtremeOut(program, expected)) {
    text += "  circumstance: an extreme that is there too\n";
  }
  if (SendsSeveralZeros(program, expected)) {
    text += "  circumstance: scatter_reduce of several zeros\n";
  }
  return text;
}

}  // namespace twingrad::conformance

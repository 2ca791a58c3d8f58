#include "autograd/reference/points.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "autograd/program/signature.h"
#include "autograd/program/statement_table.h"
#include "autograd/reference/element_points.h"

namespace twingrad::reference {
namespace points {
namespace {

using program::Opcode;

constexpr PointRow kPointRows[] = {
    {Opcode::kAdd, "everywhere", "", "", "", Linear, Linear},
    {Opcode::kSub, "everywhere", "", "", "", Linear, Linear},
    {Opcode::kMul, "everywhere", "", "", "", TimesB, TimesA},
    {Opcode::kDiv, "b ≠ 0", "",
     "b = 0: infinite, by b where a ≠ 0; 0 and -0 are one number, so of either sign", "0 / 0 by b",
     DivByA, DivByB},
    {Opcode::kPow,
     "a > 0; by a: b = 0 or 1, a ≠ 0 with a whole b, a = 0 with b > 1; by b: a = 0 with b > 0", "",
     "by a: a = 0 with 0 < b < 1, a = ∞ with b > 1: ∞",
     "by a: a = 0 with b < 0, a < 0 with b not whole; by b: a < 0, a = 0 with b ≤ 0", PowByA,
     PowByB},
    {Opcode::kMaximum, "a ≠ b", "a = b: by a any s in [0, 1], by b 1 - s", "", "", AtTie, AtTie},
    {Opcode::kMinimum, "a ≠ b", "a = b: by a any s in [0, 1], by b 1 - s", "", "", AtTie, AtTie},
    {Opcode::kLogaddexp, "a ≠ b or finite", "", "", "a = b = ∞, a = b = -∞", AddedByA, AddedByA},
    {Opcode::kAtan2, "finite, but for a = 0 with b ≤ 0", "", "",
     "a = 0 with b ≤ 0; infinite a or b", AngleByA, AngleByA},
    {Opcode::kXlogy, "b > 0", "", "b = 0 with a ≠ 0: infinite", "b < 0, a = 0 with b = 0",
     ProductWithLog, ProductWithLog},
    {Opcode::kFmod, "b ≠ 0, a / b not whole or 0", "",
     "a / b whole, not 0, a jump: 1 by a and -a / b by b, from the side of the value",
     "b = 0; infinite a or b", RestByA<FmodJump>, RestByB<FmodJump>},
    {Opcode::kRemainder, "b ≠ 0, a / b not whole", "",
     "a / b whole, a jump: 1 by a and -a / b by b, from the side of the value",
     "b = 0; infinite a or b", RestByA<RemainderJump>, RestByB<RemainderJump>},
    {Opcode::kNeg, "everywhere", "", "", "", Linear},
    {Opcode::kExp, "everywhere", "", "beyond the format: ∞; below it: 0 or subnormal", "", Exp},
    {Opcode::kLog, "a > 0", "", "a = 0: ∞", "a < 0", Root},
    {Opcode::kSqrt, "a > 0", "", "a = 0: ∞", "a < 0", Root},
    {Opcode::kSin, "finite a", "", "", "infinite a", Wave},
    {Opcode::kCos, "finite a", "", "", "infinite a", Wave},
    {Opcode::kTanh, "everywhere", "", "", "", Bounded},
    {Opcode::kSigmoid, "everywhere", "", "", "", Bounded},
    {Opcode::kRelu, "a ≠ 0", "a = 0: [0, 1]", "", "", Relu},
    {Opcode::kAbs, "a ≠ 0", "a = 0: [-1, 1]", "", "", Abs},
    {Opcode::kSgn, "a ≠ 0", "a = 0, a jump: 0 or infinite", "", "", Sgn},
    {Opcode::kTan, "finite a", "", "", "infinite a", Wave},
    {Opcode::kAsin, "-1 < a < 1", "", "a = ±1: ∞", "a beyond ±1", InArc},
    {Opcode::kAcos, "-1 < a < 1", "", "a = ±1: -∞", "a beyond ±1", InArc},
    {Opcode::kAtan, "everywhere", "", "", "", Bounded},
    {Opcode::kSinh, "everywhere", "", "beyond the format: ∞", "", Hyperbolic},
    {Opcode::kCosh, "everywhere", "", "beyond the format: ±∞", "", Hyperbolic},
    {Opcode::kAsinh, "everywhere", "", "", "", Bounded},
    {Opcode::kAcosh, "a > 1", "", "a = 1: ∞", "a < 1", Acosh},
    {Opcode::kAtanh, "-1 < a < 1", "", "a = ±1: ∞", "a beyond ±1", InArc},
    {Opcode::kErf, "everywhere", "", "", "", Bounded},
    {Opcode::kErfc, "everywhere", "", "", "", Bounded},
    {Opcode::kExpm1, "everywhere", "", "beyond the format: ∞; below it: 0 or subnormal", "", Exp},
    {Opcode::kLog1p, "a > -1", "", "a = -1: ∞", "a < -1", Log1p},
    {Opcode::kLog2, "a > 0", "", "a = 0: ∞", "a < 0", Root},
    {Opcode::kLog10, "a > 0", "", "a = 0: ∞", "a < 0", Root},
    {Opcode::kExp2, "everywhere", "", "beyond the format: ∞; below it: 0 or subnormal", "", Exp2},
    {Opcode::kRsqrt, "a > 0", "", "a = 0: -∞", "a < 0", Root},
    {Opcode::kReciprocal, "a ≠ 0", "", "a = 0: -∞; 0 and -0 are one number", "", Pole},
    {Opcode::kSquare, "everywhere", "", "", "", Square},
    {Opcode::kSilu, "everywhere", "", "", "", Bounded},
    {Opcode::kSoftplus, "everywhere", "", "", "", Bounded},
    {Opcode::kGelu, "everywhere", "", "", "", Bounded},
    {Opcode::kGeluTanh, "everywhere", "", "", "", Bounded},
    {Opcode::kClamp, "away from the limits; everywhere if min ≥ max", "at a limit: [0, 1]", "", "",
     Clamp, nullptr, " min=-1 max=1"},
    {Opcode::kHardtanh, "away from the limits", "at a limit: [0, 1]", "", "", Clamp, nullptr,
     " min=-1 max=1"},
    {Opcode::kRelu6, "a ≠ 0, a ≠ 6", "a = 0, a = 6: [0, 1]", "", "", Relu6},
    {Opcode::kHardsigmoid, "a ≠ ±3", "a = ±3: [0, 1/6]", "", "", Hardsigmoid},
    {Opcode::kLeakyRelu, "a ≠ 0", "a = 0: [by, 1]", "", "", LeakyRelu, nullptr, " by=0x1p-1"},
    {Opcode::kElu, "a ≠ 0; if by = 1 everywhere, once", "a = 0: from by to 1", "", "", Elu, nullptr,
     " by=2"},
    {Opcode::kCelu, "everywhere, once; more often where a ≠ 0",
     "a = 0: a second derivative in [0, 1/by]", "", "", Celu, nullptr, " by=2"},
    {Opcode::kSelu, "a ≠ 0", "a = 0: from 1.0507… to 1.7581…", "", "", Selu},
    {Opcode::kWhere, "everywhere; the condition is a constant", "", "", ""},
    {Opcode::kMaskedFill, "everywhere; the condition is a constant", "", "", ""},
    {Opcode::kAddcmul, "everywhere", "", "", ""},
    {Opcode::kAddcdiv, "c ≠ 0", "", "c = 0: as div", "as div"},
    {Opcode::kLerp, "everywhere", "", "", ""},
    {Opcode::kSum, "everywhere", "", "", ""},
    {Opcode::kMean, "everywhere", "", "", "over nothing"},
    {Opcode::kProd, "everywhere, zeros included", "", "", ""},
    {Opcode::kAmax, "one greatest", "n greatest: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kAmin, "one least", "n least: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kLogsumexp, "some finite a", "", "", "all a are -∞"},
    {Opcode::kVar, "everywhere", "", "", "over nothing"},
    {Opcode::kMax, "one greatest", "n greatest: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kMin, "one least", "n least: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kArgmax, "an index is a constant", "", "", ""},
    {Opcode::kArgmin, "an index is a constant", "", "", ""},
    {Opcode::kAvgPool1d, "everywhere", "", "", ""},
    {Opcode::kAvgPool2d, "everywhere", "", "", ""},
    {Opcode::kAvgPool3d, "everywhere", "", "", ""},
    {Opcode::kMaxPool1d, "one greatest", "n greatest: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kMaxPool2d, "one greatest", "n greatest: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kMaxPool3d, "one greatest", "n greatest: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kMaxPool1dIndices, "an index is a constant", "", "", ""},
    {Opcode::kMaxPool2dIndices, "an index is a constant", "", "", ""},
    {Opcode::kMaxPool3dIndices, "an index is a constant", "", "", ""},
    {Opcode::kAdaptiveAvgPool1d, "everywhere", "", "", ""},
    {Opcode::kAdaptiveAvgPool2d, "everywhere", "", "", ""},
    {Opcode::kAdaptiveAvgPool3d, "everywhere", "", "", ""},
    {Opcode::kAdaptiveMaxPool1d, "one greatest", "n greatest: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kAdaptiveMaxPool2d, "one greatest", "n greatest: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kAdaptiveMaxPool3d, "one greatest", "n greatest: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kAdaptiveMaxPool1dIndices, "an index is a constant", "", "", ""},
    {Opcode::kAdaptiveMaxPool2dIndices, "an index is a constant", "", "", ""},
    {Opcode::kAdaptiveMaxPool3dIndices, "an index is a constant", "", "", ""},
    {Opcode::kMatmul, "everywhere", "", "", ""},
    {Opcode::kAddmm, "everywhere", "", "", ""},
    {Opcode::kAddmv, "everywhere", "", "", ""},
    {Opcode::kAddr, "everywhere", "", "", ""},
    {Opcode::kBaddbmm, "everywhere", "", "", ""},
    {Opcode::kAddbmm, "everywhere", "", "", ""},
    {Opcode::kBmm, "everywhere", "", "", ""},
    {Opcode::kDot, "everywhere", "", "", ""},
    {Opcode::kOuter, "everywhere", "", "", ""},
    {Opcode::kConv1d, "everywhere", "", "", ""},
    {Opcode::kConv2d, "everywhere", "", "", ""},
    {Opcode::kConv3d, "everywhere", "", "", ""},
    {Opcode::kConvTranspose1d, "everywhere", "", "", ""},
    {Opcode::kConvTranspose2d, "everywhere", "", "", ""},
    {Opcode::kConvTranspose3d, "everywhere", "", "", ""},
    {Opcode::kCat, "everywhere", "", "", ""},
    {Opcode::kStack, "everywhere", "", "", ""},
    {Opcode::kFlip, "everywhere", "", "", ""},
    {Opcode::kRoll, "everywhere", "", "", ""},
    {Opcode::kTril, "everywhere", "", "", ""},
    {Opcode::kTriu, "everywhere", "", "", ""},
    {Opcode::kPad, "everywhere", "", "", ""},
    {Opcode::kPadReflect, "everywhere", "", "", ""},
    {Opcode::kPadReplicate, "everywhere", "", "", ""},
    {Opcode::kPadCircular, "everywhere", "", "", ""},
    {Opcode::kRepeat, "everywhere", "", "", ""},
    {Opcode::kUpsampleNearest1d, "everywhere", "", "", ""},
    {Opcode::kUpsampleNearest2d, "everywhere", "", "", ""},
    {Opcode::kUpsampleNearest3d, "everywhere", "", "", ""},
    {Opcode::kUpsampleLinear1d, "everywhere", "", "", ""},
    {Opcode::kUpsampleBilinear2d, "everywhere", "", "", ""},
    {Opcode::kUpsampleTrilinear3d, "everywhere", "", "", ""},
    {Opcode::kUpsampleBicubic2d, "everywhere", "", "", ""},
    {Opcode::kIndexSelect, "everywhere; indices are constants", "", "", ""},
    {Opcode::kEmbedding, "everywhere; indices are constants", "", "", ""},
    {Opcode::kGather, "everywhere; indices are constants", "", "", ""},
    {Opcode::kScatterAdd, "everywhere; indices are constants", "", "", ""},
    {Opcode::kScatter, "everywhere; indices are constants", "", "", ""},
    {Opcode::kIndexAdd, "everywhere; indices are constants", "", "", ""},
    {Opcode::kIndexCopy, "everywhere; indices are constants", "", "", ""},
    {Opcode::kSort, "no two are equal", "equal ones: means of their orders", "", ""},
    {Opcode::kArgsort, "an index is a constant", "", "", ""},
    {Opcode::kTopk, "no two are equal", "equal ones: means of their orders", "", ""},
    {Opcode::kTopkIndices, "an index is a constant", "", "", ""},
    {Opcode::kCumsum, "everywhere", "", "", ""},
    {Opcode::kCumprod, "everywhere, zeros included", "", "", ""},
    {Opcode::kCummax, "one greatest up to each", "n of them: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kCummin, "one least up to each", "n of them: shares ≥ 0 of sum 1", "", ""},
    {Opcode::kCummaxIndices, "an index is a constant", "", "", ""},
    {Opcode::kCumminIndices, "an index is a constant", "", "", ""},
    {Opcode::kLogcumsumexp, "from the first finite a on", "", "", "before it, where a are -∞"},
    {Opcode::kSoftmax, "finite a", "", "", "a row of -∞"},
    {Opcode::kLogSoftmax, "finite a", "", "", "a row of -∞"},
    {Opcode::kMseLoss, "everywhere", "", "", "a mean over nothing"},
    {Opcode::kCrossEntropy, "finite a; classes are constants", "", "", "a row of -∞"},
    {Opcode::kBceWithLogits, "everywhere", "", "", "a mean over nothing"},
    {Opcode::kNllLoss, "everywhere; classes are constants", "", "", "a mean over nothing"},
    {Opcode::kSmoothL1Loss, "everywhere, once; more often where a - b ≠ ±1",
     "a - b = ±1: a second derivative in [0, 1]", "", "a mean over nothing"},
    {Opcode::kView, "everywhere", "", "", ""},
    {Opcode::kReshape, "everywhere", "", "", ""},
    {Opcode::kTranspose, "everywhere", "", "", ""},
    {Opcode::kPermute, "everywhere", "", "", ""},
    {Opcode::kExpand, "everywhere", "", "", ""},
    {Opcode::kSelect, "everywhere", "", "", ""},
    {Opcode::kSlice, "everywhere", "", "", ""},
    {Opcode::kSqueeze, "everywhere", "", "", ""},
    {Opcode::kUnsqueeze, "everywhere", "", "", ""},
    {Opcode::kT, "everywhere", "", "", ""},
    {Opcode::kDiagonal, "everywhere", "", "", ""},
    {Opcode::kUnfold, "everywhere", "", "", ""},
    {Opcode::kAlias, "everywhere", "", "", ""},
    {Opcode::kAsStrided, "everywhere", "", "", ""},
    {Opcode::kUnbind, "everywhere", "", "", ""},
    {Opcode::kSplit, "everywhere", "", "", ""},
    {Opcode::kChunk, "everywhere", "", "", ""},
    {Opcode::kClone, "everywhere", "", "", ""},
    {Opcode::kDetach, "a constant", "", "", ""},
    {Opcode::kCast, "everywhere; an integer or bool is a constant", "", "", ""},
    {Opcode::kTo, "everywhere", "", "", ""},
};

constexpr bool HasEveryOp() {
  size_t next = 0;
  for (const program::Signature& signature : program::table::kRows) {
    const bool has_row = program::IsComputed(signature.category) &&
                         signature.category != program::Category::kInPlace;
    if (!has_row) continue;
    if (next == std::size(kPointRows) || kPointRows[next].op != signature.op) return false;
    ++next;
  }
  return next == std::size(kPointRows);
}
static_assert(HasEveryOp(),
              "a row for each op that computes, in the order of the table of statements");

}  // namespace
}  // namespace points

absl::Span<const PointRow> Points() { return points::kPointRows; }

std::string PointsText() {
  std::string text =
      "| op | smooth | kinks: the legal slopes | boundary: the slope | undefined |\n"
      "|---|---|---|---|---|\n";
  for (const PointRow& row : Points()) {
    absl::StrAppend(&text, "| ", program::SignatureOf(row.op).name, " | ", row.smooth, " | ",
                    row.kinks.empty() ? "-" : row.kinks, " | ",
                    row.boundary.empty() ? "-" : row.boundary, " | ",
                    row.undefined.empty() ? "-" : row.undefined, " |\n");
  }
  return text;
}

}  // namespace twingrad::reference

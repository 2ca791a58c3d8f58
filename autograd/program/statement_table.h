// The rows of the signature table: what each statement takes, and the facts of each op.
//
// Included only by signature.cc and by tables whose static_assert asks for a row for each op; all
// other code uses signature.h. A new statement is one row here, at the position of its enumerator
// in opcode.h. A function for each form of row gives what all rows of that form share; the operands
// of a row are counted from a.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/base/error.h"
#include "autograd/program/attribute_table.h"
#include "autograd/program/limits.h"
#include "autograd/program/signature.h"

namespace twingrad::program::table {

using enum DTypeRule;
using enum Format;
using enum Opcode;

// The facts of an op, by the dependence of its derivative.
constexpr OpFacts Linear(Numbers numbers, Saves saves = 0, Saves pytorch_saves = 0) {
  return {Dependence::kLinear, numbers, saves, pytorch_saves};
}
constexpr OpFacts Curved(Numbers numbers, Saves saves, Saves pytorch_saves = 0) {
  return {Dependence::kCurved, numbers, saves, pytorch_saves};
}
constexpr OpFacts Curved(Numbers numbers, Saves saves, Takes takes) {
  return {Dependence::kCurved, numbers, saves, kSavesNothing, takes};
}

// How many operands or results a statement has.
struct Count {
  uint16_t least, most;
  constexpr Count(int number) : Count(number, number) {}
  constexpr Count(int from, int to)
      : least(static_cast<uint16_t>(from)), most(static_cast<uint16_t>(to)) {}
};
inline constexpr int kMany = kMaxOperands;
inline constexpr int kFew = kMaxCustomOperands;
inline constexpr uint32_t kIndicesB = 0b10;  // operand b holds indices

// An op with one result. A gradient can flow to every operand but indices, unless the result
// itself is indices.
constexpr Signature Computed(Category category, Opcode op, std::string_view name, Count operands,
                             OpFacts facts, DTypeRule dtypes,
                             absl::Span<const AttributeSpec> attributes, std::string_view doc,
                             uint32_t indices = 0) {
  const uint32_t differentiable =
      facts.numbers == Numbers::kIndices ? 0 : ((1u << operands.most) - 1) & ~indices;
  return {op,  name,  category, operands.least, operands.most,
          1,   1,     dtypes,   differentiable, attributes,
          doc, facts, op,       indices};
}
constexpr Signature Elementwise(Opcode op, std::string_view name, int operands, OpFacts facts,
                                DTypeRule dtypes, std::string_view doc) {
  return Computed(Category::kElementwise, op, name, operands, facts, dtypes, kNone, doc);
}
constexpr Signature Reduction(Opcode op, std::string_view name, OpFacts facts, DTypeRule dtypes,
                              std::string_view doc) {
  return Computed(Category::kReduction, op, name, 1, facts, dtypes, kReductionKeys, doc);
}
// max, min and their indices.
constexpr Signature Extreme(Opcode op, std::string_view name, OpFacts facts, std::string_view doc) {
  return Computed(Category::kReduction, op, name, 1, facts, kNumeric, kExtremeKeys, doc);
}
// a plus a product of b and c.
constexpr Signature AddedProduct(Opcode op, std::string_view name, Numbers numbers,
                                 std::string_view doc) {
  return Computed(Category::kMatmul, op, name, 3, {Dependence::kAddmm, numbers, kSavesB | kSavesC},
                  kNumeric, kNone, doc);
}
// Over windows of the last dimensions.
constexpr Signature Pool(Opcode op, std::string_view name, OpFacts facts, std::string_view doc) {
  return Computed(Category::kReduction, op, name, 1, facts, kFloating, kPoolKeys, doc);
}
constexpr Signature AvgPool(Opcode op, std::string_view name) {
  return Pool(op, name, Linear(Numbers::kMeanOver, kSavesNothing, kSavesA),
              "the mean of each window of kernel= entries, with padding= zeros around a");
}
constexpr Signature MaxPool(Opcode op, std::string_view name) {
  return Pool(op, name, Linear(Numbers::kSame, kSavesOwn, kSavesA),
              "the first of the greatest of each window of kernel= entries, or the first NaN");
}
constexpr Signature MaxPoolIndices(Opcode op, std::string_view name) {
  return Pool(op, name, Linear(Numbers::kIndices),
              "where the max_pool of this rank takes each from, counted in its plane, i64");
}
constexpr Signature Convolution(Opcode op, std::string_view name) {
  return Computed(
      Category::kMatmul, op, name, 2,
      {Dependence::kBilinear, Numbers::kMatmul, kSavesAForB | kSavesBForA, kSavesA | kSavesB},
      kFloating, kConvolutionKeys,
      "sums of a's windows times each b[O,C/groups,K..]; a is [N,C,..] or [C,..], "
      "with padding= zeros around it");
}
constexpr Signature Rearranged(Opcode op, std::string_view name, Count operands, OpFacts facts,
                               DTypeRule dtypes, absl::Span<const AttributeSpec> attributes,
                               std::string_view doc, uint32_t indices = 0) {
  return Computed(Category::kRearrange, op, name, operands, facts, dtypes, attributes, doc,
                  indices);
}
constexpr Signature Scan(Opcode op, std::string_view name, OpFacts facts, DTypeRule dtypes,
                         std::string_view doc) {
  return Computed(Category::kScan, op, name, 1, facts, dtypes, kDimKeys, doc);
}
constexpr Signature View(Opcode op, std::string_view name,
                         absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  return Computed(Category::kView, op, name, 1, Linear(Numbers::kSame), kAny, attributes, doc);
}
constexpr Signature Copy(Opcode op, std::string_view name, Numbers numbers,
                         absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  return Computed(Category::kCopy, op, name, 1, Linear(numbers), kAny, attributes, doc);
}
// No gradient can flow to the first operand.
constexpr Signature WithCondition(Signature row) {
  row.differentiable &= ~1u;
  return row;
}
// A statement with a meaning of its own; `differentiable` as in Signature.
constexpr Signature Plain(Opcode op, std::string_view name, Category category, Count operands,
                          Count results, absl::Span<const AttributeSpec> attributes,
                          std::string_view doc, uint32_t differentiable = 0) {
  return {op,
          name,
          category,
          operands.least,
          operands.most,
          results.least,
          results.most,
          kAny,
          differentiable,
          attributes,
          doc,
          {},
          op};
}
// Operands, types and facts are those of the op that it performs: see WithPerformed.
constexpr Signature InPlace(Opcode op, std::string_view name, Opcode performs,
                            std::string_view doc) {
  Signature row = Plain(op, name, Category::kInPlace, 0, 0, kNone, doc);
  row.performs = performs;
  return row;
}
// In place, without an op that it performs.
constexpr Signature Overwrite(Opcode op, std::string_view name, int operands, Numbers numbers,
                              uint32_t differentiable, std::string_view doc) {
  Signature row = Plain(op, name, Category::kInPlace, operands, 0, kNone, doc, differentiable);
  row.facts.numbers = numbers;
  return row;
}

inline constexpr std::array<Signature, kNumOpcodes> kRows = {{
    Plain(kLeaf, "leaf", Category::kLeaf, 0, 1, kLeafKeys,
          "a tensor from data=, fill= or seed= (zeros without); grad=1: requires grad"),
    Elementwise(kAdd, "add", 2, Linear(Numbers::kSum), kNumeric, "a + b, broadcast"),
    Elementwise(kSub, "sub", 2, Linear(Numbers::kDifference), kNumeric, "a - b, broadcast"),
    Elementwise(kMul, "mul", 2,
                {Dependence::kBilinear, Numbers::kProduct, kSavesAForB | kSavesBForA}, kNumeric,
                "a * b, broadcast"),
    Elementwise(kDiv, "div", 2, {Dependence::kQuotient, Numbers::kQuotient, kSavesB | kSavesAForB},
                kFloating, "a / b, broadcast"),
    Elementwise(kPow, "pow", 2,
                Curved(Numbers::kPower, kSavesA | kSavesB | kSavesResultForB, kSavesResult),
                kNumeric, "a to the power of b, broadcast"),
    Elementwise(kMaximum, "maximum", 2, Linear(Numbers::kGreatest, kSavesA | kSavesB), kNumeric,
                "the greater of a and b, NaN if either is; broadcast"),
    Elementwise(kMinimum, "minimum", 2, Linear(Numbers::kEither, kSavesA | kSavesB), kNumeric,
                "the lesser of a and b, NaN if either is; broadcast"),
    Elementwise(kLogaddexp, "logaddexp", 2, Curved(Numbers::kLogSum, kSavesA | kSavesB), kFloating,
                "log(exp(a) + exp(b)), broadcast"),
    Elementwise(kAtan2, "atan2", 2, Curved(Numbers::kAngle, kSavesA | kSavesB), kFloating,
                "the angle from the first axis to the point with coordinates b and a; broadcast"),
    Elementwise(kNeg, "neg", 1, Linear(Numbers::kNegated), kNumeric, "-a"),
    Elementwise(kExp, "exp", 1, Curved(Numbers::kExponential, kSavesResult, Takes::kSmall),
                kFloating, "e to the power of a"),
    Elementwise(kLog, "log", 1, Curved(Numbers::kLogarithm, kSavesA, Takes::kPositive), kFloating,
                "natural logarithm"),
    Elementwise(kSqrt, "sqrt", 1, Curved(Numbers::kRoot, kSavesResult, Takes::kPositive), kFloating,
                "square root"),
    Elementwise(kSin, "sin", 1, Curved(Numbers::kUnit, kSavesA), kFloating, "sine"),
    Elementwise(kCos, "cos", 1, Curved(Numbers::kUnit, kSavesA), kFloating, "cosine"),
    Elementwise(kTanh, "tanh", 1, Curved(Numbers::kUnit, kSavesResult), kFloating,
                "hyperbolic tangent"),
    Elementwise(kSigmoid, "sigmoid", 1, Curved(Numbers::kSigmoid, kSavesResult), kFloating,
                "1 / (1 + exp(-a))"),
    Elementwise(kRelu, "relu", 1, Linear(Numbers::kClipped, kSavesResult), kNumeric,
                "the greater of a and 0"),
    Elementwise(kAbs, "abs", 1, Linear(Numbers::kMagnitude, kSavesA), kNumeric, "absolute value"),
    Elementwise(kSgn, "sgn", 1, Linear(Numbers::kSign, kSavesNothing, kSavesA | kSavesResult),
                kNumeric, "-1, 0 or 1: the sign; 0 for NaN"),
    Elementwise(kTan, "tan", 1, Curved(Numbers::kUnbounded, kSavesResult), kFloating, "tangent"),
    Elementwise(kAsin, "asin", 1, Curved(Numbers::kAngle, kSavesA, Takes::kUnit), kFloating,
                "inverse sine"),
    Elementwise(kAcos, "acos", 1, Curved(Numbers::kAngle, kSavesA, Takes::kUnit), kFloating,
                "inverse cosine"),
    Elementwise(kAtan, "atan", 1, Curved(Numbers::kAngle, kSavesA), kFloating, "inverse tangent"),
    Elementwise(kSinh, "sinh", 1, Curved(Numbers::kSignedExponential, kSavesA, Takes::kSmall),
                kFloating, "hyperbolic sine"),
    Elementwise(kCosh, "cosh", 1, Curved(Numbers::kExponential, kSavesA, Takes::kSmall), kFloating,
                "hyperbolic cosine"),
    Elementwise(kAsinh, "asinh", 1, Curved(Numbers::kLogarithm, kSavesA), kFloating,
                "inverse hyperbolic sine"),
    Elementwise(kAcosh, "acosh", 1, Curved(Numbers::kLogarithm, kSavesA, Takes::kAboveOne),
                kFloating, "inverse hyperbolic cosine"),
    Elementwise(kAtanh, "atanh", 1, Curved(Numbers::kUnbounded, kSavesA, Takes::kUnit), kFloating,
                "inverse hyperbolic tangent"),
    Elementwise(kErf, "erf", 1, Curved(Numbers::kUnit, kSavesA), kFloating, "the error function"),
    Elementwise(kErfc, "erfc", 1, Curved(Numbers::kAngle, kSavesA), kFloating, "1 - erf(a)"),
    Elementwise(kExpm1, "expm1", 1,
                Curved(Numbers::kSignedExponential, kSavesResult, Takes::kSmall), kFloating,
                "exp(a) - 1"),
    Elementwise(kLog1p, "log1p", 1, Curved(Numbers::kLogarithm, kSavesA, Takes::kPositive),
                kFloating, "log(1 + a)"),
    Elementwise(kLog2, "log2", 1, Curved(Numbers::kLogarithm, kSavesA, Takes::kPositive), kFloating,
                "logarithm to the base 2"),
    Elementwise(kLog10, "log10", 1, Curved(Numbers::kLogarithm, kSavesA, Takes::kPositive),
                kFloating, "logarithm to the base 10"),
    Elementwise(kExp2, "exp2", 1, Curved(Numbers::kExponential, kSavesResult, Takes::kSmall),
                kFloating, "2 to the power of a"),
    Elementwise(kRsqrt, "rsqrt", 1, Curved(Numbers::kUnbounded, kSavesResult, Takes::kPositive),
                kFloating, "1 / sqrt(a)"),
    Elementwise(kReciprocal, "reciprocal", 1,
                Curved(Numbers::kUnbounded, kSavesResult, Takes::kPositive), kFloating, "1 / a"),
    Elementwise(kSquare, "square", 1, Curved(Numbers::kSquare, kSavesA), kNumeric, "a * a"),
    Elementwise(kSilu, "silu", 1, Curved(Numbers::kGated, kSavesA), kFloating, "a * sigmoid(a)"),
    Elementwise(kSoftplus, "softplus", 1, Curved(Numbers::kLogSum, kSavesA), kFloating,
                "log(1 + exp(a))"),
    Elementwise(kGelu, "gelu", 1, Curved(Numbers::kGated, kSavesA), kFloating,
                "a (1 + erf(a / sqrt(2))) / 2"),
    Elementwise(kGeluTanh, "gelu_tanh", 1, Curved(Numbers::kGated, kSavesA), kFloating,
                "a (1 + tanh(sqrt(2 / pi) (a + 0.044715 a^3))) / 2"),
    Computed(Category::kElementwise, kClamp, "clamp", 1, Linear(Numbers::kClamped, kSavesA),
             kFloating, kClampKeys,
             "a, but min= where it is less and max= where it is greater; one of them or both"),
    Computed(Category::kElementwise, kHardtanh, "hardtanh", 1, Linear(Numbers::kClamped, kSavesA),
             kFloating, kLimitsKeys,
             "a, but min= where it is less and max= where it is greater; min= is below max="),
    Elementwise(kRelu6, "relu6", 1, Linear(Numbers::kClamped, kSavesA), kFloating,
                "a, but 0 where it is less and 6 where it is greater"),
    Elementwise(kHardsigmoid, "hardsigmoid", 1, Linear(Numbers::kBent, kSavesA), kFloating,
                "relu6(a + 3) / 6"),
    Computed(Category::kElementwise, kLeakyRelu, "leaky_relu", 1, Linear(Numbers::kBent, kSavesA),
             kFloating, kFactorKeys, "a, but by= times a where that is less; 0 < by <= 1"),
    Computed(Category::kElementwise, kElu, "elu", 1, Curved(Numbers::kBent, kSavesA), kFloating,
             kFactorKeys, "a where it is above 0, else by= times (exp(a) - 1); by > 0"),
    Computed(Category::kElementwise, kCelu, "celu", 1, Curved(Numbers::kBent, kSavesA), kFloating,
             kFactorKeys, "a where it is above 0, else by= times (exp(a / by=) - 1); by > 0"),
    Elementwise(
        kSelu, "selu", 1, Curved(Numbers::kBent, kSavesA), kFloating,
        "elu by 1.6732632423543772848170429916717, times 1.0507009873554804934193349852946"),
    WithCondition(Elementwise(kWhere, "where", 3, Linear(Numbers::kEither, kSavesA), kNumeric,
                              "b where the condition a (bool) is true, else c; broadcast")),
    WithCondition(Computed(Category::kElementwise, kMaskedFill, "masked_fill", 2,
                           Linear(Numbers::kPadded, kSavesA), kNumeric, kFactorKeys,
                           "b, but by= where the condition a (bool) is true; broadcast")),
    Elementwise(kAddcmul, "addcmul", 3, {Dependence::kAddmm, Numbers::kAddcmul, kSavesB | kSavesC},
                kNumeric, "a + b * c, broadcast"),
    Elementwise(kAddcdiv, "addcdiv", 3, Curved(Numbers::kUnbounded, kSavesB | kSavesC, kSavesC),
                kFloating, "a + b / c, broadcast"),
    Elementwise(kLerp, "lerp", 3, Curved(Numbers::kBetween, kSavesA | kSavesB | kSavesC, kSavesC),
                kFloating, "a + c * (b - a), broadcast"),
    Reduction(kSum, "sum", Linear(Numbers::kSumOver), kNumeric,
              "sum over dims= (all without); keepdim=1 keeps them with size 1"),
    Reduction(kMean, "mean", Linear(Numbers::kMeanOver), kFloating,
              "mean over dims= (all without); keepdim=1 keeps them with size 1"),
    Reduction(kProd, "prod", Curved(Numbers::kProductOver, kSavesA, kSavesResult), kNumeric,
              "product over dims= (all without); 1 over nothing"),
    Reduction(kAmax, "amax", Linear(Numbers::kSame, kSavesA | kSavesResult), kNumeric,
              "the greatest over dims= (all without), NaN if any is; none may have size 0"),
    Reduction(kAmin, "amin", Linear(Numbers::kSame, kSavesA | kSavesResult), kNumeric,
              "the least over dims= (all without), NaN if any is; none may have size 0"),
    Reduction(kLogsumexp, "logsumexp", Curved(Numbers::kLogSum, kSavesA | kSavesResult), kFloating,
              "log of the sum of exp(a) over dims= (all without)"),
    Reduction(kVar, "var", Curved(Numbers::kSpread, kSavesA), kFloating,
              "mean over dims= (all without) of the squared distance to the mean"),
    Extreme(kMax, "max", Linear(Numbers::kSame, kSavesOwn),
            "the greatest along dim=: the first of the greatest, or the first NaN, and no other"),
    Extreme(kMin, "min", Linear(Numbers::kSame, kSavesOwn),
            "the least along dim=: the first of the least, or the first NaN, and no other"),
    Extreme(kArgmax, "argmax", Linear(Numbers::kIndices),
            "the index along dim= of what max picks, i64"),
    Extreme(kArgmin, "argmin", Linear(Numbers::kIndices),
            "the index along dim= of what min picks, i64"),
    AvgPool(kAvgPool1d, "avg_pool1d"),
    AvgPool(kAvgPool2d, "avg_pool2d"),
    AvgPool(kAvgPool3d, "avg_pool3d"),
    MaxPool(kMaxPool1d, "max_pool1d"),
    MaxPool(kMaxPool2d, "max_pool2d"),
    MaxPool(kMaxPool3d, "max_pool3d"),
    MaxPoolIndices(kMaxPool1dIndices, "max_pool1d_indices"),
    MaxPoolIndices(kMaxPool2dIndices, "max_pool2d_indices"),
    MaxPoolIndices(kMaxPool3dIndices, "max_pool3d_indices"),
    Computed(Category::kMatmul, kMatmul, "matmul", 2,
             {Dependence::kBilinear, Numbers::kMatmul, kSavesAForB | kSavesBForA}, kNumeric, kNone,
             "matrix product, ranks 1 to 4, batch dimensions broadcast"),
    AddedProduct(kAddmm, "addmm", Numbers::kAddmm,
                 "a plus the product of the matrices b and c; a is broadcast to it"),
    AddedProduct(kAddmv, "addmv", Numbers::kAddmm,
                 "a plus the product of the matrix b and the vector c; a is broadcast to it"),
    AddedProduct(kAddr, "addr", Numbers::kAddcmul,
                 "a plus outer of the vectors b and c; a is broadcast to it"),
    AddedProduct(kBaddbmm, "baddbmm", Numbers::kAddmm,
                 "a plus bmm of b and c, of rank 3; a is broadcast to it"),
    AddedProduct(kAddbmm, "addbmm", Numbers::kAddmm,
                 "a plus the sum of the matrices of bmm of b and c; a is broadcast to it"),
    Computed(Category::kMatmul, kBmm, "bmm", 2,
             {Dependence::kBilinear, Numbers::kMatmul, kSavesAForB | kSavesBForA}, kNumeric, kNone,
             "the product of each matrix of a with that of b; both have rank 3"),
    Computed(Category::kMatmul, kDot, "dot", 2,
             {Dependence::kBilinear, Numbers::kMatmul, kSavesAForB | kSavesBForA}, kNumeric, kNone,
             "the sum of products of two vectors"),
    Computed(Category::kMatmul, kOuter, "outer", 2,
             {Dependence::kBilinear, Numbers::kProduct, kSavesAForB | kSavesBForA}, kNumeric, kNone,
             "the products of each element of vector a with each of vector b"),
    Convolution(kConv1d, "conv1d"),
    Convolution(kConv2d, "conv2d"),
    Convolution(kConv3d, "conv3d"),
    Rearranged(kCat, "cat", {1, kFew}, Linear(Numbers::kEither), kAny, kDimKeys,
               "one after the other along dim=; the other sizes are equal"),
    Rearranged(kStack, "stack", {1, kFew}, Linear(Numbers::kEither), kAny, kDimKeys,
               "one after the other along a new dimension before dim=; the shapes are equal"),
    Rearranged(kFlip, "flip", 1, Linear(Numbers::kSame), kAny, kDimsKeys,
               "a copy with the order along dims= reversed"),
    Rearranged(kRoll, "roll", 1, Linear(Numbers::kSame), kAny, kRollKeys,
               "a copy with the entries of dim= by= places on, the last ones first"),
    Rearranged(kTril, "tril", 1, Linear(Numbers::kSame), kNumeric, kDiagonalKeys,
               "a copy of matrices with 0 above the diagonal that is by= to the right"),
    Rearranged(kTriu, "triu", 1, Linear(Numbers::kSame), kNumeric, kDiagonalKeys,
               "a copy of matrices with 0 below the diagonal that is by= to the right"),
    Rearranged(
        kPad, "pad", 1, Linear(Numbers::kPadded), kNumeric, kPadKeys,
        "a with pads= entries more before and after it in the last dimension, then in the one "
        "before, and so on; each is by= (0 without)"),
    Rearranged(
        kPadReflect, "pad_reflect", 1, Linear(Numbers::kSame, kSavesNothing, kSavesA), kFloating,
        kExtendKeys,
        "the same with entries mirrored at the first and the last, in all dimensions but one "
        "or two"),
    Rearranged(kPadReplicate, "pad_replicate", 1, Linear(Numbers::kSame, kSavesNothing, kSavesA),
               kFloating, kExtendKeys, "the same with the first and the last entry repeated"),
    Rearranged(kPadCircular, "pad_circular", 1, Linear(Numbers::kSame), kFloating, kExtendKeys,
               "the same with the entries of the other end"),
    Rearranged(kRepeat, "repeat", 1, Linear(Numbers::kSame), kAny, kShapeKeys,
               "a as often along each dimension, and before it along new ones, as shape= says"),
    Rearranged(kIndexSelect, "index_select", 2, Linear(Numbers::kSame, kSavesB), kAny, kDimKeys,
               "the entries of dim= whose indices b lists, in its order", kIndicesB),
    Rearranged(kEmbedding, "embedding", 2, Linear(Numbers::kSame, kSavesB), kFloating, kNone,
               "the rows of the matrix a whose indices b holds, in place of each of them",
               kIndicesB),
    Rearranged(kGather, "gather", 2, Linear(Numbers::kSame, kSavesB, kSavesA), kAny, kDimKeys,
               "b's shape: a where b replaces the coordinate of dim=", kIndicesB),
    Rearranged(kScatterAdd, "scatter_add", 3, Linear(Numbers::kScattered, kSavesB), kNumeric,
               kDimKeys,
               "a, and each element of c, in order, added where b replaces the coordinate of dim=",
               kIndicesB),
    Rearranged(kScatter, "scatter", 3, Linear(Numbers::kEither, kSavesB), kAny, kDimKeys,
               "a, and each element of c, in order, put where b replaces the coordinate of dim=",
               kIndicesB),
    Rearranged(kSort, "sort", 1, Linear(Numbers::kSame, kSavesOwn), kNumeric, kSortKeys,
               "in ascending order along dim=, equal ones in their order, NaN above all"),
    Rearranged(kArgsort, "argsort", 1, Linear(Numbers::kIndices), kNumeric, kSortKeys,
               "the indices along dim= of what sort puts there, i64"),
    Scan(kCumsum, "cumsum", Linear(Numbers::kCumulated), kNumeric,
         "the sums of the entries up to each along dim="),
    Scan(kCumprod, "cumprod", Curved(Numbers::kProductOver, kSavesA, kSavesResult), kNumeric,
         "the products of the entries up to each along dim="),
    Scan(kLogcumsumexp, "logcumsumexp", Curved(Numbers::kLogSum, kSavesA | kSavesResult), kFloating,
         "log of the sums of exp of the entries up to each along dim="),
    Scan(kSoftmax, "softmax", Curved(Numbers::kProbability, kSavesResult), kFloating,
         "exp(a) over its sum along dim="),
    Scan(kLogSoftmax, "log_softmax", Curved(Numbers::kLogSum, kSavesResult), kFloating,
         "the logarithm of softmax"),
    Computed(Category::kLoss, kMseLoss, "mse_loss", 2,
             Curved(Numbers::kSquaredDifference, kSavesA | kSavesB), kFloating, kLossKeys,
             "the mean (sum, or each) of (a - b) squared, of equal shapes"),
    Computed(Category::kLoss, kCrossEntropy, "cross_entropy", 2,
             Curved(Numbers::kLogSum, kSavesA | kSavesB), kFloating, kLossKeys,
             "the mean (sum, or each) of -log_softmax at the class that b names; a [N,C], or [C]",
             kIndicesB),
    Computed(Category::kLoss, kBceWithLogits, "bce_with_logits", 2,
             Curved(Numbers::kLogSum, kSavesA | kSavesB), kFloating, kLossKeys,
             "the mean (sum, or each) of log(1 + exp(a)) - a * b, of equal shapes"),
    Computed(Category::kLoss, kNllLoss, "nll_loss", 2, Linear(Numbers::kMeanOver, kSavesB, kSavesA),
             kFloating, kLossKeys,
             "the mean (sum, or each) of -a at the class that b names; a [N,C], or [C]", kIndicesB),
    Computed(Category::kLoss, kSmoothL1Loss, "smooth_l1_loss", 2,
             Curved(Numbers::kSquaredDifference, kSavesA | kSavesB), kFloating, kLossKeys,
             "the mean (sum, or each) of d * d / 2 where abs(d) < 1, else abs(d) - 1/2; d = a - b"),
    View(kView, "view", kShapeKeys,
         "the same elements with shape=; the operand must be contiguous when run"),
    View(kReshape, "reshape", kShapeKeys,
         "the same elements with shape=; a copy where the operand is not contiguous"),
    View(kTranspose, "transpose", kDimsKeys, "swaps the two dims="),
    View(kPermute, "permute", kAnyDimsKeys,
         "dimension i of the result is dims[i]; a scalar has none"),
    View(kExpand, "expand", kShapeKeys,
         "repeats dimensions of size 1, without a copy, up to shape="),
    View(kSelect, "select", kSelectKeys, "entry index= of dim=, which goes"),
    View(kSlice, "slice", kSliceKeys,
         "entries start= to before stop= (its size without) of dim=, each step="),
    View(kSqueeze, "squeeze", kAnyDimsKeys,
         "drops those of dims= (of all without) whose size is 1"),
    View(kUnsqueeze, "unsqueeze", kDimKeys, "inserts a dimension of size 1 before dim="),
    View(kT, "t", kNone, "a matrix with its two dimensions swapped; of lower rank a"),
    View(kDiagonal, "diagonal", kDiagonalViewKeys,
         "of each matrix of the two dims=, which go, the diagonal that is by= to the right, last"),
    View(kUnfold, "unfold", kUnfoldKeys,
         "windows of count= entries of dim=, each step= after the last; their entries come last"),
    View(kAlias, "alias", kNone, "the same elements in the same shape"),
    Copy(kClone, "clone", Numbers::kSame, kNone, "a copy"),
    Plain(kDetach, "detach", Category::kCopy, 1, 1, kNone,
          "the same storage without history; not a view for autograd"),
    Copy(kCast, "cast", Numbers::kCast, kCastKeys,
         "a copy of element type to=; float to integer saturates, NaN becomes 0"),
    Copy(kTo, "to", Numbers::kSame, kToKeys, "a copy on device="),
    InPlace(kAddInPlace, "add_", kAdd, "a becomes a + b"),
    InPlace(kSubInPlace, "sub_", kSub, "a becomes a - b"),
    InPlace(kMulInPlace, "mul_", kMul, "a becomes a * b"),
    InPlace(kDivInPlace, "div_", kDiv, "a becomes a / b"),
    InPlace(kNegInPlace, "neg_", kNeg, "a becomes -a"),
    InPlace(kExpInPlace, "exp_", kExp, "a becomes exp(a)"),
    InPlace(kSqrtInPlace, "sqrt_", kSqrt, "a becomes sqrt(a)"),
    InPlace(kSinInPlace, "sin_", kSin, "a becomes sin(a)"),
    InPlace(kCosInPlace, "cos_", kCos, "a becomes cos(a)"),
    InPlace(kTanhInPlace, "tanh_", kTanh, "a becomes tanh(a)"),
    InPlace(kSigmoidInPlace, "sigmoid_", kSigmoid, "a becomes sigmoid(a)"),
    InPlace(kReluInPlace, "relu_", kRelu, "a becomes relu(a)"),
    InPlace(kAbsInPlace, "abs_", kAbs, "a becomes abs(a)"),
    Overwrite(kCopyInPlace, "copy_", 2, Numbers::kSecond, 0b10, "a becomes b"),
    Overwrite(kZeroInPlace, "zero_", 1, Numbers::kZero, 0, "a becomes 0"),
    Plain(kRetainGrad, "retain_grad", Category::kGradient, 1, 0, kNone,
          "keeps the gradient of a non-leaf in .grad"),
    Plain(kReadGrad, "read_grad", Category::kGradient, 1, 1, kNone,
          "a differentiable copy of .grad; undefined where .grad is"),
    Plain(kZeroGrad, "zero_grad", Category::kGradient, 1, 0, kNone, "makes .grad undefined"),
    Plain(kSetGrad, "set_grad", Category::kGradient, 2, 0, kNone,
          "the .grad of a becomes a copy of b, with b's strides where they are dense"),
    Plain(kHook, "hook", Category::kHook, 1, 0, kHookKeys, "a hook on the gradient of a value"),
    Plain(kPreHook, "pre_hook", Category::kHook, 1, 0, kHookKeys,
          "a hook on the gradients that enter the value's node"),
    Plain(kPostHook, "post_hook", Category::kHook, 1, 0, kHookKeys,
          "a hook on the gradients that leave the value's node"),
    Plain(kAccumulateHook, "accumulate_hook", Category::kHook, 1, 0, kAccumulateHookKeys,
          "a hook after a leaf's .grad was accumulated"),
    Plain(kRemoveHook, "remove_hook", Category::kHook, 0, 0, kIdKeys,
          "removes the hook with this id="),
    Plain(kBackward, "backward", Category::kCall, {1, kMany}, 0, kBackwardKeys,
          "accumulates gradients of the roots into .grad of the leaves, or of inputs="),
    Plain(kGrad, "grad", Category::kCall, {1, kMany}, {0, kMany}, kGradKeys,
          "gradients of the roots with respect to inputs=, one result each"),
    Plain(
        kCustom, "custom", Category::kCustom, {1, kFew}, {1, kFew}, kCustomKeys,
        "a custom function: result i is a copy of operand i (or what do= says), its gradient what "
        "do= says",
        0xff),
    Plain(kCustomInPlace, "custom_", Category::kCustom, 1, 0, kCustomInPlaceKeys,
          "a custom function that writes a and marks it dirty: a becomes what custom would return",
          0b1),
    Plain(kBegin, "begin", Category::kRegion, 0, 0, kBeginKeys, "begins a region of kind="),
    Plain(kEnd, "end", Category::kRegion, 0, 0, kNone, "ends the innermost region"),
    Plain(kStream, "stream", Category::kStream, 0, 0, kStreamKeys,
          "makes stream id= current on device=; waits=1: it waits for the one before"),
    Plain(kRecordEvent, "record_event", Category::kStream, 0, 0, kEventKeys,
          "records event id= on the current stream of device="),
    Plain(kWaitEvent, "wait_event", Category::kStream, 0, 0, kEventKeys,
          "the current stream of device= waits for event id="),
    Plain(kExpect, "expect", Category::kExpect, {0, 1}, 0, kExpectKeys,
          "states what the run must show; no effect on it"),
}};

}  // namespace twingrad::program::table

// The rows of the signature table: what each statement takes, and the facts of each op.
//
// Included only by signature.cc and by tables whose static_assert asks for a row for each op; all
// other code uses signature.h. A new statement is one row here, at the position of its enumerator in
// opcode.h.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/program/limits.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"

namespace twingrad::program::table {

using enum Format;

// Attributes of each statement, in canonical order.
inline constexpr AttributeSpec kNothing[] = {
    {Key::kType, kFlag, Default::kNone, ""}};  // never spanned
inline constexpr AttributeSpec kLeafKeys[] = {
    {Key::kType, kType, Default::kRequired, ""}, {Key::kData, kElements, Default::kNone, ""},
    {Key::kFill, kElement, Default::kZero, ""},  {Key::kSeed, kInteger, Default::kNone, ""},
    {Key::kGrad, kFlag, Default::kZero, ""},     {Key::kDevice, kDevice, Default::kOnCpu, ""}};
inline constexpr AttributeSpec kReductionKeys[] = {{Key::kDims, kIntegers, Default::kEmpty, ""},
                                                   {Key::kKeepdim, kFlag, Default::kZero, ""}};
inline constexpr AttributeSpec kExtremeKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""},
                                                 {Key::kKeepdim, kFlag, Default::kZero, ""}};
inline constexpr AttributeSpec kSortKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""},
                                              {Key::kDescending, kFlag, Default::kZero, ""}};
inline constexpr AttributeSpec kClampKeys[] = {{Key::kMin, kNumber, Default::kNone, ""},
                                               {Key::kMax, kNumber, Default::kNone, ""}};
inline constexpr AttributeSpec kLossKeys[] = {{Key::kReduction, kWord, Default::kNone, "sum none"}};
inline constexpr AttributeSpec kShapeKeys[] = {{Key::kShape, kIntegers, Default::kRequired, ""}};
inline constexpr AttributeSpec kDimsKeys[] = {{Key::kDims, kIntegers, Default::kRequired, ""}};
inline constexpr AttributeSpec kOptionalDimsKeys[] = {{Key::kDims, kIntegers, Default::kEmpty, ""}};
inline constexpr AttributeSpec kSelectKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""},
                                                {Key::kIndex, kInteger, Default::kRequired, ""}};
inline constexpr AttributeSpec kSliceKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""},
                                               {Key::kStart, kInteger, Default::kZero, ""},
                                               {Key::kStop, kInteger, Default::kNone, ""},
                                               {Key::kStep, kInteger, Default::kOne, ""}};
inline constexpr AttributeSpec kDimKeys[] = {{Key::kDim, kInteger, Default::kRequired, ""}};
inline constexpr AttributeSpec kCastKeys[] = {{Key::kTo, kDType, Default::kRequired, ""}};
inline constexpr AttributeSpec kToKeys[] = {{Key::kDevice, kDevice, Default::kRequired, ""}};
inline constexpr std::string_view kHookWords =
    "record scale undefined throw wrong_shape wrong_dtype register remove backward callback";
inline constexpr AttributeSpec kHookKeys[] = {{Key::kId, kName, Default::kNone, ""},
                                              {Key::kDo, kWord, Default::kRequired, kHookWords},
                                              {Key::kBy, kNumber, Default::kNone, ""},
                                              {Key::kTarget, kTarget, Default::kNone, ""}};
inline constexpr AttributeSpec kAccumulateHookKeys[] = {
    {Key::kId, kName, Default::kNone, ""},
    {Key::kDo, kWord, Default::kRequired, "record throw register remove backward callback"},
    {Key::kTarget, kTarget, Default::kNone, ""}};
inline constexpr AttributeSpec kIdKeys[] = {{Key::kId, kName, Default::kRequired, ""}};
inline constexpr AttributeSpec kBackwardKeys[] = {{Key::kSeeds, kValues, Default::kEmpty, ""},
                                                  {Key::kInputs, kValues, Default::kNone, ""},
                                                  {Key::kRetainGraph, kFlag, Default::kNone, ""},
                                                  {Key::kCreateGraph, kFlag, Default::kZero, ""}};
inline constexpr AttributeSpec kGradKeys[] = {
    {Key::kSeeds, kValues, Default::kEmpty, ""},    {Key::kInputs, kValues, Default::kRequired, ""},
    {Key::kRetainGraph, kFlag, Default::kNone, ""}, {Key::kCreateGraph, kFlag, Default::kZero, ""},
    {Key::kAllowUnused, kFlag, Default::kZero, ""}, {Key::kMaterialize, kFlag, Default::kZero, ""}};
inline constexpr AttributeSpec kCustomKeys[] = {
    {Key::kDo, kWord, Default::kRequired,
     "pass scale undefined throw wrong_shape wrong_dtype wrong_count nan backward"},
    {Key::kBy, kNumber, Default::kNone, ""},
    {Key::kTarget, kTarget, Default::kNone, ""}};
inline constexpr AttributeSpec kBeginKeys[] = {
    {Key::kKind, kWord, Default::kRequired, kRegionKindWords},
    {Key::kDo, kWord, Default::kNone, "record scale throw"},
    {Key::kBy, kNumber, Default::kNone, ""}};
inline constexpr AttributeSpec kStreamKeys[] = {{Key::kId, kName, Default::kRequired, ""},
                                                {Key::kDevice, kDevice, Default::kRequired, ""}};
inline constexpr AttributeSpec kExpectKeys[] = {
    {Key::kKind, kWord, Default::kRequired,
     "value grad undefined undefined_grad requires_grad no_requires_grad version dependencies "
     "executed error"},
    {Key::kType, kType, Default::kNone, ""},
    {Key::kData, kElements, Default::kNone, ""},
    {Key::kCount, kInteger, Default::kNone, ""},
    {Key::kError, kWord, Default::kNone,
     "invalid_argument shape dtype device domain index undefined no_graph grad_count implicit_seed "
     "unused_input version freed leaf_in_place hook user unsupported internal anomaly"},
    {Key::kAt, kInteger, Default::kNone, ""}};

inline constexpr absl::Span<const AttributeSpec> kNone(kNothing, 0);

// The facts of an op, by the dependence of its derivative.
constexpr OpFacts Linear(Numbers numbers, Saves saves = 0, Saves pytorch_saves = 0) {
  return {Dependence::kLinear, numbers, saves, pytorch_saves};
}
constexpr OpFacts Bilinear(Numbers numbers, Saves saves) {
  return {Dependence::kBilinear, numbers, saves};
}
constexpr OpFacts Quotient(Numbers numbers, Saves saves) {
  return {Dependence::kQuotient, numbers, saves};
}
constexpr OpFacts AddmmLike(Numbers numbers, Saves saves) {
  return {Dependence::kAddmm, numbers, saves};
}
constexpr OpFacts Curved(Numbers numbers, Saves saves, Saves pytorch_saves = 0) {
  return {Dependence::kCurved, numbers, saves, pytorch_saves};
}

// The usual shapes of a row.
constexpr Signature Elementwise(Opcode op, std::string_view name, OpFacts facts, int operands,
                                DTypeRule dtypes, std::string_view doc) {
  const auto n = static_cast<uint16_t>(operands);
  return {op,    name, Category::kElementwise, n, n, 1, 1, dtypes, (1u << n) - 1, kNone, doc,
          facts, op};
}
constexpr Signature Unary(Opcode op, std::string_view name, OpFacts facts, Category category,
                          DTypeRule dtypes, absl::Span<const AttributeSpec> attributes,
                          std::string_view doc) {
  return {op, name, category, 1, 1, 1, 1, dtypes, 1, attributes, doc, facts, op};
}
// The facts are those of the op that it performs: see WithFacts.
constexpr Signature InPlace(Opcode op, std::string_view name, Opcode performs, int operands,
                            DTypeRule dtypes, uint32_t differentiable, std::string_view doc) {
  const auto n = static_cast<uint16_t>(operands);
  return {op, name,    Category::kInPlace, n, n, 0, 0, dtypes, differentiable, kNone, doc,
          {}, performs};
}
// One operand, along a dimension; `differentiable` is 0 where the result is indices.
constexpr Signature Along(Opcode op, std::string_view name, OpFacts facts, Category category,
                          DTypeRule dtypes, uint32_t differentiable,
                          absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  return {op, name, category, 1, 1, 1, 1, dtypes, differentiable, attributes, doc, facts, op};
}
constexpr Signature Rearranged(Opcode op, std::string_view name, OpFacts facts, int least, int most,
                               DTypeRule dtypes, uint32_t differentiable, uint32_t indices,
                               std::string_view doc) {
  const auto n = static_cast<uint16_t>(least), m = static_cast<uint16_t>(most);
  return {op, name,   Category::kRearrange, n,        m,   1,
          1,  dtypes, differentiable,       kDimKeys, doc, facts,
          op, indices};
}
// A statement that computes nothing differentiable.
constexpr Signature Plain(Opcode op, std::string_view name, Category category, int operands,
                          int results, absl::Span<const AttributeSpec> attributes,
                          std::string_view doc) {
  const auto n = static_cast<uint16_t>(operands), r = static_cast<uint16_t>(results);
  return {op, name, category, n, n, r, r, DTypeRule::kAny, 0, attributes, doc, {}, op};
}

using enum DTypeRule;
inline constexpr Category kView = Category::kView;
inline constexpr Category kCopy = Category::kCopy;
inline constexpr uint16_t kMany = kMaxOperands;
inline constexpr uint16_t kFew = kMaxCustomOperands;

inline constexpr std::array<Signature, kNumOpcodes> kRows = {{
    Plain(Opcode::kLeaf, "leaf", Category::kLeaf, 0, 1, kLeafKeys,
          "a tensor from data=, fill= or seed= (zeros without); grad=1: requires grad"),
    Elementwise(Opcode::kAdd, "add", Linear(Numbers::kSum), 2, kNumeric, "a + b, broadcast"),
    Elementwise(Opcode::kSub, "sub", Linear(Numbers::kDifference), 2, kNumeric, "a - b, broadcast"),
    Elementwise(Opcode::kMul, "mul", Bilinear(Numbers::kProduct, kSavesAForB | kSavesBForA), 2,
                kNumeric, "a * b, broadcast"),
    Elementwise(Opcode::kDiv, "div", Quotient(Numbers::kQuotient, kSavesB | kSavesAForB), 2,
                kFloating, "a / b, broadcast"),
    Elementwise(Opcode::kPow, "pow",
                Curved(Numbers::kPower, kSavesA | kSavesB | kSavesResultForB, kSavesResult), 2,
                kNumeric, "a to the power of b, broadcast"),
    Elementwise(Opcode::kMaximum, "maximum", Linear(Numbers::kGreatest, kSavesA | kSavesB), 2,
                kNumeric, "the greater of a and b, NaN if either is; broadcast"),
    Elementwise(Opcode::kMinimum, "minimum", Linear(Numbers::kEither, kSavesA | kSavesB), 2,
                kNumeric, "the lesser of a and b, NaN if either is; broadcast"),
    Elementwise(Opcode::kNeg, "neg", Linear(Numbers::kNegated), 1, kNumeric, "-a"),
    Elementwise(Opcode::kExp, "exp", Curved(Numbers::kExponential, kSavesResult), 1, kFloating,
                "e to the power of a"),
    Elementwise(Opcode::kLog, "log", Curved(Numbers::kLogarithm, kSavesA), 1, kFloating,
                "natural logarithm"),
    Elementwise(Opcode::kSqrt, "sqrt", Curved(Numbers::kRoot, kSavesResult), 1, kFloating,
                "square root"),
    Elementwise(Opcode::kSin, "sin", Curved(Numbers::kUnit, kSavesA), 1, kFloating, "sine"),
    Elementwise(Opcode::kCos, "cos", Curved(Numbers::kUnit, kSavesA), 1, kFloating, "cosine"),
    Elementwise(Opcode::kTanh, "tanh", Curved(Numbers::kUnit, kSavesResult), 1, kFloating,
                "hyperbolic tangent"),
    Elementwise(Opcode::kSigmoid, "sigmoid", Curved(Numbers::kSigmoid, kSavesResult), 1, kFloating,
                "1 / (1 + exp(-a))"),
    Elementwise(Opcode::kRelu, "relu", Linear(Numbers::kClipped, kSavesResult), 1, kNumeric,
                "the greater of a and 0"),
    Elementwise(Opcode::kAbs, "abs", Linear(Numbers::kMagnitude, kSavesA), 1, kNumeric,
                "absolute value"),
    Elementwise(Opcode::kSgn, "sgn", Linear(Numbers::kSign, kSavesNothing, kSavesA | kSavesResult),
                1, kNumeric, "-1, 0 or 1: the sign; 0 for NaN"),
    Unary(Opcode::kClamp, "clamp", Linear(Numbers::kClamped, kSavesA), Category::kElementwise,
          kFloating, kClampKeys,
          "a, but min= where it is less and max= where it is greater; one of them or both"),
    {Opcode::kWhere, "where", Category::kElementwise, 3, 3, 1, 1, kNumeric, 0b110, kNone,
     "b where the condition a (bool) is true, else c; broadcast", Linear(Numbers::kEither, kSavesA),
     Opcode::kWhere},
    Unary(Opcode::kSum, "sum", Linear(Numbers::kSumOver), Category::kReduction, kNumeric,
          kReductionKeys, "sum over dims= (all without); keepdim=1 keeps them with size 1"),
    Unary(Opcode::kMean, "mean", Linear(Numbers::kMeanOver), Category::kReduction, kFloating,
          kReductionKeys, "mean over dims= (all without); keepdim=1 keeps them with size 1"),
    Unary(Opcode::kProd, "prod", Curved(Numbers::kProductOver, kSavesA, kSavesResult),
          Category::kReduction, kNumeric, kReductionKeys,
          "product over dims= (all without); 1 over nothing"),
    Unary(Opcode::kAmax, "amax", Linear(Numbers::kSame, kSavesA | kSavesResult),
          Category::kReduction, kNumeric, kReductionKeys,
          "the greatest over dims= (all without), NaN if any is; none may have size 0"),
    Unary(Opcode::kAmin, "amin", Linear(Numbers::kSame, kSavesA | kSavesResult),
          Category::kReduction, kNumeric, kReductionKeys,
          "the least over dims= (all without), NaN if any is; none may have size 0"),
    Unary(Opcode::kLogsumexp, "logsumexp", Curved(Numbers::kLogSum, kSavesA | kSavesResult),
          Category::kReduction, kFloating, kReductionKeys,
          "log of the sum of exp(a) over dims= (all without)"),
    Along(Opcode::kMax, "max", Linear(Numbers::kSame, kSavesOwn), Category::kReduction, kNumeric, 1,
          kExtremeKeys,
          "the greatest along dim=: the first of the greatest, or the first NaN, and no other"),
    Along(Opcode::kMin, "min", Linear(Numbers::kSame, kSavesOwn), Category::kReduction, kNumeric, 1,
          kExtremeKeys,
          "the least along dim=: the first of the least, or the first NaN, and no other"),
    Along(Opcode::kArgmax, "argmax", Linear(Numbers::kIndices), Category::kReduction, kNumeric, 0,
          kExtremeKeys, "the index along dim= of what max picks, i64"),
    Along(Opcode::kArgmin, "argmin", Linear(Numbers::kIndices), Category::kReduction, kNumeric, 0,
          kExtremeKeys, "the index along dim= of what min picks, i64"),
    {Opcode::kMatmul, "matmul", Category::kMatmul, 2, 2, 1, 1, kNumeric, 0b11, kNone,
     "matrix product, ranks 1 to 4, batch dimensions broadcast",
     Bilinear(Numbers::kMatmul, kSavesAForB | kSavesBForA), Opcode::kMatmul},
    {Opcode::kAddmm, "addmm", Category::kMatmul, 3, 3, 1, 1, kNumeric, 0b111, kNone,
     "a plus the product of the matrices b and c; a is broadcast to it",
     AddmmLike(Numbers::kAddmm, kSavesB | kSavesC), Opcode::kAddmm},
    Rearranged(Opcode::kCat, "cat", Linear(Numbers::kEither), 1, kFew, kAny, 0xff, 0,
               "one after the other along dim=; the other sizes are equal"),
    Rearranged(Opcode::kStack, "stack", Linear(Numbers::kEither), 1, kFew, kAny, 0xff, 0,
               "one after the other along a new dimension before dim=; the shapes are equal"),
    Unary(Opcode::kFlip, "flip", Linear(Numbers::kSame), Category::kRearrange, kAny, kDimsKeys,
          "a copy with the order along dims= reversed"),
    Rearranged(Opcode::kIndexSelect, "index_select", Linear(Numbers::kSame, kSavesB), 2, 2, kAny, 1,
               0b10, "the entries of dim= whose indices b lists, in its order"),
    Rearranged(Opcode::kGather, "gather", Linear(Numbers::kSame, kSavesB, kSavesA), 2, 2, kAny, 1,
               0b10, "b's shape: a where b replaces the coordinate of dim="),
    Rearranged(Opcode::kScatterAdd, "scatter_add", Linear(Numbers::kScattered, kSavesB), 3, 3,
               kNumeric, 0b101, 0b10,
               "a, and each element of c, in order, added where b replaces the coordinate of dim="),
    Along(Opcode::kSort, "sort", Linear(Numbers::kSame, kSavesOwn), Category::kRearrange, kNumeric,
          1, kSortKeys, "in ascending order along dim=, equal ones in their order, NaN above all"),
    Along(Opcode::kArgsort, "argsort", Linear(Numbers::kIndices), Category::kRearrange, kNumeric, 0,
          kSortKeys, "the indices along dim= of what sort puts there, i64"),
    Along(Opcode::kCumsum, "cumsum", Linear(Numbers::kCumulated), Category::kScan, kNumeric, 1,
          kDimKeys, "the sums of the entries up to each along dim="),
    Along(Opcode::kSoftmax, "softmax", Curved(Numbers::kProbability, kSavesResult), Category::kScan,
          kFloating, 1, kDimKeys, "exp(a) over its sum along dim="),
    Along(Opcode::kLogSoftmax, "log_softmax", Curved(Numbers::kLogSum, kSavesResult),
          Category::kScan, kFloating, 1, kDimKeys, "the logarithm of softmax"),
    {Opcode::kMseLoss, "mse_loss", Category::kLoss, 2, 2, 1, 1, kFloating, 0b11, kLossKeys,
     "the mean (sum, or each) of (a - b) squared, of equal shapes",
     Curved(Numbers::kSquaredDifference, kSavesA | kSavesB), Opcode::kMseLoss},
    {Opcode::kCrossEntropy, "cross_entropy", Category::kLoss, 2, 2, 1, 1, kFloating, 0b01,
     kLossKeys,
     "the mean (sum, or each) of -log_softmax at the class that b names; a [N,C], or [C]",
     Curved(Numbers::kLogSum, kSavesA | kSavesB), Opcode::kCrossEntropy, 0b10},
    Unary(Opcode::kView, "view", Linear(Numbers::kSame), kView, kAny, kShapeKeys,
          "the same elements with shape=; the operand must be contiguous when run"),
    Unary(Opcode::kReshape, "reshape", Linear(Numbers::kSame), kView, kAny, kShapeKeys,
          "the same elements with shape=; a copy where the operand is not contiguous"),
    Unary(Opcode::kTranspose, "transpose", Linear(Numbers::kSame), kView, kAny, kDimsKeys,
          "swaps the two dims="),
    Unary(Opcode::kPermute, "permute", Linear(Numbers::kSame), kView, kAny, kOptionalDimsKeys,
          "dimension i of the result is dims[i]; a scalar has none"),
    Unary(Opcode::kExpand, "expand", Linear(Numbers::kSame), kView, kAny, kShapeKeys,
          "repeats dimensions of size 1, without a copy, up to shape="),
    Unary(Opcode::kSelect, "select", Linear(Numbers::kSame), kView, kAny, kSelectKeys,
          "entry index= of dim=, which goes"),
    Unary(Opcode::kSlice, "slice", Linear(Numbers::kSame), kView, kAny, kSliceKeys,
          "entries start= to before stop= (its size without) of dim=, each step="),
    Unary(Opcode::kSqueeze, "squeeze", Linear(Numbers::kSame), kView, kAny, kOptionalDimsKeys,
          "drops those of dims= (of all without) whose size is 1"),
    Unary(Opcode::kUnsqueeze, "unsqueeze", Linear(Numbers::kSame), kView, kAny, kDimKeys,
          "inserts a dimension of size 1 before dim="),
    Unary(Opcode::kClone, "clone", Linear(Numbers::kSame), kCopy, kAny, kNone, "a copy"),
    Plain(Opcode::kDetach, "detach", kCopy, 1, 1, kNone,
          "the same storage without history; not a view for autograd"),
    Unary(Opcode::kCast, "cast", Linear(Numbers::kCast), kCopy, kAny, kCastKeys,
          "a copy of element type to=; float to integer saturates, NaN becomes 0"),
    Unary(Opcode::kTo, "to", Linear(Numbers::kSame), kCopy, kAny, kToKeys, "a copy on device="),
    InPlace(Opcode::kAddInPlace, "add_", Opcode::kAdd, 2, kNumeric, 0b11, "a becomes a + b"),
    InPlace(Opcode::kSubInPlace, "sub_", Opcode::kSub, 2, kNumeric, 0b11, "a becomes a - b"),
    InPlace(Opcode::kMulInPlace, "mul_", Opcode::kMul, 2, kNumeric, 0b11, "a becomes a * b"),
    InPlace(Opcode::kDivInPlace, "div_", Opcode::kDiv, 2, kFloating, 0b11, "a becomes a / b"),
    InPlace(Opcode::kNegInPlace, "neg_", Opcode::kNeg, 1, kNumeric, 1, "a becomes -a"),
    InPlace(Opcode::kExpInPlace, "exp_", Opcode::kExp, 1, kFloating, 1, "a becomes exp(a)"),
    InPlace(Opcode::kSqrtInPlace, "sqrt_", Opcode::kSqrt, 1, kFloating, 1, "a becomes sqrt(a)"),
    InPlace(Opcode::kSinInPlace, "sin_", Opcode::kSin, 1, kFloating, 1, "a becomes sin(a)"),
    InPlace(Opcode::kCosInPlace, "cos_", Opcode::kCos, 1, kFloating, 1, "a becomes cos(a)"),
    InPlace(Opcode::kTanhInPlace, "tanh_", Opcode::kTanh, 1, kFloating, 1, "a becomes tanh(a)"),
    InPlace(Opcode::kSigmoidInPlace, "sigmoid_", Opcode::kSigmoid, 1, kFloating, 1,
            "a becomes sigmoid(a)"),
    InPlace(Opcode::kReluInPlace, "relu_", Opcode::kRelu, 1, kNumeric, 1, "a becomes relu(a)"),
    InPlace(Opcode::kAbsInPlace, "abs_", Opcode::kAbs, 1, kNumeric, 1, "a becomes abs(a)"),
    InPlace(Opcode::kCopyInPlace, "copy_", Opcode::kCopyInPlace, 2, kAny, 0b10, "a becomes b"),
    InPlace(Opcode::kZeroInPlace, "zero_", Opcode::kZeroInPlace, 1, kAny, 0, "a becomes 0"),
    Plain(Opcode::kRetainGrad, "retain_grad", Category::kGradient, 1, 0, kNone,
          "keeps the gradient of a non-leaf in .grad"),
    {Opcode::kReadGrad,
     "read_grad",
     Category::kGradient,
     1,
     1,
     1,
     1,
     kAny,
     0,
     kNone,
     "a differentiable copy of .grad; undefined where .grad is",
     {},
     Opcode::kReadGrad},
    Plain(Opcode::kZeroGrad, "zero_grad", Category::kGradient, 1, 0, kNone,
          "makes .grad undefined"),
    Plain(Opcode::kHook, "hook", Category::kHook, 1, 0, kHookKeys,
          "a hook on the gradient of a value"),
    Plain(Opcode::kPreHook, "pre_hook", Category::kHook, 1, 0, kHookKeys,
          "a hook on the gradients that enter the value's node"),
    Plain(Opcode::kPostHook, "post_hook", Category::kHook, 1, 0, kHookKeys,
          "a hook on the gradients that leave the value's node"),
    Plain(Opcode::kAccumulateHook, "accumulate_hook", Category::kHook, 1, 0, kAccumulateHookKeys,
          "a hook after a leaf's .grad was accumulated"),
    Plain(Opcode::kRemoveHook, "remove_hook", Category::kHook, 0, 0, kIdKeys,
          "removes the hook with this id="),
    {Opcode::kBackward,
     "backward",
     Category::kCall,
     1,
     kMany,
     0,
     0,
     kAny,
     0,
     kBackwardKeys,
     "accumulates gradients of the roots into .grad of the leaves, or of inputs=",
     {},
     Opcode::kBackward},
    {Opcode::kGrad,
     "grad",
     Category::kCall,
     1,
     kMany,
     0,
     kMany,
     kAny,
     0,
     kGradKeys,
     "gradients of the roots with respect to inputs=, one result each",
     {},
     Opcode::kGrad},
    {Opcode::kCustom,
     "custom",
     Category::kCustom,
     1,
     kFew,
     1,
     kFew,
     kAny,
     0xff,
     kCustomKeys,
     "a custom function: result i is a copy of operand i, its gradient what do= says",
     {},
     Opcode::kCustom},
    Plain(Opcode::kBegin, "begin", Category::kRegion, 0, 0, kBeginKeys, "begins a region of kind="),
    Plain(Opcode::kEnd, "end", Category::kRegion, 0, 0, kNone, "ends the innermost region"),
    Plain(Opcode::kStream, "stream", Category::kStream, 0, 0, kStreamKeys,
          "makes stream id= current on device="),
    Plain(Opcode::kRecordEvent, "record_event", Category::kStream, 0, 0, kStreamKeys,
          "records event id= on the current stream of device="),
    Plain(Opcode::kWaitEvent, "wait_event", Category::kStream, 0, 0, kStreamKeys,
          "the current stream of device= waits for event id="),
    {Opcode::kExpect,
     "expect",
     Category::kExpect,
     0,
     1,
     0,
     0,
     kAny,
     0,
     kExpectKeys,
     "states what the run must show; no effect on it",
     {},
     Opcode::kExpect},
}};

}  // namespace twingrad::program::table

// The attributes of each statement, in canonical order: what the rows of the signature table name.
//
// Included only by statement_table.h. An attribute that several forms of row have stands before the
// lists.

#pragma once

#include <string_view>

#include "absl/types/span.h"
#include "autograd/base/error.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"

namespace twingrad::program::table {

using enum Format;

constexpr AttributeSpec Required(Key key, Format format, std::string_view words = {}) {
  return {key, format, Default::kRequired, words};
}
constexpr AttributeSpec Optional(Key key, Format format, Default otherwise = Default::kNone,
                                 std::string_view words = {}) {
  return {key, format, otherwise, words};
}
constexpr AttributeSpec Flag(Key key) { return Optional(key, kFlag, Default::kZero); }

inline constexpr AttributeSpec kDim = Required(Key::kDim, kInteger);
inline constexpr AttributeSpec kAnyDims = Optional(Key::kDims, kIntegers, Default::kEmpty);
inline constexpr AttributeSpec kBy = Optional(Key::kBy, kNumber);
inline constexpr AttributeSpec kTargetOfDo = Optional(Key::kTarget, kTarget);

inline constexpr absl::Span<const AttributeSpec> kNone;
inline constexpr AttributeSpec kLeafKeys[] = {Required(Key::kType, kType),
                                              Optional(Key::kData, kElements),
                                              Optional(Key::kFill, kElement, Default::kZero),
                                              Optional(Key::kSeed, kInteger),
                                              Flag(Key::kGrad),
                                              Optional(Key::kDevice, kDevice, Default::kOnCpu)};
inline constexpr AttributeSpec kReductionKeys[] = {kAnyDims, Flag(Key::kKeepdim)};
inline constexpr AttributeSpec kExtremeKeys[] = {kDim, Flag(Key::kKeepdim)};
inline constexpr AttributeSpec kSortKeys[] = {kDim, Flag(Key::kDescending)};
inline constexpr AttributeSpec kClampKeys[] = {Optional(Key::kMin, kNumber),
                                               Optional(Key::kMax, kNumber)};
inline constexpr AttributeSpec kLimitsKeys[] = {Required(Key::kMin, kNumber),
                                                Required(Key::kMax, kNumber)};
inline constexpr AttributeSpec kFactorKeys[] = {Required(Key::kBy, kNumber)};
inline constexpr AttributeSpec kDiagonalKeys[] = {Optional(Key::kBy, kInteger, Default::kZero)};
inline constexpr AttributeSpec kDiagonalViewKeys[] = {Required(Key::kDims, kIntegers),
                                                      Optional(Key::kBy, kInteger, Default::kZero)};
inline constexpr AttributeSpec kUnfoldKeys[] = {kDim, Optional(Key::kStep, kInteger, Default::kOne),
                                                Required(Key::kCount, kInteger)};
inline constexpr AttributeSpec kPartsKeys[] = {kDim, Required(Key::kCount, kInteger)};
inline constexpr AttributeSpec kRollKeys[] = {kDim, Required(Key::kBy, kInteger)};
inline constexpr AttributeSpec kPads = Required(Key::kPads, kIntegers);
inline constexpr AttributeSpec kPadKeys[] = {kBy, kPads};
inline constexpr AttributeSpec kExtendKeys[] = {kPads};
inline constexpr AttributeSpec kStride = Optional(Key::kStride, kIntegers, Default::kEmpty);
inline constexpr AttributeSpec kPadding = Optional(Key::kPadding, kIntegers, Default::kEmpty);
inline constexpr AttributeSpec kPoolKeys[] = {Required(Key::kKernel, kIntegers), kStride, kPadding};
inline constexpr AttributeSpec kDilation = Optional(Key::kDilation, kIntegers, Default::kEmpty);
inline constexpr AttributeSpec kGroups = Optional(Key::kGroups, kInteger, Default::kOne);
inline constexpr AttributeSpec kConvolutionKeys[] = {kStride, kPadding, kDilation, kGroups};
inline constexpr AttributeSpec kTransposedKeys[] = {
    kStride, kPadding, kDilation, kGroups,
    Optional(Key::kOutputPadding, kIntegers, Default::kEmpty)};
inline constexpr AttributeSpec kDropoutKeys[] = {Required(Key::kBy, kNumber),
                                                 Required(Key::kSeed, kInteger)};
inline constexpr AttributeSpec kCausalKeys[] = {Flag(Key::kCausal)};
inline constexpr AttributeSpec kEquationKeys[] = {Required(Key::kEquation, kEquation)};
inline constexpr AttributeSpec kMaskCount = Optional(Key::kCount, kInteger);
inline constexpr AttributeSpec kIndexKeys[] = {kMaskCount};
inline constexpr AttributeSpec kIndexPutKeys[] = {kMaskCount, Flag(Key::kAccumulate)};
inline constexpr AttributeSpec kScatterReduceKeys[] = {
    kDim, Required(Key::kReduction, kWord, "sum prod mean amax amin"),
    Optional(Key::kIncludeSelf, kFlag, Default::kOne)};
inline constexpr AttributeSpec kEmbeddingKeys[] = {Flag(Key::kSparse)};
inline constexpr AttributeSpec kMaskedSelectKeys[] = {Required(Key::kCount, kInteger)};
inline constexpr AttributeSpec kUpperKeys[] = {Flag(Key::kUpper)};
inline constexpr AttributeSpec kEps = Required(Key::kEps, kNumber);
inline constexpr AttributeSpec kLayerNormKeys[] = {Required(Key::kCount, kInteger), kEps};
inline constexpr AttributeSpec kGroupNormKeys[] = {kGroups, kEps};
inline constexpr AttributeSpec kBatchNormKeys[] = {kEps};
inline constexpr AttributeSpec kLossKeys[] = {
    Optional(Key::kReduction, kWord, Default::kNone, "sum none")};
inline constexpr AttributeSpec kShapeKeys[] = {Required(Key::kShape, kIntegers)};
inline constexpr AttributeSpec kCornersKeys[] = {Required(Key::kShape, kIntegers),
                                                 Flag(Key::kAlignCorners)};
inline constexpr AttributeSpec kDimsKeys[] = {Required(Key::kDims, kIntegers)};
inline constexpr AttributeSpec kAnyDimsKeys[] = {kAnyDims};
inline constexpr AttributeSpec kSelectKeys[] = {kDim, Required(Key::kIndex, kInteger)};
inline constexpr AttributeSpec kSliceKeys[] = {
    kDim, Optional(Key::kStart, kInteger, Default::kZero), Optional(Key::kStop, kInteger),
    Optional(Key::kStep, kInteger, Default::kOne)};
inline constexpr AttributeSpec kStridedKeys[] = {Required(Key::kShape, kIntegers),
                                                 Optional(Key::kStart, kInteger, Default::kZero),
                                                 Required(Key::kStride, kIntegers)};
inline constexpr AttributeSpec kDimKeys[] = {kDim};
inline constexpr AttributeSpec kCastKeys[] = {Required(Key::kTo, kDType)};
inline constexpr AttributeSpec kToKeys[] = {Required(Key::kDevice, kDevice)};
inline constexpr AttributeSpec kHookKeys[] = {
    Optional(Key::kId, kName),
    Required(Key::kDo, kWord,
             "record scale undefined throw wrong_shape wrong_dtype register remove backward "
             "callback warn"),
    kBy, kTargetOfDo};
inline constexpr AttributeSpec kAccumulateHookKeys[] = {
    Optional(Key::kId, kName),
    Required(Key::kDo, kWord, "record throw register remove backward callback warn zero_grad"),
    kTargetOfDo};
inline constexpr AttributeSpec kIdKeys[] = {Required(Key::kId, kName)};
inline constexpr AttributeSpec kSeeds = Optional(Key::kSeeds, kValues, Default::kEmpty);
inline constexpr AttributeSpec kRetainGraph = Optional(Key::kRetainGraph, kFlag);
inline constexpr AttributeSpec kBackwardKeys[] = {kSeeds, Optional(Key::kInputs, kValues),
                                                  kRetainGraph, Flag(Key::kCreateGraph)};
inline constexpr AttributeSpec kGradKeys[] = {kSeeds,
                                              Required(Key::kInputs, kValues),
                                              kRetainGraph,
                                              Flag(Key::kCreateGraph),
                                              Flag(Key::kAllowUnused),
                                              Flag(Key::kMaterialize)};
inline constexpr AttributeSpec kCustomKeys[] = {
    Required(Key::kDo, kWord,
             "pass scale undefined throw wrong_shape wrong_dtype wrong_count nan square "
             "exp backward warn"),
    kBy, kTargetOfDo, Optional(Key::kNonDifferentiable, kIntegers), Flag(Key::kKeepUndefined)};
inline constexpr AttributeSpec kCustomInPlaceKeys[] = {
    Required(Key::kDo, kWord, "pass scale undefined throw nan exp warn"), kBy};
inline constexpr AttributeSpec kBeginKeys[] = {
    Required(Key::kKind, kWord, kRegionKindWords),
    Optional(Key::kDo, kWord, Default::kNone, "record scale throw"), kBy};
inline constexpr AttributeSpec kEventKeys[] = {Required(Key::kId, kName),
                                               Required(Key::kDevice, kDevice)};
inline constexpr AttributeSpec kStreamKeys[] = {Required(Key::kId, kName),
                                                Required(Key::kDevice, kDevice), Flag(Key::kWaits)};
inline constexpr AttributeSpec kExpectKeys[] = {
    Required(Key::kKind, kWord,
             "value grad undefined undefined_grad requires_grad no_requires_grad version "
             "dependencies executed warnings error"),
    Optional(Key::kType, kType),
    Optional(Key::kData, kElements),
    Optional(Key::kCount, kInteger),
    Optional(Key::kError, kWord, Default::kNone, kErrorKindWords),
    Optional(Key::kAt, kInteger)};

}  // namespace twingrad::program::table

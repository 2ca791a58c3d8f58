// The names of all statements, attribute keys and words of a Program, as enumerations.
//
// The table that says what each takes is in signature.h.

#pragma once

#include <cstdint>

namespace twingrad::program {

// Every statement. The text name is the enumerator without its k, in snake case; a trailing
// InPlace becomes a trailing underscore: kAddInPlace is `add_`.
enum class Opcode : uint8_t {
  // A tensor from data: %x = leaf type=f64[2] data=1,2 grad=1 device=dev:0
  kLeaf,
  // Elementwise, two operands, broadcast against each other.
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMaximum,
  kMinimum,
  kLogaddexp,
  kAtan2,
  kXlogy,
  kFmod,
  kRemainder,
  // Elementwise, one operand.
  kNeg,
  kExp,
  kLog,
  kSqrt,
  kSin,
  kCos,
  kTanh,
  kSigmoid,
  kRelu,
  kAbs,
  kSgn,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kErfc,
  kExpm1,
  kLog1p,
  kLog2,
  kLog10,
  kExp2,
  kRsqrt,
  kReciprocal,
  kSquare,
  kSilu,
  kSoftplus,
  kGelu,
  kGeluTanh,
  kSinc,
  kClamp,     // min=, max=, one of them or both
  kHardtanh,  // min=, max=
  kRelu6,
  kHardsigmoid,
  kLeakyRelu,  // by=: the slope below 0
  kElu,        // by=
  kCelu,       // by=
  kSelu,
  kDropout,  // by=: how often, seed=
  // where %condition %a %b
  kWhere,
  // masked_fill %condition %a by=
  kMaskedFill,
  // Elementwise, three operands: a + b c, a + b / c, a + c (b - a).
  kAddcmul,
  kAddcdiv,
  kLerp,
  // Reductions: dims= (all when absent), keepdim=.
  kSum,
  kMean,
  kProd,
  kAmax,
  kAmin,
  kLogsumexp,
  kVar,
  kStd,
  kNorm,
  // Along dim=: the extreme entry, or its index.
  kMax,
  kMin,
  kArgmax,
  kArgmin,
  // Over windows of the last one, two or three dimensions: kernel=, stride=, padding=.
  kAvgPool1d,
  kAvgPool2d,
  kAvgPool3d,
  kMaxPool1d,
  kMaxPool2d,
  kMaxPool3d,
  kMaxPool1dIndices,
  kMaxPool2dIndices,
  kMaxPool3dIndices,
  // Over windows that share the plane out among shape= results.
  kAdaptiveAvgPool1d,
  kAdaptiveAvgPool2d,
  kAdaptiveAvgPool3d,
  kAdaptiveMaxPool1d,
  kAdaptiveMaxPool2d,
  kAdaptiveMaxPool3d,
  kAdaptiveMaxPool1dIndices,
  kAdaptiveMaxPool2dIndices,
  kAdaptiveMaxPool3dIndices,
  kMatmul,
  kAddmm,
  kAddmv,
  kAddr,
  kBaddbmm,
  kAddbmm,
  kBmm,
  kDot,
  kEinsum,
  kOuter,
  kLinear,
  kScaledDotProductAttention,  // causal=
  // Of square matrices.
  kInverse,
  kDet,
  kSolveTriangular,  // upper=
  kCholesky,
  // Sums of products over windows: stride=, padding=, dilation=, groups=.
  kConv1d,
  kConv2d,
  kConv3d,
  // The adjoints of these in their first operand; output_padding= too.
  kConvTranspose1d,
  kConvTranspose2d,
  kConvTranspose3d,
  // Copies that move elements: joined, reversed, picked by indices, sorted.
  kCat,
  kStack,
  kFlip,
  kRoll,
  kTril,
  kTriu,
  kPad,  // pads=, by=
  kPadReflect,
  kPadReplicate,
  kPadCircular,
  kRepeat,  // shape=
  // Planes of shape=, between whose entries those of the operand stand: align_corners=.
  kUpsampleNearest1d,
  kUpsampleNearest2d,
  kUpsampleNearest3d,
  kUpsampleLinear1d,
  kUpsampleBilinear2d,
  kUpsampleTrilinear3d,
  kUpsampleBicubic2d,
  kIndexSelect,
  kEmbedding,  // sparse=
  kGather,
  kScatterAdd,
  kScatter,
  kIndexAdd,
  kIndexCopy,
  kIndex,          // by indices in several dimensions, or a mask: count=
  kIndexPut,       // the same, put or added there: accumulate=
  kScatterReduce,  // dim=, reduction=, include_self=
  kMaskedSelect,   // count=
  // Sparse tensors: see sparse.h.
  kSparseCoo,  // shape=
  kCoalesce,   // count=: of different indices
  kToDense,
  kSparseValues,
  kSparseIndices,
  // The first operand with the second in place of a view of it: see view_scatter.h.
  kSelectScatter,
  kSliceScatter,
  kDiagonalScatter,
  kAsStridedScatter,
  kSort,
  kArgsort,
  kTopk,  // dim=, count=
  kTopkIndices,
  // Along dim=; the result has the operand's shape.
  kCumsum,
  kCumprod,
  kCummax,
  kCummin,
  kCummaxIndices,
  kCumminIndices,
  kLogcumsumexp,
  kSoftmax,
  kLogSoftmax,
  // Less the mean and by the deviation, then times a weight and plus a bias: eps=.
  kLayerNorm,  // count=
  kGroupNorm,  // groups=
  kBatchNorm,
  // Losses: reduction= (mean when absent).
  kMseLoss,
  kCrossEntropy,
  kBceWithLogits,
  kNllLoss,
  kSmoothL1Loss,
  // Views: the result shares storage (reshape only where the strides allow it).
  kView,
  kReshape,
  kTranspose,
  kPermute,
  kExpand,
  kSelect,
  kSlice,
  kSqueeze,
  kUnsqueeze,
  kT,
  kDiagonal,  // dims= (two), by=: how far to the right
  kUnfold,    // dim=, count=, step=
  kAlias,
  kAsStrided,  // shape=, stride=, start=
  kUnbind,     // these three have several results
  kSplit,      // dim=, count=: entries of each
  kChunk,      // dim=, count=: how many
  // Copies and the boundary of the graph.
  kClone,
  kDetach,
  kCast,
  kTo,
  // In place: the first operand is written, there is no result.
  kAddInPlace,
  kSubInPlace,
  kMulInPlace,
  kDivInPlace,
  kNegInPlace,
  kExpInPlace,
  kSqrtInPlace,
  kSinInPlace,
  kCosInPlace,
  kTanhInPlace,
  kSigmoidInPlace,
  kReluInPlace,
  kAbsInPlace,
  kCopyInPlace,
  kZeroInPlace,
  // Leaves and their gradients.
  kRetainGrad,
  kReadGrad,
  kZeroGrad,
  kSetGrad,
  // Hooks: `hook %x id=h do=scale by=2`; id names the handle, do= is a HookAction.
  kHook,
  kPreHook,
  kPostHook,
  kAccumulateHook,
  kRemoveHook,
  // Calls of the engine.
  kBackward,
  kGrad,
  // Custom functions with the behaviour of do=; the second writes its operand.
  kCustom,
  kCustomInPlace,
  // Regions: begin kind=no_grad ... end.
  kBegin,
  kEnd,
  // Streams and events on a device.
  kStream,
  kRecordEvent,
  kWaitEvent,
  // Expectations; no effect on the run, judged after it.
  kExpect,
};
inline constexpr int kNumOpcodes = static_cast<int>(Opcode::kExpect) + 1;

// Keys of attributes. The text is the enumerator without its k, in snake case.
enum class Key : uint8_t {
  kType,               // leaf: f64[2,3]
  kData,               // leaf, expect: comma-separated elements
  kSeed,               // leaf: elements drawn from this seed (see leaf_data.h); dropout
  kFill,               // leaf: every element has this value
  kGrad,               // leaf: requires grad (0/1)
  kDevice,             // leaf, to: cpu or dev:N
  kDims,               // reductions, permute, transpose (two), squeeze, flip
  kKeepdim,            // reductions (0/1)
  kShape,              // view, reshape, expand: sizes, e.g. 2,3; `scalar` for none; repeat: counts;
                       // sparse_coo: sizes
                       // adaptive pools, upsampling: the sizes of the plane
  kDim,                // select, slice, unsqueeze, and ops along one dimension
  kIndex,              // select
  kStart,              // slice, as_strided
  kStop,               // slice
  kStep,               // slice, unfold
  kTo,                 // cast: dtype
  kSeeds,              // backward, grad: values or _ for an implicit seed, one per root
  kInputs,             // backward, grad: values
  kRetainGraph,        // backward, grad (0/1); absent: as create_graph
  kCreateGraph,        // backward, grad (0/1)
  kAllowUnused,        // grad (0/1)
  kMaterialize,        // grad (0/1)
  kId,                 // hooks: handle name
  kDo,                 // hooks, custom: what it does
  kBy,                 // hooks: factor of do=scale; ops: a factor, a number of places, a share
  kTarget,             // hooks that act on another: handle name or value list
  kKind,               // begin, expect: a word
  kCount,              // expect: a number; entries: of a window, of split, of topk; chunk: parts;
                       // layer_norm: dimensions; masks: how many elements are true;
                       // coalesce: how many indices differ
  kError,              // expect: class of the error
  kAt,                 // expect: statement index, counted from 0
  kMin,                // clamp, hardtanh: the least value
  kMax,                // clamp, hardtanh: the greatest value
  kDescending,         // sort, argsort (0/1)
  kReduction,          // losses, scatter_reduce: a word
  kPads,               // pad and the like: how many entries, before and after
  kKernel,             // pools: the sizes of a window
  kStride,             // convolutions, pools: from one window to the next; as_strided
  kPadding,            // convolutions, pools: how many entries more before and after
  kDilation,           // convolutions: from one entry of a window to the next
  kGroups,             // convolutions, group_norm: how many groups of channels
  kOutputPadding,      // transposed convolutions: entries more at the end of each dimension
  kAlignCorners,       // upsampling: corners stand on corners (0/1)
  kEps,                // norms: what is added to a variance
  kCausal,             // attention: no query sees keys behind its own place (0/1)
  kUpper,              // solve_triangular: which triangle is read (0/1)
  kEquation,           // einsum: a letter for each dimension of operands and result
  kAccumulate,         // index_put: added to what is there (0/1)
  kIncludeSelf,        // scatter_reduce: what is there is reduced too (0/1; 1 without)
  kSparse,             // embedding: the gradient of a leaf lists the rows looked up (0/1)
  kNonDifferentiable,  // custom: which results never require grad
  kKeepUndefined,      // custom: undefined gradients do not come as zeros (0/1)
  kWaits,              // stream: waits for the stream that was current before (0/1)
};
inline constexpr int kNumKeys = static_cast<int>(Key::kWaits) + 1;

}  // namespace twingrad::program

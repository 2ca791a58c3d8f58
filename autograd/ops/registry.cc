#include "autograd/ops/registry.h"

#include <array>
#include <cstdint>
#include <string>

#include "autograd/ops/ops.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/registered_call.h"

namespace twingrad::ops {
namespace {

using program::Opcode;

// Operands that may be left out. One that is given is no gradient that did not arrive.
Tensor OrNone(const char* op, Joined operands, size_t k) {
  if (k >= operands.size()) return Tensor();
  CheckDefined(op, *operands[k]);
  return *operands[k];
}
Tensor LinearOf(Joined o) { return Linear(*o[0], *o[1], OrNone("linear", o, 2)); }
Tensor LayerNormOf(Joined o, int64_t count, double eps) {
  constexpr const char* kOp = "layer_norm";
  return LayerNorm(*o[0], OrNone(kOp, o, 1), OrNone(kOp, o, 2), count, eps);
}
Tensor GroupNormOf(Joined o, int64_t groups, double eps) {
  constexpr const char* kOp = "group_norm";
  return GroupNorm(*o[0], OrNone(kOp, o, 1), OrNone(kOp, o, 2), groups, eps);
}
Tensor BatchNormOf(Joined o, double eps) {
  constexpr const char* kOp = "batch_norm";
  return BatchNorm(*o[0], OrNone(kOp, o, 1), OrNone(kOp, o, 2), eps);
}
Tensor DropoutOf(const Tensor& a, double by, int64_t seed) {
  return Dropout(a, by, static_cast<uint64_t>(seed));
}

Tensor EinsumOf(Joined o, std::string equation) { return Einsum(o, equation); }

// Only a mask has a count.
int64_t CountOf(const Tensor& index, int64_t count) {
  return index.defined() && index.dtype() == DType::kBool ? count : kAnyCount;
}
Tensor IndexOf(Joined o, int64_t count) {
  return Index(*o[0], {o.data() + 1, o.size() - 1}, CountOf(*o[1], count));
}
Tensor IndexPutOf(Joined o, bool accumulate, int64_t count) {
  return IndexPut(*o[0], *o[1], {o.data() + 2, o.size() - 2}, accumulate, CountOf(*o[2], count));
}

Tensor SwapDims(const Tensor& a, Ints dims) { return Transpose(a, dims.at(0), dims.at(1)); }

constexpr std::string_view kNumbers = "numbers";
constexpr std::string_view kFloats = "floats";
constexpr std::string_view kAll = "all";

constexpr RegisteredOp kRows[] = {
    {Opcode::kAdd, Run<Add>, "a + b", "g; g", kNumbers},
    {Opcode::kSub, Run<Sub>, "a - b", "g; -g", kNumbers},
    {Opcode::kMul, Run<Mul>, "a * b", "g b; g a", kNumbers},
    {Opcode::kDiv, Run<Div>, "a / b", "g / b; -(g a / b²)", kFloats},
    {Opcode::kPow, Run<Pow>, "a^b", "g b a^(b-1), 0 where a = 0 = b; g r log a, 0 where a = 0 ≤ b",
     "numbers; an integer b < 0 is an error"},
    {Opcode::kMaximum, Run<Maximum>, "a if a > b, else b; NaN wins",
     "g where a > b, g/2 where a = b; g where b > a, g/2 where a = b", kNumbers},
    {Opcode::kMinimum, Run<Minimum>, "a if a < b, else b; NaN wins",
     "g where a < b, g/2 where a = b; g where b < a, g/2 where a = b", kNumbers},
    {Opcode::kLogaddexp, Run<LogAddExp>, "log(e^a + e^b)", "g σ(a - b); g σ(b - a), σ the sigmoid",
     kFloats},
    {Opcode::kAtan2, Run<Atan2>, "the angle of the point (b, a)",
     "g b / (a² + b²); -(g a / (a² + b²))", kFloats},
    {Opcode::kXlogy, Run<XLogY>, "a log b, 0 where a is 0", "g log b; g (a / b)", kFloats},
    {Opcode::kFmod, Run<Fmod>, "a - n b, n = a / b without its fraction", "g; -n g", kFloats},
    {Opcode::kRemainder, Run<Remainder>, "a - n b, n = the floor of a / b", "g; -n g", kFloats},
    {Opcode::kNeg, Run<Neg>, "-a", "-g", kNumbers},
    {Opcode::kExp, Run<Exp>, "e^a", "g r", kFloats},
    {Opcode::kLog, Run<Log>, "log a", "g / a", kFloats},
    {Opcode::kSqrt, Run<Sqrt>, "√a", "g / (2 r)", kFloats},
    {Opcode::kSin, Run<Sin>, "sin a", "g cos a", kFloats},
    {Opcode::kCos, Run<Cos>, "cos a", "-(g sin a)", kFloats},
    {Opcode::kTanh, Run<Tanh>, "tanh a", "g (1 - r²)", kFloats},
    {Opcode::kSigmoid, Run<Sigmoid>, "1 / (1 + e^-a)", "g r (1 - r)", kFloats},
    {Opcode::kRelu, Run<Relu>, "max(a, 0)", "g where r > 0, else 0", kNumbers},
    {Opcode::kAbs, Run<Abs>, "abs(a)", "g sign(a), 0 at 0", kNumbers},
    {Opcode::kSgn, Run<Sgn>, "-1, 0 or 1; 0 for NaN", "0", kNumbers},
    {Opcode::kTan, Run<Tan>, "tan a", "g (1 + r²)", kFloats},
    {Opcode::kAsin, Run<Asin>, "arcsin a", "g / √(1 - a²)", "floats; NaN beyond ±1"},
    {Opcode::kAcos, Run<Acos>, "arccos a", "-g / √(1 - a²)", "floats; NaN beyond ±1"},
    {Opcode::kAtan, Run<Atan>, "arctan a", "g / (1 + a²)", kFloats},
    {Opcode::kSinh, Run<Sinh>, "sinh a", "g cosh a", kFloats},
    {Opcode::kCosh, Run<Cosh>, "cosh a", "g sinh a", kFloats},
    {Opcode::kAsinh, Run<Asinh>, "arsinh a", "g / √(a² + 1)", kFloats},
    {Opcode::kAcosh, Run<Acosh>, "arcosh a", "g / √(a² - 1)", "floats; NaN below 1"},
    {Opcode::kAtanh, Run<Atanh>, "artanh a", "g / (1 - a²)", "floats; NaN beyond ±1"},
    {Opcode::kErf, Run<Erf>, "2/√π ∫ e^-t² from 0 to a", "g 2/√π e^-a²", kFloats},
    {Opcode::kErfc, Run<Erfc>, "1 - erf a", "-(g 2/√π e^-a²)", kFloats},
    {Opcode::kExpm1, Run<Expm1>, "e^a - 1", "g (r + 1)", kFloats},
    {Opcode::kLog1p, Run<Log1p>, "log(1 + a)", "g / (1 + a)", "floats; NaN below -1"},
    {Opcode::kLog2, Run<Log2>, "log a / log 2", "g / (a log 2)", "floats; NaN below 0"},
    {Opcode::kLog10, Run<Log10>, "log a / log 10", "g / (a log 10)", "floats; NaN below 0"},
    {Opcode::kExp2, Run<Exp2>, "2^a", "g r log 2", kFloats},
    {Opcode::kRsqrt, Run<Rsqrt>, "1 / √a", "-g r³ / 2", "floats; NaN below 0"},
    {Opcode::kReciprocal, Run<Reciprocal>, "1 / a", "-g r²", kFloats},
    {Opcode::kSquare, Run<Square>, "a²", "2 g a", kNumbers},
    {Opcode::kSilu, Run<Silu>, "a σ(a), σ the sigmoid", "g (σ + a σ (1 - σ))", kFloats},
    {Opcode::kSoftplus, Run<Softplus>, "log(1 + e^a)", "g sigmoid(a)", kFloats},
    {Opcode::kGelu, Run<Gelu>, "a Φ(a), Φ the normal distribution", "g (Φ(a) + a Φ'(a))", kFloats},
    {Opcode::kGeluTanh, Run<GeluTanh>, "a (1 + tanh z) / 2, z = √(2/π) (a + 0.044715 a³)",
     "g ((1 + tanh z) / 2 + a z' (1 - tanh² z) / 2)", kFloats},
    {Opcode::kSinc, Run<Sinc>, "sin(πa) / (πa), 1 at 0", "g times its slope",
     "floats; 0 at infinities"},
    {Opcode::kClamp, Run<Clamp, kMin, kMax>, "a within min and max",
     "g where min < a < max, else 0", "floats; NaN stays"},
    {Opcode::kHardtanh, Run<Hardtanh, kMin, kMax>, "a within min and max",
     "g where min < a < max, else 0", "floats; min < max; NaN stays"},
    {Opcode::kRelu6, Run<Relu6>, "a within 0 and 6", "g where 0 < a < 6, else 0",
     "floats; NaN stays"},
    {Opcode::kHardsigmoid, Run<Hardsigmoid>, "(a + 3) / 6 within 0 and 1",
     "g / 6 where -3 < a < 3, else 0", "floats; NaN stays"},
    {Opcode::kLeakyRelu, Run<LeakyRelu, kBy>, "a where a > 0, else by a",
     "g where a > 0, else by g", "floats; 0 < by ≤ 1"},
    {Opcode::kElu, Run<Elu, kBy>, "a where a > 0, else by (e^a - 1)",
     "g where a > 0, else g by e^a", "floats; by > 0"},
    {Opcode::kCelu, Run<Celu, kBy>, "a where a > 0, else by (e^(a/by) - 1)",
     "g where a > 0, else g e^(a/by)", "floats; by > 0"},
    {Opcode::kSelu, Run<Selu>, "s a where a > 0, else s α (e^a - 1); s = 1.0507…, α = 1.6732…",
     "g s where a > 0, else g s α e^a", kFloats},
    {Opcode::kDropout, Run<DropoutOf, kBy, kSeed>, "a / (1 - by), times 0 where seed drops it",
     "g / (1 - by), times 0 where seed drops it", "floats; 0 ≤ by < 1"},
    {Opcode::kWhere, Run<Where>, "c ? a : b", "g where c, else 0; 0 where c, else g",
     "numbers; c is bool and has no gradient"},
    {Opcode::kMaskedFill, Run<MaskedFill, kBy>, "c ? by : b", "0 where c, else g",
     "numbers; c is bool and has no gradient"},
    {Opcode::kAddcmul, Run<Addcmul>, "a + b c", "g; g c; g b", kNumbers},
    {Opcode::kAddcdiv, Run<Addcdiv>, "a + b / c", "g; g / c; -(g b / c²)", kFloats},
    {Opcode::kLerp, Run<Lerp>, "a + c (b - a)", "g - g c; g c; g (b - a)", kFloats},
    {Opcode::kSum, Run<Sum, kDims, kKeepdim>, "sum over dims", "g, repeated", kNumbers},
    {Opcode::kMean, Run<Mean, kDims, kKeepdim>, "sum over dims / n", "g / n, repeated",
     "floats; NaN where n = 0, and g is then not divided"},
    {Opcode::kProd, Run<Prod, kDims, kKeepdim>, "product over dims",
     "g times the product of the others", "numbers; 1 over nothing"},
    {Opcode::kAmax, Run<Amax, kDims, kKeepdim>, "greatest over dims; NaN wins",
     "g / n where a = r, n times in all", "numbers; a reduced size of 0 is an error"},
    {Opcode::kAmin, Run<Amin, kDims, kKeepdim>, "least over dims; NaN wins",
     "g / n where a = r, n times in all", "numbers; a reduced size of 0 is an error"},
    {Opcode::kLogsumexp, Run<Logsumexp, kDims, kKeepdim>, "log Σ e^a over dims", "g e^(a-r)",
     "floats; -inf over nothing"},
    {Opcode::kVar, Run<Var, kDims, kKeepdim>, "mean of (a - mean a)² over dims",
     "2 g (a - mean a) / n", "floats; NaN where n = 0"},
    {Opcode::kStd, Run<Std, kDims, kKeepdim>, "the root of var", "g (a - mean a) / (n r)",
     "floats; NaN where n = 0; g times 0 where r = 0"},
    {Opcode::kNorm, Run<Norm, kDims, kKeepdim>, "√ Σ a² over dims", "g a / r",
     "floats; g times 0 where r = 0"},
    {Opcode::kMax, Run<MaxWithIndices, kDim, kKeepdim>, "the first greatest along dim; NaN wins",
     "g at its index, else 0", "numbers; a size of 0 is an error"},
    {Opcode::kMin, Run<MinWithIndices, kDim, kKeepdim>, "the first least along dim; NaN wins",
     "g at its index, else 0", "numbers; a size of 0 is an error"},
    {Opcode::kArgmax, Run<Argmax, kDim, kKeepdim>, "the index of max", "none",
     "numbers; a size of 0 is an error"},
    {Opcode::kArgmin, Run<Argmin, kDim, kKeepdim>, "the index of min", "none",
     "numbers; a size of 0 is an error"},
    {Opcode::kAvgPool1d, Run<AvgPool<1>, kKernel, kStride, kPadding>, "Σ of each window / n",
     "g / n added up where each element came from", kFloats},
    {Opcode::kAvgPool2d, Run<AvgPool<2>, kKernel, kStride, kPadding>, "Σ of each window / n",
     "g / n added up where each element came from", kFloats},
    {Opcode::kAvgPool3d, Run<AvgPool<3>, kKernel, kStride, kPadding>, "Σ of each window / n",
     "g / n added up where each element came from", kFloats},
    {Opcode::kMaxPool1d, Run<MaxPoolWithIndices<1>, kKernel, kStride, kPadding>,
     "the first greatest of each window; NaN wins", "g added where it came from", kFloats},
    {Opcode::kMaxPool2d, Run<MaxPoolWithIndices<2>, kKernel, kStride, kPadding>,
     "the first greatest of each window; NaN wins", "g added where it came from", kFloats},
    {Opcode::kMaxPool3d, Run<MaxPoolWithIndices<3>, kKernel, kStride, kPadding>,
     "the first greatest of each window; NaN wins", "g added where it came from", kFloats},
    {Opcode::kMaxPool1dIndices, Run<MaxPoolIndices<1>, kKernel, kStride, kPadding>,
     "the places in the plane of max_pool1d", "none", kFloats},
    {Opcode::kMaxPool2dIndices, Run<MaxPoolIndices<2>, kKernel, kStride, kPadding>,
     "the places in the plane of max_pool2d", "none", kFloats},
    {Opcode::kMaxPool3dIndices, Run<MaxPoolIndices<3>, kKernel, kStride, kPadding>,
     "the places in the plane of max_pool3d", "none", kFloats},
    {Opcode::kAdaptiveAvgPool1d, Run<AdaptiveAvgPool<1>, kShape>, "Σ of each window / its entries",
     "g / entries added up where each element came from", kFloats},
    {Opcode::kAdaptiveAvgPool2d, Run<AdaptiveAvgPool<2>, kShape>, "Σ of each window / its entries",
     "g / entries added up where each element came from", kFloats},
    {Opcode::kAdaptiveAvgPool3d, Run<AdaptiveAvgPool<3>, kShape>, "Σ of each window / its entries",
     "g / entries added up where each element came from", kFloats},
    {Opcode::kAdaptiveMaxPool1d, Run<AdaptiveMaxPoolWithIndices<1>, kShape>,
     "the first greatest of each window; NaN wins", "g added where it came from", kFloats},
    {Opcode::kAdaptiveMaxPool2d, Run<AdaptiveMaxPoolWithIndices<2>, kShape>,
     "the first greatest of each window; NaN wins", "g added where it came from", kFloats},
    {Opcode::kAdaptiveMaxPool3d, Run<AdaptiveMaxPoolWithIndices<3>, kShape>,
     "the first greatest of each window; NaN wins", "g added where it came from", kFloats},
    {Opcode::kAdaptiveMaxPool1dIndices, Run<AdaptiveMaxPoolIndices<1>, kShape>,
     "the places in the plane of adaptive_max_pool1d", "none", kFloats},
    {Opcode::kAdaptiveMaxPool2dIndices, Run<AdaptiveMaxPoolIndices<2>, kShape>,
     "the places in the plane of adaptive_max_pool2d", "none", kFloats},
    {Opcode::kAdaptiveMaxPool3dIndices, Run<AdaptiveMaxPoolIndices<3>, kShape>,
     "the places in the plane of adaptive_max_pool3d", "none", kFloats},
    {Opcode::kMatmul, Run<Matmul>, "a b", "g bᵀ; aᵀ g", "numbers; ranks 1 to 4"},
    {Opcode::kAddmm, Run<Addmm>, "a + b c", "g summed to a's shape; g cᵀ; bᵀ g",
     "numbers; b and c of rank 2"},
    {Opcode::kAddmv, Run<Addmv>, "a + b c", "g summed to a's shape; g ⊗ c; bᵀ g",
     "numbers; b of rank 2, c of rank 1"},
    {Opcode::kAddr, Run<Addr>, "a + b ⊗ c", "g summed to a's shape; g c; b g",
     "numbers; b and c of rank 1"},
    {Opcode::kBaddbmm, Run<Baddbmm>, "a + b c", "g summed to a's shape; g cᵀ; bᵀ g",
     "numbers; b and c of rank 3"},
    {Opcode::kAddbmm, Run<Addbmm>, "a + Σ b c over matrices", "g summed to a's shape; g cᵀ; bᵀ g",
     "numbers; b and c of rank 3"},
    {Opcode::kBmm, Run<Bmm>, "a b", "g bᵀ; aᵀ g", "numbers; rank 3"},
    {Opcode::kDot, Run<Dot>, "Σ a b", "g b; g a", "numbers; rank 1"},
    {Opcode::kEinsum, Run<EinsumOf, kEquation>, "Σ a b by labels",
     "Σ g b by labels; Σ g a by labels", "numbers; one operand or two"},
    {Opcode::kOuter, Run<Outer>, "a bᵀ", "g b; gᵀ a", "numbers; rank 1"},
    {Opcode::kLinear, Run<LinearOf>, "a bᵀ + c", "g b; gᵀ a; Σ g", "floats; b of rank 2"},
    {Opcode::kScaledDotProductAttention, Run<ScaledDotProductAttention, kCausal>,
     "P c, P = softmax(a bᵀ / √E)", "S b; Sᵀ a; Pᵀ g, S = (h - Σ h P) P / √E, h = g cᵀ",
     "floats; ranks 2 to 4"},
    {Opcode::kInverse, Run<Inverse>, "a⁻¹", "-rᵀ g rᵀ", "floats; a singular matrix is an error"},
    {Opcode::kDet, Run<Det>, "det a", "g times the cofactors of a", "floats; square matrices"},
    {Opcode::kSolveTriangular, Run<SolveTriangular, kUpper>, "a⁻¹ b, of a triangle of a",
     "-h rᵀ in the triangle; h = a⁻ᵀ g", "floats; as many matrices each"},
    {Opcode::kCholesky, Run<Cholesky>, "l, l lᵀ = a, of the lower triangle of a",
     "Φ(l⁻ᵀ (P + Pᵀ) l⁻¹), P = Φ(lᵀ g), Φ the lower triangle with half the diagonal",
     "floats; one that is not positive definite is an error"},
    {Opcode::kConv1d, Run<Convolution<1>, kStride, kPadding, kDilation, kGroups>,
     "Σ of windows of a times b", "g times b where each element came from; Σ g times windows of a",
     kFloats},
    {Opcode::kConv2d, Run<Convolution<2>, kStride, kPadding, kDilation, kGroups>,
     "Σ of windows of a times b", "g times b where each element came from; Σ g times windows of a",
     kFloats},
    {Opcode::kConv3d, Run<Convolution<3>, kStride, kPadding, kDilation, kGroups>,
     "Σ of windows of a times b", "g times b where each element came from; Σ g times windows of a",
     kFloats},
    {Opcode::kConvTranspose1d,
     Run<TransposedConvolution<1>, kStride, kPadding, kDilation, kGroups, kOutputPadding>,
     "a times b added where a convolution by b reads",
     "Σ of windows of g times b; Σ a times windows of g", kFloats},
    {Opcode::kConvTranspose2d,
     Run<TransposedConvolution<2>, kStride, kPadding, kDilation, kGroups, kOutputPadding>,
     "a times b added where a convolution by b reads",
     "Σ of windows of g times b; Σ a times windows of g", kFloats},
    {Opcode::kConvTranspose3d,
     Run<TransposedConvolution<3>, kStride, kPadding, kDilation, kGroups, kOutputPadding>,
     "a times b added where a convolution by b reads",
     "Σ of windows of g times b; Σ a times windows of g", kFloats},
    {Opcode::kCat, Run<Cat, kDim>, "operands one after the other along dim", "its part of g, each",
     kAll},
    {Opcode::kStack, Run<Stack, kDim>, "operands one after the other along a new dim",
     "its part of g, each", kAll},
    {Opcode::kFlip, Run<Flip, kDims>, "a in reverse along dims", "g in reverse", kAll},
    {Opcode::kRoll, Run<Roll, kDim, kBy>, "entry k of dim at k + by", "g at k - by", kAll},
    {Opcode::kTril, Run<Tril, kBy>, "a, 0 above a diagonal", "g, 0 above the diagonal",
     "numbers; rank 2 or more"},
    {Opcode::kTriu, Run<Triu, kBy>, "a, 0 below a diagonal", "g, 0 below the diagonal",
     "numbers; rank 2 or more"},
    {Opcode::kPad, Run<Pad, kPads, kBy>, "a, by before and after it", "g where a is", kNumbers},
    {Opcode::kPadReflect, Run<PadReflect, kPads>, "a, mirrored beyond its ends",
     "g added where each element came from", "floats; as many entries as there are"},
    {Opcode::kPadReplicate, Run<PadReplicate, kPads>, "a, its ends repeated beyond them",
     "g added where each element came from", kFloats},
    {Opcode::kPadCircular, Run<PadCircular, kPads>, "a, counted around beyond its ends",
     "g added where each element came from", "floats; as many entries as there are"},
    {Opcode::kRepeat, Run<Repeat, kShape>, "a so often along each dim",
     "g added where each element came from", kAll},
    {Opcode::kUpsampleNearest1d, Run<UpsampleNearest<1>, kShape>, "a at ⌊i size / shape⌋",
     "g added up where each element came from", kFloats},
    {Opcode::kUpsampleNearest2d, Run<UpsampleNearest<2>, kShape>, "a at ⌊i size / shape⌋",
     "g added up where each element came from", kFloats},
    {Opcode::kUpsampleNearest3d, Run<UpsampleNearest<3>, kShape>, "a at ⌊i size / shape⌋",
     "g added up where each element came from", kFloats},
    {Opcode::kUpsampleLinear1d, Run<UpsampleLinear<1>, kShape, kAlignCorners>,
     "Σ of neighbours times weights", "g times weights added up where each element came from",
     kFloats},
    {Opcode::kUpsampleBilinear2d, Run<UpsampleLinear<2>, kShape, kAlignCorners>,
     "Σ of neighbours times weights", "g times weights added up where each element came from",
     kFloats},
    {Opcode::kUpsampleTrilinear3d, Run<UpsampleLinear<3>, kShape, kAlignCorners>,
     "Σ of neighbours times weights", "g times weights added up where each element came from",
     kFloats},
    {Opcode::kUpsampleBicubic2d, Run<UpsampleBicubic, kShape, kAlignCorners>,
     "Σ of neighbours times weights", "g times weights added up where each element came from",
     kFloats},
    {Opcode::kIndexSelect, Run<IndexSelect, kDim>, "entries i of dim",
     "zeros, g added at entries i", "all; an index out of range is an error"},
    {Opcode::kEmbedding, Run<Embedding>, "rows i of a", "zeros, g added at rows i",
     "floats; rank 2; an index out of range is an error"},
    {Opcode::kGather, Run<Gather, kDim>, "a at i along dim", "zeros, g added at i",
     "all; an index out of range is an error"},
    {Opcode::kScatterAdd, Run<ScatterAdd, kDim>, "a, c added at i along dim, in order", "g; g at i",
     "numbers; an index out of range is an error"},
    {Opcode::kScatter, Run<Scatter, kDim>, "a, c put at i along dim, in order",
     "g, 0 at i; g at i, 0 for those overwritten", "all; an index out of range is an error"},
    {Opcode::kIndexAdd, Run<IndexAdd, kDim>,
     "a, entries of c added at the list i along dim, in order", "g; g at i",
     "numbers; an index out of range is an error"},
    {Opcode::kIndexCopy, Run<IndexCopy, kDim>,
     "a, entries of c put at the list i along dim, in order",
     "g, 0 at i; g at i, 0 for those overwritten", "all; an index out of range is an error"},
    {Opcode::kIndex, Run<IndexOf, kCount>, "a at i, j, k, or where i is true",
     "zeros, g added there", "all; an index out of range is an error, and another count"},
    {Opcode::kIndexPut, Run<IndexPutOf, kAccumulate, kCount>,
     "a, b put at i, j, k, or where i is true, in order; or added",
     "g, 0 there or g; g there, 0 for those overwritten",
     "all; bool is not added, an index out of range is an error, and another count"},
    {Opcode::kScatterReduce, Run<ScatterReduce, kDim, kReduction, kIncludeSelf>,
     "a, reduced at i along dim with what c sends there",
     "g, g / n, g of the n that are the extreme by n, or g times all others; the same at i",
     "floats; an index out of range is an error"},
    {Opcode::kMaskedSelect, Run<MaskedSelect, kCount>, "a where b is true",
     "zeros, g there, summed to a's shape", "all; another count is an error"},
    {Opcode::kSelectScatter, Run<SelectScatter, kDim, kIndex>, "a, b as the entry of dim",
     "g, 0 there; g at the entry", "all; an index out of range is an error"},
    {Opcode::kSliceScatter, Run<SliceScatter, kDim, kStart, kStop, kStep>,
     "a, b as every step-th entry of dim", "g, 0 there; g at the entries",
     "all; start and stop are clamped"},
    {Opcode::kDiagonalScatter, Run<DiagonalScatter, kDims, kBy>, "a, b as a diagonal of two dims",
     "g, 0 there; g on the diagonal", kAll},
    {Opcode::kAsStridedScatter, Run<AsStridedScatter, kShape, kStride, kStart>,
     "a, b at start and coordinates times strides", "g, 0 there; g where each element went",
     "all; one element twice is an error"},
    {Opcode::kSort, Run<SortWithIndices, kDim, kDescending>,
     "a in order along dim, stable, NaN last", "g where it came from", kNumbers},
    {Opcode::kArgsort, Run<Argsort, kDim, kDescending>, "where sort took it from", "none",
     kNumbers},
    {Opcode::kTopk, Run<TopkWithIndices, kDim, kCount>, "the first of sort, descending",
     "g where it came from", kNumbers},
    {Opcode::kTopkIndices, Run<TopkIndices, kDim, kCount>, "where topk took it from", "none",
     kNumbers},
    {Opcode::kCumsum, Run<Cumsum, kDim>, "sums up to each along dim", "sums from each on",
     kNumbers},
    {Opcode::kCumprod, Run<Cumprod, kDim>, "products up to each along dim",
     "Σ g of the products from each on, without it", kNumbers},
    {Opcode::kCummax, Run<CummaxWithIndices, kDim>, "the greatest up to each along dim",
     "g added where it came from", kNumbers},
    {Opcode::kCummin, Run<CumminWithIndices, kDim>, "the least up to each along dim",
     "g added where it came from", kNumbers},
    {Opcode::kCummaxIndices, Run<CummaxIndices, kDim>, "where cummax took it from", "none",
     kNumbers},
    {Opcode::kCumminIndices, Run<CumminIndices, kDim>, "where cummin took it from", "none",
     kNumbers},
    {Opcode::kLogcumsumexp, Run<Logcumsumexp, kDim>, "log Σ e^a up to each along dim",
     "Σ g e^(a-r) from each on", "floats; -inf before the first finite a"},
    {Opcode::kSoftmax, Run<Softmax, kDim>, "e^a / Σ e^a along dim", "(g - Σ g r) r", kFloats},
    {Opcode::kLogSoftmax, Run<LogSoftmax, kDim>, "a - log Σ e^a along dim", "g - e^r Σ g", kFloats},
    {Opcode::kLayerNorm, Run<LayerNormOf, kCount, kEps>,
     "n b + c, n = (a - mean) r, r = 1 / √(variance + eps)",
     "r (h - mean h - n mean(h n)), h = g b; Σ g n; Σ g", "floats; eps > 0"},
    {Opcode::kGroupNorm, Run<GroupNormOf, kGroups, kEps>, "the same over groups of channels",
     "as layer_norm", "floats; eps > 0"},
    {Opcode::kBatchNorm, Run<BatchNormOf, kEps>, "the same over all but the channels",
     "as layer_norm", "floats; eps > 0"},
    {Opcode::kMseLoss, Run<MseLoss, kReduction>, "mean, sum or each of (a - b)²",
     "g/n · 2 (a - b); g/n · 2 (b - a)", kFloats},
    {Opcode::kCrossEntropy, Run<CrossEntropy, kReduction>,
     "mean, sum or each of -log_softmax(a) at class b", "g/n (softmax(a) - 1 at b)",
     "floats; a class out of range is an error"},
    {Opcode::kBceWithLogits, Run<BceWithLogits, kReduction>,
     "mean, sum or each of log(1 + e^a) - a b", "g/n (sigmoid(a) - b); -g/n a", kFloats},
    {Opcode::kNllLoss, Run<NllLoss, kReduction>, "mean, sum or each of -a at class b",
     "-g/n at b, else 0", "floats; a class out of range is an error"},
    {Opcode::kSmoothL1Loss, Run<SmoothL1Loss, kReduction>,
     "mean, sum or each of d²/2 where |d| < 1, else |d| - 1/2; d = a - b",
     "g/n d within ±1; -g/n d within ±1", kFloats},
    {Opcode::kView, Run<View, kShape>, "a as shape", "g as a's shape", "all; a must be contiguous"},
    {Opcode::kReshape, Run<Reshape, kShape>, "a as shape", "g as a's shape",
     "all; a copy where a is not contiguous"},
    {Opcode::kTranspose, Run<SwapDims, kDims>, "two dims of a swapped", "swapped back", kAll},
    {Opcode::kPermute, Run<Permute, kDims>, "dims of a reordered", "ordered back", kAll},
    {Opcode::kExpand, Run<Expand, kShape>, "sizes of 1 repeated", "g summed to a's shape", kAll},
    {Opcode::kSelect, Run<Select, kDim, kIndex>, "one entry of a dim", "zeros with g at the entry",
     "all; an index out of range is an error"},
    {Opcode::kSlice, Run<Slice, kDim, kStart, kStop, kStep>, "every step-th entry of a dim",
     "zeros with g at the entries", "all; start and stop are clamped"},
    {Opcode::kSqueeze, Run<Squeeze, kDims>, "a without dims of size 1", "g as a's shape", kAll},
    {Opcode::kUnsqueeze, Run<Unsqueeze, kDim>, "a with a dim of size 1", "g as a's shape", kAll},
    {Opcode::kT, Run<T>, "a with its two dims swapped", "g with them swapped", "all; rank 0 to 2"},
    {Opcode::kDiagonal, Run<Diagonal, kDims, kBy>, "a diagonal of the two dims, last",
     "zeros, g on the diagonal", kAll},
    {Opcode::kUnfold, Run<Unfold, kDim, kStep, kCount>, "windows of dim, their entries last",
     "g added where each element came from", kAll},
    {Opcode::kAlias, Run<AliasOf>, "a", "g", kAll},
    {Opcode::kAsStrided, Run<AsStrided, kShape, kStride, kStart>,
     "elements at start and coordinates times strides", "g added where each element came from",
     "all; a must be contiguous"},
    {Opcode::kUnbind, Run<Unbind, kDim>, "each entry of dim", "those of all results, stacked",
     "all; a size of 0 has no result"},
    {Opcode::kSplit, Run<Split, kDim, kCount>, "parts of count entries of dim",
     "those of all results, one after the other", "all; the last part may be shorter"},
    {Opcode::kChunk, Run<Chunk, kDim, kCount>, "count parts of dim",
     "those of all results, one after the other", "all; the last part may be shorter"},
    {Opcode::kClone, Run<Clone>, "a copy of a", "g", kAll},
    {Opcode::kDetach, Run<Detach>, "a's storage without history", "none", kAll},
    {Opcode::kCast, Run<Cast, kTo>, "a as another element type", "g as a's element type",
     "all; recorded between floats; float to integer saturates, NaN gives 0, i64 to i32 wraps"},
    {Opcode::kTo, Run<To, kDevice>, "a copy of a on device", "g on a's device", kAll},
    {Opcode::kAddInPlace, Run<AddInPlace>, "a ← a + b", "as add", kNumbers},
    {Opcode::kSubInPlace, Run<SubInPlace>, "a ← a - b", "as sub", kNumbers},
    {Opcode::kMulInPlace, Run<MulInPlace>, "a ← a * b", "as mul", kNumbers},
    {Opcode::kDivInPlace, Run<DivInPlace>, "a ← a / b", "as div", kFloats},
    {Opcode::kNegInPlace, Run<NegInPlace>, "a ← -a", "as neg", kNumbers},
    {Opcode::kExpInPlace, Run<ExpInPlace>, "a ← e^a", "as exp", kFloats},
    {Opcode::kSqrtInPlace, Run<SqrtInPlace>, "a ← √a", "as sqrt", kFloats},
    {Opcode::kSinInPlace, Run<SinInPlace>, "a ← sin a", "as sin", kFloats},
    {Opcode::kCosInPlace, Run<CosInPlace>, "a ← cos a", "as cos", kFloats},
    {Opcode::kTanhInPlace, Run<TanhInPlace>, "a ← tanh a", "as tanh", kFloats},
    {Opcode::kSigmoidInPlace, Run<SigmoidInPlace>, "a ← 1 / (1 + e^-a)", "as sigmoid", kFloats},
    {Opcode::kReluInPlace, Run<ReluInPlace>, "a ← max(a, 0)", "as relu", kNumbers},
    {Opcode::kAbsInPlace, Run<AbsInPlace>, "a ← abs(a)", "as abs", kNumbers},
    {Opcode::kCopyInPlace, Run<CopyInPlace>, "a ← b", "none; g summed to b's shape", kAll},
    {Opcode::kZeroInPlace, Run<ZeroInPlace>, "a ← 0", "none", kAll},
};

constexpr std::array<RegisteredOp, program::kNumOpcodes> ByOpcode() {
  std::array<RegisteredOp, program::kNumOpcodes> table{};
  for (const RegisteredOp& row : kRows) table[static_cast<int>(row.opcode)] = row;
  return table;
}
constexpr std::array<RegisteredOp, program::kNumOpcodes> kByOpcode = ByOpcode();

}  // namespace

const RegisteredOp* Find(Opcode opcode) {
  const RegisteredOp& row = kByOpcode[static_cast<int>(opcode)];
  return row.run == nullptr ? nullptr : &row;
}

Span<const RegisteredOp> RegisteredOps() { return kRows; }

namespace {
constinit DeviceType device_type = DeviceType::kSim;
}

Device DeviceOf(program::DeviceIndex index) {
  if (index == program::kCpu) return Device::Cpu();
  return {device_type, static_cast<uint8_t>(index)};
}

void SetDeviceType(DeviceType type) { device_type = type; }

}  // namespace twingrad::ops

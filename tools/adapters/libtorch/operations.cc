#include "tools/adapters/libtorch/operations.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "autograd/program/parts.h"
#include "autograd/program/signature.h"
#include "tools/adapters/libtorch/convolutions.h"
#include "tools/adapters/libtorch/failures.h"
#include "tools/adapters/libtorch/indexed.h"
#include "tools/adapters/libtorch/networks.h"
#include "tools/adapters/libtorch/version.h"
#include "tools/adapters/libtorch/views.h"

namespace twingrad::libtorch {
namespace {

using at::Tensor;
using program::Key;
using program::Opcode;
using program::Statement;
using Integers = std::vector<int64_t>;
using Function = Tensor (*)(const Statement&, const Operands&);

Integers Dims(const Statement& s) { return s.Get<Integers>(Key::kDims); }
Integers Pads(const Statement& s) { return s.Get<Integers>(Key::kPads); }
Integers Kernel(const Statement& s) { return s.Get<Integers>(Key::kKernel); }
// Of pools the kernel without.
Integers Stride(const Statement& s) { return s.Get<Integers>(Key::kStride); }
Integers Padding(const Statement& s) {
  const Integers padding = s.Get<Integers>(Key::kPadding);
  return padding.empty() ? Integers(Kernel(s).size(), 0) : padding;
}

Integers Sizes(const Statement& s) { return s.Get<Integers>(Key::kShape); }
bool Corners(const Statement& s) { return s.Get<bool>(Key::kAlignCorners); }
// libtorch takes samples alone.
Tensor OfSamples(const Statement& s, const Operands& o,
                 Tensor (*upsample)(const Tensor&, const Statement&)) {
  if (o[0].dim() == static_cast<int64_t>(Sizes(s).size()) + 2) return upsample(o[0], s);
  const Tensor result = upsample(o[0].unsqueeze(0), s);
  return at::_unsafe_view(result, result.sizes().slice(1));
}

bool Keepdim(const Statement& s) { return s.Get<bool>(Key::kKeepdim); }

Tensor Pow(const Statement&, const Operands& o) {
  // libtorch gives some integer for negative exponents where Programs ask for an error.
  const bool integers = at::isIntegralType(o[1].scalar_type(), true);
  if (integers && at::any(at::lt(o[1], 0)).item<bool>()) {
    throw Refusal(ErrorKind::kDomain, "a negative exponent of an integer");
  }
  return at::pow(o[0], o[1]);
}

// libtorch gives half of the gradient to each triangle, as if the other one counted too.
Tensor Cholesky(const Statement&, const Operands& o) {
  return at::linalg_cholesky(at::add(at::tril(o[0]), at::tril(o[0], -1).mT()));
}

// dims=, or all.
Integers ReducedDims(const Statement& s, const Tensor& of) {
  Integers dims = Dims(s);
  if (s.Find(Key::kDims) != nullptr) return dims;
  for (int64_t i = 0; i < of.dim(); ++i) dims.push_back(i);
  return dims;
}

// Functions without dimensions give a scalar.
bool ReducesToScalar(const Statement& s) { return s.Find(Key::kDims) == nullptr && !Keepdim(s); }

// libtorch reduces one dimension at a time here.
Tensor Prod(const Statement& s, const Operands& o) {
  Integers dims = ReducedDims(s, o[0]);
  std::sort(dims.rbegin(), dims.rend());
  if (ReducesToScalar(s) || dims.empty()) return at::prod(o[0]);
  Tensor result = o[0];
  for (int64_t dim : dims) result = at::prod(result, dim, Keepdim(s));
  return result;
}

int64_t ReductionOf(const Statement& s) {
  const auto reduction = s.Get<std::string>(Key::kReduction);
  return reduction == "none"  ? at::Reduction::None
         : reduction == "sum" ? at::Reduction::Sum
                              : at::Reduction::Mean;
}

// No class is to be ignored.
constexpr int64_t kNoClass = std::numeric_limits<int64_t>::min();

Tensor CrossEntropy(const Statement& s, const Operands& o) {
  return at::cross_entropy_loss(o[0], o[1], {}, ReductionOf(s), kNoClass);
}

Tensor Clamp(const Statement& s, const Operands& o) {
  Optional<at::Scalar> least, most;
  if (s.Find(Key::kMin) != nullptr) least = s.Get<double>(Key::kMin);
  if (s.Find(Key::kMax) != nullptr) most = s.Get<double>(Key::kMax);
  return at::clamp(o[0], least, most);
}

// By default libtorch takes a for the result from a = 20 on, which is 2e-9 too small: more than the
// last place of f64. From 40 on it is right.
Tensor Softplus(const Tensor& a) { return at::softplus(a, /*beta=*/1, /*threshold=*/40); }

// Before 2.0 libtorch takes two dimensions more than grow, no fewer.
Tensor PadCircular(const Statement& s, const Operands& o) {
  const Integers pads = Pads(s);
  const auto others = o[0].dim() - static_cast<int64_t>(pads.size() / 2);
  if (TORCH_VERSION_MAJOR >= 2 || others == 2) return at::pad(o[0], pads, "circular");
  const Tensor padded = at::pad(o[0].unsqueeze(0), pads, "circular");
  return at::_unsafe_view(padded, padded.sizes().slice(1));
}

// What a float out of range becomes is the compiler's choice in libtorch.
template <typename Integer>
Tensor Saturated(const Tensor& floats, at::ScalarType type) {
  constexpr double kEnd = -static_cast<double>(std::numeric_limits<Integer>::min());
  const Tensor from = floats.detach().to(at::kDouble).contiguous();
  Tensor to = at::empty(from.sizes(), type);
  std::transform(from.data_ptr<double>(), from.data_ptr<double>() + from.numel(),
                 to.data_ptr<Integer>(), [](double x) {
                   if (std::isnan(x)) return Integer{0};
                   if (x >= kEnd) return std::numeric_limits<Integer>::max();
                   return x <= -kEnd ? std::numeric_limits<Integer>::min() : Integer(x);
                 });
  return to;
}

Tensor Cast(const Statement& s, const Operands& o) {
  const auto type = TypeOf(std::get<DType>(*s.Find(Key::kTo)));
  if (o[0].is_floating_point() && type == at::kLong) return Saturated<int64_t>(o[0], type);
  if (o[0].is_floating_point() && type == at::kInt) return Saturated<int32_t>(o[0], type);
  return o[0].to(type, /*non_blocking=*/false, /*copy=*/true);
}

// libtorch adds and multiplies integers in 64 bits, of which the low 32 are those of 32 bits.
Tensor InTypeOf(const Tensor& a, const Tensor& result) { return result.to(a.scalar_type()); }

Tensor Sum(const Statement& s, const Operands& o) {
  return InTypeOf(
      o[0], ReducesToScalar(s) ? at::sum(o[0]) : at::sum(o[0], ReducedDims(s, o[0]), Keepdim(s)));
}

using Row = std::pair<const Opcode, Function>;

// Rows of the table: what a statement computes of its attributes `s` and operands `o`, or writes.
#define COMPUTES(op, expression) \
  Row(Opcode::op,                \
      []([[maybe_unused]] const Statement& s, const Operands& o) -> Tensor { return expression; })
#define WRITES(op, expression)                                        \
  Row(Opcode::op, [](const Statement&, const Operands& o) -> Tensor { \
    expression;                                                       \
    return Tensor();                                                  \
  })
#define UPSAMPLES(op, expression)                                                               \
  Row(Opcode::op, [](const Statement& statement, const Operands& o) {                           \
    return OfSamples(statement, o,                                                              \
                     [](const Tensor& a, const Statement& s) -> Tensor { return expression; }); \
  })

constexpr Row kTable[] = {
    COMPUTES(kAdd, at::add(o[0], o[1])),
    COMPUTES(kSub, at::sub(o[0], o[1])),
    COMPUTES(kMul, at::mul(o[0], o[1])),
    COMPUTES(kDiv, at::div(o[0], o[1])),
    Row(Opcode::kPow, Pow),
    COMPUTES(kMaximum, at::maximum(o[0], o[1])),
    COMPUTES(kMinimum, at::minimum(o[0], o[1])),
    COMPUTES(kLogaddexp, at::logaddexp(o[0], o[1])),
    COMPUTES(kAtan2, at::atan2(o[0], o[1])),
    COMPUTES(kXlogy, at::xlogy(o[0], o[1])),
    COMPUTES(kFmod, at::fmod(o[0], o[1])),
    COMPUTES(kRemainder, at::remainder(o[0], o[1])),
    COMPUTES(kNeg, at::neg(o[0])),
    COMPUTES(kExp, at::exp(o[0])),
    COMPUTES(kLog, at::log(o[0])),
    COMPUTES(kSqrt, at::sqrt(o[0])),
    COMPUTES(kSin, at::sin(o[0])),
    COMPUTES(kCos, at::cos(o[0])),
    COMPUTES(kTanh, at::tanh(o[0])),
    COMPUTES(kSigmoid, at::sigmoid(o[0])),
    COMPUTES(kRelu, at::relu(o[0])),
    COMPUTES(kAbs, at::abs(o[0])),
    COMPUTES(kSgn, at::sgn(o[0])),
    COMPUTES(kTan, at::tan(o[0])),
    COMPUTES(kAsin, at::asin(o[0])),
    COMPUTES(kAcos, at::acos(o[0])),
    COMPUTES(kAtan, at::atan(o[0])),
    COMPUTES(kSinh, at::sinh(o[0])),
    COMPUTES(kCosh, at::cosh(o[0])),
    COMPUTES(kAsinh, at::asinh(o[0])),
    COMPUTES(kAcosh, at::acosh(o[0])),
    COMPUTES(kAtanh, at::atanh(o[0])),
    COMPUTES(kErf, at::erf(o[0])),
    COMPUTES(kErfc, at::erfc(o[0])),
    COMPUTES(kExpm1, at::expm1(o[0])),
    COMPUTES(kLog1p, at::log1p(o[0])),
    COMPUTES(kLog2, at::log2(o[0])),
    COMPUTES(kLog10, at::log10(o[0])),
    COMPUTES(kExp2, at::exp2(o[0])),
    COMPUTES(kRsqrt, at::rsqrt(o[0])),
    COMPUTES(kReciprocal, at::reciprocal(o[0])),
    COMPUTES(kSquare, at::square(o[0])),
    COMPUTES(kSilu, at::silu(o[0])),
    COMPUTES(kSoftplus, Softplus(o[0])),
    COMPUTES(kGelu, at::gelu(o[0])),
    COMPUTES(kGeluTanh, at::gelu(o[0], "tanh")),
    COMPUTES(kSinc, at::sinc(o[0])),
    Row(Opcode::kClamp, Clamp),
    COMPUTES(kHardtanh, at::hardtanh(o[0], s.Get<double>(Key::kMin), s.Get<double>(Key::kMax))),
    COMPUTES(kRelu6, at::relu6(o[0])),
    COMPUTES(kHardsigmoid, at::hardsigmoid(o[0])),
    COMPUTES(kLeakyRelu, at::leaky_relu(o[0], s.Get<double>(Key::kBy))),
    COMPUTES(kElu, at::elu(o[0], s.Get<double>(Key::kBy))),
    COMPUTES(kCelu, at::celu(o[0], s.Get<double>(Key::kBy))),
    COMPUTES(kSelu, at::selu(o[0])),
    Row(Opcode::kDropout, Dropout),
    COMPUTES(kWhere, at::where(o[0], o[1], o[2])),
    COMPUTES(kMaskedFill, at::masked_fill(o[1], o[0], s.Get<double>(Key::kBy))),

    Row(Opcode::kSum, Sum),
    COMPUTES(kMean, ReducesToScalar(s) ? at::mean(o[0])
                                       : at::mean(o[0], ReducedDims(s, o[0]), Keepdim(s))),
    COMPUTES(kProd, InTypeOf(o[0], Prod(s, o))),
    COMPUTES(kAmax, at::amax(o[0], ReducedDims(s, o[0]), Keepdim(s))),
    COMPUTES(kAmin, at::amin(o[0], ReducedDims(s, o[0]), Keepdim(s))),
    COMPUTES(kLogsumexp, at::logsumexp(o[0], ReducedDims(s, o[0]), Keepdim(s))),
    COMPUTES(kVar, at::var(o[0], ReducedDims(s, o[0]), /*unbiased=*/false, Keepdim(s))),
    COMPUTES(kStd, at::std(o[0], ReducedDims(s, o[0]), /*unbiased=*/false, Keepdim(s))),
    COMPUTES(kNorm, at::linalg_vector_norm(o[0], 2, ReducedDims(s, o[0]), Keepdim(s))),
    COMPUTES(kAvgPool1d, at::avg_pool1d(o[0], Kernel(s), Stride(s), Padding(s))),
    COMPUTES(kAvgPool2d, at::avg_pool2d(o[0], Kernel(s), Stride(s), Padding(s))),
    COMPUTES(kAvgPool3d, at::avg_pool3d(o[0], Kernel(s), Stride(s), Padding(s))),
    COMPUTES(kAdaptiveAvgPool1d, at::adaptive_avg_pool1d(o[0], Sizes(s))),
    COMPUTES(kAdaptiveAvgPool2d, at::adaptive_avg_pool2d(o[0], Sizes(s))),
    COMPUTES(kAdaptiveAvgPool3d, at::adaptive_avg_pool3d(o[0], Sizes(s))),
    COMPUTES(kMatmul, at::matmul(o[0], o[1])),
    COMPUTES(kAddmm, at::addmm(o[0], o[1], o[2])),
    COMPUTES(kAddmv, at::addmv(o[0], o[1], o[2])),
    COMPUTES(kAddr, at::addr(o[0], o[1], o[2])),
    COMPUTES(kBaddbmm, at::baddbmm(o[0], o[1], o[2])),
    COMPUTES(kAddbmm, at::addbmm(o[0], o[1], o[2])),
    COMPUTES(kAddcmul, at::addcmul(o[0], o[1], o[2])),
    COMPUTES(kAddcdiv, at::addcdiv(o[0], o[1], o[2])),
    COMPUTES(kLerp, at::lerp(o[0], o[1], o[2])),
    COMPUTES(kBmm, at::bmm(o[0], o[1])),
    COMPUTES(kDot, at::dot(o[0], o[1])),
    // A copy, as it may be a view of its operand.
    COMPUTES(kEinsum, InTypeOf(o[0], at::einsum(s.Get<std::string>(Key::kEquation), o)
                                         .clone(at::MemoryFormat::Contiguous))),
    COMPUTES(kOuter, at::outer(o[0], o[1])),
    Row(Opcode::kLinear, Linear),
    Row(Opcode::kScaledDotProductAttention, Attention),
    COMPUTES(kInverse, at::linalg_inv(o[0])),
    COMPUTES(kDet, at::linalg_det(o[0])),
    COMPUTES(kSolveTriangular, at::linalg_solve_triangular(o[0], o[1], s.Get<bool>(Key::kUpper))),
    Row(Opcode::kCholesky, Cholesky),

    Row(Opcode::kView, View),
    Row(Opcode::kReshape, Reshape),
    COMPUTES(kTranspose, at::transpose(o[0], Dims(s).at(0), Dims(s).at(1))),
    COMPUTES(kPermute, at::permute(o[0], Dims(s))),
    COMPUTES(kExpand, o[0].expand(s.Get<Integers>(Key::kShape))),
    COMPUTES(kSelect, at::select(o[0], Dim(s), s.Get<int64_t>(Key::kIndex))),
    Row(Opcode::kSlice, Slice),
    Row(Opcode::kSqueeze, Squeeze),
    COMPUTES(kUnsqueeze, at::unsqueeze(o[0], Dim(s))),
    COMPUTES(kT, at::t(o[0])),
    COMPUTES(kDiagonal, at::diagonal(o[0], s.Get<int64_t>(Key::kBy), Dims(s).at(0), Dims(s).at(1))),
    COMPUTES(kUnfold,
             o[0].unfold(Dim(s), s.Get<int64_t>(Key::kCount), s.Get<int64_t>(Key::kStep, 1))),
    COMPUTES(kAlias, at::alias(o[0])),
    Row(Opcode::kAsStrided, AsStrided),
    COMPUTES(kClone, o[0].clone(at::MemoryFormat::Contiguous)),
    COMPUTES(kDetach, o[0].detach()),
    Row(Opcode::kCast, Cast),

    Row(Opcode::kConv1d, Convolution<1>),
    Row(Opcode::kConv2d, Convolution<2>),
    Row(Opcode::kConv3d, Convolution<3>),
    Row(Opcode::kConvTranspose1d, TransposedConvolution<1>),
    Row(Opcode::kConvTranspose2d, TransposedConvolution<2>),
    Row(Opcode::kConvTranspose3d, TransposedConvolution<3>),
    COMPUTES(kCat, at::cat(o, Dim(s))),
    COMPUTES(kStack, at::stack(o, Dim(s))),
    COMPUTES(kFlip, at::flip(o[0], Dims(s))),
    COMPUTES(kRoll, at::roll(o[0], s.Get<int64_t>(Key::kBy), Dim(s))),
    COMPUTES(kTril, at::tril(o[0], s.Get<int64_t>(Key::kBy))),
    COMPUTES(kTriu, at::triu(o[0], s.Get<int64_t>(Key::kBy))),
    COMPUTES(kPad, at::constant_pad_nd(o[0], Pads(s), s.Get<double>(Key::kBy, 0))),
    COMPUTES(kPadReflect, at::pad(o[0], Pads(s), "reflect")),
    COMPUTES(kPadReplicate, at::pad(o[0], Pads(s), "replicate")),
    Row(Opcode::kPadCircular, PadCircular),
    COMPUTES(kRepeat, o[0].repeat(s.Get<Integers>(Key::kShape))),
    UPSAMPLES(kUpsampleNearest1d, at::upsample_nearest1d(a, Sizes(s))),
    UPSAMPLES(kUpsampleNearest2d, at::upsample_nearest2d(a, Sizes(s))),
    UPSAMPLES(kUpsampleNearest3d, at::upsample_nearest3d(a, Sizes(s))),
    UPSAMPLES(kUpsampleLinear1d, at::upsample_linear1d(a, Sizes(s), Corners(s))),
    UPSAMPLES(kUpsampleBilinear2d, at::upsample_bilinear2d(a, Sizes(s), Corners(s))),
    UPSAMPLES(kUpsampleTrilinear3d, at::upsample_trilinear3d(a, Sizes(s), Corners(s))),
    UPSAMPLES(kUpsampleBicubic2d, at::upsample_bicubic2d(a, Sizes(s), Corners(s))),
    COMPUTES(kIndexSelect, at::index_select(o[0], Dim(s), o[1])),
    COMPUTES(kEmbedding, at::embedding(o[0], o[1], -1, false, s.Get<bool>(Key::kSparse))),
    COMPUTES(kGather, at::gather(o[0], Dim(s), o[1])),
    COMPUTES(kScatterAdd, at::scatter_add(o[0], Dim(s), o[1], o[2])),
    Row(Opcode::kScatter, Scatter),
    COMPUTES(kIndexAdd, at::index_add(o[0], Dim(s), o[1], o[2])),
    Row(Opcode::kIndexCopy, IndexCopy),
    Row(Opcode::kIndex, Index),
    Row(Opcode::kIndexPut, IndexPut),
    Row(Opcode::kMaskedSelect, MaskedSelect),
    Row(Opcode::kScatterReduce, ScatterReduce),
    Row(Opcode::kSparseCoo, SparseCoo),
    Row(Opcode::kCoalesce, Coalesce),
    COMPUTES(kToDense, o[0].to_dense()),
    COMPUTES(kSparseValues, o[0].values().clone()),
    COMPUTES(kSparseIndices, o[0].indices().clone()),
    COMPUTES(kSelectScatter, at::select_scatter(o[0], o[1], Dim(s), s.Get<int64_t>(Key::kIndex))),
    Row(Opcode::kSliceScatter, SliceScatter),
    COMPUTES(kDiagonalScatter, at::diagonal_scatter(o[0], o[1], s.Get<int64_t>(Key::kBy),
                                                    Dims(s).at(0), Dims(s).at(1))),
    Row(Opcode::kAsStridedScatter, AsStridedScatter),
    COMPUTES(kCumsum, InTypeOf(o[0], at::cumsum(o[0], Dim(s)))),
    COMPUTES(kCumprod, InTypeOf(o[0], at::cumprod(o[0], Dim(s)))),
    COMPUTES(kLogcumsumexp, at::logcumsumexp(o[0], Dim(s))),
    COMPUTES(kSoftmax, at::softmax(o[0], Dim(s))),
    COMPUTES(kLogSoftmax, at::log_softmax(o[0], Dim(s))),
    Row(Opcode::kLayerNorm, LayerNorm),
    Row(Opcode::kGroupNorm, GroupNorm),
    Row(Opcode::kBatchNorm, BatchNorm),
    COMPUTES(kMseLoss, at::mse_loss(o[0], o[1], ReductionOf(s))),
    COMPUTES(kSmoothL1Loss, at::smooth_l1_loss(o[0], o[1], ReductionOf(s))),
    Row(Opcode::kCrossEntropy, CrossEntropy),
    COMPUTES(kBceWithLogits,
             at::binary_cross_entropy_with_logits(o[0], o[1], {}, {}, ReductionOf(s))),
    COMPUTES(kNllLoss, at::nll_loss(o[0], o[1], {}, ReductionOf(s), kNoClass)),

    WRITES(kAddInPlace, o[0].add_(o[1])),
    WRITES(kSubInPlace, o[0].sub_(o[1])),
    WRITES(kMulInPlace, o[0].mul_(o[1])),
    WRITES(kDivInPlace, o[0].div_(o[1])),
    WRITES(kNegInPlace, o[0].neg_()),
    WRITES(kExpInPlace, o[0].exp_()),
    WRITES(kSqrtInPlace, o[0].sqrt_()),
    WRITES(kSinInPlace, o[0].sin_()),
    WRITES(kCosInPlace, o[0].cos_()),
    WRITES(kTanhInPlace, o[0].tanh_()),
    WRITES(kSigmoidInPlace, o[0].sigmoid_()),
    WRITES(kReluInPlace, o[0].relu_()),
    WRITES(kAbsInPlace, o[0].abs_()),
    WRITES(kCopyInPlace, o[0].copy_(o[1])),
    WRITES(kZeroInPlace, o[0].zero_()),
};

// What gives values and where they stood.
using Pair = std::tuple<Tensor, Tensor>;
using PairFunction = Pair (*)(const Statement&, const Tensor&);
using PairRow = std::pair<const Opcode, PairFunction>;
#define PICKS(op, expression) \
  PairRow(Opcode::op, [](const Statement& s, const Tensor& a) -> Pair { return expression; })

constexpr PairRow kPairTable[] = {
    PICKS(kMax, at::max(a, Dim(s), Keepdim(s))),
    PICKS(kMin, at::min(a, Dim(s), Keepdim(s))),
    PICKS(kMaxPool1d, at::max_pool1d_with_indices(a, Kernel(s), Stride(s), Padding(s))),
    PICKS(kMaxPool2d, at::max_pool2d_with_indices(a, Kernel(s), Stride(s), Padding(s))),
    PICKS(kMaxPool3d, at::max_pool3d_with_indices(a, Kernel(s), Stride(s), Padding(s))),
    PICKS(kAdaptiveMaxPool1d, at::adaptive_max_pool1d(a, Sizes(s))),
    PICKS(kAdaptiveMaxPool2d, at::adaptive_max_pool2d(a, Sizes(s))),
    PICKS(kAdaptiveMaxPool3d, at::adaptive_max_pool3d(a, Sizes(s))),
    PairRow(Opcode::kSort, Sorted),
    PairRow(Opcode::kTopk, Topk),
    PICKS(kCummax, at::cummax(a, Dim(s))),
    PICKS(kCummin, at::cummin(a, Dim(s))),
};

#undef COMPUTES
#undef WRITES
#undef PICKS

const std::map<Opcode, Function>& Table() {
  static const std::map<Opcode, Function> table(std::begin(kTable), std::end(kTable));
  return table;
}

// Of the ops of both, and of those that give the indices alone.
const std::map<Opcode, PairFunction>& PairTable() {
  static const std::map<Opcode, PairFunction> table = [] {
    std::map<Opcode, PairFunction> both(std::begin(kPairTable), std::end(kPairTable));
    for (const auto& [op, function] : kPairTable) {
      both.emplace(program::SignatureOf(op).index_op, function);
    }
    return both;
  }();
  return table;
}

std::vector<Tensor> Pick(PairFunction function, const Statement& statement, const Tensor& of) {
  if (!program::MayGiveIndices(statement.op)) {
    CheckOrder(statement, of);
    return {std::get<1>(function(statement, of.detach()))};
  }
  if (statement.results.size() == 1) return {std::get<0>(function(statement, of))};
  CheckOrder(statement, of);
  const auto [values, indices] = function(statement, of);
  return {values, indices};
}

}  // namespace

std::vector<Tensor> Compute(const Statement& statement, const Operands& operands) {
  if (statement.op == Opcode::kUnbind) return at::unbind(operands[0], Dim(statement));
  const auto count = statement.Get<int64_t>(Key::kCount);
  if (statement.op == Opcode::kSplit) return at::split(operands[0], count, Dim(statement));
  if (statement.op == Opcode::kChunk) return at::chunk(operands[0], count, Dim(statement));
  if (const auto pair = PairTable().find(statement.op); pair != PairTable().end()) {
    return Pick(pair->second, statement, operands[0]);
  }
  const auto it = Table().find(statement.op);
  if (it == Table().end()) throw Refusal(ErrorKind::kUnsupported, "a statement not in the table");
  Tensor result = it->second(statement, operands);
  return statement.results.empty() ? std::vector<Tensor>() : std::vector<Tensor>{result};
}

std::set<Opcode> ComputedOps() {
  std::set<Opcode> ops = {Opcode::kUnbind, Opcode::kSplit, Opcode::kChunk};
  for (const auto& [op, function] : Table()) ops.insert(op);
  for (const auto& [op, function] : PairTable()) ops.insert(op);
  return ops;
}

std::set<Opcode> SingleNodeOps() {
  std::set<Opcode> ops = ComputedOps();
  // matmul folds and expands batches, reshape may copy first, prod (before 2.0 squeeze too) of
  // several dimensions is a chain, cross_entropy takes the logarithm of softmax first, outer and
  // einsum are products of views, pad_circular writes slices, linear transposes first, attention
  // goes step by step and dropout is a product, cholesky mirrors the lower triangle. Convolutions
  // and norms have an edge for a bias, and in one dimension convolutions and pools are those of
  // two. Parts of sparse tensors are copied, and what is coalesced stays itself.
  for (Opcode op : {Opcode::kMatmul,      Opcode::kReshape,
                    Opcode::kProd,        Opcode::kCrossEntropy,
                    Opcode::kOuter,       Opcode::kEinsum,
                    Opcode::kPadCircular, Opcode::kAvgPool1d,
                    Opcode::kMaxPool1d,   Opcode::kConv1d,
                    Opcode::kConv2d,      Opcode::kConv3d,
                    Opcode::kLinear,      Opcode::kScaledDotProductAttention,
                    Opcode::kDropout,     Opcode::kCholesky,
                    Opcode::kLayerNorm,   Opcode::kGroupNorm,
                    Opcode::kBatchNorm,   Opcode::kSparseCoo,
                    Opcode::kCoalesce,    Opcode::kSparseValues}) {
    ops.erase(op);
  }
  // So are adaptive pools, and means to a single entry are means; upsampling takes samples.
  for (const auto& signature : program::Signatures()) {
    const bool adapts = signature.category == program::Category::kReduction &&
                        signature.Find(Key::kShape) != nullptr;
    const bool transposed = signature.Find(Key::kOutputPadding) != nullptr;
    const bool upsamples =
        signature.category == program::Category::kRearrange && program::PlaneRank(signature) > 0;
    if (adapts || transposed || upsamples) ops.erase(signature.op);
  }
  if (TORCH_VERSION_MAJOR < 2) ops.erase(Opcode::kSqueeze);
  return ops;
}

namespace {

constexpr std::pair<DType, at::ScalarType> kTypes[] = {
    {DType::kF64, at::kDouble},    {DType::kF32, at::kFloat}, {DType::kF16, at::kHalf},
    {DType::kBF16, at::kBFloat16}, {DType::kI64, at::kLong},  {DType::kI32, at::kInt},
    {DType::kBool, at::kBool}};

}  // namespace

at::ScalarType TypeOf(DType dtype) {
  return std::ranges::find(kTypes, dtype, [](const auto& pair) { return pair.first; })->second;
}

DType DTypeOf(at::ScalarType type) {
  return std::ranges::find(kTypes, type, [](const auto& pair) { return pair.second; })->first;
}

}  // namespace twingrad::libtorch

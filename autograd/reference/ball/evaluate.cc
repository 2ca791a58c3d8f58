#include "autograd/reference/ball/evaluate.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "autograd/program/signature.h"
#include "autograd/program/statement_table.h"

namespace twingrad::reference::ball {

using program::Category;
using program::Key;
using program::Opcode;

// A row of the table: of an elementwise op what it makes of elements, of another its family.
struct Evaluation::Row {
  Opcode op;
  Ref (*unary)(Arithmetic&, Ref, DType) = nullptr;
  Ref (*binary)(Arithmetic&, Ref, Ref, DType) = nullptr;
  void (Evaluation::*family)() = &Evaluation::Elementwise;
  Ref (*ternary)(Arithmetic&, Ref, Ref, Ref, DType) = nullptr;
};

namespace {

template <Function function>
Ref Map(Arithmetic& math, Ref a, DType type) {
  return math.Apply(function, a, type, function == Function::kSqrt ? 1 : kUnits);
}
// Of which libraries compute a difference of terms that are no greater than the operand, or than 1.
template <Function function, bool than_one = false>
Ref Cancelling(Arithmetic& math, Ref a, DType type) {
  Ref result = math.Apply(function, a, type, kInSteps);
  return math.Rounded(result, type, 2 * kUnits, than_one ? 1 : a->run.Magnitude());
}
template <bool greatest>
Ref ExtremeOf(Arithmetic& math, Ref a, Ref b, DType type) {
  return math.Extreme({a, b}, greatest, type);
}

using E = Evaluation;
using M = Arithmetic;
constexpr E::Row Ternary(Opcode op, Ref (*ternary)(M&, Ref, Ref, Ref, DType)) {
  return {op, nullptr, nullptr, &E::Elementwise, ternary};
}
constexpr E::Row Family(Opcode op, void (E::*family)()) { return {op, nullptr, nullptr, family}; }

constexpr E::Row kRows[] = {
    {Opcode::kAdd, nullptr, [](M& m, Ref a, Ref b, DType t) { return m.Add(a, b, t); }},
    {Opcode::kSub, nullptr, [](M& m, Ref a, Ref b, DType t) { return m.Subtract(a, b, t); }},
    {Opcode::kMul, nullptr, [](M& m, Ref a, Ref b, DType t) { return m.Multiply(a, b, t); }},
    {Opcode::kDiv, nullptr, [](M& m, Ref a, Ref b, DType t) { return m.Divide(a, b, t); }},
    {Opcode::kPow, nullptr, [](M& m, Ref a, Ref b, DType t) { return m.Power(a, b, t); }},
    {Opcode::kMaximum, nullptr, ExtremeOf<true>},
    {Opcode::kMinimum, nullptr, ExtremeOf<false>},
    {Opcode::kLogaddexp, nullptr, [](M& m, Ref a, Ref b, DType t) { return m.LogAddExp(a, b, t); }},
    {Opcode::kAtan2, nullptr, [](M& m, Ref a, Ref b, DType t) { return m.Atan2(a, b, t); }},
    {Opcode::kXlogy, nullptr,
     [](M& m, Ref a, Ref b, DType t) { return m.Multiply(a, Map<Function::kLog>(m, b, t), t); }},
    {Opcode::kFmod, nullptr,
     [](M& m, Ref a, Ref b, DType t) { return m.Modulo(a, b, /*floors=*/false, t); }},
    {Opcode::kRemainder, nullptr,
     [](M& m, Ref a, Ref b, DType t) { return m.Modulo(a, b, /*floors=*/true, t); }},
    {Opcode::kNeg, [](M& m, Ref a, DType t) { return m.Negate(a, t); }},
    {Opcode::kExp, Map<Function::kExp>},
    {Opcode::kLog, Map<Function::kLog>},
    {Opcode::kSqrt, Map<Function::kSqrt>},
    {Opcode::kSin, Map<Function::kSin>},
    {Opcode::kCos, Map<Function::kCos>},
    {Opcode::kTanh, Map<Function::kTanh>},
    {Opcode::kSigmoid, Map<Function::kSigmoid>},
    {Opcode::kRelu, [](M& m, Ref a, DType t) { return m.Relu(a, t); }},
    {Opcode::kAbs, [](M& m, Ref a, DType t) { return m.Abs(a, t); }},
    {Opcode::kSgn, [](M& m, Ref a, DType t) { return m.Sign(a, t); }},
    {Opcode::kTan, Map<Function::kTan>},
    {Opcode::kAsin, Map<Function::kAsin>},
    {Opcode::kAcos, Map<Function::kAcos>},
    {Opcode::kAtan, Map<Function::kAtan>},
    {Opcode::kSinh, Map<Function::kSinh>},
    {Opcode::kCosh, Map<Function::kCosh>},
    {Opcode::kAsinh, Map<Function::kAsinh>},
    {Opcode::kAcosh, Map<Function::kAcosh>},
    {Opcode::kAtanh, Map<Function::kAtanh>},
    {Opcode::kErf, Map<Function::kErf>},
    {Opcode::kErfc, Map<Function::kErfc>},
    {Opcode::kExpm1, Map<Function::kExpm1>},
    {Opcode::kLog1p, Map<Function::kLog1p>},
    {Opcode::kLog2, Map<Function::kLog2>},
    {Opcode::kLog10, Map<Function::kLog10>},
    {Opcode::kExp2, Map<Function::kExp2>},
    {Opcode::kRsqrt, Map<Function::kRsqrt>},
    {Opcode::kReciprocal, Map<Function::kReciprocal>},
    {Opcode::kSquare, [](M& m, Ref a, DType t) { return m.Multiply(a, a, t); }},
    {Opcode::kSilu, Map<Function::kSilu>},
    {Opcode::kSoftplus, Map<Function::kSoftplus>},
    {Opcode::kGelu, Cancelling<Function::kGelu>},
    {Opcode::kGeluTanh, Cancelling<Function::kGeluTanh>},
    {Opcode::kSinc, Cancelling<Function::kSinc, /*than_one=*/true>},
    Family(Opcode::kClamp, &E::Clamp),
    Family(Opcode::kHardtanh, &E::Clamp),
    Family(Opcode::kRelu6, &E::Relu6),
    Family(Opcode::kHardsigmoid, &E::Hardsigmoid),
    Family(Opcode::kLeakyRelu, &E::Bent),
    Family(Opcode::kElu, &E::Bent),
    Family(Opcode::kCelu, &E::Bent),
    Family(Opcode::kSelu, &E::Bent),
    Ternary(Opcode::kWhere, [](M& m, Ref a, Ref b, Ref c, DType) { return m.Where(a, b, c); }),
    Family(Opcode::kDropout, &E::Dropout),
    Family(Opcode::kMaskedFill, &E::MaskedFill),
    Ternary(Opcode::kAddcmul,
            [](M& m, Ref a, Ref b, Ref c, DType t) { return m.Add(a, m.Multiply(b, c, t), t); }),
    Ternary(Opcode::kAddcdiv,
            [](M& m, Ref a, Ref b, Ref c, DType t) { return m.Add(a, m.Divide(b, c, t), t); }),
    Ternary(Opcode::kLerp,
            [](M& m, Ref a, Ref b, Ref c, DType t) {
              return m.Add(a, m.Multiply(c, m.Subtract(b, a, t), t), t);
            }),
    Family(Opcode::kSum, &E::Reduce),
    Family(Opcode::kMean, &E::Reduce),
    Family(Opcode::kProd, &E::Reduce),
    Family(Opcode::kAmax, &E::Reduce),
    Family(Opcode::kAmin, &E::Reduce),
    Family(Opcode::kLogsumexp, &E::Reduce),
    Family(Opcode::kVar, &E::Reduce),
    Family(Opcode::kStd, &E::Reduce),
    Family(Opcode::kNorm, &E::Reduce),
    Family(Opcode::kMax, &E::ReduceLanes),
    Family(Opcode::kMin, &E::ReduceLanes),
    Family(Opcode::kArgmax, &E::ReduceLanes),
    Family(Opcode::kArgmin, &E::ReduceLanes),
    Family(Opcode::kAvgPool1d, &E::Pool),
    Family(Opcode::kAvgPool2d, &E::Pool),
    Family(Opcode::kAvgPool3d, &E::Pool),
    Family(Opcode::kMaxPool1d, &E::Pool),
    Family(Opcode::kMaxPool2d, &E::Pool),
    Family(Opcode::kMaxPool3d, &E::Pool),
    Family(Opcode::kMaxPool1dIndices, &E::Pool),
    Family(Opcode::kMaxPool2dIndices, &E::Pool),
    Family(Opcode::kMaxPool3dIndices, &E::Pool),
    Family(Opcode::kAdaptiveAvgPool1d, &E::Pool),
    Family(Opcode::kAdaptiveAvgPool2d, &E::Pool),
    Family(Opcode::kAdaptiveAvgPool3d, &E::Pool),
    Family(Opcode::kAdaptiveMaxPool1d, &E::Pool),
    Family(Opcode::kAdaptiveMaxPool2d, &E::Pool),
    Family(Opcode::kAdaptiveMaxPool3d, &E::Pool),
    Family(Opcode::kAdaptiveMaxPool1dIndices, &E::Pool),
    Family(Opcode::kAdaptiveMaxPool2dIndices, &E::Pool),
    Family(Opcode::kAdaptiveMaxPool3dIndices, &E::Pool),
    Family(Opcode::kMatmul, &E::Products),
    Family(Opcode::kAddmm, &E::Products),
    Family(Opcode::kAddmv, &E::Products),
    Family(Opcode::kAddr, &E::Outer),
    Family(Opcode::kBaddbmm, &E::Products),
    Family(Opcode::kAddbmm, &E::Products),
    Family(Opcode::kBmm, &E::Products),
    Family(Opcode::kDot, &E::Products),
    Family(Opcode::kEinsum, &E::Contract),
    Family(Opcode::kOuter, &E::Outer),
    Family(Opcode::kLinear, &E::Linear),
    Family(Opcode::kScaledDotProductAttention, &E::Attend),
    Family(Opcode::kInverse, &E::OfSquares),
    Family(Opcode::kDet, &E::OfSquares),
    Family(Opcode::kSolveTriangular, &E::OfSquares),
    Family(Opcode::kCholesky, &E::OfSquares),
    Family(Opcode::kConv1d, &E::Convolve),
    Family(Opcode::kConv2d, &E::Convolve),
    Family(Opcode::kConv3d, &E::Convolve),
    Family(Opcode::kConvTranspose1d, &E::ConvolveTransposed),
    Family(Opcode::kConvTranspose2d, &E::ConvolveTransposed),
    Family(Opcode::kConvTranspose3d, &E::ConvolveTransposed),
    Family(Opcode::kCat, &E::Join),
    Family(Opcode::kStack, &E::Join),
    Family(Opcode::kFlip, &E::Flip),
    Family(Opcode::kRoll, &E::Roll),
    Family(Opcode::kTril, &E::Triangle),
    Family(Opcode::kTriu, &E::Triangle),
    Family(Opcode::kPad, &E::Pad),
    Family(Opcode::kPadReflect, &E::Pad),
    Family(Opcode::kPadReplicate, &E::Pad),
    Family(Opcode::kPadCircular, &E::Pad),
    Family(Opcode::kRepeat, &E::Repeat),
    Family(Opcode::kUpsampleNearest1d, &E::Upsample),
    Family(Opcode::kUpsampleNearest2d, &E::Upsample),
    Family(Opcode::kUpsampleNearest3d, &E::Upsample),
    Family(Opcode::kUpsampleLinear1d, &E::Upsample),
    Family(Opcode::kUpsampleBilinear2d, &E::Upsample),
    Family(Opcode::kUpsampleTrilinear3d, &E::Upsample),
    Family(Opcode::kUpsampleBicubic2d, &E::Upsample),
    Family(Opcode::kIndexSelect, &E::PickLanes),
    Family(Opcode::kEmbedding, &E::Embed),
    Family(Opcode::kGather, &E::PickLanes),
    Family(Opcode::kScatterAdd, &E::ScatterAdd),
    Family(Opcode::kScatter, &E::Scatter),
    Family(Opcode::kIndexAdd, &E::ScatterAdd),
    Family(Opcode::kIndexCopy, &E::Scatter),
    Family(Opcode::kIndex, &E::Index),
    Family(Opcode::kIndexPut, &E::IndexPut),
    Family(Opcode::kScatterReduce, &E::ScatterReduce),
    Family(Opcode::kMaskedSelect, &E::MaskedSelect),
    Family(Opcode::kSparseCoo, &E::SparseCoo),
    Family(Opcode::kCoalesce, &E::Coalesce),
    Family(Opcode::kToDense, &E::Copy),
    Family(Opcode::kSparseValues, &E::SparseValues),
    Family(Opcode::kSparseIndices, &E::SparseIndices),
    Family(Opcode::kSelectScatter, &E::ScatterView),
    Family(Opcode::kSliceScatter, &E::ScatterView),
    Family(Opcode::kDiagonalScatter, &E::ScatterView),
    Family(Opcode::kAsStridedScatter, &E::ScatterView),
    Family(Opcode::kSort, &E::SortLanes),
    Family(Opcode::kArgsort, &E::SortLanes),
    Family(Opcode::kTopk, &E::TopLanes),
    Family(Opcode::kTopkIndices, &E::TopLanes),
    Family(Opcode::kCumsum, &E::Accumulate),
    Family(Opcode::kCumprod, &E::Accumulate),
    Family(Opcode::kCummax, &E::RunningExtremes),
    Family(Opcode::kCummin, &E::RunningExtremes),
    Family(Opcode::kCummaxIndices, &E::RunningExtremes),
    Family(Opcode::kCumminIndices, &E::RunningExtremes),
    Family(Opcode::kLogcumsumexp, &E::Accumulate),
    Family(Opcode::kSoftmax, &E::SoftmaxLanes),
    Family(Opcode::kLogSoftmax, &E::SoftmaxLanes),
    Family(Opcode::kLayerNorm, &E::Normalize),
    Family(Opcode::kGroupNorm, &E::Normalize),
    Family(Opcode::kBatchNorm, &E::Normalize),
    Family(Opcode::kMseLoss, &E::Loss),
    Family(Opcode::kCrossEntropy, &E::Loss),
    Family(Opcode::kBceWithLogits, &E::Loss),
    Family(Opcode::kNllLoss, &E::Loss),
    Family(Opcode::kSmoothL1Loss, &E::Loss),
    Family(Opcode::kClone, &E::Copy),
    Family(Opcode::kCast, &E::Copy),
    Family(Opcode::kTo, &E::Copy),
};

constexpr const E::Row* FindRow(Opcode op) {
  for (const E::Row& row : kRows) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

// Views, writes and what computes nothing are in statements.cc; detach shares storage.
constexpr bool Evaluates(const program::Signature& signature) {
  const Category category = signature.category;
  return category >= Category::kElementwise && category <= Category::kCopy &&
         category != Category::kView && signature.op != Opcode::kDetach;
}

constexpr bool EachHasARow() {
  for (const program::Signature& signature : program::table::kRows) {
    if (Evaluates(signature) != (FindRow(signature.op) != nullptr)) return false;
  }
  return true;
}
static_assert(EachHasARow(), "an op without a row in the ball witness's table");

}  // namespace

void Evaluation::Elementwise() {
  std::vector<Places> places;
  for (const Tensor& operand : in_) places.push_back(Broadcasting(operand.shape, out_.shape));
  const auto at = [&](size_t operand, size_t i) {
    return in_[operand].elements[static_cast<size_t>(places[operand][i])];
  };
  const auto count = static_cast<size_t>(CountOf(out_.shape));
  for (size_t i = 0; i < count; ++i) {
    if (row_->unary != nullptr) {
      Put(row_->unary(math_, at(0, i), type()));
    } else if (row_->binary != nullptr) {
      Put(row_->binary(math_, at(0, i), at(1, i), type()));
    } else {
      Put(row_->ternary(math_, at(0, i), at(1, i), at(2, i), type()));
    }
  }
}

Refs Evaluation::RowOf(const Tensor& tensor, const Lane& lane) const {
  Refs row;
  for (int64_t k = 0; k < lane.length; ++k) {
    row.push_back(tensor.elements[static_cast<size_t>(lane.At(k))]);
  }
  return row;
}

Tensor Evaluation::Run() {
  row_ = FindRow(op_);
  (this->*row_->family)();
  return std::move(out_);
}

}  // namespace twingrad::reference::ball

// How each statement that computes is evaluated by both witnesses: as an elementwise primitive, or
// by a rule of its own that takes several primitives, or one with a map. Written once for an
// algebra of values: the twin's, Calculus, records steps for the backward walk; the dual witness's,
// JetAlgebra, propagates tangents. An Algebra has
//   Value        Apply(Primitive, Value...), Apply(Primitive, PrimitiveArguments, Value...)
//   Value        Constant(const Array*), WithHistoryOfSlope(Value), MadeOf(Value, Value),
//                Parting(Value)
//   const Array* ArrayOf(Value);  Arena& arena();  bool DividesLate(), SavesFactors()
//   Picks        Settled(Value, Picks, ties), what it picks of equal elements
// Each algebra defines derivatives separately. Throws what place_map.h and primitives.h throw, and
// TooLong.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/compounds.h"
#include "autograd/reference/contraction.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/indexed.h"
#include "autograd/reference/lowering.h"
#include "autograd/reference/moves.h"
#include "autograd/reference/networks.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/products.h"
#include "autograd/reference/triangles.h"
#include "autograd/reference/windowed.h"

namespace twingrad::reference {

template <typename Algebra>
class Composite {
 public:
  using Value = typename Algebra::Value;
  using Opcode = program::Opcode;
  using Key = program::Key;

  // `op`: the statement's, or the one that it performs in place. `shapes`: of the operands `in`.
  Composite(Algebra& algebra, const program::Statement& statement, Opcode op,
            absl::Span<const Value> in, absl::Span<const Shape* const> shapes)
      : algebra_(algebra), statement_(statement), op_(op), in_(in), shapes_(shapes) {}

  Value Lower() {
    static constexpr auto kRules = RulesByOp();
    const Rule rule = kRules[static_cast<int>(op_)];
    return rule != nullptr ? (this->*rule)() : Elementwise();
  }

  static constexpr bool HasRule(Opcode op) { return RulesByOp()[static_cast<int>(op)] != nullptr; }

 private:
  using Rule = Value (Composite::*)();
  struct Row {
    Rule rule;
    Opcode ops[5];  // kLeaf, which computes nothing: none
  };

  static constexpr auto RulesByOp() {
    using enum program::Opcode;
    std::array<Rule, program::kNumOpcodes> rules{};
    for (const auto& [rule, ops] : std::initializer_list<Row>{
             {&Composite::Clamp, {kClamp, kHardtanh}},
             {&Composite::Relu6, {kRelu6}},
             {&Composite::Hardsigmoid, {kHardsigmoid}},
             {&Composite::Bent, {kLeakyRelu, kElu, kCelu, kSelu}},
             {&Composite::Where, {kWhere, kMaskedFill}},
             {&Composite::OfNetwork, {kDropout, kLinear, kScaledDotProductAttention}},
             {&Composite::OfNetwork, {kLayerNorm, kGroupNorm, kBatchNorm}},
             {&Composite::Ternary, {kAddcmul, kAddcdiv, kLerp}},
             {&Composite::Sum, {kSum}},
             {&Composite::Mean, {kMean}},
             {&Composite::Var, {kVar}},
             {&Composite::Std, {kStd}},
             {&Composite::Norm, {kNorm}},
             {&Composite::Product, {kProd}},
             {&Composite::Extreme, {kAmax, kAmin}},
             {&Composite::LogSumExp, {kLogsumexp}},
             {&Composite::ExtremeAlong, {kMax, kMin, kArgmax, kArgmin}},
             {&Composite::Matmul, {kMatmul, kBmm, kDot}},
             {&Composite::AddedProduct, {kAddmm, kAddmv, kAddr, kBaddbmm, kAddbmm}},
             {&Composite::Contract, {kOuter, kEinsum}},
             {&Composite::OfSquares, {kInverse, kDet, kSolveTriangular, kCholesky}},
             {&Composite::Join, {kCat, kStack}},
             {&Composite::Moved, {kFlip, kRoll, kTril, kTriu, kPad}},
             {&Composite::Moved, {kPadReflect, kPadReplicate, kPadCircular, kRepeat}},
             {&Composite::IndexSelect, {kIndexSelect}},
             {&Composite::Embedding, {kEmbedding}},
             {&Composite::GatherAlong, {kGather}},
             {&Composite::ScatterAlong, {kScatterAdd, kScatter, kIndexAdd, kIndexCopy}},
             {&Composite::Indexed, {kIndex, kIndexPut, kScatterReduce, kMaskedSelect}},
             {&Composite::Indexed, {kSparseCoo, kCoalesce, kSparseValues, kSparseIndices}},
             {&Composite::ScatterAlong, {kSelectScatter, kSliceScatter}},
             {&Composite::ScatterAlong, {kDiagonalScatter, kAsStridedScatter}},
             {&Composite::Sort, {kSort, kArgsort, kTopk, kTopkIndices}},
             {&Composite::ExtremeAlong, {kCummax, kCummin, kCummaxIndices, kCumminIndices}},
             {&Composite::Cumsum, {kCumsum}},
             {&Composite::Cumprod, {kCumprod}},
             {&Composite::Logcumsumexp, {kLogcumsumexp}},
             {&Composite::Softmax, {kSoftmax}},
             {&Composite::LogSoftmax, {kLogSoftmax}},
             {&Composite::MseLoss, {kMseLoss}},
             {&Composite::LossOfClasses, {kCrossEntropy, kNllLoss}},
             {&Composite::BceWithLogits, {kBceWithLogits}},
             {&Composite::SmoothL1Loss, {kSmoothL1Loss}},
             {&Composite::Copy, {kReshape, kClone, kTo, kToDense}},
             {&Composite::Cast, {kCast}},
             {&Composite::CopyInto, {kCopyInPlace}},
         }) {
      for (const Opcode op : ops) {
        if (op != kLeaf) rules[static_cast<int>(op)] = rule;
      }
    }
    constexpr Opcode kOnPlanes[][2] = {{kAvgPool1d, kAdaptiveMaxPool3dIndices},
                                       {kConv1d, kConvTranspose3d},
                                       {kUpsampleNearest1d, kUpsampleBicubic2d}};
    for (const auto& [first, last] : kOnPlanes) {
      std::fill(&rules[static_cast<int>(first)], &rules[static_cast<int>(last)] + 1,
                &Composite::OnPlane);
    }
    return rules;
  }

  Value Elementwise() {
    const Primitive primitive = ElementwisePrimitive(op_);
    if (in_.size() == 1) return algebra_.Apply(primitive, in_[0]);
    if (*shapes_[0] == *shapes_[1]) return algebra_.Apply(primitive, in_[0], in_[1]);
    const Shape* shape = Keep(BroadcastShape(*shapes_[0], *shapes_[1]));
    const Value a = *shapes_[0] == *shape ? in_[0] : Repeated(0, shape);
    const Value b = *shapes_[1] == *shape ? in_[1] : Repeated(1, shape);
    return algebra_.Apply(primitive, a, b);
  }

  Value Clamp() {
    return algebra_.Apply(Primitive::kClamp,
                          {.low = statement_.Get<double>(Key::kMin, -kUnknown),
                           .high = statement_.Get<double>(Key::kMax, kUnknown),
                           .flat_at_limits = op_ == Opcode::kHardtanh},
                          in_[0]);
  }
  Value Relu6() {
    return algebra_.Apply(Primitive::kClamp, {.low = 0, .high = 6, .flat_at_limits = true}, in_[0]);
  }
  Value Hardsigmoid() { return HardsigmoidOf(algebra_, in_[0]); }
  Value Bent() { return BentOf(algebra_, op_, in_[0], statement_.Get<double>(Key::kBy, 1)); }

  Value Where() { return SelectOf<Algebra>(algebra_, statement_, in_, shapes_); }
  Value Ternary() { return TernaryOf<Algebra>(algebra_, op_, in_, shapes_); }

  Value Sum() {
    const ReductionMap reduction = ReduceMap(arena(), statement_, Whole());
    return ScatterAdd(algebra_, in_[0], reduction.map, Keep(reduction.shape));
  }

  Value Mean() { return MeanOver(algebra_, in_[0], ReduceMap(arena(), statement_, Whole())); }
  Value Var() { return OverDims(Primitive::kVariance); }
  Value Std() { return OverDims(Primitive::kDeviation); }
  Value Norm() { return OverDims(Primitive::kNorm); }

  Value Matmul() {
    const MatmulMaps maps = ProductMaps(arena(), *shapes_[0], *shapes_[1]);
    return ScatterAdd(algebra_, Products(algebra_, in_[0], in_[1], maps), maps.result,
                      Keep(maps.shape));
  }

  Value Copy() {
    const Shape* shape = shapes_[0];
    if (op_ == Opcode::kReshape) shape = Keep(ViewMap(arena(), statement_, *shape).shape);
    return Gather(algebra_, in_[0], {nullptr, Count(*shape)}, shape);
  }
  Value CopyInto() { return Repeated(1, shapes_[0]); }
  Value Cast() {
    return algebra_.Apply(Primitive::kCast, {.dtype = statement_.Get<DType>(Key::kTo)}, in_[0]);
  }
  Value Moved() { return MovedBy(algebra_, statement_, op_, in_[0], Whole()); }

  Value Cumsum() {
    const RunningMaps maps = CumsumMaps(arena(), Whole(), Dim());
    const Value terms = Gather(algebra_, in_[0], maps.from, Keep({maps.from.size}));
    return ScatterAdd(algebra_, terms, maps.to, shapes_[0]);
  }

  Value Logcumsumexp() { return RunningLogSumExp(algebra_, in_[0], Whole(), Dim()); }
  Value Cumprod() { return RunningProduct(algebra_, in_[0], Whole(), Dim()); }
  Value Extreme() { return OverDims(Primitive::kExtreme); }
  Value LogSumExp() { return OverDims(Primitive::kLogSumExp); }
  Value Softmax() { return OfGroups(Primitive::kSoftmax, RowsAlong(arena(), Whole(), Dim())); }
  Value LogSoftmax() {
    return OfGroups(Primitive::kLogSoftmax, RowsAlong(arena(), Whole(), Dim()));
  }
  Value MseLoss() { return Reduced(algebra_.Apply(Primitive::kSquaredDifference, in_[0], in_[1])); }

  Value IndexSelect() { return SelectedOf<Algebra>(algebra_, in_, shapes_, Dim()); }
  Value Embedding() { return EmbeddingOf<Algebra>(algebra_, in_, shapes_); }
  Value GatherAlong() { return Picked(*shapes_[1], {nullptr, Count(*shapes_[1])}); }
  Value ScatterAlong() { return ScatteredAlong<Algebra>(algebra_, statement_, in_, shapes_); }
  Value Indexed() { return OfIndices<Algebra>(algebra_, statement_, in_, shapes_); }

  Value Sort() {
    std::vector<Tie> ties;
    const bool first = statement_.Find(Key::kCount) != nullptr;  // of topk
    const bool down = first || statement_.Get<bool>(Key::kDescending);
    const Picks order = OrderMap(arena(), *algebra_.ArrayOf(in_[0]), Dim(), down, &ties);
    const Value all = Chosen(order, shapes_[0], ties);
    return first ? FirstAlong(algebra_, statement_, all, Whole()) : all;
  }

  Value ExtremeAlong() {
    std::vector<Tie> ties;
    const bool least = PicksLeast(op_);
    const bool runs = program::SignatureOf(op_).category == program::Category::kScan;
    const Array& a = *algebra_.ArrayOf(in_[0]);
    if (runs) return Chosen(RunningExtremeMap(arena(), a, Dim(), least, &ties), shapes_[0], ties);
    const Picks places = ExtremeMap(arena(), a, Dim(), least, &ties);
    Shape shape = Whole();
    shape[Dim()] = 1;
    if (!statement_.Get<bool>(Key::kKeepdim)) shape.erase(shape.begin() + Dim());
    return Chosen(places, Keep(shape), ties);
  }

  Value Contract() { return ContractedBy<Algebra>(algebra_, statement_, in_, shapes_); }
  Value OfNetwork() { return OfNetworks<Algebra>(algebra_, statement_, in_, shapes_); }
  Value OfSquares() { return OfSquareMatrices<Algebra>(algebra_, statement_, in_, shapes_); }
  Value OnPlane() { return OnPlanes<Algebra>(algebra_, statement_, in_, shapes_); }

  Value Join() {
    return JoinedAlong<Algebra>(algebra_, in_, shapes_, Dim(), op_ == Opcode::kStack);
  }

  Value AddedProduct() { return AddedProductOf<Algebra>(algebra_, op_, in_, shapes_); }
  Value Product() { return ProductOf(algebra_, in_[0], ReduceMap(arena(), statement_, Whole())); }

  Value OverDims(Primitive primitive) {
    return OfGroups(primitive, ReduceMap(arena(), statement_, Whole()));
  }
  Value OfGroups(Primitive primitive, const ReductionMap& groups) {
    PrimitiveArguments arguments = GroupsOf(algebra_, groups);
    arguments.least = op_ == Opcode::kAmin;
    return algebra_.Apply(primitive, arguments, in_[0]);
  }

  Value BceWithLogits() { return Reduced(BceOf(algebra_, in_[0], in_[1])); }
  Value SmoothL1Loss() { return Reduced(SmoothDistance(algebra_, in_[0], in_[1])); }
  Value LossOfClasses() {
    const size_t classes = Whole().size() - 1;
    const Value logs = op_ == Opcode::kNllLoss
                           ? in_[0]
                           : OfGroups(Primitive::kLogSoftmax, RowsAlong(arena(), Whole(), classes));
    return Reduced(
        NegatedOfClasses(algebra_, logs, *algebra_.ArrayOf(in_[1]), Whole(), shapes_[1]));
  }

  // As reduction= says.
  Value Reduced(const Value& each) {
    const auto reduction = statement_.Get<std::string>(Key::kReduction);
    if (reduction == "none") return each;
    return reduction == "sum" ? Total(algebra_, each) : MeanOf(algebra_, each);
  }

  Value Picked(const Shape& shape, const IndexMap& at) {
    const Picks places = PickMap(arena(), Whole(), shape, Dim(), *algebra_.ArrayOf(in_[1]), at);
    return Pick(algebra_, in_[0], places, Keep(shape));
  }

  // The elements at the places, or of ops that give indices their coordinates.
  Value Chosen(const Picks& places, const Shape* shape, const std::vector<Tie>& ties) {
    const bool elements = program::SignatureOf(op_).facts.numbers != program::Numbers::kIndices;
    if (!elements) return algebra_.Constant(CoordinatesOf(arena(), places, Whole(), Dim(), shape));
    return Pick(algebra_, in_[0], algebra_.Settled(in_[0], places, ties), shape);
  }

  // Operand k, broadcast.
  Value Repeated(size_t k, const Shape* shape) {
    return Gather(algebra_, in_[k], BroadcastMap(arena(), *shapes_[k], *shape), shape);
  }

  Arena& arena() { return algebra_.arena(); }
  const Shape* Keep(const Shape& shape) { return arena().Keep(shape); }
  size_t Dim() const { return static_cast<size_t>(statement_.Get<int64_t>(Key::kDim)); }
  const Shape& Whole() const { return *shapes_[0]; }

  Algebra& algebra_;
  const program::Statement& statement_;
  const Opcode op_;
  absl::Span<const Value> in_;
  absl::Span<const Shape* const> shapes_;
};

}  // namespace twingrad::reference

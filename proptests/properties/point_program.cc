#include "proptests/properties/point_program.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "autograd/base/check.h"
#include "autograd/program/builder.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/parts.h"
#include "autograd/program/sparse.h"
#include "autograd/program/square.h"
#include "autograd/program/view_scatter.h"

namespace twingrad::properties {
namespace {

using program::Category;
using program::FloatBits;
using program::IntBits;
using program::Key;
using program::Opcode;
using program::ProgramBuilder;
using program::Signature;
using program::TensorType;
using program::ValueId;
using Attributes = ProgramBuilder::Attributes;
using List = std::vector<int64_t>;

constexpr int64_t kElements = 16;  // points of an elementwise op
constexpr int64_t kRows = 6;       // points of other ops
constexpr int64_t kColumns = 3;

// Sizes of 1, but for the first and the last.
Shape Long(int64_t first, int between, int64_t last) {
  Shape shape(static_cast<size_t>(between) + 2, 1);
  shape.front() = first;
  shape.back() = last;
  return shape;
}

// Of ops that move elements.
Attributes AttributesOfMove(Opcode op) {
  switch (op) {
    case Opcode::kPad:
      return {{Key::kBy, 2.0}, {Key::kPads, List{1, 2}}};
    case Opcode::kPadReflect:
    case Opcode::kPadReplicate:
    case Opcode::kPadCircular:
      return {{Key::kPads, List{1, 2}}};
    case Opcode::kRepeat:
      return {{Key::kShape, List{2, 1, 2}}};
    case Opcode::kAsStrided:
      return {{Key::kShape, List{kRows * kColumns}}, {Key::kStride, List{1}}};
    case Opcode::kUnfold:
      return {{Key::kDim, int64_t{1}}, {Key::kCount, int64_t{2}}};
    case Opcode::kTopk:
    case Opcode::kTopkIndices:
      return {{Key::kDim, int64_t{1}}, {Key::kCount, int64_t{2}}};
    case Opcode::kRoll:
      return {{Key::kDim, int64_t{1}}, {Key::kBy, int64_t{1}}};
    default:
      return {};
  }
}

// Of what networks are made of.
Attributes AttributesOfNetwork(Opcode op) {
  switch (op) {
    case Opcode::kDropout:
      return {{Key::kBy, 0.5}, {Key::kSeed, int64_t{1}}};
    case Opcode::kLayerNorm:
      return {{Key::kCount, int64_t{1}}, {Key::kEps, 1.0}};
    case Opcode::kGroupNorm:
    case Opcode::kBatchNorm:
      return {{Key::kEps, 1.0}};
    case Opcode::kScaledDotProductAttention:
      return {{Key::kCausal, true}};
    default:
      return {};
  }
}

Attributes AttributesOf(Opcode op, DType type, SpecialNumbers& numbers) {
  switch (op) {
    case Opcode::kSum:
    case Opcode::kMean:
    case Opcode::kProd:
    case Opcode::kAmax:
    case Opcode::kAmin:
    case Opcode::kLogsumexp:
    case Opcode::kVar:
    case Opcode::kStd:
    case Opcode::kNorm:
    case Opcode::kFlip:
      return {{Key::kDims, List{1}}};
    case Opcode::kClamp:
    case Opcode::kHardtanh:
      return {{Key::kMin, -1.0}, {Key::kMax, 1.0}};
    case Opcode::kLeakyRelu:
    case Opcode::kMaskedFill:
      return {{Key::kBy, 0.5}};
    case Opcode::kElu:
    case Opcode::kCelu:
      return {{Key::kBy, 2.0}};
    case Opcode::kMseLoss:
    case Opcode::kSmoothL1Loss:
    case Opcode::kCrossEntropy:
    case Opcode::kBceWithLogits:
    case Opcode::kNllLoss:
      return {{Key::kReduction, std::string("none")}};
    case Opcode::kEmbedding:
      return numbers.Random(2) == 0 ? Attributes{{Key::kSparse, true}} : Attributes{};
    case Opcode::kView:
    case Opcode::kReshape:
      return {{Key::kShape, List{kRows * kColumns}}};
    case Opcode::kTranspose:
    case Opcode::kDiagonal:
      return {{Key::kDims, List{0, 1}}};
    case Opcode::kPermute:
      return {{Key::kDims, List{1, 0}}};
    case Opcode::kExpand:
      return {{Key::kShape, List{2, kRows, kColumns}}};
    case Opcode::kSelect:
      return {{Key::kDim, int64_t{1}}, {Key::kIndex, int64_t{1}}};
    case Opcode::kSlice:
      return {{Key::kDim, int64_t{1}}, {Key::kStart, int64_t{1}}};
    case Opcode::kCast: {
      const DType others[] = {type == DType::kF64 ? DType::kF32 : DType::kF64,
                              DType::kI64,
                              DType::kBool,
                              DType::kF16,
                              DType::kBF16,
                              DType::kI32};
      return {{Key::kTo, others[numbers.Random(std::size(others))]}};
    }
    case Opcode::kTo:
      return {{Key::kDevice, int64_t{1}}};
    default: {
      Attributes attributes = AttributesOfMove(op);
      if (attributes.empty()) attributes = AttributesOfNetwork(op);
      const bool along = program::SignatureOf(op).Find(Key::kDim) != nullptr;
      if (attributes.empty() && along) attributes = {{Key::kDim, int64_t{1}}};
      return attributes;
    }
  }
}

class Maker {
 public:
  Maker(const Signature& signature, DType type, SpecialNumbers& numbers)
      : op_(signature),
        form_(program::SignatureOf(signature.performs)),
        type_(type),
        numbers_(numbers) {
    made_.elementwise = op_.category == Category::kInPlace ||
                        form_.category == Category::kElementwise ||
                        form_.category == Category::kCopy;
  }

  PointProgram Make() {
    const ValueId y = Apply();
    AG_CHECK(b_.status().ok(), std::string(b_.status().message()));
    const TensorType result = b_.TypeOf(y);
    made_.points = PointsOf(program::NumElements(result.shape));
    made_.orders[0] = {y};
    if (IsFloating(result.dtype) && op_.differentiable != 0) Differentiate(y);
    auto program = b_.Build();
    AG_CHECK(program.ok(), std::string(program.status().message()));
    made_.program = *std::move(program);
    return std::move(made_);
  }

 private:
  int PointsOf(int64_t results) const {
    const bool moves =
        form_.category == Category::kView ||
        (form_.category == Category::kRearrange && op_.op != Opcode::kSort &&
         op_.op != Opcode::kArgsort && op_.op != Opcode::kTopk && op_.op != Opcode::kTopkIndices &&
         op_.op != Opcode::kScatterReduce && op_.op != Opcode::kSparseIndices);
    const int64_t elements = kRows * kColumns;
    if (made_.elementwise) return kElements;
    if (form_.category == Category::kMatmul) return static_cast<int>(results);
    return static_cast<int>(
        moves || (form_.category == Category::kLoss && form_.indices == 0) ? elements : kRows);
  }

  // Of an operand that is a point's, with what the others have in the same place.
  ValueId Numbers(const Shape& shape, int operand = 0) {
    std::vector<double> elements;
    const std::vector<double>& first = made_.operands[0];
    const auto count = static_cast<size_t>(program::NumElements(shape));
    for (size_t i = 0; i < count; ++i) {
      const bool beside = operand > 0 && i < first.size();
      const bool in_row = !made_.elementwise && i > 0;
      elements.push_back(beside   ? numbers_.Beside(first[i])
                         : in_row ? numbers_.Beside(elements[i - 1])
                                  : numbers_.Next());
    }
    const ValueId leaf = b_.Leaf({type_, shape}, FloatBits(elements), /*grad=*/true);
    if (operand < 2) made_.operands[static_cast<size_t>(operand)] = std::move(elements);
    const bool masked = op_.op == Opcode::kWhere || op_.op == Opcode::kMaskedFill;
    if (op_.IsDifferentiable(operand + (masked ? 1 : 0))) {
      made_.inputs.push_back(leaf);
      made_.by.push_back(operand);
    }
    return leaf;
  }

  // Positive numbers whose powers do not leave the format: the first operand of what would be an
  // error at others.
  ValueId Pivots(const Shape& shape) {
    std::vector<double>& elements = made_.operands[0];
    for (int64_t i = program::NumElements(shape); i > 0; --i) {
      const double x = std::fabs(numbers_.Next());
      elements.push_back(x > 0x1p-20 && x < 0x1p20 ? x : 1.5);
    }
    made_.inputs.push_back(b_.Leaf({type_, shape}, FloatBits(elements), /*grad=*/true));
    made_.by.push_back(0);
    return made_.inputs.back();
  }

  ValueId Indices(const Shape& shape, DType type, int64_t end) {
    std::vector<int64_t> indices;
    for (int64_t i = program::NumElements(shape); i > 0; --i) {
      indices.push_back(static_cast<int64_t>(numbers_.Random(static_cast<uint64_t>(end))));
    }
    return b_.Leaf({type, shape}, IntBits(indices));
  }

  ValueId Apply() {
    const Shape rows = {kRows, kColumns}, shape = made_.elementwise ? Shape{kElements} : rows;
    if (op_.category == Category::kInPlace) return ApplyInPlace(shape);
    if (program::PlaneRank(op_) > 0) return ApplyToWindows(program::PlaneRank(op_));
    if (const auto view = program::ViewWrittenBy(op_.op)) return ApplyInPlaceOf(*view, shape);
    if (program::IsOfSquares(op_.op)) return ApplyToSquares();
    if (op_.op >= Opcode::kIndex && op_.op <= Opcode::kMaskedSelect) return ApplyToIndexed();
    switch (op_.op) {
      case Opcode::kWhere: {
        const ValueId mask = Indices(shape, DType::kBool, 2), a = Numbers(shape, 0);
        return b_.Op(op_.op, {mask, a, Numbers(shape, 1)});
      }
      case Opcode::kMaskedFill: {
        const ValueId mask = Indices(shape, DType::kBool, 2);
        return b_.Op(op_.op, {mask, Numbers(shape, 0)}, AttributesOf(op_.op, type_, numbers_));
      }
      case Opcode::kDot:
      case Opcode::kOuter:
      case Opcode::kBmm:
      case Opcode::kMatmul:
      case Opcode::kEinsum:
        return ApplyToFactors();
      case Opcode::kAddmm: {
        const ValueId a = Numbers({3, 3}, 0), b = Numbers({3, 2}, 1);
        return b_.Op(op_.op, {a, b, Numbers({2, 3}, 2)});
      }
      case Opcode::kAddmv: {
        const ValueId a = Numbers({4}, 0), b = Numbers({4, 2}, 1);
        return b_.Op(op_.op, {a, b, Numbers({2}, 2)});
      }
      case Opcode::kAddr: {
        const ValueId a = Numbers({3, 3}, 0), b = Numbers({3}, 1);
        return b_.Op(op_.op, {a, b, Numbers({3}, 2)});
      }
      case Opcode::kBaddbmm:
      case Opcode::kAddbmm: {
        const ValueId a = Numbers({2, 2}, 0), b = Numbers({2, 2, 2}, 1);
        return b_.Op(op_.op, {a, b, Numbers({2, 2, 2}, 2)});
      }
      case Opcode::kLinear:
      case Opcode::kScaledDotProductAttention:
      case Opcode::kLayerNorm:
      case Opcode::kGroupNorm:
      case Opcode::kBatchNorm:
        return ApplyToNetwork();
      case Opcode::kSqueeze:
        return b_.Op(op_.op, {Numbers({kRows, 1, kColumns})});
      default:
        break;
    }
    std::vector<ValueId> operands = {Numbers(shape)};
    if (program::HasParts(op_.op)) return PartsJoined(b_, op_.op, operands[0]);
    if (program::MakesSparse(op_.op) || program::TakesSparse(op_.op)) {
      return MadeOfSparse(b_, op_.op, operands[0], {4, 0, 5, 2, 1, 3}, kRows);
    }
    const int count = std::min<int>(op_.max_operands, 3);
    for (int k = 1; k < count; ++k) {
      if (!op_.IsIndex(k)) {
        operands.push_back(Numbers(shape, k));
        continue;
      }
      const bool lists = op_.op == Opcode::kIndexAdd || op_.op == Opcode::kIndexCopy;
      const Shape of = op_.op == Opcode::kIndexSelect      ? Shape{4}
                       : lists                             ? Shape{kColumns}
                       : form_.category == Category::kLoss ? Shape{kRows}
                                                           : rows;
      operands.push_back(Indices(of, DType::kI64, kColumns));
    }
    return b_.Op(op_.op, operands, AttributesOf(op_.op, type_, numbers_));
  }

  // By columns, or by a mask of them; scatter_reduce in any way.
  ValueId ApplyToIndexed() {
    const Shape rows = {kRows, kColumns};
    const ValueId a = Numbers(rows, 0);
    if (op_.op == Opcode::kScatterReduce) {
      constexpr const char* kReductions[] = {"sum", "prod", "mean", "amax", "amin"};
      const std::string reduction = kReductions[numbers_.Random(5)];
      const ValueId index = Indices(rows, DType::kI64, kColumns);
      Attributes attributes = {{Key::kDim, int64_t{1}}, {Key::kReduction, reduction}};
      if (numbers_.Random(2) == 0) attributes.push_back({Key::kIncludeSelf, false});
      return b_.Op(op_.op, {a, index, Numbers(rows, 2)}, std::move(attributes));
    }
    if (op_.op == Opcode::kMaskedSelect) {
      const ValueId mask = b_.Leaf({DType::kBool, {kColumns}}, IntBits({1, 0, 1}));
      return b_.Op(op_.op, {a, mask}, {{Key::kCount, 2 * kRows}});
    }
    if (op_.op == Opcode::kIndex) {
      return b_.Op(op_.op, {a, Indices({4}, DType::kI64, kRows)});
    }
    const ValueId b = Numbers({4, kColumns}, 1), index = Indices({4}, DType::kI64, kRows);
    const bool adds = numbers_.Random(2) == 0;
    return b_.Op(op_.op, {a, b, index}, adds ? Attributes{{Key::kAccumulate, true}} : Attributes{});
  }

  // In place of a view what the view takes of other numbers.
  ValueId ApplyInPlaceOf(Opcode view, const Shape& shape) {
    const Attributes attributes = AttributesOf(view, type_, numbers_);
    const ValueId part = b_.Op(view, {Numbers(shape, 1)}, attributes);
    return b_.Op(op_.op, {Numbers(shape, 0), part}, attributes);
  }

  // A pool of rows; a convolution whose windows reach into the padding.
  ValueId ApplyToWindows(int dims) {
    const auto all = [dims](int64_t others, int64_t last) {
      List list(static_cast<size_t>(dims), others);
      list.back() = last;
      return list;
    };
    if (form_.category != Category::kMatmul) {
      const ValueId a = Numbers(Long(kRows, dims - 1, kColumns));
      if (form_.category == Category::kRearrange) {
        return b_.Op(op_.op, {a}, {{Key::kShape, all(1, 2 * kColumns)}});
      }
      if (op_.Find(Key::kKernel) == nullptr) return b_.Op(op_.op, {a}, {{Key::kShape, all(1, 1)}});
      return b_.Op(op_.op, {a}, {{Key::kKernel, all(1, kColumns)}});
    }
    const ValueId a = Numbers(Long(2, dims, 3), 0);
    const int64_t results = op_.Find(Key::kOutputPadding) == nullptr ? 2 : 1;
    return b_.Op(op_.op, {a, Numbers(Long(results, dims, 2), 1)}, {{Key::kPadding, all(0, 1)}});
  }

  // In rows that few numbers meet in: those of all sizes do.
  ValueId ApplyToNetwork() {
    if (op_.op == Opcode::kLinear) {
      const ValueId a = Numbers({3, 2}, 0), b = Numbers({2, 2}, 1);
      return b_.Op(op_.op, {a, b, Numbers({2}, 2)});
    }
    if (op_.op == Opcode::kScaledDotProductAttention) {
      const ValueId a = Numbers({3, 2, 1}, 0), b = Numbers({3, 2, 1}, 1);
      return b_.Op(op_.op, {a, b, Numbers({3, 2, 1}, 2)}, AttributesOfNetwork(op_.op));
    }
    const bool of_channels = op_.op == Opcode::kBatchNorm;
    const int64_t weights = of_channels ? kRows : kColumns;
    const Shape rows = of_channels ? Shape{1, kRows, kColumns} : Shape{kRows, kColumns};
    const ValueId a = Numbers(rows, 0), b = Numbers({weights}, 1);
    return b_.Op(op_.op, {a, b, Numbers({weights}, 2)}, AttributesOfNetwork(op_.op));
  }

  // Of one row: functions of a number.
  ValueId ApplyToFactors() {
    const bool vectors = op_.op == Opcode::kDot || op_.op == Opcode::kOuter;
    const bool labels = op_.op == Opcode::kEinsum;
    const Shape shape = vectors ? Shape{4} : labels ? Shape{2, 4} : Shape{2, 2, 2};
    const ValueId a = Numbers(shape, 0), b = Numbers(shape, 1);
    if (!labels) return b_.Op(op_.op, {a, b});
    return b_.Op(op_.op, {a, b}, {{Key::kEquation, std::string("ij,kj->ki")}});
  }

  ValueId ApplyToSquares() {
    const Shape shape = {4, 1, 1};
    const ValueId a = op_.op == Opcode::kDet ? Numbers(shape) : Pivots(shape);
    if (op_.op != Opcode::kSolveTriangular) return b_.Op(op_.op, {a});
    return b_.Op(op_.op, {a, Numbers(shape, 1)});
  }

  ValueId ApplyInPlace(const Shape& shape) {
    const ValueId a = Numbers(shape, 0);
    const ValueId y = b_.Op(Opcode::kClone, {a});
    if (op_.max_operands == 2) {
      b_.Add(op_.op, {y, Numbers(shape, 1)});
    } else {
      b_.Add(op_.op, {y});
    }
    return y;
  }

  // Small whole numbers; ones where each element is a point.
  ValueId Weights(ValueId of) {
    const TensorType type = b_.TypeOf(of);
    std::vector<double> weights;
    for (int64_t i = program::NumElements(type.shape); i > 0; --i) {
      weights.push_back(made_.elementwise ? 1 : static_cast<double>(numbers_.Random(3)) + 1);
    }
    return b_.Leaf(type, FloatBits(weights), /*grad=*/false, b_.Info(of).device);
  }

  // grad of y with seeds that are multiples of a variable, so that gradients of linear ops have a
  // history too.
  void Differentiate(ValueId y) {
    const TensorType type = b_.TypeOf(y);
    const ValueId c = b_.Leaf({type.dtype, {}}, FloatBits({1}), /*grad=*/true, b_.Info(y).device);
    const ValueId seeds = b_.Op(Opcode::kMul, {Weights(y), c});
    made_.orders[1] = Gradients(y, seeds, /*create_graph=*/true);
    if (op_.op == Opcode::kSgn) return;  // whose gradient is a constant
    for (const ValueId g : made_.orders[1]) {
      for (const ValueId h : Gradients(g, Weights(g), false)) {
        made_.orders[2].push_back(h);
      }
    }
  }

  std::vector<ValueId> Gradients(ValueId root, ValueId seeds, bool create_graph) {
    Attributes attributes = {{Key::kSeeds, std::vector<ValueId>{seeds}},
                             {Key::kInputs, made_.inputs},
                             {Key::kRetainGraph, true},
                             {Key::kAllowUnused, true}};
    if (create_graph) attributes.push_back({Key::kCreateGraph, true});
    return b_.Results(static_cast<int>(made_.inputs.size()), Opcode::kGrad, {root}, attributes);
  }

  const Signature& op_;
  const Signature& form_;  // what it performs, if in place
  const DType type_;
  SpecialNumbers& numbers_;
  ProgramBuilder b_;
  PointProgram made_;
};

}  // namespace

PointProgram MakePointProgram(const Signature& signature, DType type, SpecialNumbers& numbers) {
  return Maker(signature, type, numbers).Make();
}

ValueId PartsJoined(ProgramBuilder& builder, Opcode op, ValueId x) {
  Attributes attributes = {{Key::kDim, int64_t{1}}};
  if (op == Opcode::kSplit) attributes.push_back({Key::kCount, int64_t{1}});
  if (op == Opcode::kChunk) attributes.push_back({Key::kCount, int64_t{2}});
  const std::vector<ValueId> parts = builder.Parts(op, x, std::move(attributes));
  return builder.Op(op == Opcode::kUnbind ? Opcode::kStack : Opcode::kCat, parts,
                    {{Key::kDim, int64_t{1}}});
}

ValueId MadeOfSparse(ProgramBuilder& builder, Opcode op, ValueId x,
                     const std::vector<int64_t>& indices, int64_t size) {
  const auto entries = static_cast<int64_t>(indices.size());
  const Shape& values = builder.TypeOf(x).shape;
  List sizes(values.begin(), values.end());
  sizes[0] = size;
  const ValueId at = builder.Leaf({DType::kI64, {1, entries}}, IntBits(indices));
  const ValueId sparse = builder.Op(Opcode::kSparseCoo, {x, at}, {{Key::kShape, sizes}});
  if (op == Opcode::kSparseCoo || op == Opcode::kToDense) {
    return builder.Op(Opcode::kToDense, {sparse});
  }
  const std::set<int64_t> different(indices.begin(), indices.end());
  const auto count = static_cast<int64_t>(different.size());
  const ValueId coalesced = builder.Op(Opcode::kCoalesce, {sparse}, {{Key::kCount, count}});
  return builder.Op(op == Opcode::kCoalesce ? Opcode::kToDense : op, {coalesced});
}

}  // namespace twingrad::properties

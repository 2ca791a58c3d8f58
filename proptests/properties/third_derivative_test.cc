// Law: for each differentiable op, the third derivative of a Program of that op alone is the twin's
// and that of the balls: at plain numbers, at zeros of both operands, where elements are equal,
// over nothing.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/builder.h"
#include "autograd/program/parts.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"
#include "autograd/program/square.h"
#include "autograd/program/view_scatter.h"
#include "autograd/reference/ball/ball.h"
#include "gtest/gtest.h"
#include "proptests/judge/judge.h"
#include "proptests/properties/point_program.h"

namespace twingrad::properties {
namespace {

using twingrad::DType;
using twingrad::program::Bits;
using twingrad::program::Category;
using twingrad::program::FloatBits;
using twingrad::program::IntBits;
using twingrad::program::Key;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::ProgramBuilder;
using twingrad::program::Signature;
using twingrad::program::TensorType;
using twingrad::program::ValueId;
using Attributes = ProgramBuilder::Attributes;

// What the operands hold: x and the other one, of the same shape.
struct Case {
  twingrad::Shape shape;
  std::vector<double> x;
  std::vector<double> w;
};

Bits BitsOf(const std::vector<double>& numbers) {
  Bits bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<uint64_t>(number));
  return bits;
}

int WindowRank(Opcode op) {
  return twingrad::program::PlaneRank(twingrad::program::SignatureOf(op));
}

// Windows of two entries along the last dimension, one of them in the padding.
Attributes AttributesOfWindow(Opcode op) {
  const auto dims = static_cast<size_t>(WindowRank(op));
  std::vector<int64_t> kernel(dims, 1), padding(dims, 0);
  kernel.back() = 2;
  padding.back() = 1;
  const std::vector<int64_t> stride(dims, 1);
  if (twingrad::program::SignatureOf(op).Find(Key::kShape) != nullptr) {
    return {{Key::kShape, kernel}};
  }
  if (twingrad::program::SignatureOf(op).category != Category::kReduction) {
    return {{Key::kPadding, padding}};
  }
  return {{Key::kKernel, kernel}, {Key::kStride, stride}, {Key::kPadding, padding}};
}

// Of ops that move elements.
Attributes AttributesOfMoved(Opcode op) {
  switch (op) {
    case Opcode::kPad:
      return {{Key::kBy, 2.0}, {Key::kPads, std::vector<int64_t>{1, 1}}};
    case Opcode::kPadReflect:
    case Opcode::kPadReplicate:
    case Opcode::kPadCircular:
      return {{Key::kPads, std::vector<int64_t>{1, 1}}};
    case Opcode::kRepeat:
      return {{Key::kShape, std::vector<int64_t>{2, 1, 2}}};
    case Opcode::kTopk:
      return {{Key::kDim, int64_t{1}}, {Key::kCount, int64_t{1}}};
    case Opcode::kRoll:
      return {{Key::kDim, int64_t{1}}, {Key::kBy, int64_t{1}}};
    default:
      return {};
  }
}

Attributes AttributesOfNetwork(Opcode op) {
  if (op == Opcode::kDropout) return {{Key::kBy, 0.25}, {Key::kSeed, int64_t{1}}};
  if (op == Opcode::kLayerNorm) return {{Key::kCount, int64_t{1}}, {Key::kEps, 0.5}};
  if (op == Opcode::kGroupNorm || op == Opcode::kBatchNorm) return {{Key::kEps, 0.5}};
  return AttributesOfMoved(op);
}

// index, index_put, scatter_reduce and masked_select.
bool IsIndexed(Opcode op) { return op >= Opcode::kIndex && op <= Opcode::kMaskedSelect; }
Attributes AttributesOfIndexed(Opcode op, int64_t rows) {
  if (op == Opcode::kIndexPut) return {{Key::kAccumulate, true}};
  if (op == Opcode::kMaskedSelect) return {{Key::kCount, rows == 0 ? int64_t{0} : int64_t{3}}};
  if (op == Opcode::kIndex) return {};
  return {{Key::kDim, int64_t{1}}, {Key::kReduction, std::string("prod")}};
}

// What the op needs beside its operands, the first of which has two columns.
Attributes AttributesOf(Opcode op, int64_t rows) {
  using List = std::vector<int64_t>;
  if (IsIndexed(op)) return AttributesOfIndexed(op, rows);
  switch (op) {
    case Opcode::kEinsum:
      return {{Key::kEquation, std::string("ij,ij->i")}};
    case Opcode::kFlip:
      return {{Key::kDims, List{0}}};
    case Opcode::kClamp:
    case Opcode::kHardtanh:
      return {{Key::kMin, 0.75}, {Key::kMax, 2.5}};
    case Opcode::kLeakyRelu:
    case Opcode::kElu:
    case Opcode::kCelu:
    case Opcode::kMaskedFill:
      return {{Key::kBy, 0.5}};
    case Opcode::kUnfold:
      return {{Key::kDim, int64_t{1}}, {Key::kCount, int64_t{2}}};
    case Opcode::kMseLoss:
    case Opcode::kSmoothL1Loss:
    case Opcode::kCrossEntropy:
    case Opcode::kNllLoss:
    case Opcode::kBceWithLogits:
      return {{Key::kReduction, std::string("sum")}};
    case Opcode::kView:
    case Opcode::kReshape:
      return {{Key::kShape, List{2 * rows}}};
    case Opcode::kTranspose:
    case Opcode::kDiagonal:
      return {{Key::kDims, List{0, 1}}};
    case Opcode::kPermute:
      return {{Key::kDims, List{1, 0}}};
    case Opcode::kExpand:
      return {{Key::kShape, List{3, rows, 2}}};
    case Opcode::kSelect:
      return {{Key::kDim, int64_t{1}}, {Key::kIndex, int64_t{1}}};
    case Opcode::kSlice:
      return {{Key::kDim, int64_t{1}}, {Key::kStart, int64_t{1}}};
    case Opcode::kUnsqueeze:
    case Opcode::kMax:
    case Opcode::kMin:
    case Opcode::kCat:
    case Opcode::kStack:
    case Opcode::kIndexSelect:
    case Opcode::kGather:
    case Opcode::kScatterAdd:
    case Opcode::kScatter:
    case Opcode::kIndexAdd:
    case Opcode::kIndexCopy:
    case Opcode::kSort:
    case Opcode::kCumsum:
    case Opcode::kCumprod:
    case Opcode::kCummax:
    case Opcode::kCummin:
    case Opcode::kLogcumsumexp:
    case Opcode::kSoftmax:
    case Opcode::kLogSoftmax:
      return {{Key::kDim, int64_t{1}}};
    case Opcode::kCast:
      return {{Key::kTo, DType::kF32}};
    case Opcode::kTo:
      return {{Key::kDevice, int64_t{1}}};
    default:
      if (WindowRank(op) > 0) return AttributesOfWindow(op);
      if (twingrad::program::SignatureOf(op).category == program::Category::kReduction) {
        return {{Key::kDims, List{rows == 0 ? 1 : 0}}};  // there is no greatest of nothing
      }
      return AttributesOfNetwork(op);
  }
}

// sum(t * v) for a fresh v of small integers.
ValueId Contract(ProgramBuilder& b, ValueId t) {
  const TensorType type = b.TypeOf(t);
  const ValueId v = b.SeededLeaf(type, 3 + b.num_values(), false, b.Info(t).device);
  return b.Op(Opcode::kSum, {b.Op(Opcode::kMul, {t, v})});
}

// Indices for the op where it takes them, with one that occurs twice.
ValueId IndicesFor(ProgramBuilder& b, Opcode op, int64_t rows) {
  const bool nothing = rows == 0;
  if (op == Opcode::kIndex || op == Opcode::kIndexPut) {
    return b.Leaf({DType::kI64, {nothing ? 0 : 2}}, nothing ? Bits() : IntBits({1, 1}));
  }
  if (op == Opcode::kMaskedSelect) {
    return b.Leaf({DType::kBool, {rows, 2}}, nothing ? Bits() : IntBits({1, 0, 1, 1}));
  }
  if (op == Opcode::kIndexSelect) return b.Leaf({DType::kI64, {3}}, IntBits({1, 0, 1}));
  if (op == Opcode::kIndexAdd || op == Opcode::kIndexCopy) {
    return b.Leaf({DType::kI64, {2}}, IntBits({1, 0}));
  }
  const bool classes = op == Opcode::kCrossEntropy || op == Opcode::kNllLoss;
  if (rows == 0 && classes) return b.Leaf({DType::kI64, {0}}, {});
  if (rows == 0) return b.Leaf({DType::kI64, {0, 2}}, {});
  if (classes) return b.Leaf({DType::kI64, {2}}, IntBits({1, 0}));
  return b.Leaf({DType::kI64, {2, 2}}, IntBits({1, 1, 0, 1}));
}

bool IsAddedProduct(Opcode op) {
  return twingrad::program::SignatureOf(op).facts.dependence == program::Dependence::kAddmm &&
         op != Opcode::kAddcmul;
}

// Another operand for the op: w, but a square matrix where one is multiplied by.
ValueId OtherFor(ProgramBuilder& b, Opcode op, int operand, int64_t rows, ValueId w) {
  const bool factor = (WindowRank(op) > 0 && operand == 1) ||
                      ((op == Opcode::kMatmul || op == Opcode::kBmm) && operand == 1) ||
                      (op == Opcode::kLinear && operand == 1) ||
                      op == Opcode::kScaledDotProductAttention ||
                      (IsAddedProduct(op) && op != Opcode::kAddr && operand == 2);
  if (!factor || rows != 0) return w;
  return b.Leaf({DType::kF64, {2, 2}}, FloatBits({2, 1, 2, 1}), /*grad=*/true);
}

// Of square matrices, or none. All but det take regular ones: with 4 more on the diagonal these
// are.
ValueId AsSquares(ProgramBuilder& b, Opcode op, int operand, ValueId matrix) {
  if (b.TypeOf(matrix).shape[0] == 0) {
    matrix = b.Op(Opcode::kReshape, {matrix}, {{Key::kShape, std::vector<int64_t>{0, 2, 2}}});
  }
  if (op == Opcode::kDet || operand > 0) return matrix;
  const ValueId more = b.Leaf({DType::kF64, {2, 2}}, FloatBits({4, 0, 0, 4}));
  return b.Op(Opcode::kAdd, {matrix, more});
}

// The matrix as a value of the rank that the op takes there.
ValueId Ranked(ProgramBuilder& b, Opcode op, int operand, ValueId matrix) {
  const twingrad::Shape shape = b.TypeOf(matrix).shape;
  if (op == Opcode::kAddmv && operand != 1) {  // rows of b, and columns
    return operand == 0 ? b.Op(Opcode::kSelect, {matrix},
                               {{Key::kDim, int64_t{1}}, {Key::kIndex, int64_t{0}}})
                        : b.Op(Opcode::kSum, {matrix}, {{Key::kDims, std::vector<int64_t>{0}}});
  }
  if (op == Opcode::kAddr && operand > 0) {
    return b.Op(Opcode::kSum, {matrix}, {{Key::kDims, std::vector<int64_t>{2 - operand}}});
  }
  const bool norm = twingrad::program::SignatureOf(op).category == Category::kNorm;
  if ((norm && operand > 0) || (op == Opcode::kLinear && operand == 2)) {
    return b.Op(Opcode::kSum, {matrix}, {{Key::kDims, std::vector<int64_t>{0}}});
  }
  if (program::IsOfSquares(op)) return AsSquares(b, op, operand, matrix);
  std::vector<int64_t> ranked;
  if (op == Opcode::kBmm || op == Opcode::kBaddbmm || (op == Opcode::kAddbmm && operand > 0)) {
    ranked = {1, shape[0], shape[1]};
  }
  if (const int dims = WindowRank(op); dims > 0) {  // samples or results, and a row of each
    ranked.assign(static_cast<size_t>(dims) + 2, 1);
    const bool channels = twingrad::program::SignatureOf(op).Find(Key::kOutputPadding) != nullptr;
    ranked[channels ? static_cast<size_t>(operand) : 0] = shape[0];
    ranked.back() = shape[1];
  }
  // There may be nothing in the first dimension of three.
  const bool extends =
      op == Opcode::kPadReflect || op == Opcode::kPadReplicate || op == Opcode::kPadCircular;
  if (extends) ranked = {shape[0], 1, shape[1]};
  if (op == Opcode::kDot || op == Opcode::kOuter) ranked = {shape[0] * shape[1]};
  return ranked.empty() ? matrix : b.Op(Opcode::kReshape, {matrix}, {{Key::kShape, ranked}});
}

// op(x, ...): w and indices are its other operands, in the places that it has for them.
ValueId ApplyWith(ProgramBuilder& b, const Signature& signature, int64_t rows, ValueId x,
                  ValueId w) {
  std::vector<ValueId> operands = {x};
  if (const auto view = program::ViewWrittenBy(signature.op)) {  // what it takes of w
    const std::vector<int64_t> shape = {rows}, stride = {rows == 0 ? 0 : 2};
    const Attributes attributes = *view == Opcode::kAsStrided
                                      ? Attributes{{Key::kShape, shape}, {Key::kStride, stride}}
                                      : AttributesOf(*view, rows);
    return b.Op(signature.op, {x, b.Op(*view, {w}, attributes)}, attributes);
  }
  if (program::MakesSparse(signature.op) || program::TakesSparse(signature.op)) {
    const std::vector<int64_t> same(static_cast<size_t>(rows), 1);
    return MadeOfSparse(b, signature.op, x, same, rows);
  }
  const int count = std::min<int>(signature.max_operands, 3);
  for (int k = 1; k < count; ++k) {
    operands.push_back(signature.IsIndex(k) ? IndicesFor(b, signature.op, rows)
                                            : OtherFor(b, signature.op, k, rows, w));
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    operands[k] = Ranked(b, signature.op, static_cast<int>(k), operands[k]);
  }
  if (program::HasParts(signature.op)) return PartsJoined(b, signature.op, operands[0]);
  if (signature.op == Opcode::kAsStrided) {  // every element twice, where there is one
    const std::vector<int64_t> shape = {2, 2 * rows}, stride = {0, rows == 0 ? 0 : 1};
    return b.Op(signature.op, operands, {{Key::kShape, shape}, {Key::kStride, stride}});
  }
  // With indices, where it gives them.
  const int results = program::MayGiveIndices(signature.op) ? 2 : 1;
  const ValueId y =
      b.Results(results, signature.op, operands, AttributesOf(signature.op, rows)).at(0);
  // The sign alone has no gradient to go on from.
  return signature.op == Opcode::kSgn ? b.Op(Opcode::kMul, {y, x}) : y;
}

ValueId Apply(ProgramBuilder& b, const Signature& signature, const Case& point, ValueId x,
              ValueId w) {
  if (signature.category == Category::kInPlace) {
    const ValueId y = b.Op(Opcode::kMul, {x, w});
    if (signature.max_operands == 2) {
      b.Add(signature.op, {y, signature.op == Opcode::kCopyInPlace ? x : w});
    } else {
      b.Add(signature.op, {y});
    }
    return y;
  }
  if (signature.op == Opcode::kWhere || signature.op == Opcode::kMaskedFill) {
    const ValueId mask =
        b.Leaf({DType::kBool, point.shape}, point.x.empty() ? Bits() : IntBits({1, 0, 0, 1}));
    if (signature.op == Opcode::kWhere) return b.Op(signature.op, {mask, x, w});
    return b.Op(signature.op, {mask, x}, AttributesOf(signature.op, point.shape[0]));
  }
  return ApplyWith(b, signature, point.shape[0], x, w);
}

// Into the domain of the op, where that is not all numbers.
std::vector<double> Taken(const Signature& signature, std::vector<double> numbers) {
  for (double& number : numbers) {
    if (signature.facts.takes == program::Takes::kUnit) number /= 4;
    if (signature.facts.takes == program::Takes::kAboveOne) number += 1;
  }
  return numbers;
}

// y = op(x, ...), cubed so that linear ops have a third derivative too; then grad of grad of grad.
Program ThirdDerivative(const Signature& signature, const Case& point) {
  ProgramBuilder b;
  const TensorType type = {DType::kF64, point.shape};
  const ValueId x = b.Leaf(type, BitsOf(Taken(signature, point.x)), /*grad=*/true);
  const ValueId w = b.Leaf(type, BitsOf(point.w), /*grad=*/true);
  const ValueId y = Apply(b, signature, point, x, w);
  const ValueId cube = b.Op(Opcode::kMul, {b.Op(Opcode::kMul, {y, y}), y});
  ValueId scalar = Contract(b, cube);
  for (int order = 1; order <= 2; ++order) {
    const ValueId g =
        b.Results(1, Opcode::kGrad, {scalar},
                  {{Key::kInputs, std::vector<ValueId>{x}}, {Key::kCreateGraph, true}})
            .front();
    scalar = Contract(b, g);
  }
  b.Add(Opcode::kBackward, {scalar});
  const auto program = b.Build();
  EXPECT_TRUE(program.ok()) << signature.name << ": " << program.status();
  return *program;
}

// Judges each op at the point; names those with a gradient that cannot be compared, at a pole.
std::string JudgeEachOp(const Case& point) {
  judge::JudgeOptions options;
  options.ball = reference::ball::RunBall;
  judge::Judge judge(std::move(options));
  int ops = 0;
  std::string poles;
  for (const Signature& signature : twingrad::program::Signatures()) {
    if (!IsComputed(signature.category) || signature.differentiable == 0) continue;
    ++ops;
    const Program program = ThirdDerivative(signature, point);
    const uint64_t before = judge.statistics().compared.gradients_not_compared;
    const judge::Judgement judgement = judge(program);
    EXPECT_FALSE(judgement.skipped.has_value()) << signature.name << ": " << *judgement.skipped;
    EXPECT_EQ(judgement.Failure(), nullptr)
        << signature.name << "\n"
        << judgement.Failure()->text << twingrad::program::Print(program);
    EXPECT_FALSE(judgement.observed.at(0).error.has_value()) << signature.name;
    EXPECT_TRUE(judgement.observed.at(0).values[0].grad_defined) << signature.name;
    if (judge.statistics().compared.gradients_not_compared != before) {
      absl::StrAppend(&poles, poles.empty() ? "" : " ", signature.name);
    }
  }
  EXPECT_GE(ops, 90);
  const judge::Statistics& statistics = judge.statistics();
  EXPECT_EQ(statistics.ball_asked, statistics.programs);
  EXPECT_EQ(statistics.ball_refusals[0], statistics.ball_asked);  // none is refused
  EXPECT_GE(statistics.compared.elements_in_balls, 9 * statistics.compared.elements_without_ball);
  return poles;
}

// Rules: K9, N5.
TEST(ThirdDerivative, OfEachOpIsThatOfBothWitnesses) {
  EXPECT_EQ(JudgeEachOp({{2, 2}, {1, 2, 3, 0.5}, {2, 1, 2, 1}}), "");
}

TEST(ThirdDerivative, IsTheirsAtZeros) {
  EXPECT_EQ(JudgeEachOp({{2, 2}, {0, 2, -1, 0}, {1, 0, 0, 2}}),
            "div xlogy fmod remainder log sqrt acosh log1p log2 log10 rsqrt reciprocal div_ sqrt_");
}

// A deviation of equal numbers takes 0 as a norm of zeros does, as S9 says.
TEST(ThirdDerivative, IsTheirsWhereElementsAreEqual) {
  EXPECT_EQ(JudgeEachOp({{2, 2}, {2, 2, 2, 2}, {2, 2, 1, 1}}), "");
  EXPECT_EQ(JudgeEachOp({{2, 2}, {0.75, 2.5, 0.75, 2.5}, {2.5, 2.5, 0.75, 2.5}}), "");
}

TEST(ThirdDerivative, OfNothingIsTheirs) { EXPECT_EQ(JudgeEachOp({{0, 2}, {}, {}}), ""); }

}  // namespace
}  // namespace twingrad::properties

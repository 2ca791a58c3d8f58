// Law: for each differentiable op, the third derivative of a Program of that op alone is the
// twin's.

#include <algorithm>
#include <string>
#include <vector>

#include "autograd/program/builder.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"
#include "gtest/gtest.h"
#include "proptests/oracles/judge.h"

namespace twingrad::properties {
namespace {

using autograd::DType;
using autograd::program::Category;
using autograd::program::FloatBits;
using autograd::program::IntBits;
using autograd::program::Key;
using autograd::program::kNoValue;
using autograd::program::Opcode;
using autograd::program::Program;
using autograd::program::ProgramBuilder;
using autograd::program::Signature;
using autograd::program::TensorType;
using autograd::program::ValueId;
using Attributes = ProgramBuilder::Attributes;

// What the op needs beside its operands, for an operand of shape [2,2].
Attributes AttributesOf(Opcode op) {
  using List = std::vector<int64_t>;
  switch (op) {
    case Opcode::kSum:
    case Opcode::kMean:
    case Opcode::kProd:
    case Opcode::kAmax:
    case Opcode::kAmin:
    case Opcode::kLogsumexp:
    case Opcode::kFlip:
      return {{Key::kDims, List{0}}};
    case Opcode::kClamp:
      return {{Key::kMin, 0.75}, {Key::kMax, 2.5}};
    case Opcode::kMseLoss:
    case Opcode::kCrossEntropy:
      return {{Key::kReduction, std::string("sum")}};
    case Opcode::kView:
    case Opcode::kReshape:
      return {{Key::kShape, List{4}}};
    case Opcode::kTranspose:
      return {{Key::kDims, List{0, 1}}};
    case Opcode::kPermute:
      return {{Key::kDims, List{1, 0}}};
    case Opcode::kExpand:
      return {{Key::kShape, List{3, 2, 2}}};
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
    case Opcode::kSort:
    case Opcode::kCumsum:
    case Opcode::kSoftmax:
    case Opcode::kLogSoftmax:
      return {{Key::kDim, int64_t{1}}};
    case Opcode::kCast:
      return {{Key::kTo, DType::kF32}};
    case Opcode::kTo:
      return {{Key::kDevice, int64_t{1}}};
    default:
      return {};
  }
}

// sum(t * v) for a fresh v of small integers.
ValueId Contract(ProgramBuilder& b, ValueId t) {
  const TensorType type = b.TypeOf(t);
  const ValueId v = b.SeededLeaf(type, 3 + b.num_values(), false, b.Info(t).device);
  return b.Op(Opcode::kSum, {b.Op(Opcode::kMul, {t, v})});
}

// Indices for the op where it takes them, with one that occurs twice.
ValueId IndicesFor(ProgramBuilder& b, Opcode op) {
  if (op == Opcode::kIndexSelect) return b.Leaf({DType::kI64, {3}}, IntBits({1, 0, 1}));
  if (op == Opcode::kCrossEntropy) return b.Leaf({DType::kI64, {2}}, IntBits({1, 0}));
  return b.Leaf({DType::kI64, {2, 2}}, IntBits({1, 1, 0, 1}));
}

// op(x, ...): w and indices are its other operands, in the places that it has for them.
ValueId ApplyWith(ProgramBuilder& b, const Signature& signature, ValueId x, ValueId w) {
  std::vector<ValueId> operands = {x};
  const int count = std::min<int>(signature.max_operands, 3);
  for (int k = 1; k < count; ++k) {
    operands.push_back(signature.IsIndex(k) ? IndicesFor(b, signature.op) : w);
  }
  const ValueId y = b.Op(signature.op, operands, AttributesOf(signature.op));
  // The sign alone has no gradient to go on from.
  return signature.op == Opcode::kSgn ? b.Op(Opcode::kMul, {y, x}) : y;
}

// y = op(x, ...), cubed so that linear ops have a third derivative too; then grad of grad of grad.
Program ThirdDerivative(const Signature& signature) {
  ProgramBuilder b;
  const TensorType type = {DType::kF64, {2, 2}};
  const ValueId x = b.Leaf(type, FloatBits({1, 2, 3, 0.5}), /*grad=*/true);
  const ValueId w = b.Leaf(type, FloatBits({2, 1, 2, 1}), /*grad=*/true);
  ValueId y = kNoValue;
  if (signature.category == Category::kInPlace) {
    y = b.Op(Opcode::kMul, {x, w});
    if (signature.max_operands == 2) {
      b.Add(signature.op, {y, signature.op == Opcode::kCopyInPlace ? x : w});
    } else {
      b.Add(signature.op, {y});
    }
  } else if (signature.op == Opcode::kWhere) {
    const ValueId mask = b.Leaf({DType::kBool, {2, 2}}, IntBits({1, 0, 0, 1}));
    y = b.Op(signature.op, {mask, x, w});
  } else {
    y = ApplyWith(b, signature, x, w);
  }
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

bool HasDerivative(const Signature& signature) {
  switch (signature.category) {
    case Category::kElementwise:
    case Category::kReduction:
    case Category::kMatmul:
    case Category::kRearrange:
    case Category::kScan:
    case Category::kLoss:
    case Category::kView:
    case Category::kInPlace:
    case Category::kCopy:
      return signature.differentiable != 0;
    default:
      return false;
  }
}

TEST(ThirdDerivative, OfEachOpIsTheTwins) {
  oracles::Judge judge;
  int ops = 0;
  for (const Signature& signature : autograd::program::Signatures()) {
    if (!HasDerivative(signature)) continue;
    ++ops;
    const Program program = ThirdDerivative(signature);
    const oracles::Judgement judgement = judge(program);
    EXPECT_FALSE(judgement.skipped.has_value()) << signature.name << ": " << *judgement.skipped;
    EXPECT_EQ(judgement.Failure(), nullptr)
        << signature.name << "\n"
        << judgement.Failure()->text << autograd::program::Print(program);
    EXPECT_FALSE(judgement.observed.at(0).error.has_value()) << signature.name;
    EXPECT_TRUE(judgement.observed.at(0).values[0].grad_defined) << signature.name;
  }
  EXPECT_GE(ops, 65);
  EXPECT_EQ(judge.statistics().gradients_not_compared, 0u);
}

}  // namespace
}  // namespace twingrad::properties

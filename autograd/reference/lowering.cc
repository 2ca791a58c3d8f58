#include "autograd/reference/lowering.h"

#include <array>

#include "autograd/program/signature.h"

namespace twingrad::reference {

using program::Opcode;

namespace {

constexpr Lowering One(Primitive primitive) { return {Lowering::Kind::kPrimitive, primitive}; }
constexpr Lowering By(Lowering::Kind kind) { return {kind, Primitive::kAdd}; }

struct Row {
  Opcode op;
  Lowering lowering;
};

using Kind = Lowering::Kind;
constexpr std::array<Row, program::kNumOpcodes> kRows = {{
    {Opcode::kLeaf, By(Kind::kNotComputed)},
    {Opcode::kAdd, One(Primitive::kAdd)},
    {Opcode::kSub, One(Primitive::kSubtract)},
    {Opcode::kMul, One(Primitive::kMultiply)},
    {Opcode::kDiv, One(Primitive::kDivide)},
    {Opcode::kPow, One(Primitive::kPower)},
    {Opcode::kMaximum, One(Primitive::kMaximum)},
    {Opcode::kMinimum, One(Primitive::kMinimum)},
    {Opcode::kNeg, One(Primitive::kNegate)},
    {Opcode::kExp, One(Primitive::kExp)},
    {Opcode::kLog, One(Primitive::kLog)},
    {Opcode::kSqrt, One(Primitive::kSqrt)},
    {Opcode::kSin, One(Primitive::kSin)},
    {Opcode::kCos, One(Primitive::kCos)},
    {Opcode::kTanh, One(Primitive::kTanh)},
    {Opcode::kSigmoid, One(Primitive::kSigmoid)},
    {Opcode::kRelu, One(Primitive::kRelu)},
    {Opcode::kAbs, One(Primitive::kAbs)},
    {Opcode::kSgn, One(Primitive::kSign)},
    {Opcode::kClamp, By(Kind::kComposite)},
    {Opcode::kWhere, By(Kind::kWhere)},
    {Opcode::kSum, By(Kind::kReduction)},
    {Opcode::kMean, By(Kind::kReduction)},
    {Opcode::kProd, By(Kind::kComposite)},
    {Opcode::kAmax, By(Kind::kComposite)},
    {Opcode::kAmin, By(Kind::kComposite)},
    {Opcode::kLogsumexp, By(Kind::kComposite)},
    {Opcode::kMax, By(Kind::kComposite)},
    {Opcode::kMin, By(Kind::kComposite)},
    {Opcode::kArgmax, By(Kind::kComposite)},
    {Opcode::kArgmin, By(Kind::kComposite)},
    {Opcode::kMatmul, By(Kind::kMatmul)},
    {Opcode::kAddmm, By(Kind::kComposite)},
    {Opcode::kCat, By(Kind::kComposite)},
    {Opcode::kStack, By(Kind::kComposite)},
    {Opcode::kFlip, By(Kind::kComposite)},
    {Opcode::kIndexSelect, By(Kind::kComposite)},
    {Opcode::kGather, By(Kind::kComposite)},
    {Opcode::kScatterAdd, By(Kind::kComposite)},
    {Opcode::kSort, By(Kind::kComposite)},
    {Opcode::kArgsort, By(Kind::kComposite)},
    {Opcode::kCumsum, By(Kind::kComposite)},
    {Opcode::kSoftmax, By(Kind::kComposite)},
    {Opcode::kLogSoftmax, By(Kind::kComposite)},
    {Opcode::kMseLoss, By(Kind::kComposite)},
    {Opcode::kCrossEntropy, By(Kind::kComposite)},
    {Opcode::kView, By(Kind::kNotComputed)},
    {Opcode::kReshape, By(Kind::kCopy)},
    {Opcode::kTranspose, By(Kind::kNotComputed)},
    {Opcode::kPermute, By(Kind::kNotComputed)},
    {Opcode::kExpand, By(Kind::kNotComputed)},
    {Opcode::kSelect, By(Kind::kNotComputed)},
    {Opcode::kSlice, By(Kind::kNotComputed)},
    {Opcode::kSqueeze, By(Kind::kNotComputed)},
    {Opcode::kUnsqueeze, By(Kind::kNotComputed)},
    {Opcode::kClone, By(Kind::kCopy)},
    {Opcode::kDetach, By(Kind::kNotComputed)},
    {Opcode::kCast, By(Kind::kCast)},
    {Opcode::kTo, By(Kind::kCopy)},
    {Opcode::kAddInPlace, By(Kind::kNotComputed)},
    {Opcode::kSubInPlace, By(Kind::kNotComputed)},
    {Opcode::kMulInPlace, By(Kind::kNotComputed)},
    {Opcode::kDivInPlace, By(Kind::kNotComputed)},
    {Opcode::kNegInPlace, By(Kind::kNotComputed)},
    {Opcode::kExpInPlace, By(Kind::kNotComputed)},
    {Opcode::kSqrtInPlace, By(Kind::kNotComputed)},
    {Opcode::kSinInPlace, By(Kind::kNotComputed)},
    {Opcode::kCosInPlace, By(Kind::kNotComputed)},
    {Opcode::kTanhInPlace, By(Kind::kNotComputed)},
    {Opcode::kSigmoidInPlace, By(Kind::kNotComputed)},
    {Opcode::kReluInPlace, By(Kind::kNotComputed)},
    {Opcode::kAbsInPlace, By(Kind::kNotComputed)},
    {Opcode::kCopyInPlace, By(Kind::kNotComputed)},
    {Opcode::kZeroInPlace, By(Kind::kNotComputed)},
    {Opcode::kRetainGrad, By(Kind::kNotComputed)},
    {Opcode::kReadGrad, By(Kind::kNotComputed)},
    {Opcode::kZeroGrad, By(Kind::kNotComputed)},
    {Opcode::kHook, By(Kind::kNotComputed)},
    {Opcode::kPreHook, By(Kind::kNotComputed)},
    {Opcode::kPostHook, By(Kind::kNotComputed)},
    {Opcode::kAccumulateHook, By(Kind::kNotComputed)},
    {Opcode::kRemoveHook, By(Kind::kNotComputed)},
    {Opcode::kBackward, By(Kind::kNotComputed)},
    {Opcode::kGrad, By(Kind::kNotComputed)},
    {Opcode::kCustom, By(Kind::kNotComputed)},
    {Opcode::kBegin, By(Kind::kNotComputed)},
    {Opcode::kEnd, By(Kind::kNotComputed)},
    {Opcode::kStream, By(Kind::kNotComputed)},
    {Opcode::kRecordEvent, By(Kind::kNotComputed)},
    {Opcode::kWaitEvent, By(Kind::kNotComputed)},
    {Opcode::kExpect, By(Kind::kNotComputed)},
}};

constexpr bool NamesEveryOpcode() {
  for (int i = 0; i < program::kNumOpcodes; ++i) {
    if (kRows[i].op != static_cast<Opcode>(i)) return false;
  }
  return true;
}
static_assert(NamesEveryOpcode(), "one row for each Opcode, in the order of opcode.h");

}  // namespace

Lowering LoweringOf(Opcode op) { return kRows[static_cast<int>(op)].lowering; }

uint32_t AlsoSaved(Opcode op, bool last_tracked) {
  const program::Signature& signature = program::SignatureOf(op);
  // A primitive that works on places knows where an index points, not the index itself.
  if (signature.indices == 0 && op != Opcode::kProd) return 0;
  if (op == Opcode::kScatterAdd && !last_tracked) return 0;
  return signature.facts.saves & (program::kSavesA | program::kSavesB | program::kSavesC);
}

uint32_t SavedNeedlessly(Opcode op) {
  const program::Saves saves = program::SignatureOf(op).facts.pytorch_saves;
  const uint32_t operands = saves & (program::kSavesA | program::kSavesB | program::kSavesC);
  return operands | ((saves & program::kSavesResult) != 0 ? kResult : 0);
}

}  // namespace twingrad::reference

#include "autograd/reference/lowering.h"

namespace twingrad::reference {

using program::Opcode;

Opcode OutOfPlace(Opcode op) {
  switch (op) {
    case Opcode::kAddInPlace:
      return Opcode::kAdd;
    case Opcode::kSubInPlace:
      return Opcode::kSub;
    case Opcode::kMulInPlace:
      return Opcode::kMul;
    case Opcode::kDivInPlace:
      return Opcode::kDiv;
    case Opcode::kNegInPlace:
      return Opcode::kNeg;
    case Opcode::kExpInPlace:
      return Opcode::kExp;
    case Opcode::kSqrtInPlace:
      return Opcode::kSqrt;
    case Opcode::kSinInPlace:
      return Opcode::kSin;
    case Opcode::kCosInPlace:
      return Opcode::kCos;
    case Opcode::kTanhInPlace:
      return Opcode::kTanh;
    case Opcode::kSigmoidInPlace:
      return Opcode::kSigmoid;
    case Opcode::kReluInPlace:
      return Opcode::kRelu;
    case Opcode::kAbsInPlace:
      return Opcode::kAbs;
    default:
      return op;
  }
}

uint32_t AlsoSaved(Opcode op, bool last_tracked) {
  switch (op) {
    case Opcode::kIndexSelect:
    case Opcode::kGather:
      return 0b10;
    case Opcode::kScatterAdd:
      return last_tracked ? 0b10 : 0;
    case Opcode::kCrossEntropy:
      return 0b11;
    case Opcode::kProd:
      return 0b1;
    default:
      return 0;
  }
}

uint32_t SavedNeedlessly(Opcode op) {
  switch (op) {
    case Opcode::kGather:
      return 0b1;
    case Opcode::kSgn:
      return 0b1 | kResult;
    case Opcode::kProd:
    case Opcode::kPow:
      return kResult;
    default:
      return 0;
  }
}

std::optional<Primitive> ElementwisePrimitive(Opcode op) {
  switch (op) {
    case Opcode::kAdd:
      return Primitive::kAdd;
    case Opcode::kSub:
      return Primitive::kSubtract;
    case Opcode::kMul:
      return Primitive::kMultiply;
    case Opcode::kDiv:
      return Primitive::kDivide;
    case Opcode::kPow:
      return Primitive::kPower;
    case Opcode::kMaximum:
      return Primitive::kMaximum;
    case Opcode::kMinimum:
      return Primitive::kMinimum;
    case Opcode::kNeg:
      return Primitive::kNegate;
    case Opcode::kExp:
      return Primitive::kExp;
    case Opcode::kLog:
      return Primitive::kLog;
    case Opcode::kSqrt:
      return Primitive::kSqrt;
    case Opcode::kSin:
      return Primitive::kSin;
    case Opcode::kCos:
      return Primitive::kCos;
    case Opcode::kTanh:
      return Primitive::kTanh;
    case Opcode::kSigmoid:
      return Primitive::kSigmoid;
    case Opcode::kRelu:
      return Primitive::kRelu;
    case Opcode::kAbs:
      return Primitive::kAbs;
    case Opcode::kSgn:
      return Primitive::kSign;
    default:
      return std::nullopt;
  }
}

}  // namespace twingrad::reference

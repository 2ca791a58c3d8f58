#include "autograd/reference/lowering.h"

#include "autograd/program/signature.h"
#include "autograd/program/statement_table.h"
#include "autograd/reference/composite.h"
#include "autograd/reference/primitive_row.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::Opcode;

namespace {

// The families' files check the same of elementwise ops.
constexpr bool EveryOtherOpHasARule() {
  for (const program::Signature& signature : program::table::kRows) {
    const Category category = signature.category;
    const bool computes = category == Category::kReduction || category == Category::kMatmul ||
                          category == Category::kRearrange || category == Category::kScan ||
                          category == Category::kNorm || category == Category::kLoss ||
                          (category == Category::kCopy && signature.op != Opcode::kDetach) ||
                          (category == Category::kElementwise &&
                           (signature.min_operands > 2 || !signature.attributes.empty()));
    if (computes && !Composite<Calculus>::HasRule(signature.op)) return false;
  }
  return true;
}
static_assert(EveryOtherOpHasARule(), "an op that computes has a row in composite.h");

}  // namespace

Primitive ElementwisePrimitive(Opcode op) {
  // Those of one and two operands come first.
  for (const PrimitiveRow* row : kRowOf) {
    if (row->op == op) return row->primitive;
  }
  return Primitive::kEnd;
}

bool PicksLeast(Opcode op) {
  return op == Opcode::kMin || op == Opcode::kArgmin || op == Opcode::kCummin ||
         op == Opcode::kCumminIndices;
}

uint32_t AlsoSaved(const program::Statement& statement, bool last_tracked) {
  const Opcode op = statement.op;
  const program::Signature& signature = program::SignatureOf(op);
  const program::Saves saves = program::SavesOf(statement);
  // The way from a to b, by which the weight is derived; both factors of a product and a function.
  if (op == Opcode::kLerp) return last_tracked ? program::kSavesA | program::kSavesB : 0;
  if (op == Opcode::kBceWithLogits || op == Opcode::kSmoothL1Loss) {
    return program::kSavesA | program::kSavesB;
  }
  if (op == Opcode::kScaledDotProductAttention) {
    return program::kSavesA | program::kSavesB | program::kSavesC;
  }
  if (op == Opcode::kDet) return program::kSavesA;
  // What is reckoned from the operand is saved by the steps, and the operand itself by the node.
  const bool reckons = op == Opcode::kLeakyRelu || op == Opcode::kElu || op == Opcode::kCelu ||
                       op == Opcode::kSelu || op == Opcode::kVar || op == Opcode::kStd ||
                       op == Opcode::kLogcumsumexp || signature.category == Category::kNorm;
  if (reckons) return program::kSavesA;
  // A primitive that works on places knows where an index points, not the index itself.
  if (signature.indices == 0 && op != Opcode::kProd && op != Opcode::kCumprod) return 0;
  const bool adds = op == Opcode::kScatterAdd || op == Opcode::kIndexAdd;
  if (adds && !last_tracked) return 0;
  // The extremes of some places are no result of a step.
  const bool result = op == Opcode::kScatterReduce && (saves & program::kSavesResult) != 0;
  return (saves & program::kSavesOperands) | (result ? kResult : 0);
}

uint32_t SavedNeedlessly(Opcode op) {
  const program::Saves saves = program::SignatureOf(op).facts.pytorch_saves;
  const uint32_t operands = saves & program::kSavesOperands;
  return operands | ((saves & program::kSavesResult) != 0 ? kResult : 0) |
         ((saves & program::kSavesOwn) != 0 ? kOfItsOwn : 0);
}

bool NeedsASizeAlone(const program::Statement& statement) {
  const bool chosen = statement.Find(Key::kDims) != nullptr || statement.Get<bool>(Key::kKeepdim);
  return statement.op == Opcode::kEmbedding || (statement.op == Opcode::kMean && chosen);
}

}  // namespace twingrad::reference

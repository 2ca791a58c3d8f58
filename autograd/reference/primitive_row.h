// The table of primitives: all that the witnesses know of one, each fact said once.
//
// A row stands in the file of its family, whose static_assert asks for one row for each enumerator.
// Its two derivatives share no formula: `derivative` is the twin's reverse rule, written with
// primitives so that it has derivatives of any order; `partials` are the dual witness's, from the
// textbook. A new elementwise primitive is an enumerator and a row. Constant data.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "autograd/program/op_facts.h"
#include "autograd/program/statement_table.h"
#include "autograd/reference/calculus.h"
#include "autograd/reference/choices.h"
#include "autograd/reference/partials.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// What the value of a primitive is computed from: see Evaluate().
struct Evaluation {
  Arena& arena;
  const Array* const* in;
  const PrimitiveArguments& arguments;
  bool lenient;
};

// A variable whose arithmetic the calculus records.
struct Term {
  Calculus* calculus;
  Variable v;

  Term Apply(Primitive primitive) const { return {calculus, calculus->Apply(primitive, v)}; }
  Term Apply(Primitive primitive, const Term& b) const {
    return {calculus, calculus->Apply(primitive, v, b.v)};
  }
  Term Apply(Primitive primitive, const Term& b, const PrimitiveArguments& arguments) const {
    return {calculus, calculus->Apply(primitive, arguments, v, b.v)};
  }
  Term Apply(Primitive primitive, const PrimitiveArguments& arguments) const {
    return {calculus, calculus->Apply(primitive, arguments, v)};
  }
  // An array of one number, or of constants, for the same calculus.
  Term Filled(double value) const { return {calculus, calculus->Constant(value, v)}; }
  Term Weighed(const Array* weights) const {
    return {calculus, calculus->Apply(Primitive::kWeigh, v, calculus->Constant(weights))};
  }
};

inline Term operator-(const Term& a) { return a.Apply(Primitive::kNegate); }
inline Term operator+(const Term& a, const Term& b) { return a.Apply(Primitive::kAdd, b); }
inline Term operator-(const Term& a, const Term& b) { return a.Apply(Primitive::kSubtract, b); }
inline Term operator*(const Term& a, const Term& b) { return a.Apply(Primitive::kMultiply, b); }
inline Term operator/(const Term& a, const Term& b) { return a.Apply(Primitive::kDivide, b); }
inline Term operator-(double a, const Term& b) { return b.Filled(a) - b; }
inline Term operator-(const Term& a, double b) { return a - a.Filled(b); }
inline Term operator*(double a, const Term& b) { return b.Filled(a) * b; }

// A step that is differentiated: by its input `which`, from the gradient `g` of its result.
struct Backward {
  Calculus& calculus;
  const NodeId node;
  const Step& step;
  const int which;
  const Term g;

  // Inputs and result as the node saved them.
  Term in(int k) const { return {&calculus, calculus.Unpack(node, step.in[k])}; }
  Term result() const { return {&calculus, calculus.Unpack(node, step.out)}; }
  const Array* elements(int k) const { return calculus.UnpackElements(node, step.in[k]); }
  const Array* result_elements() const { return calculus.UnpackElements(node, step.out); }
  bool scales_to_zero() const {
    const Packing* packing = calculus.nodes()[node].packing;
    return packing != nullptr && packing->scales && packing->by == 0;
  }
  const DialectRules& rules() const { return calculus.rules(); }
};

struct PrimitiveRow {
  Primitive primitive;
  std::optional<program::Opcode> op;  // the elementwise statement that it is
  int differentiable;                 // how many of its inputs a gradient can reach
  program::Saves saves;               // the inputs and the result that the derivative reads
  const Array* (*value)(const Evaluation&);
  Term (*derivative)(const Backward&);
  // Where the function has no derivative at the point, or the bound leaves that open, a choice is
  // made. Null where the dual witness has a rule of its own: jets.cc.
  Partials (*partials)(const ElementwisePoint&, Choices& choices) = nullptr;
};

// The families, in the order of Primitive.
absl::Span<const PrimitiveRow> BinaryPrimitives();
absl::Span<const PrimitiveRow> UnaryPrimitives();
absl::Span<const PrimitiveRow> SmoothPrimitives();
absl::Span<const PrimitiveRow> SincPrimitive();
absl::Span<const PrimitiveRow> MovingPrimitives();
absl::Span<const PrimitiveRow> GroupPrimitives();
absl::Span<const PrimitiveRow> MatrixPrimitives();

using RowOfPrimitive = std::array<const PrimitiveRow*, static_cast<size_t>(Primitive::kEnd)>;
extern const RowOfPrimitive kRowOf;

inline const PrimitiveRow& RowOf(Primitive primitive) {
  return *kRowOf[static_cast<size_t>(primitive)];
}

// For static_assert: whether these are the rows of the primitives from `first` to before `end`.
constexpr bool AreRowsOf(absl::Span<const PrimitiveRow> rows, Primitive first, Primitive end) {
  size_t count = 0;
  for (auto p = static_cast<uint8_t>(first); p < static_cast<uint8_t>(end); ++p, ++count) {
    if (count == rows.size() || rows[count].primitive != static_cast<Primitive>(p)) return false;
  }
  return count == rows.size();
}

// For static_assert: whether every elementwise statement of so many operands, from `first` to
// before `end`, is one of these; of two operands those without attributes.
constexpr bool NameEveryOp(absl::Span<const PrimitiveRow> rows, int operands,
                           program::Opcode first = program::Opcode::kLeaf,
                           program::Opcode end = program::Opcode::kExpect) {
  for (const program::Signature& signature : program::table::kRows) {
    if (signature.category != program::Category::kElementwise) continue;
    if (signature.op < first || signature.op >= end) continue;
    if (operands > 1 && !signature.attributes.empty()) continue;
    bool found = signature.min_operands != operands;
    for (const PrimitiveRow& row : rows) found |= row.op == signature.op;
    if (!found) return false;
  }
  return true;
}

}  // namespace twingrad::reference

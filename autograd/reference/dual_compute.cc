// Statements that compute: values and tangents of each op.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autograd/reference/dual_interpreter.h"
#include "autograd/reference/lowering.h"
#include "autograd/reference/partials.h"

namespace twingrad::reference {

using program::Key;
using program::Opcode;
using program::Statement;

void DualInterpreter::Compute(const Statement& statement) {
  Jets in[8];
  const Shape* shapes[8] = {};
  for (size_t k = 0; k < statement.operands.size(); ++k) {
    in[k] = Read(statement.operands[k]);
    shapes[k] = values_[statement.operands[k]].shape;
  }
  const Jets out = Lower(statement.op, statement, in, shapes);
  Define(statement.results[0], out, out.value->shape);
}

Jets DualInterpreter::Lower(Opcode op, const Statement& statement, Jets* in,
                            const Shape* const* shapes) {
  const Lowering lowering = LoweringOf(op);
  switch (lowering.kind) {
    case Lowering::Kind::kWhere:
      return Where(in, shapes);
    case Lowering::Kind::kReduction:
      return Reduce(statement, in[0], *shapes[0]);
    case Lowering::Kind::kMatmul:
      return Matmul(in[0], in[1], shapes);
    case Lowering::Kind::kCopy:
      return in[0];
    case Lowering::Kind::kCast: {
      PrimitiveArguments arguments;
      const auto to = statement.Get<DType>(Key::kTo);
      arguments.dtype = IsFloating(to) ? DType::kF64 : to;
      return {Apply(Primitive::kCast, in[0].value, nullptr, arguments),
              IsFloating(to) ? in[0].tangents : nullptr};
    }
    case Lowering::Kind::kComposite:
    case Lowering::Kind::kNotComputed:
      return LowerComposite(statement, in, shapes);
    case Lowering::Kind::kPrimitive: {
      if (statement.operands.size() == 1) return Elementwise(lowering.primitive, in[0], nullptr);
      const Shape* shape = Keep(BroadcastShape(*shapes[0], *shapes[1]));
      for (int k = 0; k < 2; ++k) {
        in[k] = Gather(in[k], BroadcastMap(arena_, *shapes[k], *shape), shape);
      }
      return Elementwise(lowering.primitive, in[0], &in[1]);
    }
  }
  throw NotApplicable{"the statement has no primitive"};
}

Jets DualInterpreter::Elementwise(Primitive primitive, const Jets& a, const Jets* b) {
  const Array* value = Apply(primitive, a.value, b == nullptr ? nullptr : b->value);
  const Tangents* other = b == nullptr ? nullptr : b->tangents;
  if (a.tangents == nullptr && other == nullptr) return {value, nullptr};
  auto* partials = arena_.Allocate<Partials>(value->size);
  ElementwisePoint point;
  point.a_varies = a.tangents != nullptr;
  point.b_varies = other != nullptr;
  for (int32_t i = 0; i < value->size; ++i) {
    point.a = a.value->At(i);
    if (b != nullptr) point.b = b->value->At(i);
    point.result = value->At(i);
    partials[i] = PartialsOf(primitive, point, &result_.kink);
  }
  return {value, algebra_.Combine(a.tangents, other, value->size, partials)};
}

Jets DualInterpreter::Where(Jets* in, const Shape* const* shapes) {
  const Shape* shape = Keep(BroadcastShape(*shapes[0], BroadcastShape(*shapes[1], *shapes[2])));
  for (int k = 0; k < 3; ++k) {
    in[k] = Gather(in[k], BroadcastMap(arena_, *shapes[k], *shape), shape);
  }
  const Array* arrays[3] = {in[1].value, in[2].value, in[0].value};
  const Array* value = Evaluate(arena_, Primitive::kSelect, arrays, {}, false);
  auto* partials = arena_.Allocate<Partials>(value->size);
  for (int32_t i = 0; i < value->size; ++i) {
    const bool first = in[0].value->i[i] != 0;
    const double error = in[0].value->Error(i);
    partials[i] = {{first ? 1.0 : 0.0, error}, {first ? 0.0 : 1.0, error}, {}, {}, {}};
  }
  return {value, algebra_.Combine(in[1].tangents, in[2].tangents, value->size, partials)};
}

Jets DualInterpreter::Reduce(const Statement& statement, const Jets& a, const Shape& shape) {
  const ReductionMap reduction = ReduceMap(arena_, statement, shape);
  const Jets sum = ScatterAdd(a, reduction.map, Keep(reduction.shape));
  if (statement.op == Opcode::kSum) return sum;
  PrimitiveArguments arguments;
  arguments.count = reduction.count;
  // Of a mean over nothing, which is NaN, no derivative is.
  const int64_t count = std::max<int64_t>(reduction.count, 1);
  const Number share = Divide({1, 0}, FromInteger(count, kDoubleFormat), kDoubleFormat);
  auto* partials = arena_.Allocate<Partials>(sum.value->size);
  std::fill(partials, partials + sum.value->size, Partials{share, {}, {}, {}, {}});
  return {Apply(Primitive::kDivideCount, sum.value, nullptr, arguments),
          algebra_.Combine(sum.tangents, nullptr, sum.value->size, partials)};
}

Jets DualInterpreter::Matmul(const Jets& a, const Jets& b, const Shape* const* shapes) {
  const MatmulMaps maps = ProductMaps(arena_, *shapes[0], *shapes[1]);
  const Shape* products = Keep({maps.left.size});
  const Jets left = Gather(a, maps.left, products), right = Gather(b, maps.right, products);
  return ScatterAdd(Elementwise(Primitive::kMultiply, left, &right), maps.result, Keep(maps.shape));
}

}  // namespace twingrad::reference

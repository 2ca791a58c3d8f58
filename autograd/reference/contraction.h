// einsum, and outer: products of elements that share their labels, summed over the labels that the
// result lacks.
//
// Written for any algebra (composite.h). What one operand alone has is summed first.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/equation.h"
#include "autograd/program/program.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/index_map.h"

namespace twingrad::reference {

// The sizes of labels, and maps between arrays whose dimensions they name.
class Labels {
 public:
  Labels(const program::Equation& equation, absl::Span<const Shape* const> shapes) {
    for (size_t k = 0; k < shapes.size(); ++k) {
      for (size_t d = 0; d < shapes[k]->size(); ++d)
        SizeOf(equation.inputs[k][d]) = (*shapes[k])[d];
    }
  }
  Shape ShapeOf(std::string_view labels) const {
    Shape shape;
    for (const char label : labels) shape.push_back(sizes_[static_cast<size_t>(label - 'a')]);
    return shape;
  }
  // For each place of an array with the labels `from`, that of the same labels in one with `to`,
  // which may have some twice.
  IndexMap Map(Arena& arena, std::string_view from, std::string_view to) const {
    const Shape of = RowMajorStrides(ShapeOf(to));
    Shape strides(from.size(), 0);
    for (size_t d = 0; d < to.size(); ++d) {
      const size_t at = from.find(to[d]);
      if (at != std::string_view::npos) strides[at] += of[d];
    }
    return StridedMap(arena, ShapeOf(from), strides, 0);
  }

 private:
  int64_t& SizeOf(char label) { return sizes_[static_cast<size_t>(label - 'a')]; }

  int64_t sizes_[26] = {};
};

// The labels of one that the others have too.
inline std::string Shared(std::string_view labels, std::string_view others) {
  std::string shared;
  for (const char label : program::Distinct(labels)) {
    if (others.find(label) != std::string_view::npos) shared += label;
  }
  return shared;
}

// a with the labels `from`, on its diagonals where some are there twice, summed to those of `to`.
template <typename Algebra>
ValueIn<Algebra> SummedTo(Algebra& algebra, const ValueIn<Algebra>& a, const Labels& labels,
                          std::string_view from, const std::string& to) {
  Arena& arena = algebra.arena();
  const Shape* shape = arena.Keep(labels.ShapeOf(to));
  const std::string distinct = program::Distinct(from);
  if (distinct.size() == to.size()) {
    return Gather(algebra, a, labels.Map(arena, to, from), shape);
  }
  const auto each =
      Gather(algebra, a, labels.Map(arena, distinct, from), arena.Keep(labels.ShapeOf(distinct)));
  return ScatterAdd(algebra, each, labels.Map(arena, distinct, to), shape);
}

template <typename Algebra>
ValueIn<Algebra> ContractedBy(Algebra& algebra, const program::Statement& statement,
                              absl::Span<const ValueIn<Algebra>> in,
                              absl::Span<const Shape* const> shapes) {
  if (statement.op == program::Opcode::kOuter) return OuterOf(algebra, in[0], in[1]);
  const auto equation =
      *program::ParseEquation(statement.Get<std::string>(program::Key::kEquation));
  const Labels labels(equation, shapes);
  const std::string &a = equation.inputs[0], &output = equation.output;
  if (in.size() == 1) return SummedTo(algebra, in[0], labels, a, output);
  const std::string& b = equation.inputs[1];
  const std::string left = Shared(a, b + output), right = Shared(b, a + output);
  const std::string space = program::Distinct(left + right);
  Arena& arena = algebra.arena();
  const Shape* shape = arena.Keep(labels.ShapeOf(space));
  const auto factor = [&](size_t k, const std::string& from, const std::string& to) {
    const auto summed =
        from == to ? in[k] : algebra.MadeOf(in[k], SummedTo(algebra, in[k], labels, from, to));
    return Gather(algebra, summed, labels.Map(arena, space, to), shape);
  };
  const auto products =
      algebra.Apply(Primitive::kMultiply, factor(0, a, left), factor(1, b, right));
  return ScatterAdd(algebra, products, labels.Map(arena, space, output),
                    arena.Keep(labels.ShapeOf(output)));
}

}  // namespace twingrad::reference

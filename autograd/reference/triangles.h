// Triangular matrices: systems of equations, and Cholesky factors.
//
// Written for any algebra (composite.h). Both are built of sums, products, quotients and roots of
// elements, one row or column after the other. The twin takes their values from here, and their
// derivatives from matrix_primitives.cc; of the dual numbers the derivatives follow too.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/matrices.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {

// A matrix whose rows follow from one another: what has been computed of it, in a flat list.
template <typename Algebra>
class MatrixRows {
 public:
  MatrixRows(Algebra& algebra, const ValueIn<Algebra>& like, int64_t size)
      : algebra_(algebra), all_(Constant(algebra, like, {size}, 0)) {}

  ValueIn<Algebra> Taken(const ValueIn<Algebra>& from, const std::vector<int32_t>& places) {
    return Gather(algebra_, from, ListedMap(arena(), places),
                  arena().Keep({static_cast<int64_t>(places.size())}));
  }
  // start[to[i]] less each a[left[i]] all[right[i]], of which engines may regroup the sums.
  struct Terms {
    std::vector<int32_t> left, right, to;
  };
  ValueIn<Algebra> Rest(const ValueIn<Algebra>& start, const ValueIn<Algebra>& a,
                        const Terms& terms) {
    const auto products =
        algebra_.Apply(Primitive::kMultiply, Taken(a, terms.left), Taken(all_, terms.right));
    const Shape shape = *algebra_.ArrayOf(start)->shape;
    return AddedTo(algebra_, start, algebra_.Apply(Primitive::kNegate, products),
                   ListedMap(arena(), terms.to), shape);
  }
  // a / b, where engines may multiply by 1 / b.
  ValueIn<Algebra> Quotient(const ValueIn<Algebra>& a, const ValueIn<Algebra>& b) {
    const auto quotient = algebra_.Apply(Primitive::kDivide, a, b);
    const Array& divisors = *algebra_.ArrayOf(b);
    bool shifts = true;
    int exponent = 0;
    for (int32_t i = 0; i < divisors.size; ++i) {
      shifts &= divisors.Error(i) == 0 && std::fabs(std::frexp(divisors.v[i], &exponent)) == 0.5;
    }
    return shifts ? quotient : Roughly(algebra_, quotient, 4);
  }
  void Put(const ValueIn<Algebra>& elements, const std::vector<int32_t>& places) {
    all_ = Overwrite(algebra_, all_, elements, ListedMap(arena(), places));
  }
  const ValueIn<Algebra>& all() const { return all_; }

 private:
  Arena& arena() { return algebra_.arena(); }

  Algebra& algebra_;
  ValueIn<Algebra> all_;
};

// b, of which nothing is known where its matrix has a diagonal that may hold a 0, or is not finite.
template <typename Algebra>
ValueIn<Algebra> WhereRegular(Algebra& algebra, const ValueIn<Algebra>& a,
                              const ValueIn<Algebra>& b, bool upper) {
  const Array &triangles = *algebra.ArrayOf(a), &sides = *algebra.ArrayOf(b);
  const MatrixStack stack(*triangles.shape), of_b(*sides.shape);
  Array* ones = NewBoundedArray(algebra.arena(), sides.dtype, sides.shape);
  std::fill(ones->v, ones->v + sides.size, 1.0);
  bool all = true;
  for (int64_t k = 0; k < stack.count; ++k) {
    bool regular = true;
    for (int64_t i = 0; i < stack.rows; ++i) {
      for (int64_t j = 0; j < stack.rows; ++j) {
        const Number x = triangles.At(stack.At(k, i, j));
        if (i == j) regular &= std::fabs(x.v) > x.e;
        if (upper ? j >= i : j <= i) regular &= std::isfinite(x.v) && std::isfinite(x.e);
      }
    }
    const int64_t size = of_b.rows * of_b.columns;
    for (int64_t i = k * size; i < (k + 1) * size && !regular; ++i) ones->e[i] = kUnknown;
    all &= regular;
  }
  return all ? b : algebra.Apply(Primitive::kWeigh, b, algebra.Constant(ones));
}

// Row after row, from the one that the triangle leaves alone.
template <typename Algebra>
ValueIn<Algebra> TriangularSolutionOf(Algebra& algebra, const ValueIn<Algebra>& a,
                                      const ValueIn<Algebra>& right, bool upper) {
  const Shape* shape = algebra.ArrayOf(right)->shape;
  const MatrixStack of_a(*algebra.ArrayOf(a)->shape), of_b(*shape);
  if (of_a.rows == 0) {
    return algebra.Apply(Primitive::kDivide, right, Gather(algebra, a, {nullptr, 0}, shape));
  }
  const auto b = WhereRegular(algebra, a, right, upper);
  MatrixRows<Algebra> x(algebra, b, Count(*shape));
  for (int64_t step = 0; step < of_a.rows; ++step) {
    const int64_t i = upper ? of_a.rows - 1 - step : step;
    typename MatrixRows<Algebra>::Terms terms;
    std::vector<int32_t> row, diagonal;
    for (int64_t k = 0; k < of_b.count; ++k) {
      for (int64_t c = 0; c < of_b.columns; ++c) {
        for (int64_t before = 0; before < step; ++before) {
          const int64_t j = upper ? of_a.rows - 1 - before : before;
          terms.left.push_back(of_a.At(k, i, j));
          terms.right.push_back(of_b.At(k, j, c));
          terms.to.push_back(static_cast<int32_t>(row.size()));
        }
        row.push_back(of_b.At(k, i, c));
        diagonal.push_back(of_a.At(k, i, i));
      }
    }
    const auto rest = x.Rest(x.Taken(b, row), a, terms);
    x.Put(x.Quotient(rest, x.Taken(a, diagonal)), row);
  }
  return Gather(algebra, x.all(), {nullptr, Count(*shape)}, shape);
}

// Throws DomainError where a pivot is not above 0 in any engine, and UnknownDomain where rounding
// decides that.
inline void CheckPivots(const Array& pivots) {
  for (int32_t i = 0; i < pivots.size; ++i) {
    const Number x = pivots.At(i);
    if (std::isfinite(x.v) && x.v > x.e) continue;
    const bool surely = x.v + x.e < 0 || (x.v == 0 && x.e == 0);
    if (surely && std::isfinite(x.v)) throw DomainError();
    throw UnknownDomain();
  }
}

// Column after column.
template <typename Algebra>
ValueIn<Algebra> CholeskyOf(Algebra& algebra, const ValueIn<Algebra>& a) {
  const Shape* shape = algebra.ArrayOf(a)->shape;
  const MatrixStack stack(*shape);
  if (stack.rows == 0) return algebra.Apply(Primitive::kSqrt, a);
  MatrixRows<Algebra> l(algebra, a, Count(*shape));
  for (int64_t j = 0; j < stack.rows; ++j) {
    typename MatrixRows<Algebra>::Terms of_pivot, of_column;
    std::vector<int32_t> diagonal, column, matrix;
    for (int64_t k = 0; k < stack.count; ++k) {
      for (int64_t i = j; i < stack.rows; ++i) {
        auto& terms = i == j ? of_pivot : of_column;
        auto& places = i == j ? diagonal : column;
        for (int64_t c = 0; c < j; ++c) {
          terms.left.push_back(stack.At(k, i, c));
          terms.right.push_back(stack.At(k, j, c));
          terms.to.push_back(static_cast<int32_t>(places.size()));
        }
        places.push_back(stack.At(k, i, j));
        if (i > j) matrix.push_back(static_cast<int32_t>(k));
      }
    }
    const auto pivots = l.Rest(l.Taken(a, diagonal), l.all(), of_pivot);
    CheckPivots(*algebra.ArrayOf(pivots));
    const auto rest = l.Rest(l.Taken(a, column), l.all(), of_column);
    const auto roots = algebra.Apply(Primitive::kSqrt, pivots);
    l.Put(roots, diagonal);
    l.Put(l.Quotient(rest, l.Taken(roots, matrix)), column);
  }
  return Gather(algebra, l.all(), {nullptr, Count(*shape)}, shape);
}

// The four statements.
template <typename Algebra>
ValueIn<Algebra> OfSquareMatrices(Algebra& algebra, const program::Statement& statement,
                                  absl::Span<const ValueIn<Algebra>> in,
                                  absl::Span<const Shape* const> shapes) {
  const program::Opcode op = statement.op;
  if (shapes[0]->back() > kMostRows) throw TooLong();
  if (op == program::Opcode::kInverse) return algebra.Apply(Primitive::kInverse, in[0]);
  if (op == program::Opcode::kDet) return DetOf(algebra, in[0], *shapes[0]);
  if (op == program::Opcode::kCholesky) return algebra.Apply(Primitive::kCholesky, in[0]);
  return algebra.Apply(Primitive::kSolve, {.upper = statement.Get<bool>(program::Key::kUpper)},
                       in[0], in[1]);
}

}  // namespace twingrad::reference

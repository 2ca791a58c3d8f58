// Square matrices: products, inverses and determinants.
//
// Written for any algebra (composite.h). A determinant is built of sums of products, so that its
// derivatives of any order are the polynomials that they are, at singular matrices too. The inverse
// is a primitive of its own (matrix_primitives.cc).

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/reference/algebra.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {

inline constexpr int64_t kMostRows = 6;  // of matrices that a witness goes through

// How many matrices, and how many rows and columns each has.
struct MatrixStack {
  int64_t count = 1, rows = 0, columns = 0;

  explicit MatrixStack(const Shape& shape) : rows(shape[shape.size() - 2]), columns(shape.back()) {
    for (size_t d = 0; d + 2 < shape.size(); ++d) count *= shape[d];
  }
  int32_t At(int64_t k, int64_t i, int64_t j) const {
    return static_cast<int32_t>((k * rows + i) * columns + j);
  }
};

// Of each element of square matrices, by how much an engine may change it before it computes with
// it: elimination with row pivots is exact for a matrix that differs by some roundings of the
// greatest element in a row or column. Unknown in a matrix that holds an infinity or NaN.
inline std::vector<double> PivotingErrors(const Array& a) {
  const MatrixStack stack(*a.shape);
  std::vector<double> bounds(a.size, 0);
  if (stack.rows < 2) return bounds;
  const double roundings = 4 * static_cast<double>(stack.rows) * FormatOf(a.dtype).unit;
  for (int64_t k = 0; k < stack.count; ++k) {
    std::vector<double> row(stack.rows, 0), column(stack.rows, 0);
    bool finite = true;
    for (int64_t i = 0; i < stack.rows; ++i) {
      for (int64_t j = 0; j < stack.rows; ++j) {
        const double size = std::fabs(a.v[stack.At(k, i, j)]) + a.Error(stack.At(k, i, j));
        finite &= std::isfinite(size);
        row[i] = std::fmax(row[i], size), column[j] = std::fmax(column[j], size);
      }
    }
    for (int64_t i = 0; i < stack.rows; ++i) {
      for (int64_t j = 0; j < stack.rows; ++j) {
        bounds[stack.At(k, i, j)] = finite ? roundings * std::fmax(row[i], column[j]) : kUnknown;
      }
    }
  }
  return bounds;
}

// The product of two stacks of matrices.
template <typename Algebra>
ValueIn<Algebra> MatrixProduct(Algebra& algebra, const ValueIn<Algebra>& a,
                               const ValueIn<Algebra>& b) {
  Arena& arena = algebra.arena();
  const MatmulMaps maps =
      ProductMaps(arena, *algebra.ArrayOf(a)->shape, *algebra.ArrayOf(b)->shape);
  return ScatterAdd(algebra, Products(algebra, a, b, maps), maps.result, arena.Keep(maps.shape));
}

template <typename Algebra>
ValueIn<Algebra> Transposed(Algebra& algebra, const ValueIn<Algebra>& a) {
  Shape shape = *algebra.ArrayOf(a)->shape;
  const MatrixStack stack(shape);
  std::swap(shape[shape.size() - 2], shape.back());
  std::vector<int32_t> places;
  for (int64_t k = 0; k < stack.count; ++k) {
    for (int64_t j = 0; j < stack.columns; ++j) {
      for (int64_t i = 0; i < stack.rows; ++i) places.push_back(stack.At(k, i, j));
    }
  }
  return Gather(algebra, a, ListedMap(algebra.arena(), places), algebra.arena().Keep(shape));
}

// The inverse x of the elements, with a history to second order: from what is right to order n,
// x (2 - a x) makes what is right to 2n + 1.
template <typename Algebra>
ValueIn<Algebra> InverseBySteps(Algebra& algebra, const ValueIn<Algebra>& a, const Array* inverse) {
  auto x = algebra.Constant(inverse);
  for (int step = 0; step < 2; ++step) {
    const auto product = MatrixProduct(algebra, x, MatrixProduct(algebra, a, x));
    x = algebra.Apply(Primitive::kSubtract, algebra.Apply(Primitive::kAdd, x, x), product);
  }
  return x;
}

// The minors of the first rows, one for each set of as many columns: how those with one row more
// are made of them.
struct MinorTerms {
  std::vector<int32_t> elements, minors, to;  // of each product the factors, and where it is added
  std::vector<double> signs;
  std::vector<int32_t> place;  // of each set of columns among those of its size
  int32_t sets = 0;            // how many of these there are
};
inline MinorTerms TermsOfMinors(const MatrixStack& stack, uint32_t row, const MinorTerms& above) {
  MinorTerms terms;
  terms.place.assign(size_t{1} << stack.rows, 0);
  const auto counts = [row](uint32_t set) {
    return std::popcount(set) == static_cast<int>(row) + 1;
  };
  for (uint32_t set = 0; set < terms.place.size(); ++set) {
    if (counts(set)) terms.place[set] = terms.sets++;
  }
  for (int64_t k = 0; k < stack.count; ++k) {
    for (uint32_t set = 0; set < terms.place.size(); ++set) {
      if (!counts(set)) continue;
      uint32_t before = row;
      for (uint32_t j = 0; j < stack.rows; ++j) {
        if ((set >> j & 1) == 0) continue;
        terms.elements.push_back(stack.At(k, row, j));
        if (row > 0) {
          terms.minors.push_back(static_cast<int32_t>(k) * above.sets +
                                 above.place[set ^ (1u << j)]);
        }
        terms.to.push_back(static_cast<int32_t>(k) * terms.sets + terms.place[set]);
        terms.signs.push_back(before++ % 2 == 0 ? 1 : -1);
      }
    }
  }
  return terms;
}

// Row by row: each minor is a sum of elements of its last row times minors of those above.
template <typename Algebra>
ValueIn<Algebra> DetOf(Algebra& algebra, const ValueIn<Algebra>& in, const Shape& shape) {
  Arena& arena = algebra.arena();
  const MatrixStack stack(shape);
  const Shape* results = arena.Keep(Shape(shape.begin(), shape.end() - 2));
  if (stack.rows == 0) {  // 1, and a gradient without elements
    return algebra.Apply(Primitive::kAdd, ScatterAdd(algebra, in, {nullptr, 0}, results),
                         Constant(algebra, in, *results, 1));
  }
  const auto a = Within(algebra, in, PivotingErrors(*algebra.ArrayOf(in)));
  MinorTerms terms = TermsOfMinors(stack, 0, {});
  auto minors =
      Gather(algebra, a, ListedMap(arena, terms.elements), arena.Keep({stack.count * stack.rows}));
  for (uint32_t row = 1; row < stack.rows; ++row) {
    terms = TermsOfMinors(stack, row, terms);
    const Shape* size = arena.Keep({static_cast<int64_t>(terms.to.size())});
    const MatmulMaps factors = {
        *size, ListedMap(arena, terms.elements), ListedMap(arena, terms.minors), {}};
    Array* signs = NewArray(arena, algebra.ArrayOf(a)->dtype, size, Count(*size));
    std::copy(terms.signs.begin(), terms.signs.end(), signs->v);
    minors = ScatterAdd(algebra,
                        algebra.Apply(Primitive::kWeigh, Products(algebra, a, minors, factors),
                                      algebra.Constant(signs)),
                        ListedMap(arena, terms.to), arena.Keep({stack.count * terms.sets}));
  }
  const auto det = Gather(algebra, minors, {nullptr, static_cast<int32_t>(stack.count)}, results);
  return stack.rows > 1 ? algebra.Parting(det) : det;
}

}  // namespace twingrad::reference

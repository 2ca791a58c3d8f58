// Primitives on matrices: for each its value and its derivative.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/reference/element_algebra.h"
#include "autograd/reference/matrices.h"
#include "autograd/reference/moves.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/result.h"
#include "autograd/reference/triangles.h"

namespace twingrad::reference {
namespace {

using program::kSavesA;
using program::kSavesResult;

// A square matrix with more digits than the elements have.
struct Wide {
  int64_t n = 0;
  std::vector<long double> elements;

  explicit Wide(int64_t rows) : n(rows), elements(rows * rows, 0) {}
  long double& operator()(int64_t i, int64_t j) { return elements[i * n + j]; }
  long double operator()(int64_t i, int64_t j) const { return elements[i * n + j]; }
  Wide Magnitudes() const {
    Wide result = *this;
    for (long double& x : result.elements) x = std::fabs(x);
    return result;
  }
  // Infinity where an element is NaN.
  long double Norm() const {
    long double norm = 0;
    for (int64_t i = 0; i < n; ++i) {
      long double sum = 0;
      for (int64_t j = 0; j < n; ++j) sum += std::fabs((*this)(i, j));
      if (!(sum <= norm)) norm = std::isnan(sum) ? kUnknown : sum;
    }
    return norm;
  }
};

Wide operator*(const Wide& a, const Wide& b) {
  Wide product(a.n);
  for (int64_t i = 0; i < a.n; ++i) {
    for (int64_t j = 0; j < a.n; ++j) {
      for (int64_t k = 0; k < a.n; ++k) product(i, j) += a(i, k) * b(k, j);
    }
  }
  return product;
}

// By elimination above and below each pivot. Zeros where there is no pivot.
Wide Inverted(Wide a) {
  Wide x(a.n);
  for (int64_t i = 0; i < a.n; ++i) x(i, i) = 1;
  for (int64_t k = 0; k < a.n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < a.n; ++i) {
      if (std::fabs(a(i, k)) > std::fabs(a(pivot, k))) pivot = i;
    }
    if (a(pivot, k) == 0) return Wide(a.n);
    for (int64_t j = 0; j < a.n; ++j) {
      std::swap(a(k, j), a(pivot, j));
      std::swap(x(k, j), x(pivot, j));
    }
    const long double over = a(k, k);
    for (int64_t j = 0; j < a.n; ++j) a(k, j) /= over, x(k, j) /= over;
    for (int64_t i = 0; i < a.n; ++i) {
      const long double factor = a(i, k);
      if (i == k || factor == 0) continue;
      for (int64_t j = 0; j < a.n; ++j) {
        a(i, j) -= factor * a(k, j);
        x(i, j) -= factor * x(k, j);
      }
    }
  }
  return x;
}

// Whether elimination leaves a pivot of 0 in any engine: a row or column of zeros, or two that are
// equal or opposite.
bool IsSurelySingular(const Wide& a) {
  const auto are_alike = [&](int64_t p, int64_t q, bool rows, double sign) {
    for (int64_t k = 0; k < a.n; ++k) {
      const long double x = rows ? a(p, k) : a(k, p), y = rows ? a(q, k) : a(k, q);
      if (x != sign * y) return false;
    }
    return true;
  };
  for (int64_t p = 0; p < a.n; ++p) {
    for (const bool rows : {false, true}) {
      if (are_alike(p, p, rows, 0)) return true;
      for (int64_t q = 0; q < p; ++q) {
        if (are_alike(p, q, rows, 1) || are_alike(p, q, rows, -1)) return true;
      }
    }
  }
  return false;
}

// How far the inverse of a matrix within `errors` of a may be from x: with the residual 1 - a x, by
// S. M. Rump, "Verification methods", Acta Numerica 19 (2010), section 10. Throws UnknownDomain
// where such a matrix may be singular.
Wide ErrorsOf(const Wide& a, const Wide& x, const Wide& errors) {
  const int64_t n = a.n;
  const Wide sizes = x.Magnitudes();
  Wide residual = a * x;
  const Wide roundings = a.Magnitudes() * sizes;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const long double rest = std::fabs((i == j ? 1.0L : 0.0L) - residual(i, j));
      residual(i, j) = rest + static_cast<long double>(n + 2) * 0x1p-63L * roundings(i, j);
    }
  }
  const Wide change = errors * sizes;
  for (int64_t i = 0; i < n * n; ++i) residual.elements[i] += change.elements[i];
  const long double norm = residual.Norm();
  if (!(norm < 0.5L)) throw UnknownDomain();
  Wide term = sizes * residual, sum = term;
  for (int step = 0; step < 200 && term.Norm() > 0x1p-60L * sum.Norm(); ++step) {
    term = term * residual;
    for (int64_t i = 0; i < n * n; ++i) sum.elements[i] += term.elements[i];
  }
  return sum;
}

const Array* Inverse(const Evaluation& evaluation) {
  const Array* a = evaluation.in[0];
  const MatrixStack stack(*a->shape);
  const FloatFormat& format = FormatOf(a->dtype);
  const std::vector<double> pivoting = PivotingErrors(*a);
  Result result(evaluation.arena, a->dtype, a->shape, a->size);
  bool open = false;
  for (int64_t k = 0; k < stack.count; ++k) {
    const int32_t start = stack.At(k, 0, 0);
    if (stack.rows == 1) {
      if (a->v[start] == 0 && a->Error(start) == 0) throw DomainError();
      open |= !(std::fabs(a->v[start]) > a->Error(start));
      result.Set(start, Divide({1, 0}, a->At(start), format));
      continue;
    }
    Wide matrix(stack.rows), errors(stack.rows);
    bool exact = true, finite = true;
    for (int64_t i = 0; i < stack.rows * stack.rows; ++i) {
      matrix.elements[i] = a->v[start + i];
      errors.elements[i] = a->Error(start + i) + pivoting[start + i];
      exact &= a->Error(start + i) == 0;
      finite &= std::isfinite(a->v[start + i]);
    }
    if (exact && finite && IsSurelySingular(matrix)) throw DomainError();
    open |= !finite;
    if (open) continue;
    const Wide x = Inverted(matrix);
    const Wide bounds = ErrorsOf(matrix, x, errors);
    for (int64_t i = 0; i < stack.rows * stack.rows; ++i) {
      const double v = Rounded(static_cast<double>(x.elements[i]), format);
      result.Set(start + static_cast<int32_t>(i),
                 Bounded(v, static_cast<double>(bounds.elements[i]), 2, format));
    }
  }
  if (open) throw UnknownDomain();
  return result.array();
}

const Array* Solve(const Evaluation& evaluation) {
  ElementAlgebra elements{evaluation};
  return TriangularSolutionOf(elements, evaluation.in[0], evaluation.in[1],
                              evaluation.arguments.upper);
}

const Array* Cholesky(const Evaluation& evaluation) {
  ElementAlgebra elements{evaluation};
  return CholeskyOf(elements, evaluation.in[0]);
}

Variable Triangle(Calculus& calculus, const Variable& a, bool lower) {
  const Shape& shape = *a.data->shape;
  return TriangleOf(calculus, a, TriangleMap(calculus.arena(), shape, 0, lower), shape);
}

// The lower triangle, and of the diagonal a half.
Variable HalfOf(Calculus& calculus, const Variable& a) {
  const MatrixStack stack(*a.data->shape);
  Array* weights = NewArray(calculus.arena(), a.data->dtype, a.data->shape, a.data->size);
  std::fill(weights->v, weights->v + weights->size, 1.0);
  for (int64_t k = 0; k < stack.count; ++k) {
    for (int64_t i = 0; i < stack.rows; ++i) weights->v[stack.At(k, i, i)] = 0.5;
  }
  return Term{&calculus, Triangle(calculus, a, /*lower=*/true)}.Weighed(weights).v;
}

// With x for the solution: h = in[0]'^-1 g to in[1], and -h x' in the triangle to in[0].
Term SolutionGradient(const Backward& b) {
  Calculus& calculus = b.calculus;
  const bool upper = b.step.arguments.upper;
  const Variable h =
      calculus.Apply(Primitive::kSolve, {.upper = !upper}, Transposed(calculus, b.in(0).v), b.g.v);
  if (b.which == 1) return {&calculus, h};
  const Variable across = Transposed(calculus, b.result().v);
  const Term product = -Term{&calculus, MatrixProduct(calculus, h, across)};
  return {&calculus, Triangle(calculus, product.v, !upper)};
}

// I. Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527, (10): with p the
// half of l' g, what l'^-1 (p + p') l^-1 has in its half.
Term FactorGradient(const Backward& b) {
  Calculus& calculus = b.calculus;
  const Variable across = Transposed(calculus, b.result().v);
  const Variable g = Triangle(calculus, b.g.v, /*lower=*/true);
  const Variable p = HalfOf(calculus, MatrixProduct(calculus, across, g));
  const Variable both = calculus.Apply(Primitive::kAdd, p, Transposed(calculus, p));
  const auto solve = [&](const Variable& right) {
    return calculus.Apply(Primitive::kSolve, {.upper = true}, across, right);
  };
  const Variable left = Transposed(calculus, solve(both));
  return {&calculus, HalfOf(calculus, solve(left))};
}

constexpr PrimitiveRow kMatrixRows[] = {
    {Primitive::kInverse, std::nullopt, 1, kSavesResult, Inverse,
     [](const Backward& b) -> Term {
       Calculus& calculus = b.calculus;
       const Variable across = Transposed(calculus, b.result().v);
       const Variable left = MatrixProduct(calculus, across, b.g.v);
       return -Term{&calculus, MatrixProduct(calculus, left, across)};
     }},
    {Primitive::kSolve, std::nullopt, 2, kSavesA | kSavesResult, Solve, SolutionGradient},
    {Primitive::kCholesky, std::nullopt, 1, kSavesResult, Cholesky, FactorGradient},
};

static_assert(AreRowsOf(kMatrixRows, Primitive::kInverse, Primitive::kEnd),
              "in the order of Primitive");

}  // namespace

absl::Span<const PrimitiveRow> MatrixPrimitives() { return kMatrixRows; }

}  // namespace twingrad::reference

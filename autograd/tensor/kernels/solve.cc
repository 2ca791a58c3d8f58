#include "autograd/tensor/kernels/solve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad::kernels {
namespace {

// One matrix in row-major order, in double.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> elements;

  Matrix(int64_t n, int64_t m)
      : rows(n), columns(m), elements(static_cast<size_t>(n) * static_cast<size_t>(m), 0) {}
  double& operator()(int64_t i, int64_t j) {
    return elements[static_cast<size_t>(i * columns + j)];
  }
  double operator()(int64_t i, int64_t j) const {
    return elements[static_cast<size_t>(i * columns + j)];
  }
  void SwapRows(int64_t i, int64_t j) {
    if (i == j) return;
    for (int64_t c = 0; c < columns; ++c) std::swap((*this)(i, c), (*this)(j, c));
  }
  void SwapColumns(int64_t i, int64_t j) {
    if (i == j) return;
    for (int64_t r = 0; r < rows; ++r) std::swap((*this)(r, i), (*this)(r, j));
  }
};

// What is left of a matrix by elimination: the upper triangle, under whose diagonal stand the
// factors by which rows were taken away. `parity` is the sign of the permutation.
struct Eliminated {
  Matrix lu;
  std::vector<int64_t> pivots;  // step k swapped row k with this one
  double parity = 1;
  bool singular = false;
};

// From the rows under it, so that they have 0 under its pivot; the factors take the place of these.
void TakeAwayRow(Matrix& lu, int64_t k) {
  for (int64_t i = k + 1; i < lu.rows; ++i) {
    const double factor = lu(i, k) /= lu(k, k);
    if (factor == 0) continue;
    for (int64_t j = k + 1; j < lu.columns; ++j) lu(i, j) -= factor * lu(k, j);
  }
}

Eliminated Eliminate(Matrix a) {
  Eliminated result{std::move(a), {}};
  Matrix& lu = result.lu;
  const int64_t n = lu.rows;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(lu(i, k)) > std::fabs(lu(pivot, k))) pivot = i;
    }
    result.pivots.push_back(pivot);
    if (pivot != k) result.parity = -result.parity;
    lu.SwapRows(k, pivot);
    if (lu(k, k) == 0) {
      result.singular = true;
      continue;
    }
    TakeAwayRow(lu, k);
  }
  return result;
}

double DetOf(Matrix a) {
  const Eliminated eliminated = Eliminate(std::move(a));
  double product = eliminated.parity;
  for (int64_t i = 0; i < eliminated.lu.rows; ++i) product *= eliminated.lu(i, i);
  return product;
}

// x of t x = b, in b's place, for the lower or upper triangle of t.
void SubstituteInto(const Matrix& t, Matrix& b, bool upper, bool unit_diagonal) {
  const int64_t n = t.rows;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = upper ? n - 1 - step : step;
    const int64_t begin = upper ? i + 1 : 0, end = upper ? n : i;
    for (int64_t c = 0; c < b.columns; ++c) {
      double rest = b(i, c);
      for (int64_t j = begin; j < end; ++j) rest -= t(i, j) * b(j, c);
      b(i, c) = unit_diagonal ? rest : rest / t(i, i);
    }
  }
}

Matrix InverseOf(const Eliminated& eliminated) {
  const int64_t n = eliminated.lu.rows;
  Matrix x(n, n);
  for (int64_t i = 0; i < n; ++i) x(i, i) = 1;
  for (int64_t k = 0; k < n; ++k) x.SwapRows(k, eliminated.pivots[static_cast<size_t>(k)]);
  SubstituteInto(eliminated.lu, x, /*upper=*/false, /*unit_diagonal=*/true);
  SubstituteInto(eliminated.lu, x, /*upper=*/true, /*unit_diagonal=*/false);
  return x;
}

// The greatest sum of magnitudes in a row.
double NormOf(const Matrix& a) {
  double norm = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < a.columns; ++j) sum += std::fabs(a(i, j));
    if (!(sum <= norm)) norm = sum;
  }
  return norm;
}

// The cofactors of an upper triangle u: 0 above the diagonal. That of row i and column j is, but
// for the sign, the determinant of rows j to i - 1 and columns j + 1 to i of u, which has but one
// diagonal under its own, times the pivots outside. It is expanded along its last column, without a
// division.
Matrix CofactorsOfTriangle(const Matrix& u) {
  const int64_t n = u.rows;
  std::vector<double> before(static_cast<size_t>(n) + 1, 1), behind(before);  // products of pivots
  for (int64_t i = 0; i < n; ++i) {
    before[static_cast<size_t>(i) + 1] = before[static_cast<size_t>(i)] * u(i, i);
    behind[static_cast<size_t>(n - 1 - i)] =
        behind[static_cast<size_t>(n - i)] * u(n - 1 - i, n - 1 - i);
  }
  Matrix cofactors(n, n);
  std::vector<double> inner(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    inner[static_cast<size_t>(j)] = 1;
    for (int64_t i = j; i < n; ++i) {
      double sum = i == j ? 1 : 0, pivots = 1;
      for (int64_t k = i - 1; k >= j; --k) {
        sum -= u(k, i) * pivots * inner[static_cast<size_t>(k)];
        pivots *= u(k, k);
      }
      inner[static_cast<size_t>(i)] = sum;
      cofactors(i, j) = before[static_cast<size_t>(j)] * sum * behind[static_cast<size_t>(i) + 1];
    }
  }
  return cofactors;
}

// Of the pivots that are not 0, as powers of two: so products of pivots of such a scale stay
// near 1.
int64_t MeanExponent(const Matrix& u) {
  int64_t sum = 0, count = 0;
  for (int64_t i = 0; i < u.rows; ++i) {
    if (u(i, i) == 0) continue;
    sum += std::ilogb(u(i, i));
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

Matrix Scaled(Matrix a, int64_t exponent) {
  const auto power = static_cast<int>(std::clamp<int64_t>(exponent, -10'000, 10'000));
  for (double& element : a.elements) element = std::ldexp(element, power);
  return a;
}

// By the greatest pivot of all that is left, p a q = l u for permutations p and q, and cofactors of
// a product are the product of cofactors: those of l are its inverse, transposed. So those of a
// are pᵀ l⁻ᵀ cof(u) qᵀ, times the signs of p and q.
Matrix CofactorsByElimination(Matrix lu) {
  const int64_t n = lu.rows;
  std::vector<std::pair<int64_t, int64_t>> pivots;  // step k swapped row and column k with these
  double sign = 1;
  for (int64_t k = 0; k < n; ++k) {
    std::pair<int64_t, int64_t> pivot = {k, k};
    for (int64_t i = k; i < n; ++i) {
      for (int64_t j = k; j < n; ++j) {
        if (std::fabs(lu(i, j)) > std::fabs(lu(pivot.first, pivot.second))) pivot = {i, j};
      }
    }
    pivots.push_back(pivot);
    if ((pivot.first == k) != (pivot.second == k)) sign = -sign;
    lu.SwapRows(k, pivot.first);
    lu.SwapColumns(k, pivot.second);
    if (lu(k, k) == 0) {  // and so is all that is left
      for (int64_t i = k + 1; i < n; ++i) lu(i, k) = 0;
      continue;
    }
    TakeAwayRow(lu, k);
  }
  const int64_t exponent = MeanExponent(lu);
  Matrix cofactors = CofactorsOfTriangle(Scaled(lu, -exponent));
  Matrix across(n, n);  // lᵀ
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) across(j, i) = lu(i, j);
  }
  SubstituteInto(across, cofactors, /*upper=*/true, /*unit_diagonal=*/true);
  for (int64_t k = n - 1; k >= 0; --k) {
    cofactors.SwapRows(k, pivots[static_cast<size_t>(k)].first);
    cofactors.SwapColumns(k, pivots[static_cast<size_t>(k)].second);
  }
  for (double& element : cofactors.elements) element *= sign;
  return Scaled(std::move(cofactors), exponent * (n - 1));
}

Matrix Minor(const Matrix& a, int64_t row, int64_t column) {
  Matrix minor(a.rows - 1, a.columns - 1);
  for (int64_t i = 0; i < minor.rows; ++i) {
    for (int64_t j = 0; j < minor.columns; ++j) {
      minor(i, j) = a(i + (i >= row), j + (j >= column));
    }
  }
  return minor;
}

Matrix CofactorsOf(Matrix a) {
  const int64_t n = a.rows;
  const auto is_finite = [](double element) { return std::isfinite(element); };
  if (!std::ranges::all_of(a.elements, is_finite)) {  // Those are that do not see what is not.
    Matrix cofactors(n, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        cofactors(i, j) = ((i + j) % 2 == 0 ? 1 : -1) * DetOf(Minor(a, i, j));
      }
    }
    return cofactors;
  }
  return CofactorsByElimination(std::move(a));
}

// Whether there is a factor.
bool FactorInto(const Matrix& a, Matrix& l) {
  const int64_t n = a.rows;
  for (int64_t j = 0; j < n; ++j) {
    double rest = a(j, j);
    for (int64_t k = 0; k < j; ++k) rest -= l(j, k) * l(j, k);
    if (!(rest > 0)) return false;
    l(j, j) = std::sqrt(rest);
    for (int64_t i = j + 1; i < n; ++i) {
      double below = a(i, j);
      for (int64_t k = 0; k < j; ++k) below -= l(i, k) * l(j, k);
      l(i, j) = below / l(j, j);
    }
  }
  return true;
}

// A tensor's matrices, one after the other in the host's memory.
class Stack {
 public:
  Stack(const char* op, const Tensor& a) : here_(MovedTo(Contiguous(a), HostSide(a.device()))) {
    if (!IsFloating(a.dtype())) RefuseDType(op, a.dtype(), kFloatTypes);
    const Ints sizes = a.sizes();
    rows_ = sizes[sizes.size() - 2];
    columns_ = sizes[sizes.size() - 1];
    for (size_t d = 0; d + 2 < sizes.size(); ++d) count_ *= sizes[d];
  }

  int64_t count() const { return count_; }
  Matrix At(int64_t k) const {
    Matrix matrix(rows_, columns_);
    const int64_t size = rows_ * columns_;
    DispatchAll(here_.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T* const from = here_.data<T>() + k * size;
      std::transform(from, from + size, matrix.elements.begin(), CastNumber<double, T>);
    });
    return matrix;
  }

 private:
  Tensor here_;
  int64_t rows_ = 0, columns_ = 0, count_ = 1;
};

// A tensor of this shape, of what `of` says of each matrix: as many elements each.
template <typename Function>
Tensor EachOf(const Tensor& like, Ints shape, int64_t count, Function of) {
  Tensor out = Tensor::Empty(shape, like.dtype(), HostSide(like.device()));
  DispatchAll(like.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = out.mutable_data<T>();
    for (int64_t k = 0; k < count; ++k) {
      for (const double element : of(k).elements) *to++ = CastNumber<T>(element);
    }
  });
  return MovedTo(out, like.device());
}

[[noreturn]] void RefuseMatrix(const char* op, int64_t k, const char* what) {
  throw Error(ErrorKind::kDomain, absl::StrCat("[", op, "] matrix ", k, " of the operand ", what));
}

}  // namespace

void CheckSquare(const char* op, const Tensor& a) {
  const Ints sizes = a.sizes();
  const size_t rank = sizes.size();
  if (rank >= 2 && sizes[rank - 1] == sizes[rank - 2]) return;
  throw Error(ErrorKind::kShape, absl::StrCat("[", op, "] shape ", ShapeToString(sizes),
                                              "; it takes square matrices, [..,n,n]"));
}

Tensor Inverse(const Tensor& a) {
  CheckSquare("inverse", a);
  const Stack matrices("inverse", a);
  return EachOf(a, a.sizes(), matrices.count(), [&](int64_t k) {
    const Eliminated eliminated = Eliminate(matrices.At(k));
    if (eliminated.singular) {
      RefuseMatrix("inverse", k, "is singular; its determinant must not be 0: add to its diagonal");
    }
    return InverseOf(eliminated);
  });
}

Tensor Det(const Tensor& a) {
  CheckSquare("det", a);
  const Stack matrices("det", a);
  return EachOf(a, a.sizes().first(a.sizes().size() - 2), matrices.count(), [&](int64_t k) {
    Matrix determinant(1, 1);
    determinant(0, 0) = DetOf(matrices.At(k));
    return determinant;
  });
}

Tensor Cofactors(const Tensor& a) {
  CheckSquare("det", a);
  const Stack matrices("det", a);
  return EachOf(a, a.sizes(), matrices.count(),
                [&](int64_t k) { return CofactorsOf(matrices.At(k)); });
}

bool AreWellConditioned(const Tensor& a) {
  CheckSquare("det", a);
  const Stack matrices("det", a);
  for (int64_t k = 0; k < matrices.count(); ++k) {
    const Matrix matrix = matrices.At(k);
    const Eliminated eliminated = Eliminate(matrix);
    if (eliminated.singular) return false;
    const double condition = NormOf(matrix) * NormOf(InverseOf(eliminated));
    if (!(condition * static_cast<double>(matrix.rows) < 0x1p26)) return false;
  }
  return true;
}

Tensor SolveTriangular(const Tensor& a, const Tensor& b, bool upper) {
  CheckSquare("solve_triangular", a);
  CheckSameKind("solve_triangular", a, b);
  const Ints of_a = a.sizes(), of_b = b.sizes();
  const bool fits = of_a.size() == of_b.size() &&
                    std::ranges::equal(of_a.first(of_a.size() - 1), of_b.first(of_b.size() - 1));
  if (!fits) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[solve_triangular] shapes ", ShapeToString(of_a), " and ",
                             ShapeToString(of_b), "; of [..,n,n] and [..,n,k] it goes"));
  }
  const Stack triangles("solve_triangular", a), sides("solve_triangular", b);
  return EachOf(b, of_b, sides.count(), [&](int64_t k) {
    Matrix x = sides.At(k);
    SubstituteInto(triangles.At(k), x, upper, /*unit_diagonal=*/false);
    return x;
  });
}

Tensor Cholesky(const Tensor& a) {
  CheckSquare("cholesky", a);
  const Stack matrices("cholesky", a);
  return EachOf(a, a.sizes(), matrices.count(), [&](int64_t k) {
    const Matrix matrix = matrices.At(k);
    Matrix l(matrix.rows, matrix.columns);
    if (!FactorInto(matrix, l)) {
      RefuseMatrix("cholesky", k, "is not positive definite; it must be: add to its diagonal");
    }
    return l;
  });
}

}  // namespace twingrad::kernels

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
};

// What is left of a matrix by elimination: the upper triangle, under whose diagonal stand the
// factors by which rows were taken away. `parity` is the sign of the permutation.
struct Eliminated {
  Matrix lu;
  std::vector<int64_t> pivots;  // step k swapped row k with this one
  double parity = 1;
  bool singular = false;
};

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
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = lu(i, k) /= lu(k, k);
      if (factor == 0) continue;
      for (int64_t j = k + 1; j < n; ++j) lu(i, j) -= factor * lu(k, j);
    }
  }
  return result;
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
    const Eliminated eliminated = Eliminate(matrices.At(k));
    Matrix product(1, 1);
    product(0, 0) = eliminated.parity;
    for (int64_t i = 0; i < eliminated.lu.rows; ++i) product(0, 0) *= eliminated.lu(i, i);
    return product;
  });
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

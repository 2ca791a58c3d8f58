// Inverses, determinants, triangular systems and Cholesky factors, by the schoolbook.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Key;
using program::Opcode;

namespace {

constexpr size_t kMostRows = 6;

using Grid = std::vector<Refs>;

double Unit(DType type) { return FormatOf(type).unit; }

Grid GridOf(const Tensor& tensor, size_t k) {
  const size_t rank = tensor.shape.size();
  const auto rows = static_cast<size_t>(tensor.shape[rank - 2]);
  const auto columns = static_cast<size_t>(tensor.shape[rank - 1]);
  Grid grid;
  for (size_t i = 0; i < rows; ++i) {
    const auto row = tensor.elements.begin() + static_cast<int64_t>((k * rows + i) * columns);
    grid.emplace_back(row, row + static_cast<int64_t>(columns));
  }
  return grid;
}

size_t CountOfMatrices(const Shape& shape) {
  size_t count = 1;
  for (size_t d = 0; d + 2 < shape.size(); ++d) count *= static_cast<size_t>(shape[d]);
  return count;
}

double Greatest(const Grid& grid) {
  double greatest = 0;
  for (const Refs& row : grid) {
    for (Ref a : row) greatest = std::fmax(greatest, a->run.Magnitude());
  }
  return greatest;
}

// The run is that of libraries that come to the number on another way, on which they round also
// where it is one that they can hold.
Ref Widened(Arithmetic& math, Ref a, double by) {
  Element out = *a;
  out.run.Widen(by);
  return math.Keep(std::move(out));
}

bool IsRegular(const Real& a) { return a.IsPositive() || a.IsNegative(); }

// Of [a, 1] by elimination.
Grid Inverted(Arithmetic& math, Grid a, DType type) {
  const size_t n = a.size();
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) a[i].push_back(math.Point(i == j ? 1 : 0));
  }
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = n;
    for (size_t i = k; i < n; ++i) {
      if (!IsRegular(a[i][k]->value) || !IsRegular(a[i][k]->run)) continue;
      const bool greater =
          pivot == n || std::fabs(a[i][k]->value.Middle()) > std::fabs(a[pivot][k]->value.Middle());
      if (greater) pivot = i;
    }
    if (pivot == n) throw NotApplicable{Refusal::kDomain};
    std::swap(a[k], a[pivot]);
    for (size_t j = k + 1; j < 2 * n; ++j) a[k][j] = math.Divide(a[k][j], a[k][k], type, kInSteps);
    for (size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      for (size_t j = k + 1; j < 2 * n; ++j) {
        Ref product = math.Multiply(a[i][k], a[k][j], type, kInSteps);
        a[i][j] = math.Subtract(a[i][j], product, type, kInSteps);
      }
    }
  }
  for (Refs& row : a) row.erase(row.begin(), row.begin() + static_cast<int64_t>(n));
  return a;
}

// Of each set of columns the minor of as many first rows.
Ref Determinant(Arithmetic& math, const Grid& a, DType type) {
  const size_t n = a.size(), sets = size_t{1} << n;
  Refs minors(sets, math.Point(1));
  for (size_t set = 1; set < sets; ++set) {
    const auto row = static_cast<size_t>(std::popcount(set)) - 1;
    Refs terms;
    size_t before = row;
    for (size_t j = 0; j < n; ++j) {
      if ((set >> j & 1) == 0) continue;
      Ref product = math.Multiply(a[row][j], minors[set ^ (size_t{1} << j)], type, kInSteps);
      terms.push_back(before++ % 2 == 0 ? product : math.Negate(product, type));
    }
    minors[set] = math.Sum(terms, type, 1, kInSteps);
  }
  return minors.back();
}

// How far a determinant may be off where each element is off by roundings of the greatest.
double DeterminantError(const Grid& a, DType type) {
  const auto n = static_cast<double>(a.size());
  const double change = 4 * n * Unit(type) * Greatest(a);
  double exact = 1, changed = 1;  // products of the sums of rows
  for (const Refs& row : a) {
    double sum = 0;
    for (Ref element : row) sum += element->run.Magnitude();
    changed = changed * (sum + n * change) + exact * n * change;
    exact *= sum;
  }
  return a.size() < 2 ? 0 : 2 * (changed - exact) + n * n * Unit(type) * exact;
}

// a / b, for which libraries may multiply by 1 / b.
Ref Quotient(Arithmetic& math, Ref a, Ref b, DType type) {
  Ref quotient = math.Divide(a, b, type);
  if (IsRepresentable(Real(1.0) / b->run, FormatOf(type))) return quotient;
  return Widened(math, quotient, 4 * Unit(type) * quotient->run.Magnitude());
}

// start less the sum of products.
Ref Rest(Arithmetic& math, Ref start, const std::vector<std::pair<Ref, Ref>>& products,
         DType type) {
  std::vector<std::pair<Ref, Ref>> negative;
  for (const auto& [a, b] : products) negative.emplace_back(math.Negate(a, type), b);
  return math.SumOfProducts(negative, start, type);
}

Grid Solution(Arithmetic& math, const Grid& a, Grid b, bool upper, DType type) {
  const size_t n = a.size();
  for (size_t step = 0; step < n; ++step) {
    const size_t i = upper ? n - 1 - step : step;
    for (size_t c = 0; c < b[i].size(); ++c) {
      std::vector<std::pair<Ref, Ref>> products;
      for (size_t before = 0; before < step; ++before) {
        const size_t j = upper ? n - 1 - before : before;
        products.emplace_back(a[i][j], b[j][c]);
      }
      b[i][c] = Quotient(math, Rest(math, b[i][c], products, type), a[i][i], type);
    }
  }
  return b;
}

Grid Factor(Arithmetic& math, const Grid& a, DType type) {
  const size_t n = a.size();
  Grid l(n, Refs(n, math.Point(0)));
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = j; i < n; ++i) {
      std::vector<std::pair<Ref, Ref>> products;
      for (size_t k = 0; k < j; ++k) products.emplace_back(l[i][k], l[j][k]);
      Ref rest = Rest(math, a[i][j], products, type);
      if (i > j) {
        l[i][j] = Quotient(math, rest, l[j][j], type);
        continue;
      }
      const bool positive = rest->value.IsPositive() && rest->run.IsPositive();
      if (!positive) throw NotApplicable{Refusal::kDomain};
      l[j][j] = math.Apply(Function::kSqrt, rest, type, 1);
    }
  }
  return l;
}

}  // namespace

void Evaluation::OfSquares() {
  for (size_t k = 0; k < CountOfMatrices(in_[0].shape); ++k) {
    const Grid a = GridOf(in_[0], k);
    const auto n = static_cast<double>(a.size());
    if (a.size() > kMostRows) throw NotApplicable{Refusal::kTooLarge};
    Grid result;
    if (op_ == Opcode::kDet) {
      Ref det = Widened(math_, Determinant(math_, a, type()), DeterminantError(a, type()));
      result = {{math_.Rounded(det, type(), 1)}};
    } else if (op_ == Opcode::kInverse) {
      result = Inverted(math_, a, type());
      const double size = Greatest(result);
      const double by = 4 * n * n * n * Unit(type()) * size * size * Greatest(a);
      for (Refs& row : result) {
        for (Ref& x : row) x = math_.Rounded(Widened(math_, x, a.size() < 2 ? 0 : by), type(), 1);
      }
    } else if (op_ == Opcode::kCholesky) {
      result = Factor(math_, a, type());
    } else {
      result = Solution(math_, a, GridOf(in_[1], k), statement_.Get<bool>(Key::kUpper), type());
    }
    for (const Refs& row : result) {
      for (Ref element : row) Put(element);
    }
  }
}

}  // namespace twingrad::reference::ball

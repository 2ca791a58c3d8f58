#include "proptests/conformance/hull.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace twingrad::conformance {
namespace {

// Of the arithmetic here, relative to the numbers of a row.
constexpr double kRounding = 1e-9;

// Phase one of the simplex method, with Bland's rule: whether rows * x = right has a solution x >=
// 0. The right side has no negative entry.
class Feasibility {
 public:
  Feasibility(std::vector<std::vector<double>> rows, std::vector<double> right)
      : rows_(std::move(rows)), right_(std::move(right)), basis_(rows_.size(), kArtificial) {
    columns_ = rows_.empty() ? 0 : rows_[0].size();
  }

  // The least that artificial variables must make up for.
  double Shortfall() {
    // Bland's rule ends; the limit is for rounding.
    for (int step = 0; step < 5000; ++step) {
      const size_t enters = Entering();
      if (enters == columns_) break;
      const size_t leaves = Leaving(enters);
      if (leaves == rows_.size()) break;
      Pivot(leaves, enters);
    }
    double sum = 0;
    for (size_t r = 0; r < rows_.size(); ++r) sum += basis_[r] == kArtificial ? right_[r] : 0;
    return sum;
  }

 private:
  static constexpr size_t kArtificial = static_cast<size_t>(-1);

  // The first column that lessens the artificial variables.
  size_t Entering() const {
    for (size_t c = 0; c < columns_; ++c) {
      double gain = 0;
      for (size_t r = 0; r < rows_.size(); ++r) gain += basis_[r] == kArtificial ? rows_[r][c] : 0;
      if (gain > kRounding) return c;
    }
    return columns_;
  }

  size_t Leaving(size_t enters) const {
    size_t best = rows_.size();
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r][enters] <= kRounding) continue;
      if (best == rows_.size()) {
        best = r;
        continue;
      }
      const double ratio = right_[r] / rows_[r][enters];
      const double least = right_[best] / rows_[best][enters];
      if (ratio < least || (ratio == least && basis_[r] + 1 < basis_[best] + 1)) best = r;
    }
    return best;
  }

  void Pivot(size_t leaves, size_t enters) {
    const double pivot = rows_[leaves][enters];
    for (double& x : rows_[leaves]) x /= pivot;
    right_[leaves] /= pivot;
    for (size_t r = 0; r < rows_.size(); ++r) {
      const double factor = rows_[r][enters];
      if (r == leaves || factor == 0) continue;
      for (size_t c = 0; c < columns_; ++c) rows_[r][c] -= factor * rows_[leaves][c];
      right_[r] = std::max(0.0, right_[r] - factor * right_[leaves]);
    }
    basis_[leaves] = enters;
  }

  std::vector<std::vector<double>> rows_;
  std::vector<double> right_;
  std::vector<size_t> basis_;  // by row
  size_t columns_ = 0;
};

}  // namespace

bool IsWithinHull(const std::vector<std::vector<double>>& vertices,
                  const std::vector<double>& point, const std::vector<double>& tolerance) {
  if (vertices.empty()) return false;
  const size_t count = vertices.size(), bounds = 2 * point.size();
  std::vector<std::vector<double>> rows;
  std::vector<double> right;
  // sum of weights * x <= point + tolerance, and >= point - tolerance, each with a slack of its
  // own.
  for (size_t i = 0; i < point.size(); ++i) {
    double size = std::max(std::fabs(point[i]), tolerance[i]);
    for (const auto& vertex : vertices) size = std::max(size, std::fabs(vertex[i]));
    if (size == 0) continue;
    for (const double side : {1.0, -1.0}) {
      double limit = (side * point[i] + tolerance[i]) / size + kRounding;
      std::vector<double> row(count + bounds, 0);
      for (size_t v = 0; v < count; ++v) row[v] = side * vertices[v][i] / size;
      row[count + 2 * i + (side < 0 ? 1 : 0)] = 1;
      if (limit < 0) {
        limit = -limit;
        for (double& x : row) x = -x;
      }
      rows.push_back(std::move(row));
      right.push_back(limit);
    }
  }
  std::vector<double> ones(count + bounds, 0);
  std::fill_n(ones.begin(), count, 1.0);
  rows.push_back(std::move(ones));
  right.push_back(1);
  return Feasibility(std::move(rows), std::move(right)).Shortfall() < 1e-7;
}

}  // namespace twingrad::conformance

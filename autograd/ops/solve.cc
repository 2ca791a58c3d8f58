#include "autograd/ops/solve.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/graph/saved_variable.h"
#include "autograd/graph/thread_state.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/linear_algebra.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/kernels.h"

namespace twingrad::ops {
namespace {

constexpr int64_t kFewRows = 8;  // of which cofactors are always smaller determinants

int64_t RowsOf(const Tensor& a) { return a.sizes()[a.sizes().size() - 2]; }

// As one stack of matrices: products take no more than two dimensions before them.
Shape Stacked(const Tensor& a) {
  const Ints sizes = a.sizes();
  Shape shape = {1, sizes[sizes.size() - 2], sizes[sizes.size() - 1]};
  for (size_t d = 0; d + 2 < sizes.size(); ++d) shape[0] *= sizes[d];
  return shape;
}
Tensor AsStack(const Tensor& a) { return ReshapeTo(a, Stacked(a)); }

// A number a matrix, beside matrices.
Tensor Beside(const Tensor& numbers) {
  Shape shape = SizesOf(numbers);
  shape.push_back(1);
  shape.push_back(1);
  return ReshapeTo(numbers, shape);
}

template <typename T>
Tensor OnHost(const Tensor& like, Ints shape, const std::vector<T>& elements) {
  return kernels::MovedTo(Tensor::FromData<T>(shape, elements, kernels::HostSide(like.device())),
                          like.device());
}

// [n,n] of what `of` says of row and column, in a's type.
template <typename Function>
Tensor Weights(const Tensor& a, Function of) {
  const int64_t n = RowsOf(a);
  std::vector<double> elements;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) elements.push_back(of(i, j));
  }
  return kernels::Cast(OnHost(a, {n, n}, elements), a.dtype());
}

// Of each place (i, j) of an n x n matrix where the elements outside row i and column j stand.
std::vector<int64_t> PlacesOfMinors(int64_t n) {
  std::vector<int64_t> places;
  for (int64_t place = 0; place < n * n; ++place) {
    for (int64_t other = 0; other < n * n; ++other) {
      if (other / n != place / n && other % n != place % n) places.push_back(other);
    }
  }
  return places;
}

// The determinants of what is left without a row and a column, with the signs of a chessboard.
Tensor Minors(const Tensor& a) {
  const int64_t n = RowsOf(a), count = Stacked(a)[0];
  const std::vector<int64_t> places = PlacesOfMinors(n);
  const Tensor index = OnHost(a, {static_cast<int64_t>(places.size())}, places);
  const Tensor parts = IndexSelect(ReshapeTo(a, {count, n * n}), 1, index);
  const Tensor minors = Det(ReshapeTo(parts, {count * n * n, n - 1, n - 1}));
  const Tensor signs =
      Weights(a, [](int64_t i, int64_t j) { return (i + j) % 2 == 0 ? 1.0 : -1.0; });
  return Mul(ReshapeTo(minors, SizesOf(a)), signs);
}

// The derivative of the determinant by each element.
Tensor Cofactors(const Tensor& a) {
  const bool are_many = RowsOf(a) > kFewRows;
  if (are_many && !ShouldRecord(a)) return kernels::Cofactors(a);
  const bool divides = are_many && kernels::AreWellConditioned(a);
  return divides ? Mul(Beside(Det(a)), TransposeLast(Inverse(a))) : Minors(a);
}

Tensor OfDet(const Tensor& g, const Tensor& a) {
  if (RowsOf(a) > 1) return Mul(Beside(g), Cofactors(a));
  // Its element, or nothing: a constant 1 for each.
  return Mul(Beside(g), Tensor::Ones(a.sizes(), a.dtype(), a.device()));
}

Tensor OfInverse(const Tensor& g, const Tensor& x) {
  const Tensor across = TransposeLast(AsStack(x));
  return ReshapeTo(Neg(Matmul(Matmul(across, AsStack(g)), across)), SizesOf(x));
}

// The lower triangle, and of the diagonal a half.
Tensor HalfOf(const Tensor& a) {
  return Mul(Tril(a, 0), Weights(a, [](int64_t i, int64_t j) { return i == j ? 0.5 : 1.0; }));
}

Tensor OfCholesky(const Tensor& gradient, const Tensor& result) {
  const Tensor l = AsStack(result), g = Tril(AsStack(gradient), 0), across = TransposeLast(l);
  const Tensor p = HalfOf(Matmul(across, g));
  const Tensor left = SolveTriangular(across, Add(p, TransposeLast(p)), /*upper=*/true);
  const Tensor both = SolveTriangular(across, TransposeLast(left), /*upper=*/true);
  return ReshapeTo(HalfOf(both), SizesOf(result));
}

class SolveTriangularNode final : public Node {
 public:
  SolveTriangularNode(const Tensor& a, bool upper, Edge edge_a, Edge edge_b)
      : upper_(upper), a_(a, /*is_output=*/false) {
    AddNextEdge(std::move(edge_a));
    AddNextEdge(std::move(edge_b));
  }

  VariableList Apply(VariableList&& gradients) override {
    Tensor a = a_.Unpack(this), x = x_.Unpack(this);
    VariableList results(2);
    if (!gradients[0].defined()) return results;
    const DType dtype = gradients[0].dtype();
    if (IsShort(dtype)) {
      for (Tensor* tensor : {&gradients[0], &a, &x}) Widen(*tensor);
    }
    const auto of_b = [&] { return SolveTriangular(TransposeLast(a), gradients[0], !upper_); };
    if (TaskShouldComputeOutput(1)) results[1] = of_b();
    if (TaskShouldComputeOutput(0)) {
      // With history each result has nodes of its own, which may be released one by one.
      const bool shares = results[1].defined() && !GradMode::IsEnabled();
      const Tensor h = shares ? results[1] : of_b();
      const Tensor product = Neg(Matmul(AsStack(h), TransposeLast(AsStack(x))));
      results[0] = ReshapeTo(upper_ ? Triu(product, 0) : Tril(product, 0), SizesOf(a));
    }
    if (IsShort(dtype)) NarrowAll(results, dtype);
    return results;
  }
  void ReleaseVariables() override {
    a_.Reset();
    x_.Reset();
  }
  std::vector<SavedVariable*> SavedVariables() override { return {&a_, &x_}; }
  std::string_view name() const override { return "SolveTriangularBackward"; }
  void SaveResult(const Tensor& x) { x_ = SavedVariable(x, /*is_output=*/true); }

 private:
  const bool upper_;
  SavedVariable a_, x_;
};

}  // namespace

Tensor Inverse(const Tensor& a) {
  CheckDefined("inverse", a);
  Tensor result = kernels::Inverse(a);
  if (ShouldRecord(a)) {
    Record<1>("InverseBackward", result, a, [](const Tensor& g, const Tensor* saved) {
      return OfInverse(g, saved[0]);
    })->SaveResult(result);
  }
  return result;
}

Tensor Det(const Tensor& a) {
  CheckDefined("det", a);
  Tensor result = kernels::Det(a);
  if (ShouldRecord(a)) {
    Record<1>("DetBackward", result, a, [](const Tensor& g, const Tensor* saved) {
      return OfDet(g, saved[0]);
    })->Save(a);
  }
  return result;
}

Tensor SolveTriangular(const Tensor& a, const Tensor& b, bool upper) {
  CheckDefined("solve_triangular", a, b);
  Tensor result = kernels::SolveTriangular(a, b, upper);
  if (ShouldRecord(a, b)) {
    Edge edge_a = GradientEdge(a);
    Edge edge_b = GradientEdge(b);
    auto node = MakeNode<SolveTriangularNode>(a, upper, std::move(edge_a), std::move(edge_b));
    SolveTriangularNode* const made = node.get();
    RecordQuietly(std::move(node), result);
    made->SaveResult(result);
    AnnounceNode(*made);
  }
  return result;
}

Tensor Cholesky(const Tensor& a) {
  CheckDefined("cholesky", a);
  Tensor result = kernels::Cholesky(a);
  if (ShouldRecord(a)) {
    Record<1>("CholeskyBackward", result, a, [](const Tensor& g, const Tensor* saved) {
      return OfCholesky(g, saved[0]);
    })->SaveResult(result);
  }
  return result;
}

}  // namespace twingrad::ops

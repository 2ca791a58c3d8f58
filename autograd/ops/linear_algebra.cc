#include "autograd/ops/linear_algebra.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/matmul.h"

namespace twingrad::ops {
namespace {

// The shape with which a vector takes part: a row on the left, a column on the right.
Shape MatrixShape(const Tensor& t, bool left) {
  Shape shape = SizesOf(t);
  if (shape.size() == 1) shape.insert(left ? shape.begin() : shape.end(), 1);
  return shape;
}

// Both gradients are products of matrices, so vectors are given their second dimension first:
// gradient of a = gradient x b', of b = a' x gradient, each summed over broadcast batches.
class MatmulNode final : public Node {
 public:
  MatmulNode(const Tensor& a, const Tensor& b, Edge edge_a, Edge edge_b)
      : shape_a_(SizesOf(a)),
        shape_b_(SizesOf(b)),
        matrix_a_(MatrixShape(a, true)),
        matrix_b_(MatrixShape(b, false)) {
    if (edge_b.is_valid()) a_ = SavedVariable(a, /*is_output=*/false);
    if (edge_a.is_valid()) b_ = SavedVariable(b, /*is_output=*/false);
    AddNextEdge(std::move(edge_a));
    AddNextEdge(std::move(edge_b));
  }

  VariableList Apply(VariableList&& gradients) override {
    const Tensor a = a_.Unpack(this), b = b_.Unpack(this);
    VariableList results(2);
    if (!gradients[0].defined()) return results;
    const Tensor gradient = AsMatrices(gradients[0]);
    if (TaskShouldComputeOutput(0)) {
      const Tensor product = Matmul(gradient, TransposeLast(ReshapeTo(b, matrix_b_)));
      results[0] = ReshapeTo(SumTo(product, matrix_a_), shape_a_);
    }
    if (TaskShouldComputeOutput(1)) {
      const Tensor product = Matmul(TransposeLast(ReshapeTo(a, matrix_a_)), gradient);
      results[1] = ReshapeTo(SumTo(product, matrix_b_), shape_b_);
    }
    return results;
  }
  void ReleaseVariables() override {
    a_.Reset();
    b_.Reset();
  }
  std::vector<SavedVariable*> SavedVariables() override { return {&a_, &b_}; }
  std::string_view name() const override { return "MatmulBackward"; }

 private:
  // The gradient with the dimensions that vectors took out of the result put back.
  Tensor AsMatrices(const Tensor& gradient) const {
    Shape shape = SizesOf(gradient);
    if (shape_b_.size() == 1) shape.push_back(1);
    if (shape_a_.size() == 1) shape.insert(shape.end() - 1, 1);
    return ReshapeTo(gradient, shape);
  }

  Shape shape_a_, shape_b_;
  Shape matrix_a_, matrix_b_;
  SavedVariable a_, b_;
};

void CheckRank(const char* op, int64_t rank, const Tensor& a, const Tensor& b) {
  CheckDefined(op, a, b);
  const bool fits =
      a.dim() == rank && b.dim() == rank && (rank < 3 || a.sizes()[0] == b.sizes()[0]);
  if (fits) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] shapes ", ShapeToString(a.sizes()), " and ",
                           ShapeToString(b.sizes()), "; both must have rank ", rank,
                           rank == 3 ? " and hold as many matrices" : ""));
}

// A vector as a matrix of one column.
Tensor AsColumn(const Tensor& vector) {
  return vector.AsStrided({vector.sizes()[0], 1}, {vector.strides()[0], 1},
                          vector.storage_offset());
}

}  // namespace

Tensor Dot(const Tensor& a, const Tensor& b) {
  CheckRank("dot", 1, a, b);
  return Matmul(a, b);
}

Tensor Bmm(const Tensor& a, const Tensor& b) {
  CheckRank("bmm", 3, a, b);
  return Matmul(a, b);
}

Tensor Outer(const Tensor& a, const Tensor& b) {
  CheckRank("outer", 1, a, b);
  Tensor result = kernels::Mul(AsColumn(a), b);
  if (ShouldRecord(a, b)) {
    const Tensor none;
    Record<2>("OuterBackward", result, {&a, &b},
              [](size_t k, const Tensor& g, const Tensor* saved) {
                return k == 0 ? Matmul(g, saved[1]) : Matmul(saved[0], g);
              })
        ->Save(RequiresGrad(b) ? a : none)
        ->Save(RequiresGrad(a) ? b : none);
  }
  return result;
}

Tensor Addmm(const Tensor& a, const Tensor& b, const Tensor& c) {
  CheckDefined("addmm", a, b, c);
  kernels::CheckSameKind("addmm", a, b);
  const Tensor product = kernels::Matmul(b, c);
  if (b.dim() != 2 || c.dim() != 2 || !kernels::BroadcastsTo(a.sizes(), product.sizes())) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[addmm] shapes ", ShapeToString(a.sizes()), ", ",
                             ShapeToString(b.sizes()), " and ", ShapeToString(c.sizes()),
                             "; the last two must be matrices, the first must broadcast to their "
                             "product"));
  }
  Tensor result = kernels::Add(product, a);
  if (ShouldRecord(a, b, c)) {
    const auto derivative = [sizes = SizesOf(a)](size_t k, const Tensor& g, const Tensor* saved) {
      if (k == 0) return SumTo(g, sizes);
      return k == 1 ? Matmul(g, TransposeLast(saved[1])) : Matmul(TransposeLast(saved[0]), g);
    };
    // Each factor for the gradient of the other.
    const Tensor none;
    Record<2>("AddmmBackward", result, {&a, &b, &c}, derivative)
        ->Save(RequiresGrad(c) ? b : none)
        ->Save(RequiresGrad(b) ? c : none);
  }
  return result;
}

Tensor Matmul(const Tensor& a, const Tensor& b) {
  CheckDefined("matmul", a, b);
  Tensor result = kernels::Matmul(a, b);
  if (ShouldRecord(a, b)) {
    Edge edge_a = GradientEdge(a);
    Edge edge_b = GradientEdge(b);
    RecordNode(MakeNode<MatmulNode>(a, b, std::move(edge_a), std::move(edge_b)), result);
  }
  return result;
}

}  // namespace twingrad::ops

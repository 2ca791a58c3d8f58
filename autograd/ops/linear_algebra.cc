#include "autograd/ops/linear_algebra.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/rule_node.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/matmul.h"

namespace twingrad::ops {
namespace {

// The shape with which a vector takes part: a row on the left, a column on the right.
Shape MatrixShape(const Tensor& t, bool left) {
  Shape shape(t.sizes().begin(), t.sizes().end());
  if (shape.size() == 1) shape.insert(left ? shape.begin() : shape.end(), 1);
  return shape;
}

// Both gradients are products of matrices, so vectors are given their second dimension first:
// gradient of a = gradient x b', of b = a' x gradient, each summed over broadcast batches.
class MatmulNode final : public Node {
 public:
  MatmulNode(const Tensor& a, const Tensor& b, Edge edge_a, Edge edge_b)
      : shape_a_(a.sizes().begin(), a.sizes().end()),
        shape_b_(b.sizes().begin(), b.sizes().end()),
        matrix_a_(MatrixShape(a, true)),
        matrix_b_(MatrixShape(b, false)) {
    saves_a_ = edge_b.is_valid();
    saves_b_ = edge_a.is_valid();
    if (saves_a_) a_ = SavedVariable(a, /*is_output=*/false);
    if (saves_b_) b_ = SavedVariable(b, /*is_output=*/false);
    AddNextEdge(std::move(edge_a));
    AddNextEdge(std::move(edge_b));
  }

  VariableList Apply(VariableList&& gradients) override {
    const Tensor a = saves_a_ ? a_.Unpack(this) : Tensor();
    const Tensor b = saves_b_ ? b_.Unpack(this) : Tensor();
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
  std::string_view name() const override { return "MatmulBackward"; }

 private:
  // The gradient with the dimensions that vectors took out of the result put back.
  Tensor AsMatrices(const Tensor& gradient) const {
    Shape shape(gradient.sizes().begin(), gradient.sizes().end());
    if (shape_b_.size() == 1) shape.push_back(1);
    if (shape_a_.size() == 1) shape.insert(shape.end() - 1, 1);
    return ReshapeTo(gradient, shape);
  }

  Shape shape_a_, shape_b_;
  Shape matrix_a_, matrix_b_;
  bool saves_a_ = false, saves_b_ = false;
  SavedVariable a_, b_;
};

// Of a + b c; saved: what the factors' gradients need, c first.
struct AddmmRule {
  Shape sizes;  // of a
  bool saves_c;

  std::string_view name() const { return "AddmmBackward"; }
  Tensor Derivative(size_t operand, const Tensor& gradient, const Tensor* saved) const {
    if (operand == 0) return SumTo(gradient, sizes);
    if (operand == 1) return Matmul(gradient, TransposeLast(saved[0]));
    return Matmul(TransposeLast(saved[saves_c ? 1 : 0]), gradient);
  }
};

}  // namespace

Tensor Addmm(const Tensor& a, const Tensor& b, const Tensor& c) {
  for (const Tensor* operand : {&a, &b, &c}) CheckDefined("addmm", *operand);
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
    const bool saves_c = RequiresGrad(b), saves_b = RequiresGrad(c);
    const auto node =
        Record(AddmmRule{Shape(a.sizes().begin(), a.sizes().end()), saves_c}, result, {&a, &b, &c});
    if (saves_c) node->Save(c);
    if (saves_b) node->Save(b);
  }
  return result;
}

Tensor Matmul(const Tensor& a, const Tensor& b) {
  CheckDefined("matmul", a);
  CheckDefined("matmul", b);
  Tensor result = kernels::Matmul(a, b);
  if (ShouldRecord(a, b)) {
    Edge edge_a = GradientEdge(a);
    Edge edge_b = GradientEdge(b);
    SetHistory(result, MakeNode<MatmulNode>(a, b, std::move(edge_a), std::move(edge_b)));
  }
  return result;
}

}  // namespace twingrad::ops

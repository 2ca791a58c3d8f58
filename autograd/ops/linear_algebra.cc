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
#include "autograd/tensor/kernels/reduce.h"

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
    Tensor a = a_.Unpack(this), b = b_.Unpack(this);
    VariableList results(2);
    if (!gradients[0].defined()) return results;
    const DType dtype = gradients[0].dtype();
    if (IsShort(dtype)) [[unlikely]] {
      for (Tensor* tensor : {&gradients[0], &a, &b}) Widen(*tensor);
    }
    const Tensor gradient = AsMatrices(gradients[0]);
    if (TaskShouldComputeOutput(0)) {
      const Tensor product = Matmul(gradient, TransposeLast(ReshapeTo(b, matrix_b_)));
      results[0] = ReshapeTo(SumTo(product, matrix_a_), shape_a_);
    }
    if (TaskShouldComputeOutput(1)) {
      const Tensor product = Matmul(TransposeLast(ReshapeTo(a, matrix_a_)), gradient);
      results[1] = ReshapeTo(SumTo(product, matrix_b_), shape_b_);
    }
    if (IsShort(dtype)) [[unlikely]]
      NarrowAll(results, dtype);
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

void CheckFactors(const char* op, const Tensor& a, const Tensor& b, const Tensor& c, int64_t rank_b,
                  int64_t rank_c) {
  CheckDefined(op, a, b, c);
  kernels::CheckSameKind(op, a, b);
  const bool fits =
      b.dim() == rank_b && c.dim() == rank_c && (rank_b < 3 || b.sizes()[0] == c.sizes()[0]);
  if (fits) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] factors of shapes ", ShapeToString(b.sizes()), " and ",
                           ShapeToString(c.sizes()), "; their ranks must be ", rank_b, " and ",
                           rank_c, rank_b == 3 ? ", of as many matrices" : ""));
}

// a + product, which is one of b and c; of_b and of_c give their gradients from that of the
// product and the other factor.
using OfFactor = Tensor (*)(const Tensor& g, const Tensor& other);
Tensor AddProduct(const char* op, const char* node_name, const Tensor& a, const Tensor& b,
                  const Tensor& c, const Tensor& product, OfFactor of_b, OfFactor of_c) {
  if (!kernels::BroadcastsTo(a.sizes(), product.sizes())) {
    throw Error(ErrorKind::kShape, absl::StrCat("[", op, "] shape ", ShapeToString(a.sizes()),
                                                "; it must broadcast to the product's, ",
                                                ShapeToString(product.sizes())));
  }
  Tensor result = kernels::Add(product, a);
  if (ShouldRecord(a, b, c)) {
    const Tensor none;
    Record<2>(node_name, result, {&a, &b, &c},
              [sizes = SizesOf(a), of_b, of_c](size_t k, const Tensor& g, const Tensor* saved) {
                if (k == 0) return SumTo(g, sizes);
                return k == 1 ? of_b(g, saved[1]) : of_c(g, saved[0]);
              })
        ->Save(RequiresGrad(c) ? b : none)
        ->Save(RequiresGrad(b) ? c : none);
  }
  return result;
}

// Of matrices, and stacks of them; a gradient of one matrix is that of each in the stack.
Tensor OfLeft(const Tensor& g, const Tensor& right) { return Matmul(g, TransposeLast(right)); }
Tensor OfRight(const Tensor& g, const Tensor& left) { return Matmul(TransposeLast(left), g); }

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
  CheckFactors("addmm", a, b, c, 2, 2);
  return AddProduct("addmm", "AddmmBackward", a, b, c, kernels::Matmul(b, c), OfLeft, OfRight);
}

Tensor Addmv(const Tensor& a, const Tensor& b, const Tensor& c) {
  CheckFactors("addmv", a, b, c, 2, 1);
  return AddProduct("addmv", "AddmvBackward", a, b, c, kernels::Matmul(b, c), Outer, OfRight);
}

Tensor Addr(const Tensor& a, const Tensor& b, const Tensor& c) {
  CheckFactors("addr", a, b, c, 1, 1);
  return AddProduct("addr", "AddrBackward", a, b, c, kernels::Mul(AsColumn(b), c), Matmul,
                    [](const Tensor& g, const Tensor& left) { return Matmul(left, g); });
}

Tensor Baddbmm(const Tensor& a, const Tensor& b, const Tensor& c) {
  CheckFactors("baddbmm", a, b, c, 3, 3);
  return AddProduct("baddbmm", "BaddbmmBackward", a, b, c, kernels::Matmul(b, c), OfLeft, OfRight);
}

Tensor Addbmm(const Tensor& a, const Tensor& b, const Tensor& c) {
  CheckFactors("addbmm", a, b, c, 3, 3);
  const Tensor product = kernels::Sum(kernels::Matmul(b, c), {0}, /*keepdim=*/false);
  return AddProduct("addbmm", "AddbmmBackward", a, b, c, product, OfLeft, OfRight);
}

Tensor Linear(const Tensor& a, const Tensor& weight, const Tensor& bias) {
  CheckDefined("linear", a, weight);
  kernels::CheckSameKind("linear", a, weight);
  if (bias.defined()) kernels::CheckSameKind("linear", a, bias);
  const bool fits = weight.dim() == 2 && a.dim() >= 1 &&
                    a.sizes()[a.sizes().size() - 1] == weight.sizes()[1] &&
                    (!bias.defined() || bias.sizes() == Ints(weight.sizes()).first(1));
  if (!fits) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[linear] shapes ", ShapeToString(a.sizes()), ", ",
                             ShapeToString(weight.sizes()), " and ",
                             bias.defined() ? ShapeToString(bias.sizes()) : "none",
                             "; of [..,I], [O,I] and [O] it goes"));
  }
  Shape rows = {1, a.sizes()[a.sizes().size() - 1]}, sizes = SizesOf(a);
  for (size_t d = 0; d + 1 < sizes.size(); ++d) rows[0] *= sizes[d];
  Tensor result = kernels::Matmul(ReshapeTo(a.Detach(), rows), TransposeLast(weight.Detach()));
  if (bias.defined()) result = kernels::Add(result, bias);
  const Shape products = SizesOf(result);
  Shape shape = sizes;
  shape.back() = weight.sizes()[0];
  result = WithShape(result, shape);
  const bool records = bias.defined() ? ShouldRecord(a, weight, bias) : ShouldRecord(a, weight);
  if (!records) return result;
  const Tensor none;
  const Tensor* const operands[] = {&a, &weight, &bias};
  Record<2>("LinearBackward", result,
            Span<const Tensor* const>(operands).first(bias.defined() ? 3 : 2),
            [rows, sizes, products](size_t k, const Tensor& gradient, const Tensor* saved) {
              const Tensor g = ReshapeTo(gradient, products);
              if (k == 0) return ReshapeTo(Matmul(g, saved[1]), sizes);
              if (k == 1) return Matmul(TransposeLast(g), ReshapeTo(saved[0], rows));
              return SumTo(g, {products[1]});
            })
      ->Save(RequiresGrad(weight) ? a : none)
      ->Save(RequiresGrad(a) ? weight : none);
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

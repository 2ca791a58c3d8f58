#include "autograd/ops/einsum.h"

#include <cstddef>
#include <cstdint>

#include "autograd/ops/broadcast.h"
#include "autograd/ops/equation.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/matmul.h"
#include "autograd/tensor/kernels/reduce.h"

namespace twingrad::ops {
namespace {

using Operands = Span<const Tensor* const>;

// Where elements lie that have these labels, in a tensor whose labels may occur twice.
Geometry Diagonals(const Tensor& a, const std::string& labels, const std::string& shown) {
  Geometry geometry{Shape(shown.size(), 1), Shape(shown.size(), 0), a.storage_offset()};
  for (size_t d = 0; d < labels.size(); ++d) {
    const size_t at = shown.find(labels[d]);
    geometry.sizes[at] = a.sizes()[d];
    geometry.strides[at] += a.strides()[d];
  }
  return geometry;
}

// a with the labels `shown`, summed over the others of `labels`; row-major, without history.
Tensor SummedTo(const Tensor& a, const std::string& labels, const std::string& shown) {
  const std::string summed = Among(labels, shown, /*among=*/false);
  const Tensor all = Alias(a, Diagonals(a, labels, shown + summed));
  if (summed.empty()) return kernels::Contiguous(all);
  Shape dims;
  for (size_t d = 0; d < summed.size(); ++d) dims.push_back(static_cast<int64_t>(shown.size() + d));
  return kernels::Sum(all, dims, /*keepdim=*/false);
}

int64_t CountOf(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

// As the product of stacks of matrices: of [both][left][inner] by [both][inner][right].
Tensor Product(const Equation& equation, const Tensor& a, const Tensor& b) {
  const std::string &of_a = equation.inputs[0], &of_b = equation.inputs[1], &to = equation.output;
  const std::string common = Among(of_a, of_b);
  const std::string both = Among(common, to), inner = Among(common, to, false);
  const std::string left = Among(Among(of_a, of_b, false), to);
  const std::string right = Among(Among(of_b, of_a, false), to);
  const auto count = [&](const std::string& labels) { return CountOf(equation.ShapeOf(labels)); };
  const Tensor rows =
      WithShape(SummedTo(a, of_a, both + left + inner), {count(both), count(left), count(inner)});
  const Tensor columns =
      WithShape(SummedTo(b, of_b, both + inner + right), {count(both), count(inner), count(right)});
  const std::string order = both + left + right;
  const Tensor product = WithShape(kernels::Matmul(rows, columns), equation.ShapeOf(order));
  return order == to ? product : SummedTo(product, order, to);
}

Tensor Values(const Equation& equation, Operands operands) {
  if (operands.size() == 1) {
    const Tensor& a = *operands[0];
    const Tensor values = SummedTo(a, equation.inputs[0], equation.output);
    return values.HasSameStorage(a) ? kernels::Clone(values) : values;
  }
  kernels::CheckSameKind("einsum", *operands[0], *operands[1]);
  return Product(equation, *operands[0], *operands[1]);
}

Tensor Contract(Operands operands, Equation equation);

// The gradient of operand k: of what it shares with the others it is an einsum too; it is the same
// along labels of its own, and 0 beside a diagonal.
Tensor Derivative(const Equation& equation, size_t k, const Tensor& g, const Tensor* saved) {
  const std::string& labels = equation.inputs[k];
  const bool alone = equation.inputs.size() == 1;
  const std::string other = alone ? "" : equation.inputs[1 - k];
  const std::string kept = Among(labels, equation.output + other), distinct = Distinct(labels);
  const Tensor part =
      alone ? Contract({&g}, {{equation.output}, kept, equation.sizes})
            : Contract({&g, &saved[1 - k]}, {{equation.output, other}, kept, equation.sizes});
  Shape beside;  // kept labels in the order of the operand's, and 1 for the others
  for (const char c : distinct) {
    beside.push_back(Has(kept, c) ? equation.sizes.at(c) : 1);
  }
  const Tensor all = ExpandTo(ReshapeTo(part, beside), equation.ShapeOf(distinct));
  if (distinct.size() == labels.size()) return all;
  return EmbedPlaces(all, equation.ShapeOf(labels), [labels, distinct](const Tensor& whole) {
    return Diagonals(whole, labels, distinct);
  });
}

// Of one operand or two, as one node.
Tensor Contract(Operands operands, Equation equation) {
  Tensor result = Values(equation, operands);
  if (operands.size() == 1) {
    const Tensor& a = *operands[0];
    if (!ShouldRecord(a)) return result;
    Record("EinsumBackward", result, a,
           [equation](const Tensor& g) { return Derivative(equation, 0, g, nullptr); });
    return result;
  }
  const Tensor &a = *operands[0], &b = *operands[1];
  if (ShouldRecord(a, b)) {
    const Tensor none;
    Record<2>("EinsumBackward", result, {&a, &b},
              [equation](size_t k, const Tensor& g, const Tensor* saved) {
                return Derivative(equation, k, g, saved);
              })
        ->Save(RequiresGrad(b) ? a : none)
        ->Save(RequiresGrad(a) ? b : none);
  }
  return result;
}

// What is broadcast along a dimension of 1 has no label there.
Tensor WithoutRepeated(const Tensor& a, std::string& labels, const Equation& equation) {
  std::string kept;
  Shape shape;
  for (size_t d = 0; d < labels.size(); ++d) {
    if (IsBroadcast(labels[d]) && a.sizes()[d] != equation.sizes.at(labels[d])) continue;
    kept += labels[d];
    shape.push_back(a.sizes()[d]);
  }
  if (kept == labels) return a;
  labels = kept;
  return ReshapeTo(a, shape);
}

}  // namespace

Tensor Einsum(Span<const Tensor* const> operands, const std::string& text) {
  for (const Tensor* operand : operands) CheckDefined("einsum", *operand);
  Equation whole = ParseEquation(text, operands);
  Tensor product;
  std::string labels;  // of the product of the operands so far
  for (size_t k = 0; k < operands.size(); ++k) {
    std::string& own = whole.inputs[k];
    const Tensor factor = WithoutRepeated(*operands[k], own, whole);
    std::string later = whole.output;  // what is not summed yet
    for (size_t j = k + 1; j < operands.size(); ++j) later += whole.inputs[j];
    const bool is_last = k + 1 == operands.size();
    if (k == 0 && !is_last) {
      product = factor;
      labels = own;
      continue;
    }
    const std::string to = is_last ? whole.output : Among(labels + own, later);
    product = k == 0 ? Contract({&factor}, {{own}, to, whole.sizes})
                     : Contract({&product, &factor}, {{labels, own}, to, whole.sizes});
    labels = to;
  }
  return product;
}

}  // namespace twingrad::ops

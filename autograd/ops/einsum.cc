#include "autograd/ops/einsum.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/broadcast.h"
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
using Sizes = std::map<char, int64_t>;

bool Has(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

std::string Distinct(const std::string& labels) {
  std::string distinct;
  for (const char c : labels) {
    if (!Has(distinct, c)) distinct += c;
  }
  return distinct;
}

// The labels, each once, that are among the others; or those that are not.
std::string Among(const std::string& labels, const std::string& others, bool among = true) {
  std::string found;
  for (const char c : Distinct(labels)) {
    if (Has(others, c) == among) found += c;
  }
  return found;
}

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
  Sizes sizes;

  Equation(const std::string& text, Operands operands);
  Shape ShapeOf(const std::string& labels) const {
    Shape shape;
    for (const char c : labels) shape.push_back(sizes.at(c));
    return shape;
  }
};

[[noreturn]] void RefuseText(const std::string& text, size_t operands) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[einsum] the equation '", text, "' for ", operands,
                           " operands; letters a to z for each dimension of one operand or two, "
                           "then -> and those of the result, each once: ij,jk->ik"));
}

Equation::Equation(const std::string& text, Operands operands) {
  const size_t arrow = text.find("->");
  const auto is_other = [](char c) { return (c < 'a' || c > 'z') && c != ','; };
  if (arrow == std::string::npos) RefuseText(text, operands.size());
  output = text.substr(arrow + 2);
  std::string labels;
  for (const char c : text.substr(0, arrow) + ",") {
    if (is_other(c)) RefuseText(text, operands.size());
    if (c == ',') inputs.push_back(std::exchange(labels, {}));
    if (c != ',') labels += c;
  }
  if (inputs.size() != operands.size() || inputs.size() > 2) RefuseText(text, operands.size());
  for (size_t k = 0; k < operands.size(); ++k) {
    CheckDefined("einsum", *operands[k]);
    const auto shape = operands[k]->sizes();
    bool fits = shape.size() == inputs[k].size();
    for (size_t d = 0; fits && d < shape.size(); ++d) {
      fits = sizes.emplace(inputs[k][d], shape[d]).first->second == shape[d];
    }
    if (fits) continue;
    throw Error(
        ErrorKind::kShape,
        absl::StrCat("[einsum] an operand of shape ", ShapeToString(shape), " for '", inputs[k],
                     "' of ", text, "; it has a dimension for each letter, and a letter one size"));
  }
  for (const char c : output) {
    if (sizes.count(c) == 0 || output.find(c) != output.rfind(c)) RefuseText(text, operands.size());
  }
}

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

// The gradient of operand k: of what it shares with the others it is an einsum too; it is the same
// along labels of its own, and 0 beside a diagonal.
Tensor Derivative(const Equation& equation, size_t k, const Tensor& g, const Tensor* saved) {
  const std::string& labels = equation.inputs[k];
  const bool alone = equation.inputs.size() == 1;
  const std::string others =
      alone ? equation.output : absl::StrCat(equation.output, ",", equation.inputs[1 - k]);
  const std::string kept = Among(labels, others), distinct = Distinct(labels);
  const std::string text = absl::StrCat(others, "->", kept);
  const Tensor part = alone ? Einsum({&g}, text) : Einsum({&g, &saved[1 - k]}, text);
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

}  // namespace

Tensor Einsum(Span<const Tensor* const> operands, const std::string& equation) {
  const Equation parsed(equation, operands);
  Tensor result = Values(parsed, operands);
  if (operands.size() == 1) {
    const Tensor& a = *operands[0];
    if (!ShouldRecord(a)) return result;
    Record("EinsumBackward", result, a,
           [parsed](const Tensor& g) { return Derivative(parsed, 0, g, nullptr); });
    return result;
  }
  const Tensor &a = *operands[0], &b = *operands[1];
  if (ShouldRecord(a, b)) {
    const Tensor none;
    Record<2>("EinsumBackward", result, {&a, &b},
              [parsed](size_t k, const Tensor& g, const Tensor* saved) {
                return Derivative(parsed, k, g, saved);
              })
        ->Save(RequiresGrad(b) ? a : none)
        ->Save(RequiresGrad(a) ? b : none);
  }
  return result;
}

}  // namespace twingrad::ops

#include "autograd/ops/join.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad::ops {
namespace {

using Operands = absl::Span<const Tensor* const>;

void CheckOperands(const char* op, Operands operands, int64_t dim, bool stacks) {
  if (operands.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[", op, "] no operands; at least one is needed"));
  }
  for (const Tensor* operand : operands) CheckDefined(op, *operand);
  const Tensor& first = *operands[0];
  const int64_t limit = first.dim() + (stacks ? 1 : 0);
  CheckDim(op, dim, limit);
  for (const Tensor* operand : operands) {
    kernels::CheckSameKind(op, first, *operand);
    bool fits = operand->dim() == first.dim();
    for (int64_t d = 0; fits && d < first.dim(); ++d) {
      fits = operand->sizes()[d] == first.sizes()[d] || (!stacks && d == dim);
    }
    if (fits) continue;
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", op, "] shapes ", ShapeToString(first.sizes()), " and ",
                             ShapeToString(operand->sizes()), " differ",
                             stacks ? "; they must be equal; expand one"
                                    : "; they may in the dimension of the join alone"));
  }
}

// Where each operand lies in the result.
std::vector<Part> PartsOf(Operands operands, int64_t dim, bool stacks) {
  Shape whole = SizesOf(*operands[0]);
  if (stacks) {
    whole.insert(whole.begin() + dim, static_cast<int64_t>(operands.size()));
  } else {
    whole[dim] = 0;
    for (const Tensor* operand : operands) whole[dim] += operand->sizes()[dim];
  }
  std::vector<Part> parts;
  int64_t start = 0;
  for (const Tensor* operand : operands) {
    const int64_t length = stacks ? 1 : operand->sizes()[dim];
    parts.push_back({whole, dim, start, 1, length, stacks});
    start += length;
  }
  return parts;
}

Tensor Join(const char* op, const char* node_name, Operands operands, int64_t dim, bool stacks) {
  CheckOperands(op, operands, dim, stacks);
  std::vector<Part> parts = PartsOf(operands, dim, stacks);
  Tensor result = Tensor::Empty(parts[0].whole, operands[0]->dtype(), operands[0]->device());
  bool records = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    records |= ShouldRecord(*operands[k]);
    if (operands[k]->numel() == 0) continue;
    Tensor target = Alias(result, PartGeometry(result, parts[k]));
    kernels::CopyInto(target, *operands[k]);
  }
  if (records) {
    Record(node_name, result, operands,
           [parts = std::move(parts)](size_t k, const Tensor& g, const Tensor*) {
             return TakePart(g, parts[k]);
           });
  }
  return result;
}

}  // namespace

Tensor Cat(Operands operands, int64_t dim) {
  return Join("cat", "CatBackward", operands, dim, /*stacks=*/false);
}

Tensor Stack(Operands operands, int64_t dim) {
  return Join("stack", "StackBackward", operands, dim, /*stacks=*/true);
}

}  // namespace twingrad::ops

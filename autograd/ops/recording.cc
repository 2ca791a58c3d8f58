#include "autograd/ops/recording.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad::ops {

Tensor OldContents(const Tensor& self) {
  Tensor copy = kernels::Clone(self);
  if (RequiresGrad(self)) {
    Edge edge = GradientEdge(self);
    AutogradMeta::SetNode(copy, std::move(edge.function), edge.input_nr);
  }
  return copy;
}

void StoreInPlace(const char* op, Tensor& self, const Tensor& result) {
  if (self.sizes() != result.sizes()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", op, "] the result has shape ", ShapeToString(result.sizes()),
                             " and the tensor to write ", ShapeToString(self.sizes()),
                             "; in place the shape stays; expand the tensor first"));
  }
  kernels::CopyInto(self, result);
  self.BumpVersion();
}

void RefuseUndefined(const char* op) {
  throw Error(ErrorKind::kUndefined,
              absl::StrCat("[", op,
                           "] an operand is undefined, as a gradient that did not arrive or what "
                           "was moved from; operands must be tensors; check defined(), or ask for "
                           "gradients with materialize=1"));
}

}  // namespace twingrad::ops

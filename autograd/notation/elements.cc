#include "autograd/notation/elements.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

void CheckDefined(std::string_view part, const Tensor& a) {
  if (a.defined()) return;
  throw Error(ErrorKind::kUndefined,
              absl::StrCat("[", part,
                           "] the tensor is undefined; one with data is allowed; check "
                           "defined() first"));
}

}  // namespace

std::vector<double> Elements(const Tensor& a) {
  CheckDefined("elements", a);
  const Tensor rows =
      kernels::MovedTo(kernels::Cast(a, DType::kF64), kernels::HostSide(a.device()));
  return {rows.data<double>(), rows.data<double>() + rows.numel()};
}

double Item(const Tensor& a) {
  CheckDefined("item", a);
  if (a.numel() != 1) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[item] a tensor of shape ", ShapeToString(a.sizes()),
                             "; exactly one element is allowed; index or reduce it first"));
  }
  return Elements(a)[0];
}

Tensor Leaf(const Tensor& data) {
  CheckDefined("leaf", data);
  Tensor leaf = data.Detach();
  SetRequiresGrad(leaf, true);
  return leaf;
}

}  // namespace twingrad

// Exchanging data, and the dtype of gradients. See leaf.h.

#include "autograd/graph/leaf.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/grad_layout.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/variable.h"
#include "autograd/graph/view.h"

namespace twingrad {
namespace {

void CheckDefined(const Tensor& tensor, std::string_view what) {
  if (tensor.defined()) return;
  throw Error(ErrorKind::kUndefined,
              absl::StrCat("[graph] ", what,
                           " is undefined; a tensor with data is needed; check defined() first"));
}

void CheckLeaf(const Tensor& tensor, std::string_view what) {
  if (IsLeaf(tensor) && !IsView(tensor)) return;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[graph] ", what,
                           " of a result of recorded operations or of a view was to be set; it is "
                           "allowed on leaves; use detach() for a leaf with the same data"));
}

void CheckNewData(const Tensor& leaf, const Tensor& data) {
  CheckDefined(leaf, "the leaf whose data was to be set");
  CheckDefined(data, "the data of a leaf");
  if (leaf.is_sparse() || data.is_sparse()) RefuseSparse("graph");
  CheckLeaf(leaf, "the data");
  if (RequiresGrad(leaf) && !IsFloating(data.dtype())) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[graph] data of ", DTypeName(data.dtype()),
                             " for a leaf that requires grad; floating ones can; turn "
                             "requires_grad off first"));
  }
  const Tensor grad = GradOf(leaf);
  if (!grad.defined()) return;
  if (!data.HasSameTypeAs(leaf)) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[graph] data ", DTypeName(data.dtype()), ShapeToString(data.sizes()),
                             " for a leaf ", DTypeName(leaf.dtype()), ShapeToString(leaf.sizes()),
                             " that has a .grad, which would not fit; the type may change where "
                             "there is none; set .grad to undefined first"));
  }
  if (!grad.is_sparse() && grad.HasSameStorage(data)) {
    throw Error(ErrorKind::kInvalidArgument,
                "[graph] data that shares the memory of the leaf's .grad, into which gradients "
                "are added; other memory is allowed; clone it first");
  }
}

// The leaf's type has changed: graphs that were built before end at a slot that refuses.
void RenewAccumulator(const Tensor& leaf, LeafInfo& info) {
  info.slot->MoveIntoGraph();
  info.slot = sync::MakeIntrusive<GradSlot>();
  info.slot->SetActive(RequiresGrad(leaf));
  NodePtr before;
  {
    sync::MutexLock lock(info.mutex);
    before = std::exchange(info.accumulator.Mutable(), nullptr);
    info.ready_accumulator.Store(nullptr, sync::kRelease);
  }
  if (before != nullptr && before->extras() != nullptr && RequiresGrad(leaf)) {
    GradientEdge(leaf).function->AdoptExtras(*before);
  }
}

}  // namespace

void SetData(const Tensor& leaf, const Tensor& data) {
  CheckNewData(leaf, data);
  const bool has_same_type = data.HasSameTypeAs(leaf);
  leaf.impl()->Exchange(*data.impl());
  AutogradMeta* meta = AutogradMeta::Find(leaf);
  // A tensor without a place in a graph is saved as it is, so what saved it must see the change.
  if (leaf.impl()->meta() == nullptr) leaf.BumpVersion();
  if (meta == nullptr || meta->leaf == nullptr) return;
  if (!has_same_type) RenewAccumulator(leaf, *meta->leaf);
  meta->leaf->slot->SetLayout(GradLayout(leaf));
}

void SetGradDType(const Tensor& leaf, std::optional<DType> dtype) {
  CheckDefined(leaf, "the leaf whose dtype of gradients was to be set");
  CheckLeaf(leaf, "the dtype of gradients");
  if (!IsFloating(leaf.dtype()) || (dtype.has_value() && !IsFloating(*dtype))) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[graph] gradients of ",
                             dtype.has_value() ? DTypeName(*dtype) : "any dtype", " for a leaf of ",
                             DTypeName(leaf.dtype()), "; both must be floating; use f32 or f64"));
  }
  LeafInfo& info = AutogradMeta::Of(leaf).MakeLeafInfo();
  const Tensor grad = info.slot->Get();
  if (grad.defined() && dtype.has_value() && grad.dtype() != *dtype) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[graph] gradients of ", DTypeName(*dtype),
                             " for a leaf whose .grad "
                             "is ",
                             DTypeName(grad.dtype()),
                             "; the dtype may change where there is none; set .grad to undefined "
                             "first"));
  }
  info.has_grad_dtype = true;
  info.grad_dtype = dtype;
  sync::MutexLock lock(info.mutex);
  if (info.accumulator.Read() != nullptr) info.accumulator.Read()->SetInputGradDType(0, dtype);
}

std::optional<DType> GradDTypeOf(const Tensor& leaf) {
  CheckDefined(leaf, "the leaf whose dtype of gradients was asked for");
  const AutogradMeta* meta = AutogradMeta::Find(leaf);
  if (meta != nullptr && meta->leaf != nullptr && meta->leaf->has_grad_dtype) {
    return meta->leaf->grad_dtype;
  }
  return leaf.dtype();
}

}  // namespace twingrad

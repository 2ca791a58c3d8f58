// The graph's part of a tensor: leaves, results and their edges. See variable.h.

#include "autograd/graph/variable.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/inference_mode.h"
#include "autograd/graph/view.h"

namespace twingrad {
namespace {

NodePtr Accumulator(const Tensor& leaf, LeafInfo& info) {
  if (Node* ready = info.ready_accumulator.Load(sync::kAcquire); ready != nullptr) {
    return NodePtr(ready);
  }
  NodePtr made;
  {
    sync::MutexLock lock(info.mutex);
    if (info.accumulator.Read() != nullptr) return info.accumulator.Read();
    info.slot->SetLayout(GradLayout(leaf));
    made = MakeNode<AccumulateGrad>(leaf, info.slot);
    if (info.has_grad_dtype) made->SetInputGradDType(0, info.grad_dtype);
    info.accumulator.Write(made);
    info.ready_accumulator.Store(made.get(), sync::kRelease);
  }
  AnnounceNode(*made);
  return made;
}

void CheckMaySet(const Tensor& tensor, std::string_view what) {
  if (tensor.defined()) return;
  throw Error(ErrorKind::kUndefined,
              absl::StrCat("[graph] ", what,
                           " of an undefined tensor was to be set; it is allowed "
                           "on tensors with data; check defined() first"));
}

bool FitsAsGrad(const Tensor& tensor, const Tensor& grad) {
  if (grad.sizes() != tensor.sizes() || grad.device() != tensor.device()) return false;
  const AutogradMeta* meta = AutogradMeta::Find(tensor);
  if (meta == nullptr || meta->leaf == nullptr || !meta->leaf->has_grad_dtype) {
    return grad.dtype() == tensor.dtype();
  }
  const std::optional<DType>& wanted = meta->leaf->grad_dtype;
  return wanted.has_value() ? grad.dtype() == *wanted : IsFloating(grad.dtype());
}

// Gradients are added into `.grad` where it lies.
void CheckOwnMemory(const Tensor& tensor, const Tensor& grad) {
  if (grad.HasSameStorage(tensor)) {
    throw Error(ErrorKind::kInvalidArgument,
                "[graph] .grad was to be set to the tensor itself or to something that shares its "
                "memory, which sums of gradients would then overwrite; .grad has memory of its "
                "own; clone it first");
  }
  if (!grad.is_sparse() && HasInternalOverlap(grad.sizes(), grad.strides())) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[graph] .grad was to be set to ", ShapeToString(grad.sizes()),
                             " with strides ", ShapeToString(grad.strides()),
                             ", where several elements share one place; each must have its own; "
                             "clone it first"));
  }
}

}  // namespace

AutogradMeta& AutogradMeta::Of(const Tensor& tensor) {
  AutogradMeta* meta = Find(tensor);
  if (meta == nullptr) {
    meta = new AutogradMeta();
    if (LoneNode(tensor) != nullptr) {
      meta->node = NodePtr::Adopt(static_cast<Node*>(tensor.impl()->TakeMeta()));
    }
    tensor.impl()->SetMeta(meta);
  }
  return *meta;
}

void AutogradMeta::SetNode(const Tensor& tensor, NodePtr node, uint32_t output_nr) {
  if (output_nr == 0) return tensor.impl()->SetMeta(node.Detach(), /*tag=*/true);
  AutogradMeta& meta = Of(tensor);
  meta.node = std::move(node);
  meta.output_nr = output_nr;
}

bool RequiresGradByMeta(const Tensor& tensor, AutogradMeta& meta) {
  if (meta.view != nullptr) return ViewRequiresGrad(tensor, meta);
  return meta.node != nullptr || meta.requires_grad;
}

void SetRequiresGrad(const Tensor& tensor, bool requires_grad) {
  CheckMaySet(tensor, "requires_grad");
  if (!IsLeaf(tensor) || IsView(tensor)) {
    throw Error(ErrorKind::kInvalidArgument,
                "[graph] requires_grad of a result of recorded operations or of a view was to be "
                "changed; it is allowed on leaves; use detach() for a leaf with the same data");
  }
  if (requires_grad && tensor.impl()->is_inference() && !InferenceMode::IsEnabled()) {
    throw Error(ErrorKind::kInvalidArgument,
                "[graph] an inference tensor was to require grad outside inference mode; tensors "
                "made outside inference mode may; clone it first");
  }
  if (requires_grad && !IsFloating(tensor.dtype())) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[graph] a tensor of ", DTypeName(tensor.dtype()),
                             " cannot require grad; floating ones can; cast it first"));
  }
  if (requires_grad && tensor.is_sparse()) RefuseSparse("graph");
  AutogradMeta* found = AutogradMeta::Find(tensor);
  if (found == nullptr && !requires_grad) return;
  AutogradMeta& meta = AutogradMeta::Of(tensor);
  meta.requires_grad = requires_grad;
  meta.MakeLeafInfo().slot->SetActive(requires_grad);
}

void DetachInPlace(const Tensor& tensor) {
  CheckMaySet(tensor, "the detached state");
  if (IsView(tensor)) {
    throw Error(ErrorKind::kInvalidArgument,
                "[graph] a view was to be detached in place; what is no view can be; detach its "
                "base, or use Detach() for a tensor with the same data");
  }
  if (AutogradMeta::LoneNode(tensor) != nullptr) return tensor.impl()->SetMeta(nullptr);
  AutogradMeta* meta = AutogradMeta::Find(tensor);
  if (meta == nullptr) return;
  if (meta->retains_grad && meta->node->extras() != nullptr) {
    meta->node->extras()->StopRetaining(meta->leaf->slot.get());
  }
  meta->retains_grad = false;
  meta->requires_grad = false;
  meta->node = nullptr;
  meta->output_nr = 0;
  if (meta->leaf != nullptr) meta->leaf->slot->SetActive(false);
}

bool IsLeaf(const Tensor& tensor) {
  if (!tensor.defined()) return true;
  AutogradMeta* meta = AutogradMeta::Find(tensor);
  if (meta == nullptr) return AutogradMeta::LoneNode(tensor) == nullptr;
  if (meta->view != nullptr) return !ViewRequiresGrad(tensor, *meta);
  return meta->node == nullptr;
}

Tensor GradOf(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  AutogradMeta* meta = AutogradMeta::Find(tensor);
  return meta == nullptr || meta->leaf == nullptr ? Tensor() : meta->leaf->slot->Get();
}

void SetGrad(const Tensor& tensor, Tensor grad) {
  CheckMaySet(tensor, ".grad");
  if (grad.defined() && !FitsAsGrad(tensor, grad)) {
    throw Error(
        ErrorKind::kShape,
        absl::StrCat("[graph] .grad of ", DTypeName(tensor.dtype()), ShapeToString(tensor.sizes()),
                     " was to be set to ", DTypeName(grad.dtype()), ShapeToString(grad.sizes()),
                     "; it has the tensor's shape and device, and its dtype or that which "
                     "SetGradDType gave; convert it first"));
  }
  if (grad.defined()) CheckOwnMemory(tensor, grad);
  if (!grad.defined() && AutogradMeta::Find(tensor) == nullptr) return;
  MakeAccumulator(grad);
  AutogradMeta::Of(tensor).MakeLeafInfo().slot->Set(std::move(grad));
}

void MakeAccumulator(const Tensor& term) {
  if (!term.defined() || !IsLeaf(term) || !RequiresGrad(term)) return;
  [[maybe_unused]] const Edge made = GradientEdge(term);
}

GradientEdge::GradientEdge(const Tensor& tensor) {
  if (!tensor.defined()) return;
  if (Node* node = AutogradMeta::LoneNode(tensor); node != nullptr) {
    function = NodePtr(node);
    return;
  }
  AutogradMeta* meta = AutogradMeta::Find(tensor);
  if (meta == nullptr) return;
  if (meta->view != nullptr) {
    Edge::operator=(ViewGradientEdge(tensor, *meta));
  } else if (meta->node != nullptr) {
    function = meta->node;
    input_nr = meta->output_nr;
  } else if (meta->requires_grad) {
    function = Accumulator(tensor, *meta->leaf);
  }
}

const InputMetadata& GradientEdge::metadata() const {
  if (!is_valid()) {
    throw Error(ErrorKind::kNoGraph,
                "[graph] a gradient edge without a node was asked for its type; edges of tensors "
                "that require grad have one; check is_valid() first");
  }
  if (input_nr >= function->num_inputs()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[graph] a gradient edge leads to input ", input_nr, " of ",
                             function->name(), ", which has ", function->num_inputs(),
                             "; inputs count from 0; use GradientEdge(tensor)"));
  }
  return function->input_metadata(input_nr);
}

void SetHistory(const Tensor& result, NodePtr node, uint32_t output_nr) {
  AG_CHECK(node != nullptr, "[graph] a result has no node; give one, or Detach() for none");
  const uint32_t input_nr = node->AddInput(result);
  AG_CHECK(input_nr == output_nr, "[graph] result ", output_nr, " of a node is given as its ",
           input_nr, ". result");
  if (result.impl()->meta() == nullptr) {
    return AutogradMeta::SetNode(result, std::move(node), output_nr);
  }
  AutogradMeta& meta = AutogradMeta::Of(result);
  if (meta.view != nullptr) {
    sync::MutexLock lock(meta.view->mutex);
    meta.view->node.Write(std::move(node));
    meta.view->output_nr.Write(output_nr);
    meta.view->version.Write(result.version());
    return;
  }
  meta.node = std::move(node);
  meta.output_nr = output_nr;
}

void AnnounceNodeOf(const Tensor& result) {
  if (CurrentThread().modes.node_creation == nullptr || !result.defined()) [[likely]]
    return;
  if (Node* node = AutogradMeta::LoneNode(result); node != nullptr) return AnnounceNode(*node);
  const AutogradMeta* const meta = AutogradMeta::Find(result);
  if (meta != nullptr && meta->node != nullptr) AnnounceNode(*meta->node);
}

void MoveRetained(const AutogradMeta& meta, const Node* before, Node& after, uint32_t output_nr) {
  if (!meta.retains_grad) return;
  if (before != nullptr && before->extras() != nullptr) {
    before->extras()->StopRetaining(meta.leaf->slot.get());
  }
  after.MakeExtras().Retain(output_nr, meta.leaf->slot);
}

void ReplaceNode(const Tensor& tensor, NodePtr node, uint32_t output_nr) {
  AutogradMeta& meta = AutogradMeta::Of(tensor);
  MoveRetained(meta, meta.node.get(), *node, output_nr);
  if (meta.node == nullptr && meta.leaf != nullptr) meta.leaf->slot->MoveIntoGraph();
  meta.node = std::move(node);
  meta.output_nr = output_nr;
  meta.requires_grad = false;
}

}  // namespace twingrad

#include "autograd/ops/copy.h"

#include <string_view>
#include <utility>

#include "autograd/graph/view.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/one_gradient_node.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad::ops {
namespace {

class CloneNode final : public OneGradientNode {
 public:
  explicit CloneNode(Edge edge) : OneGradientNode("CloneBackward", std::move(edge)) {}
  Tensor Derivative(const Tensor& gradient) const override { return gradient; }
};

class CastNode final : public OneGradientNode {
 public:
  CastNode(Edge edge, DType dtype)
      : OneGradientNode("CastBackward", std::move(edge)), dtype_(dtype) {}
  Tensor Derivative(const Tensor& gradient) const override { return Cast(gradient, dtype_); }

 private:
  DType dtype_;
};

class ToNode final : public OneGradientNode {
 public:
  ToNode(Edge edge, Device device)
      : OneGradientNode("ToBackward", std::move(edge)), device_(device) {}
  Tensor Derivative(const Tensor& gradient) const override { return To(gradient, device_); }

 private:
  Device device_;
};

// Edge 0, of the old contents, is never valid.
class CopyNode final : public Node {
 public:
  CopyNode(Edge edge, const Tensor& other, const Tensor& self) : reduced_(other, self) {
    AddNextEdge(Edge());
    AddNextEdge(std::move(edge));
  }
  VariableList Apply(VariableList&& gradients) override {
    VariableList results(2);
    if (gradients[0].defined() && TaskShouldComputeOutput(1)) {
      results[1] = reduced_.Undo(gradients[0]);
    }
    return results;
  }
  std::string_view name() const override { return "CopyBackward"; }

 private:
  BroadcastUndo reduced_;
};

class ZeroNode final : public Node {
 public:
  ZeroNode() { AddNextEdge(Edge()); }
  VariableList Apply(VariableList&&) override { return VariableList(1); }
  std::string_view name() const override { return "ZeroBackward"; }
};

}  // namespace

Tensor Clone(const Tensor& a) {
  CheckDefined("clone", a);
  Tensor result = kernels::Clone(a);
  if (ShouldRecord(a)) SetHistory(result, MakeNode<CloneNode>(GradientEdge(a)));
  return result;
}

Tensor Detach(const Tensor& a) {
  CheckDefined("detach", a);
  return a.Detach();
}

Tensor Cast(const Tensor& a, DType dtype) {
  CheckDefined("cast", a);
  Tensor result = kernels::Cast(a, dtype);
  if (IsFloating(dtype) && ShouldRecord(a)) {
    SetHistory(result, MakeNode<CastNode>(GradientEdge(a), a.dtype()));
  }
  return result;
}

Tensor To(const Tensor& a, Device device) {
  CheckDefined("to", a);
  Tensor result = kernels::CopyTo(a, device);
  if (ShouldRecord(a)) SetHistory(result, MakeNode<ToNode>(GradientEdge(a), a.device()));
  return result;
}

void CopyInPlace(Tensor& self, const Tensor& other) {
  CheckDefined("copy_", self);
  CheckDefined("copy_", other);
  kernels::CheckSameKind("copy_", self, other);
  const bool records = ShouldRecord(self, other);
  CheckInPlace(self, records);
  NodePtr node;
  if (records) {
    Edge edge = GradientEdge(other);
    node = MakeNode<CopyNode>(std::move(edge), other, self);
  }
  kernels::CopyInto(self, other);
  self.BumpVersion();
  if (records) RebaseHistory(self, std::move(node));
}

void ZeroInPlace(Tensor& self) {
  CheckDefined("zero_", self);
  const bool records = ShouldRecord(self);
  CheckInPlace(self, records);
  kernels::FillInto(self, 0);
  self.BumpVersion();
  if (records) RebaseHistory(self, MakeNode<ZeroNode>());
}

}  // namespace twingrad::ops

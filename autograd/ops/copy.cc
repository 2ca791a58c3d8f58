#include "autograd/ops/copy.h"

#include <cstddef>
#include <utility>

#include "autograd/graph/view.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad::ops {
Tensor Clone(const Tensor& a) {
  CheckDefined("clone", a);
  Tensor result = kernels::Clone(a);
  if (ShouldRecord(a)) Record("CloneBackward", result, a, [](const Tensor& g) { return g; });
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
    Record("CastBackward", result, a,
           [dtype = a.dtype()](const Tensor& g) { return Cast(g, dtype); });
  }
  return result;
}

Tensor To(const Tensor& a, Device device) {
  CheckDefined("to", a);
  Tensor result = kernels::CopyTo(a, device);
  if (ShouldRecord(a)) {
    Record("ToBackward", result, a,
           [device = a.device()](const Tensor& g) { return To(g, device); });
  }
  return result;
}

void CopyInPlace(Tensor& self, const Tensor& other) {
  CheckDefined("copy_", self, other);
  kernels::CheckSameKind("copy_", self, other);
  const bool records = ShouldRecord(self, other);
  CheckInPlace(self, records);
  NodePtr node;
  if (records) {
    // Nothing flows to the old contents, whose edge is a base's where self is a view.
    Edge edges[] = {Edge(), GradientEdge(other)};
    node = MakeDerivativeNode(
        "CopyBackward", edges,
        [undo = BroadcastUndo(other, self)](size_t k, const Tensor& g, const Tensor*) {
          return k == 0 ? Tensor() : undo.Undo(g);
        });
  }
  kernels::CopyInto(self, other);
  self.BumpVersion();
  if (!records) return;
  RebaseHistory(self, node);
  AnnounceWrite(self, *node);
}

void ZeroInPlace(Tensor& self) {
  CheckDefined("zero_", self);
  const bool records = ShouldRecord(self);
  CheckInPlace(self, records);
  kernels::FillInto(self, 0);
  self.BumpVersion();
  if (!records) return;
  Edge edges[] = {Edge()};
  const NodePtr node =
      MakeDerivativeNode("ZeroBackward", edges, [](const Tensor&) { return Tensor(); });
  RebaseHistory(self, node);
  AnnounceWrite(self, *node);
}

}  // namespace twingrad::ops

// Differentiable views, and writes in place.
//
//   Tensor row = MakeView(a, {3}, {1}, 3, node);      // node: made by the caller, or null
//   CheckInPlace(a, would_record);  ... write ...;  a.BumpVersion();  RebaseHistory(a, node);
//
// A view of a view is a view of the base. After a write to the base, or through any view of it, the
// node of each view is out of date and is made anew when it is next needed, with one edge to the
// base.

#pragma once

#include <cstddef>
#include <cstdint>

#include "autograd/base/span.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// The view of `operand` (itself a view or not) with this geometry, which counts from the storage's
// start. `node` is null where the operation does not record; its edge to the operand is the
// caller's to set.
Tensor MakeView(const Tensor& operand, Span<const int64_t> sizes, Span<const int64_t> strides,
                int64_t offset, NodePtr node);

// Whether the tensor is a differentiable view.
bool IsView(const Tensor& tensor);
// The base of a view; the tensor itself if it is none.
Tensor ViewBase(const Tensor& tensor);

// Changes what MakeView noted of a view's making: for results of functions of the user. Views of it
// made later have its origin too.
void SetViewOrigin(const Tensor& view, ViewOrigin origin);

// To be called before a write. `would_record`: grad mode is on and the write's result requires
// grad. Error kLeafInPlace on a leaf that requires grad or a view of one, kInvalidArgument where
// two elements share a place, or in grad mode where the view's origin forbids it (view_origin.h)
// and its base requires grad or the write records.
void CheckInPlace(const Tensor& self, bool would_record);

// After a recorded write: `node` is the operation's, its edge `self_edge` stands for the old
// contents, and `self` becomes its next result. The operation has bumped the version. On a view the
// base gets a CopySlices node around `node`, which then has no other result.
void RebaseHistory(const Tensor& self, NodePtr node, size_t self_edge = 0);

// Announces `node` once it is complete, and what the write put around it.
void AnnounceWrite(const Tensor& self, Node& node);

// Makes the node of a view anew if the base was written; the lock of view.mutex is taken inside.
Edge ViewGradientEdge(const Tensor& view, AutogradMeta& meta);
bool ViewRequiresGrad(const Tensor& view, AutogradMeta& meta);

}  // namespace twingrad

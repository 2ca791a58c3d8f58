// Whether an operation records a node, and what all in-place writes share.
//
// An operation records if grad mode is on and a differentiable operand requires grad; only floating
// tensors can. It then makes one node with one edge per differentiable operand, in operand order.
// Edges are taken before the node is made, because a stale view then regenerates its own node,
// which must come first. Every thread works on its own tensors; nothing here is shared.

#pragma once

#include <utility>

#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"

namespace twingrad::ops {

// A private copy of what `self` holds, with self's history: what an in-place operation saves of the
// operand that it is about to overwrite.
Tensor OldContents(const Tensor& self);

// Writes `result`, which must have self's shape (else Error kShape naming `op`), and bumps the
// version.
void StoreInPlace(const char* op, Tensor& self, const Tensor& result);

[[noreturn]] void RefuseUndefined(const char* op);

// Throws Error(kUndefined) naming `op` when the operand is an undefined gradient.
inline void CheckDefined(const char* op, const Tensor& operand) {
  if (!operand.defined()) [[unlikely]]
    RefuseUndefined(op);
}

}  // namespace twingrad::ops

// Statements that go by an order or by indices, where libtorch leaves something open. Safe from any
// thread.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "autograd/program/program.h"

namespace twingrad::libtorch {

using Operands = std::vector<at::Tensor>;

inline int64_t Dim(const program::Statement& s) { return s.Get<int64_t>(program::Key::kDim); }

// In order, and where each came from.
std::tuple<at::Tensor, at::Tensor> Sorted(const program::Statement& s, const at::Tensor& of);
std::tuple<at::Tensor, at::Tensor> Topk(const program::Statement& s, const at::Tensor& of);
// Refusal(kUnsupported) where it is open which of equal elements comes first, and the statement
// shows it.
void CheckOrder(const program::Statement& s, const at::Tensor& of);
at::Tensor Scatter(const program::Statement& s, const Operands& o);
at::Tensor IndexCopy(const program::Statement& s, const Operands& o);
at::Tensor Index(const program::Statement& s, const Operands& o);
at::Tensor IndexPut(const program::Statement& s, const Operands& o);
at::Tensor MaskedSelect(const program::Statement& s, const Operands& o);
// Of parts that are copied, so that writes to what they were made of do not reach it.
at::Tensor SparseCoo(const program::Statement& s, const Operands& o);
at::Tensor Coalesce(const program::Statement& s, const Operands& o);
at::Tensor ScatterReduce(const program::Statement& s, const Operands& o);

}  // namespace twingrad::libtorch

// Whether an operation records, the node that it makes then, and what all in-place writes share.
//
//   if (ShouldRecord(a)) {
//     Record("FlipBackward", result, a, [dims](const Tensor& g) { return Flip(g, dims); });
//   }
//
// An operation records if grad mode is on and a differentiable operand requires grad; only floating
// tensors can. It then makes one node with one edge per differentiable operand, in operand order.
// Edges are taken before the node is made, because a stale view then regenerates its own node,
// which must come first. Every thread works on its own tensors; nothing here is shared.
//
// Rules (rules.h) have nodes of their own. The derivative of any other operation is a function,
// written in differentiable operations and called in one of three ways:
//
//   derivative(gradient)             the gradient of the one operand; nothing is saved
//   derivative(gradient, saved)      as above, from the variables in the order of Save
//   derivative(k, gradient, saved)   the gradient of operand k
//
// Where the gradient is f16 or bf16 and something was saved, all come as f32 (widened.h).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/base/inlined_vector.h"
#include "autograd/base/span.h"
#include "autograd/graph/node.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/widened.h"

namespace twingrad::ops {

// A node with kSaved saved variables. An undefined gradient stays undefined, and nothing is
// computed that the running task does not want.
template <size_t kSaved, typename Derivative>
class DerivativeNode final : public Node {
 public:
  // `name` must outlive the node.
  DerivativeNode(std::string_view name, Derivative derivative)
      : name_(name), derivative_(std::move(derivative)) {}

  VariableList Apply(VariableList&& gradients) override {
    // Every run unpacks all of them, which checks their versions.
    std::array<Tensor, kSaved> saved;
    for (size_t i = 0; i < kSaved; ++i) saved[i] = saved_[i].Unpack(this);
    VariableList results(num_outputs());
    if (!gradients[0].defined()) return results;
    const DType dtype = gradients[0].dtype();
    const bool widens = kSaved > 0 && IsShort(dtype);
    if (widens) [[unlikely]] {
      Widen(gradients[0]);
      for (Tensor& tensor : saved) Widen(tensor);
    }
    for (size_t k = 0; k < num_outputs(); ++k) {
      if (TaskShouldComputeOutput(k)) results[k] = Derive(k, gradients[0], saved.data());
    }
    if (widens) [[unlikely]]
      NarrowAll(results, dtype);
    return results;
  }
  void ReleaseVariables() override {
    for (SavedVariable& saved : saved_) saved.Reset();
  }
  std::vector<SavedVariable*> SavedVariables() override {
    std::vector<SavedVariable*> all;
    for (SavedVariable& saved : saved_) all.push_back(&saved);
    return all;
  }
  std::string_view name() const override { return name_; }

  // Exactly kSaved times; undefined tensors keep their place. The last one completes the node.
  DerivativeNode* Save(const Tensor& tensor, bool is_output = false) {
    saved_[count_++] = SavedVariable(tensor, is_output);
    if (count_ == kSaved) AnnounceNode(*this);
    return this;
  }
  DerivativeNode* SaveResult(const Tensor& result) { return Save(result, /*is_output=*/true); }

 private:
  Tensor Derive(size_t k, const Tensor& gradient, const Tensor* saved) const {
    if constexpr (std::is_invocable_v<const Derivative&, const Tensor&>) {
      return derivative_(gradient);
    } else if constexpr (std::is_invocable_v<const Derivative&, const Tensor&, const Tensor*>) {
      return derivative_(gradient, saved);
    } else {
      return derivative_(k, gradient, saved);
    }
  }

  const std::string_view name_;
  const Derivative derivative_;
  uint32_t count_ = 0;
  std::array<SavedVariable, kSaved> saved_;
};

// A node whose result is still to be made.
template <size_t kSaved = 0, typename Derivative>
auto MakeDerivativeNode(std::string_view name, Span<Edge> edges, Derivative derivative) {
  auto node = MakeNode<DerivativeNode<kSaved, Derivative>>(name, std::move(derivative));
  for (Edge& edge : edges) node->AddNextEdge(std::move(edge));
  return node;
}
template <typename Derivative>
NodePtr MakeDerivativeNode(std::string_view name, const Tensor& operand, Derivative derivative) {
  Edge edges[] = {GradientEdge(operand)};
  return MakeDerivativeNode(name, edges, std::move(derivative));
}

// Gives `result`, which keeps it alive, the node of an operation on these operands.
template <size_t kSaved = 0, typename Derivative>
auto* Record(std::string_view name, const Tensor& result, Span<Edge> edges, Derivative derivative) {
  auto node = MakeDerivativeNode<kSaved>(name, edges, std::move(derivative));
  auto* const made = node.get();
  SetHistory(result, std::move(node));
  if constexpr (kSaved == 0) AnnounceNode(*made);
  return made;
}
template <size_t kSaved = 0, typename Derivative>
auto* Record(std::string_view name, const Tensor& result, const Tensor& operand,
             Derivative derivative) {
  Edge edges[] = {GradientEdge(operand)};
  return Record<kSaved>(name, result, edges, std::move(derivative));
}
template <size_t kSaved = 0, typename Derivative>
auto* Record(std::string_view name, const Tensor& result, Span<const Tensor* const> operands,
             Derivative derivative) {
  InlinedVector<Edge, 3> edges;
  for (const Tensor* operand : operands) edges.push_back(GradientEdge(*operand));
  return Record<kSaved>(name, result, edges, std::move(derivative));
}

// A private copy of what `self` holds, with self's history: what an in-place operation saves of the
// operand that it is about to overwrite.
Tensor OldContents(const Tensor& self);

// Writes `result`, which must have self's shape (else Error kShape naming `op`), and bumps the
// version.
void StoreInPlace(const char* op, Tensor& self, const Tensor& result);

[[noreturn]] void RefuseUndefined(const char* op);

// Throws Error naming `op`: kUndefined when an operand is an undefined gradient, kInvalidArgument
// when one is sparse.
template <typename... Tensors>
void CheckDefined(const char* op, const Tensors&... operands) {
  if (!(operands.defined() && ...)) [[unlikely]]
    RefuseUndefined(op);
  if ((operands.is_sparse() || ...)) [[unlikely]]
    RefuseSparse(op);
}

}  // namespace twingrad::ops

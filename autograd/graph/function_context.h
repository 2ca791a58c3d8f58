// FunctionContext: what the forward and the backward of one use of a custom function share.
//
//   static Tensor Forward(Context& context, const Tensor& x) {
//     Tensor y = ...;
//     context.SaveForBackward({x, y});
//     return y;
//   }
//   static VariableList Backward(Context& context, VariableList gradients) {
//     const VariableList saved = context.SavedTensors();
//     return {context.NeedsInputGrad(0) ? Mul(gradients[0], saved[1]) : Tensor()};
//   }
//
// Arguments are counted from 0 as Forward gets them, after the context; those that are no tensors
// count too, and a list of tensors counts as that many. Nothing here locks: Forward has the context
// to itself, and a node runs one Backward at a time (custom_node.h).

#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/base/dtype.h"
#include "autograd/base/inlined_vector.h"
#include "autograd/graph/node.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class FunctionContext;

// A custom function as data, one constant a class; made by Function<T>.
struct FunctionTraits {
  std::string_view name;       // for messages: Cube
  std::string_view node_name;  // CubeBackward
  VariableList (*backward)(FunctionContext& context, VariableList gradients);
  bool once_differentiable = false;
  bool clears_saved = false;
};

class FunctionContext {
 public:
  static constexpr int32_t kNoEdge = -1;

  explicit FunctionContext(const FunctionTraits& traits) : traits_(&traits) {}
  FunctionContext(FunctionContext&&) = default;
  FunctionContext& operator=(FunctionContext&&) = default;

  // --- In Forward; Error(kInvalidArgument) elsewhere. Each replaces what it was told before. ---
  // Keeps tensors for Backward: arguments, results, others, undefined ones. They are checked for
  // writes when they are used. What is neither argument nor result is a constant in Backward.
  void SaveForBackward(VariableList tensors);
  // These arguments were written in place; each must be returned.
  void MarkDirty(VariableList tensors);
  // These results never require grad.
  void MarkNonDifferentiable(VariableList tensors);
  // Whether an undefined gradient of a result comes to Backward as zeros: so without this call.
  void SetMaterializeGrads(bool materialize);
  // By result: the dtype to which its gradients are cast, instead of its own, or nullopt for any
  // floating one. Once; one for each result, and not for a written view.
  void SetGradDTypes(std::vector<std::optional<DType>> dtypes);

  // --- In Backward ---
  // What Forward saved. Error kFreed once the graph was released, kVersion if one was written.
  VariableList SavedTensors();

  // --- In both ---
  // Whether somebody wants the gradient of argument i: in Backward the call that runs.
  bool NeedsInputGrad(size_t i) const;
  // What else Backward is to know. It lives as long as the node.
  std::map<std::string, std::any> saved_data;

  size_t num_arguments() const { return edges_.size(); }
  // Which of the node's edges the gradient of argument i takes; kNoEdge if it is no tensor.
  int32_t EdgeOf(size_t i) const { return edges_[i]; }

  std::string_view name() const { return traits_->name; }
  // Null in Forward.
  const Node* node() const { return node_; }

 private:
  friend class CustomNode;
  friend class ForwardCall;

  void CheckPhase(bool in_forward, std::string_view what) const;

  const FunctionTraits* traits_;
  const Node* node_ = nullptr;  // null until Forward has returned
  // By argument: the edge of its gradient; kNoEdge: it is no tensor.
  InlinedVector<int32_t, 4> edges_;
  InlinedVector<bool, 4> requires_grad_;  // by edge, as of Forward
  VariableList to_save_;
  VariableList dirty_;
  VariableList non_differentiable_;
  std::optional<std::vector<std::optional<DType>>> grad_dtypes_;
  bool materialize_grads_ = true;
  bool cleared_ = false;
  std::vector<SavedVariable> saved_;
};

}  // namespace twingrad

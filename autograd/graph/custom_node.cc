// Running the backward of a custom function. See custom_node.h.

#include "autograd/graph/custom_node.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/inlined_vector.h"
#include "autograd/base/span.h"
#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/error_node.h"
#include "autograd/graph/variable.h"

namespace twingrad {
namespace {

// The gradients that somebody else holds as well, and may read while Backward runs or after it.
class SharedGradients {
 public:
  explicit SharedGradients(const VariableList& gradients) {
    for (const Tensor& gradient : gradients) {
      if (!gradient.defined() || gradient.impl()->is_inference() || IsHeldAlone(gradient)) continue;
      held_.push_back({gradient, gradient.version()});
    }
  }
  void CheckUnwritten(std::string_view name) const {
    for (const auto& [gradient, version] : held_) {
      if (gradient.version() == version) continue;
      throw Error(ErrorKind::kVersion,
                  absl::StrCat("[custom] the backward of ", name, " wrote its gradient ",
                               DTypeName(gradient.dtype()), ShapeToString(gradient.sizes()),
                               " in place, which others hold too; a gradient may be read; write to "
                               "a clone"));
    }
  }

 private:
  InlinedVector<std::pair<Tensor, uint32_t>, 2> held_;
};

}  // namespace

VariableList CustomNode::RunBackward(VariableList&& gradients) {
  const SharedGradients shared(gradients);
  VariableList results = Fit(context_.traits_->backward(context_, std::move(gradients)));
  shared.CheckUnwritten(context_.name());
  return results;
}

VariableList CustomNode::Apply(VariableList&& gradients) {
  if (context_.materialize_grads_) Materialize(gradients);
  CustomCall call(*this);
  if (!context_.traits_->once_differentiable) return RunBackward(std::move(gradients));
  // What the results depend on, so that a further derivative is refused and not wrong.
  VariableList sources;
  if (GradMode::IsEnabled()) {
    sources = gradients;
    for (const SavedVariable& saved : context_.saved_) sources.push_back(saved.Unpack(this));
  }
  VariableList results;
  {
    GradModeGuard no_grad(false);
    results = RunBackward(std::move(gradients));
  }
  return AttachError(
      absl::StrCat("[custom] ", context_.name(),
                   " is differentiated twice, but is declared with kOnceDifferentiable; its "
                   "gradients cannot be differentiated; write its Backward in differentiable "
                   "operations and leave the declaration out"),
      std::move(results), sources);
}

void CustomNode::ReleaseVariables() {
  CustomCall call(*this);
  for (SavedVariable& saved : context_.saved_) saved.Reset();
}

std::vector<SavedVariable*> CustomNode::SavedVariables() {
  std::vector<SavedVariable*> saved;
  for (SavedVariable& each : context_.saved_) saved.push_back(&each);
  return saved;
}

void CustomNode::Materialize(VariableList& gradients) const {
  for (uint32_t i = 0; i < num_inputs(); ++i) {
    if (gradients[i].defined() || !is_differentiable_[i]) continue;
    const InputMetadata& place = input_metadata(i);
    gradients[i] = Tensor::Zeros(place.sizes(), place.dtype(), place.device());
  }
}

VariableList CustomNode::Fit(VariableList&& results) const {
  const size_t count = context_.edges_.size();
  // Surplus gradients may be returned as long as they are undefined.
  const size_t surplus = std::min(count, results.size());
  const bool fits = results.size() >= count &&
                    std::none_of(results.begin() + static_cast<ptrdiff_t>(surplus), results.end(),
                                 [](const Tensor& g) { return g.defined(); });
  if (!fits) {
    throw Error(ErrorKind::kGradCount,
                absl::StrCat("[custom] the backward of ", context_.name(), " returned ",
                             results.size(), " gradients, but its forward takes ", count,
                             " arguments; there must be one for each, undefined ones where there "
                             "is none; return as many"));
  }
  VariableList fitted(num_outputs());
  for (size_t i = 0; i < count; ++i) {
    if (context_.edges_[i] != FunctionContext::kNoEdge) {
      fitted[static_cast<size_t>(context_.edges_[i])] = std::move(results[i]);
    } else if (results[i].defined()) {
      throw Error(ErrorKind::kGradCount,
                  absl::StrCat("[custom] the backward of ", context_.name(),
                               " returned a gradient at position ", i,
                               ", where its forward takes no tensor; only tensors have gradients; "
                               "return an undefined tensor there"));
    }
  }
  return fitted;
}

}  // namespace twingrad

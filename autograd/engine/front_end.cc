// Checks of arguments, and the two calls. See front_end.h.

#include "autograd/engine/front_end.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/variable.h"

namespace twingrad {
namespace {

void CheckDefined(absl::Span<const Tensor> tensors, std::string_view what) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].defined()) continue;
    throw Error(ErrorKind::kUndefined,
                absl::StrCat("[engine] ", what, " ", i,
                             " is undefined; defined tensors are allowed; leave it out"));
  }
}

void CheckRequiresGrad(const Tensor& tensor, std::string_view what, size_t i) {
  if (RequiresGrad(tensor)) return;
  throw Error(
      ErrorKind::kNoGraph,
      absl::StrCat("[engine] ", what, " ", i, " of shape ", ShapeToString(tensor.sizes()),
                   " does not require grad; it must be computed from a leaf that does, with "
                   "grad mode on; set requires_grad before computing it, and a "
                   "GradModeGuard(true) where that is done in a node or hook"));
}

Tensor ImplicitSeed(const Tensor& root, size_t i) {
  if (root.numel() != 1) {
    throw Error(ErrorKind::kImplicitSeed,
                absl::StrCat("[engine] root ", i, " has shape ", ShapeToString(root.sizes()),
                             " and no seed; only a root of one element may have none; give a seed "
                             "of the root's shape"));
  }
  return Tensor::Ones(root.sizes(), root.dtype(), root.device());
}

void CheckSeed(const Tensor& root, const Tensor& seed, size_t i) {
  if (seed.sizes() != root.sizes()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[engine] seed ", i, " has shape ", ShapeToString(seed.sizes()),
                             " for a root of shape ", ShapeToString(root.sizes()),
                             "; they must be equal; reshape or expand the seed"));
  }
  if (seed.dtype() != root.dtype()) {
    throw Error(
        ErrorKind::kDType,
        absl::StrCat("[engine] seed ", i, " is ", DTypeName(seed.dtype()), " for a root of ",
                     DTypeName(root.dtype()), "; they must be equal; cast the seed"));
  }
  if (seed.device() != root.device()) {
    throw Error(
        ErrorKind::kDevice,
        absl::StrCat("[engine] seed ", i, " is on ", seed.device().ToString(), " for a root on ",
                     root.device().ToString(), "; they must be equal; copy the seed there"));
  }
}

// One seed a root, after all checks of both.
std::vector<Tensor> MakeSeeds(absl::Span<const Tensor> roots, absl::Span<const Tensor> seeds) {
  if (!seeds.empty() && seeds.size() != roots.size()) {
    throw Error(ErrorKind::kGradCount,
                absl::StrCat("[engine] ", seeds.size(), " seeds for ", roots.size(),
                             " roots; give none or one for each; use undefined for implicit ones"));
  }
  std::vector<Tensor> result;
  for (size_t i = 0; i < roots.size(); ++i) {
    CheckRequiresGrad(roots[i], "root", i);
    if (seeds.empty() || !seeds[i].defined()) {
      result.push_back(ImplicitSeed(roots[i], i));
    } else {
      CheckSeed(roots[i], seeds[i], i);
      result.push_back(seeds[i]);
    }
  }
  return result;
}

std::vector<Edge> EdgesOf(absl::Span<const Tensor> tensors) {
  std::vector<Edge> edges;
  for (const Tensor& tensor : tensors) edges.push_back(GradientEdge(tensor));
  return edges;
}

void CheckNotEmpty(size_t count, std::string_view what) {
  if (count > 0) return;
  throw Error(
      ErrorKind::kInvalidArgument,
      absl::StrCat("[engine] the list of ", what,
                   " is empty; at least one is needed; leave inputs out to reach every leaf"));
}

// The checks of both calls, in the order of front_end.h, and the run. Without `inputs` every leaf
// is reached.
template <class Options>
VariableList Run(absl::Span<const Tensor> roots, std::optional<absl::Span<const Tensor>> inputs,
                 absl::Span<const Tensor> seeds, const Options& options, bool accumulate_grad) {
  CheckDefined(roots, "root");
  if (inputs.has_value()) CheckDefined(*inputs, "input");
  CheckNotEmpty(roots.size(), "roots");
  if (inputs.has_value()) CheckNotEmpty(inputs->size(), "inputs");
  const std::vector<Tensor> checked_seeds = MakeSeeds(roots, seeds);
  const std::vector<Edge> starts = EdgesOf(roots);
  std::vector<Edge> outputs;
  if (inputs.has_value()) {
    for (size_t i = 0; i < inputs->size(); ++i) CheckRequiresGrad((*inputs)[i], "input", i);
    if (accumulate_grad) {
      for (const Tensor& input : *inputs) RetainGrad(input);
    }
    outputs = EdgesOf(*inputs);
  }
  Engine& engine = options.engine != nullptr ? *options.engine : Engine::Default();
  return engine.Execute(starts, checked_seeds, options.retain_graph.value_or(options.create_graph),
                        options.create_graph, accumulate_grad, outputs);
}

}  // namespace

void Backward(absl::Span<const Tensor> roots, absl::Span<const Tensor> seeds,
              const BackwardOptions& options) {
  std::optional<absl::Span<const Tensor>> inputs;
  if (options.inputs.has_value()) inputs = *options.inputs;
  Run(roots, inputs, seeds, options, /*accumulate_grad=*/true);
}

VariableList Grad(absl::Span<const Tensor> roots, absl::Span<const Tensor> inputs,
                  absl::Span<const Tensor> seeds, const GradOptions& options) {
  VariableList results = Run(roots, inputs, seeds, options, /*accumulate_grad=*/false);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined()) continue;
    if (options.materialize_grads) {
      results[i] = Tensor::Zeros(inputs[i].sizes(), inputs[i].dtype(), inputs[i].device());
    } else if (!options.allow_unused) {
      throw Error(ErrorKind::kUnusedInput,
                  absl::StrCat("[engine] input ", i, " of shape ", ShapeToString(inputs[i].sizes()),
                               " received no gradient from the roots; every input must be used; "
                               "set allow_unused for an undefined gradient, materialize_grads for "
                               "zeros"));
    }
  }
  return results;
}

}  // namespace twingrad

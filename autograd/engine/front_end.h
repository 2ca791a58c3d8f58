// Backward and Grad: the calls that users make, with all checks of their arguments.
//
//   Backward({loss});                                   // adds to .grad of the leaves
//   VariableList g = Grad({y}, {x}, {}, {.create_graph = true});
//
// Checks in this order: undefined root or input (kUndefined), no roots or an empty list of inputs
// (kInvalidArgument), number of seeds (kGradCount), each root in order (kNoGraph, kImplicitSeed,
// kShape, kDType, kDevice), each input (kNoGraph); after the run, for Grad, an input that no
// gradient reached (kUnusedInput).

#pragma once

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "autograd/engine/engine.h"
#include "autograd/graph/node.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

struct BackwardOptions {
  std::optional<bool> retain_graph = {};  // absent: as create_graph
  bool create_graph = false;
  // Only these get a gradient. An input that is not a leaf keeps it in its `.grad`, and its node is
  // executed.
  std::optional<std::vector<Tensor>> inputs = {};
  Engine* engine = nullptr;  // null: Engine::Default()
};

// `seeds`: empty, or one per root. An undefined seed means 1 if the root has one element.
void Backward(absl::Span<const Tensor> roots, absl::Span<const Tensor> seeds = {},
              const BackwardOptions& options = {});

struct GradOptions {
  std::optional<bool> retain_graph = {};
  bool create_graph = false;
  bool allow_unused = false;       // unused inputs get undefined gradients
  bool materialize_grads = false;  // unused inputs get zeros
  Engine* engine = nullptr;
};

VariableList Grad(absl::Span<const Tensor> roots, absl::Span<const Tensor> inputs,
                  absl::Span<const Tensor> seeds = {}, const GradOptions& options = {});

}  // namespace twingrad

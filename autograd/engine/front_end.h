// Backward and Grad: the calls that users make, with all checks of their arguments.
//
//   Backward({loss});                                   // adds to .grad of the leaves
//   VariableList g = Grad({y}, {x}, {}, {.create_graph = true});
//   Backward({GradientEdge(y)});                        // edges in place of tensors: see ends.h
//
// Checks in this order: undefined root or input (kUndefined), no roots or an empty list of inputs
// (kInvalidArgument), number of seeds (kGradCount), each root in order (kNoGraph, for edges
// kInvalidArgument, kImplicitSeed, kShape, kDType, kDevice), each input (kNoGraph, for edges
// kInvalidArgument), options that contradict each other (kInvalidArgument); after the run, for
// Grad, an input that no gradient reached (kUnusedInput).

#pragma once

#include <optional>
#include <vector>

#include "autograd/base/span.h"
#include "autograd/engine/call_future.h"
#include "autograd/engine/ends.h"
#include "autograd/engine/engine.h"
#include "autograd/graph/gradient_edge.h"
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
  // Further inputs. Their nodes are executed; an edge has no tensor to keep a gradient in.
  std::vector<GradientEdge> input_edges = {};
};

// `seeds`: empty, or one per root. An undefined seed means 1 if the root has one element.
void Backward(const Ends& roots, Span<const Tensor> seeds = {},
              const BackwardOptions& options = {});

struct GradOptions {
  std::optional<bool> retain_graph = {};
  bool create_graph = false;
  // Unused inputs get undefined gradients. Absent: as materialize_grads; an explicit false
  // contradicts it.
  std::optional<bool> allow_unused = {};
  // Unused inputs get zeros of their type, which are leaves that require grad under create_graph.
  bool materialize_grads = false;
  Engine* engine = nullptr;
};

VariableList Grad(const Ends& roots, const Ends& inputs, Span<const Tensor> seeds = {},
                  const GradOptions& options = {});

// The same on another thread (Engine::Async). Arguments are checked here and now; what goes wrong
// afterwards, an unused input among it, is in the future.
CallFuture BackwardAsync(const Ends& roots, Span<const Tensor> seeds = {},
                         const BackwardOptions& options = {});
CallFuture GradAsync(const Ends& roots, const Ends& inputs, Span<const Tensor> seeds = {},
                     const GradOptions& options = {});

}  // namespace twingrad

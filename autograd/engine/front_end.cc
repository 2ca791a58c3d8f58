// Checks of arguments, and the two calls. See front_end.h.

#include "autograd/engine/front_end.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/inlined_vector.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/variable.h"

namespace twingrad {
namespace {

void CheckDefined(Span<const Tensor> tensors, std::string_view what) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].defined()) continue;
    throw Error(ErrorKind::kUndefined,
                absl::StrCat("[engine] ", what, " ", i,
                             " is undefined; defined tensors are allowed; leave it out"));
  }
}

// That gradients can go there.
void CheckHasGraph(const Ends& ends, std::string_view what, size_t i) {
  const bool is_edge = ends.tensor(i) == nullptr;
  if (ends.HasGraph(i)) {
    if (is_edge) ends.sizes(i);  // that the node has such an input
    return;
  }
  if (is_edge) {
    throw Error(ErrorKind::kNoGraph,
                absl::StrCat("[engine] ", what, " ", i,
                             " is an edge without a node; edges of tensors that require grad have "
                             "one; check is_valid() where the edge is made"));
  }
  throw Error(
      ErrorKind::kNoGraph,
      absl::StrCat("[engine] ", what, " ", i, " of shape ", ShapeToString(ends.sizes(i)),
                   " does not require grad; it must be computed from a leaf that does, with "
                   "grad mode on; set requires_grad before computing it, and a "
                   "GradModeGuard(true) where that is done in a node or hook"));
}

Tensor ImplicitSeed(const Ends& roots, size_t i) {
  const Shape shape = roots.sizes(i);
  if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size != 1; })) {
    throw Error(ErrorKind::kImplicitSeed,
                absl::StrCat("[engine] root ", i, " has shape ", ShapeToString(shape),
                             " and no seed; only a root of one element may have none; give a seed "
                             "of the root's shape"));
  }
  return Tensor::Ones(shape, roots.dtype(i), roots.device(i));
}

void CheckSeed(const Ends& roots, const Tensor& seed, size_t i) {
  const Shape shape = roots.sizes(i);
  if (seed.sizes() != Span<const int64_t>(shape)) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[engine] seed ", i, " has shape ", ShapeToString(seed.sizes()),
                             " for a root of shape ", ShapeToString(shape),
                             "; they must be equal; reshape or expand the seed"));
  }
  if (seed.dtype() != roots.dtype(i)) {
    throw Error(
        ErrorKind::kDType,
        absl::StrCat("[engine] seed ", i, " is ", DTypeName(seed.dtype()), " for a root of ",
                     DTypeName(roots.dtype(i)), "; they must be equal; cast the seed"));
  }
  if (seed.device() != roots.device(i)) {
    throw Error(
        ErrorKind::kDevice,
        absl::StrCat("[engine] seed ", i, " is on ", seed.device().ToString(), " for a root on ",
                     roots.device(i).ToString(), "; they must be equal; copy the seed there"));
  }
}

// One seed a root, after all checks of both.
VariableList MakeSeeds(const Ends& roots, Span<const Tensor> seeds) {
  if (!seeds.empty() && seeds.size() != roots.size()) {
    throw Error(ErrorKind::kGradCount,
                absl::StrCat("[engine] ", seeds.size(), " seeds for ", roots.size(),
                             " roots; give none or one for each; use undefined for implicit ones"));
  }
  VariableList result;
  for (size_t i = 0; i < roots.size(); ++i) {
    CheckHasGraph(roots, "root", i);
    if (seeds.empty() || !seeds[i].defined()) {
      result.push_back(ImplicitSeed(roots, i));
    } else {
      CheckSeed(roots, seeds[i], i);
      result.push_back(seeds[i]);
    }
  }
  return result;
}

void CheckInputs(const Ends& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) CheckHasGraph(inputs, "input", i);
}

using Edges = InlinedVector<Edge, 2>;

void AppendEdges(const Ends& ends, Edges& edges) {
  for (size_t i = 0; i < ends.size(); ++i) edges.push_back(ends.edge(i));
}

void CheckNotEmpty(size_t count, std::string_view what) {
  if (count > 0) return;
  throw Error(
      ErrorKind::kInvalidArgument,
      absl::StrCat("[engine] the list of ", what,
                   " is empty; at least one is needed; leave inputs out to reach every leaf"));
}

Engine& EngineOf(Engine* engine) { return engine != nullptr ? *engine : Engine::Default(); }

// A call whose arguments have been checked.
struct CheckedCall {
  Edges roots;
  VariableList seeds;
  Edges outputs;
  bool keep_graph = false;
  bool create_graph = false;
  bool accumulate_grad = false;

  VariableList Execute(Engine& engine) const {
    return engine.Execute(roots, seeds, keep_graph, create_graph, accumulate_grad, outputs);
  }
};

template <class Options>
CheckedCall CallFrom(const Ends& roots, Span<const Tensor> seeds, const Options& options) {
  CheckedCall call;
  call.seeds = MakeSeeds(roots, seeds);
  AppendEdges(roots, call.roots);
  call.create_graph = options.create_graph;
  call.keep_graph = options.retain_graph.value_or(options.create_graph);
  return call;
}

CheckedCall CheckBackward(const Ends& roots, Span<const Tensor> seeds,
                          const BackwardOptions& options) {
  const bool has_inputs = options.inputs.has_value() || !options.input_edges.empty();
  const Ends tensors = options.inputs.has_value() ? Ends(*options.inputs) : Ends();
  const Ends edges(options.input_edges);
  CheckDefined(roots.tensors(), "root");
  CheckDefined(tensors.tensors(), "input");
  CheckNotEmpty(roots.size(), "roots");
  if (has_inputs) CheckNotEmpty(tensors.size() + edges.size(), "inputs");
  CheckedCall call = CallFrom(roots, seeds, options);
  CheckInputs(tensors);
  CheckInputs(edges);
  for (const Tensor& input : tensors.tensors()) RetainGrad(input);
  AppendEdges(tensors, call.outputs);
  AppendEdges(edges, call.outputs);
  call.accumulate_grad = true;
  return call;
}

CheckedCall CheckGrad(const Ends& roots, const Ends& inputs, Span<const Tensor> seeds,
                      const GradOptions& options) {
  CheckDefined(roots.tensors(), "root");
  CheckDefined(inputs.tensors(), "input");
  CheckNotEmpty(roots.size(), "roots");
  CheckNotEmpty(inputs.size(), "inputs");
  CheckedCall call = CallFrom(roots, seeds, options);
  CheckInputs(inputs);
  if (options.materialize_grads && !options.allow_unused.value_or(true)) {
    throw Error(ErrorKind::kInvalidArgument,
                "[engine] allow_unused is false and materialize_grads true; zeros stand for "
                "gradients of unused inputs, which are then allowed; leave allow_unused out");
  }
  AppendEdges(inputs, call.outputs);
  return call;
}

VariableList RunGrad(const CheckedCall& call, Engine& engine, bool allow_unused, bool materialize) {
  VariableList results = call.Execute(engine);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined()) continue;
    const GradientEdge input = call.outputs[i];
    if (materialize) {
      results[i] = Tensor::Zeros(input.sizes(), input.dtype(), input.device());
      if (call.create_graph) SetRequiresGrad(results[i], true);
    } else if (!allow_unused) {
      throw Error(ErrorKind::kUnusedInput,
                  absl::StrCat("[engine] input ", i, " of shape ", ShapeToString(input.sizes()),
                               " received no gradient from the roots; every input must be used; "
                               "set allow_unused for an undefined gradient, materialize_grads for "
                               "zeros"));
    }
  }
  return results;
}

}  // namespace

void Backward(const Ends& roots, Span<const Tensor> seeds, const BackwardOptions& options) {
  CheckBackward(roots, seeds, options).Execute(EngineOf(options.engine));
}

CallFuture BackwardAsync(const Ends& roots, Span<const Tensor> seeds,
                         const BackwardOptions& options) {
  Engine& engine = EngineOf(options.engine);
  return engine.Async(
      [&engine, call = CheckBackward(roots, seeds, options)] { return call.Execute(engine); });
}

VariableList Grad(const Ends& roots, const Ends& inputs, Span<const Tensor> seeds,
                  const GradOptions& options) {
  return RunGrad(CheckGrad(roots, inputs, seeds, options), EngineOf(options.engine),
                 options.allow_unused.value_or(false), options.materialize_grads);
}

CallFuture GradAsync(const Ends& roots, const Ends& inputs, Span<const Tensor> seeds,
                     const GradOptions& options) {
  Engine& engine = EngineOf(options.engine);
  return engine.Async([&engine, call = CheckGrad(roots, inputs, seeds, options),
                       allow_unused = options.allow_unused.value_or(false),
                       materialize = options.materialize_grads] {
    return RunGrad(call, engine, allow_unused, materialize);
  });
}

}  // namespace twingrad

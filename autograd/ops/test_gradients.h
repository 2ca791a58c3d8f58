// For the operations' tests: leaves from lists, gradients of any order, elements as lists.
//
// Gradients come from a walk over the graph of its own, by the textbook: nodes in topological
// order, contributions summed. So the tests of derivatives need no engine, and a defect of the
// engine fails the engine's tests alone.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "autograd/base/test_errors.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduction.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

using Doubles = std::vector<double>;

inline Tensor Values(std::initializer_list<int64_t> sizes, std::initializer_list<double> elements) {
  return Tensor::FromData<double>(sizes, elements);
}

inline Tensor Indices(std::initializer_list<int64_t> sizes,
                      std::initializer_list<int64_t> elements) {
  return Tensor::FromData<int64_t>(sizes, elements);
}

inline Tensor Leaf(std::initializer_list<int64_t> sizes, std::initializer_list<double> elements) {
  Tensor leaf = Values(sizes, elements);
  SetRequiresGrad(leaf, true);
  return leaf;
}

// The elements in row-major order, as doubles; none of an undefined tensor.
inline Doubles Elements(const Tensor& t) {
  if (!t.defined()) return {};
  const Tensor rows = kernels::Cast(t, DType::kF64);
  return Doubles(rows.data<double>(), rows.data<double>() + rows.numel());
}

// Called with the node and its complete gradients; says whether the walk applies the node.
using Visit = std::function<bool(Node& node, const VariableList& gradients)>;

// Walks from the sum of y's elements to the leaves. Without `keep_graph` each node that was applied
// gives up its saved variables.
inline void Walk(const Tensor& y, bool keep_graph, bool create_graph, const Visit& visit) {
  const Tensor total = Sum(y, {}, false);
  GradModeGuard mode(create_graph);
  // Every edge leads to a smaller topological number, so the greatest has all its contributions.
  using Place = std::tuple<uint32_t, uint64_t, Node*>;
  std::map<Place, VariableList, std::greater<>> pending;
  const auto add = [&](const Edge& edge, const Tensor& gradient) {
    if (!edge.is_valid() || !gradient.defined()) return;
    Node* const node = edge.function.get();
    VariableList& gradients = pending[{node->topological_nr(), node->sequence_nr(), node}];
    gradients.resize(node->num_inputs());
    Tensor& slot = gradients[edge.input_nr];
    slot = slot.defined() ? Add(slot, gradient) : gradient;
  };
  add(GradientEdge(total), Constant(1, total));
  while (!pending.empty()) {
    const auto next = pending.extract(pending.begin());
    Node* const node = std::get<Node*>(next.key());
    if (!visit(*node, next.mapped())) continue;
    const VariableList results = node->Apply(VariableList(next.mapped()));
    for (size_t i = 0; i < results.size(); ++i) add(node->next_edge(i), results[i]);
    if (!keep_graph) node->ReleaseVariables();
  }
}

// Adds the gradients of the sum of y's elements to `.grad` of the leaves.
inline void Backward(const Tensor& y, bool keep_graph = false) {
  Walk(y, keep_graph, /*create_graph=*/false, [](Node&, const VariableList&) { return true; });
}

// The gradients of the sum of y's elements; unused inputs give zeros.
inline std::vector<Tensor> Derive(const Tensor& y, std::initializer_list<Tensor> inputs,
                                  bool create_graph = false) {
  std::vector<Tensor> results;
  std::vector<Edge> edges;
  for (const Tensor& input : inputs) {
    results.push_back(Tensor::Zeros(input.sizes(), input.dtype(), input.device()));
    edges.push_back(GradientEdge(input));
  }
  Walk(y, /*keep_graph=*/true, create_graph, [&](Node& node, const VariableList& gradients) {
    for (size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].function.get() != &node) continue;
      const Tensor& gradient = gradients[edges[i].input_nr];
      if (gradient.defined()) results[i] = gradient;
    }
    return node.sequence_nr() != kAccumulateOrderKey;
  });
  return results;
}

// The gradient of x by the sum of y's elements times 1, 2, 3, ...
inline Doubles Weighed(const Tensor& y, const Tensor& x) {
  Tensor weights = Tensor::Empty(y.sizes(), y.dtype());
  std::iota(weights.mutable_data<double>(), weights.mutable_data<double>() + y.numel(), 1.0);
  return Elements(Derive(Mul(y, weights), {x})[0]);
}

// The derivative of y by x, `order` times; a scalar function of one element.
inline double Derivative(const Tensor& y, const Tensor& x, int order) {
  Tensor current = y;
  for (int i = 0; i < order; ++i) {
    if (!RequiresGrad(current)) return 0;
    current = Derive(current, {x}, /*create_graph=*/true)[0];
  }
  return Elements(current)[0];
}

}  // namespace twingrad::ops

// GradientEdge: where gradients of a tensor go, without the tensor. Root or input of a call.
//
//   GradientEdge edge(y);                       // or GradientEdge(node, input_nr)
//   Backward({edge});                           // as Backward({y}), also when y is gone or written
//   VariableList g = Grad({loss}, {edge});
//
// The node's metadata gives the shape, dtype and device. An edge owns its node and so the graph
// below it; for a leaf that is the accumulator. Threads: as an Edge, a value.

#pragma once

#include <cstdint>
#include <utility>

#include "autograd/base/device.h"
#include "autograd/base/dtype.h"
#include "autograd/graph/edge.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class GradientEdge : public Edge {
 public:
  GradientEdge() = default;
  GradientEdge(NodePtr node, uint32_t nr) : Edge(std::move(node), nr) {}
  GradientEdge(Edge edge) : Edge(std::move(edge)) {}  // NOLINT(google-explicit-constructor)
  // The tensor's node, or its accumulator if it is a leaf. Invalid if it does not require grad. A
  // view whose base was written since gets a new node first.
  explicit GradientEdge(const Tensor& tensor);

  // The type of the gradients there. Error(kNoGraph) if invalid, Error(kInvalidArgument) if the
  // node has no such input.
  const InputMetadata& metadata() const;
  Shape sizes() const { return metadata().sizes(); }
  DType dtype() const { return metadata().dtype(); }
  Device device() const { return metadata().device(); }
};

}  // namespace twingrad

// Ends: the list of tensors, or of gradient edges, that a call starts from or asks for.
//
//   Backward({y, z});              // Ends of two tensors
//   Backward({GradientEdge(y)});   // of one edge; a list holds either kind, not both
//
// A view of a list, valid as long as the list, as Span is: for parameters.

#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "autograd/base/device.h"
#include "autograd/base/dtype.h"
#include "autograd/base/span.h"
#include "autograd/graph/gradient_edge.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class Ends {
 public:
  Ends() = default;
  Ends(std::initializer_list<Tensor> tensors) : tensors_(tensors.begin(), tensors.size()) {}
  Ends(std::initializer_list<GradientEdge> edges) : edges_(edges.begin(), edges.size()) {}
  // Containers that a span can be made of.
  template <class List,
            std::enable_if_t<std::is_convertible_v<const List&, Span<const Tensor>>, int> = 0>
  Ends(const List& tensors) : tensors_(tensors) {}  // NOLINT(google-explicit-constructor)
  template <class List,
            std::enable_if_t<std::is_convertible_v<const List&, Span<const GradientEdge>>, int> = 0>
  Ends(const List& edges) : edges_(edges) {}  // NOLINT(google-explicit-constructor)

  size_t size() const { return tensors_.size() + edges_.size(); }
  bool empty() const { return size() == 0; }

  // Null where the list is of edges.
  const Tensor* tensor(size_t i) const { return tensors_.empty() ? nullptr : &tensors_[i]; }
  Span<const Tensor> tensors() const { return tensors_; }

  // Whether gradients can go there: the tensor requires grad, the edge is valid.
  bool HasGraph(size_t i) const {
    return tensors_.empty() ? edges_[i].is_valid() : RequiresGrad(tensors_[i]);
  }
  // Of an end with a graph.
  Edge edge(size_t i) const { return tensors_.empty() ? edges_[i] : GradientEdge(tensors_[i]); }

  // The type of the gradients there.
  Shape sizes(size_t i) const {
    if (tensors_.empty()) return edges_[i].sizes();
    return Shape(tensors_[i].sizes().begin(), tensors_[i].sizes().end());
  }
  DType dtype(size_t i) const { return tensors_.empty() ? edges_[i].dtype() : tensors_[i].dtype(); }
  Device device(size_t i) const {
    return tensors_.empty() ? edges_[i].device() : tensors_[i].device();
  }

 private:
  Span<const Tensor> tensors_;
  Span<const GradientEdge> edges_;
};

}  // namespace twingrad

// For the operations' tests: leaves from lists, gradients of any order, elements as lists.
#ifndef AUTOGRAD_OPS_TEST_GRADIENTS_H_
#define AUTOGRAD_OPS_TEST_GRADIENTS_H_

#include <bit>
#include <initializer_list>
#include <vector>

#include "absl/types/span.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/grad_mode.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/reduction.h"
#include "autograd/runner/tensor_data.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

using Doubles = std::vector<double>;

inline Tensor Values(std::initializer_list<int64_t> sizes, std::initializer_list<double> elements) {
  return Tensor::FromData<double>(absl::MakeConstSpan(sizes.begin(), sizes.size()),
                                  absl::MakeConstSpan(elements.begin(), elements.size()));
}

inline Tensor Leaf(std::initializer_list<int64_t> sizes, std::initializer_list<double> elements) {
  Tensor leaf = Values(sizes, elements);
  SetRequiresGrad(leaf, true);
  return leaf;
}

// The elements in row-major order, as doubles.
inline Doubles Elements(const Tensor& t) {
  Doubles result;
  if (!t.defined()) return result;
  for (uint64_t bits : runner::DataOf(t).bits) {
    result.push_back(IsFloating(t.dtype()) ? std::bit_cast<double>(bits)
                                           : static_cast<double>(static_cast<int64_t>(bits)));
  }
  return result;
}

// The gradients of the sum of y's elements; unused inputs give zeros.
inline std::vector<Tensor> Derive(const Tensor& y, std::initializer_list<Tensor> inputs,
                                  bool create_graph = false) {
  const Tensor total = Sum(y, {}, false);
  const VariableList gradients =
      Grad({total}, std::vector<Tensor>(inputs), {},
           {.retain_graph = true, .create_graph = create_graph, .materialize_grads = true});
  return {gradients.begin(), gradients.end()};
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

#endif  // AUTOGRAD_OPS_TEST_GRADIENTS_H_

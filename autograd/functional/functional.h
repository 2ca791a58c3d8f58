// Jacobian, Hessian and their products with vectors, of functions made of
// operations.
//
//   Tensor j = Jacobian([](const Tensor& x) { return x * x; }, x);  // diagonal: 2 x
//   Tensor h = Hessian([](const Tensor& x) { return Sum(x * x * x); }, x);
//   Product p = Vjp(f, {x, w}, {v});  // f: from a vector of tensors to another
//
// The function is called with grad mode on, on leaves of its own over the data
// of the inputs; with create_graph on the inputs that require grad themselves,
// and the results have a history that leads to them. What does not depend on an
// input has zeros for it. Inputs and results are f32 or f64. Errors: those of
// the function and of Grad; kShape for vectors and results that do not fit.

#pragma once

#include <functional>
#include <vector>

#include "autograd/tensor/tensor.h"

namespace twingrad {

using TensorFunction = std::function<Tensor(const Tensor&)>;
using TensorListFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

struct FunctionalOptions {
  bool create_graph = false;
};

// Of shape (result's, input's): element [i..., j...] is the derivative of
// result i by input j.
Tensor Jacobian(const TensorFunction& f, const Tensor& x, const FunctionalOptions& options = {});
// [k][i]: of result k by input i.
std::vector<std::vector<Tensor>> Jacobian(const TensorListFunction& f,
                                          const std::vector<Tensor>& inputs,
                                          const FunctionalOptions& options = {});

// Of a function whose one result has one element (else Error kShape); of shape
// (input's, input's).
Tensor Hessian(const TensorFunction& f, const Tensor& x, const FunctionalOptions& options = {});
std::vector<std::vector<Tensor>> Hessian(const TensorListFunction& f,
                                         const std::vector<Tensor>& inputs,
                                         const FunctionalOptions& options = {});

// The function's results, and the products.
struct Product {
  std::vector<Tensor> values;
  std::vector<Tensor> products;
};

// vᵀ J: one product an input. `v` has a tensor of each result's shape.
Product Vjp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& v, const FunctionalOptions& options = {});
// J v: one product a result. `v` has a tensor of each input's shape.
Product Jvp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& v, const FunctionalOptions& options = {});
// H v of a function whose one result has one element: one product an input.
Product Hvp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& v, const FunctionalOptions& options = {});

// Grad, where roots need not require grad and zeros stand for gradients that
// are not there. Seeds: one a root, or none.
std::vector<Tensor> GradOrZeros(const std::vector<Tensor>& roots, const std::vector<Tensor>& inputs,
                                const std::vector<Tensor>& seeds, bool create_graph,
                                bool retain_graph);

}  // namespace twingrad

#include "autograd/functional/functional.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

Tensor ZerosLike(const Tensor& a) { return Tensor::Zeros(a.sizes(), a.dtype(), a.device()); }

std::vector<Tensor> Prepared(const std::vector<Tensor>& inputs, bool create_graph) {
  std::vector<Tensor> prepared;
  for (const Tensor& input : inputs) {
    prepared.push_back(create_graph && RequiresGrad(input) ? input : Leaf(input));
  }
  return prepared;
}

// Element `i` is 1, the others 0.
Tensor OneHot(const Tensor& like, int64_t i) {
  Tensor one = Tensor::Zeros({like.numel()}, like.dtype(), like.device());
  Tensor element = one.AsStrided({}, {}, i);
  kernels::FillInto(element, 1);
  return ops::Reshape(one, like.sizes());
}

// A result per input of one output: its rows joined into (output's shape,
// input's shape).
std::vector<Tensor> JacobianOf(const Tensor& output, const std::vector<Tensor>& inputs,
                               bool create_graph) {
  std::vector<std::vector<Tensor>> rows(inputs.size());
  for (int64_t k = 0; k < output.numel(); ++k) {
    const std::vector<Tensor> row = GradOrZeros({output}, inputs, {OneHot(output, k)}, create_graph,
                                                /*retain_graph=*/true);
    for (size_t i = 0; i < inputs.size(); ++i) rows[i].push_back(row[i]);
  }
  std::vector<Tensor> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Shape shape(output.sizes().begin(), output.sizes().end());
    shape.insert(shape.end(), inputs[i].sizes().begin(), inputs[i].sizes().end());
    result.push_back(rows[i].empty() ? Tensor::Zeros(shape, inputs[i].dtype(), inputs[i].device())
                                     : ops::Reshape(Stack(rows[i], 0), shape));
  }
  return result;
}

void CheckVectors(std::string_view call, const std::vector<Tensor>& v,
                  const std::vector<Tensor>& of, std::string_view what) {
  if (v.size() != of.size()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", call, "] ", v.size(), " vectors for ", of.size(), " ", what,
                             "s; one for each is needed; give zeros where none is meant"));
  }
  for (size_t i = 0; i < v.size(); ++i) {
    if (v[i].defined() && v[i].sizes() == of[i].sizes()) continue;
    throw Error(
        ErrorKind::kShape,
        absl::StrCat("[", call, "] vector ", i,
                     v[i].defined() ? absl::StrCat(" of shape ", ShapeToString(v[i].sizes()))
                                    : " is undefined,",
                     " for a ", what, " of shape ", ShapeToString(of[i].sizes()),
                     "; they must be equal; reshape or expand the vector"));
  }
}

std::vector<Tensor> GradientOf(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                               Tensor* value) {
  const std::vector<Tensor> results = f(inputs);
  if (results.size() != 1 || !results[0].defined() || results[0].numel() != 1) {
    throw Error(ErrorKind::kShape,
                "[hessian] the function gives other than one tensor of one "
                "element; it must give "
                "a scalar; sum the result, or take a Jacobian");
  }
  *value = results[0];
  return GradOrZeros(results, inputs, {}, /*create_graph=*/true,
                     /*retain_graph=*/true);
}

TensorListFunction OfLists(const TensorFunction& f) {
  return [&f](const std::vector<Tensor>& x) { return std::vector<Tensor>{f(x[0])}; };
}

}  // namespace

std::vector<Tensor> GradOrZeros(const std::vector<Tensor>& roots, const std::vector<Tensor>& inputs,
                                const std::vector<Tensor>& seeds, bool create_graph,
                                bool retain_graph) {
  std::vector<Tensor> used_roots;
  std::vector<Tensor> used_seeds;
  for (size_t i = 0; i < roots.size(); ++i) {
    if (!RequiresGrad(roots[i])) continue;
    used_roots.push_back(roots[i]);
    if (!seeds.empty()) used_seeds.push_back(seeds[i]);
  }
  std::vector<Tensor> result;
  if (used_roots.empty()) {
    for (const Tensor& input : inputs) result.push_back(ZerosLike(input));
    return result;
  }
  VariableList gradients = Grad(used_roots, inputs, used_seeds,
                                {.retain_graph = retain_graph,
                                 .create_graph = create_graph,
                                 .allow_unused = true,
                                 .materialize_grads = true});
  for (Tensor& gradient : gradients) result.push_back(std::move(gradient));
  return result;
}

std::vector<std::vector<Tensor>> Jacobian(const TensorListFunction& f,
                                          const std::vector<Tensor>& inputs,
                                          const FunctionalOptions& options) {
  EnableGradGuard grad;
  const std::vector<Tensor> prepared = Prepared(inputs, options.create_graph);
  std::vector<std::vector<Tensor>> result;
  for (const Tensor& output : f(prepared)) {
    result.push_back(JacobianOf(output, prepared, options.create_graph));
  }
  return result;
}

Tensor Jacobian(const TensorFunction& f, const Tensor& x, const FunctionalOptions& options) {
  return Jacobian(OfLists(f), std::vector<Tensor>{x}, options)[0][0];
}

std::vector<std::vector<Tensor>> Hessian(const TensorListFunction& f,
                                         const std::vector<Tensor>& inputs,
                                         const FunctionalOptions& options) {
  Tensor value;
  return Jacobian([&](const std::vector<Tensor>& x) { return GradientOf(f, x, &value); }, inputs,
                  options);
}

Tensor Hessian(const TensorFunction& f, const Tensor& x, const FunctionalOptions& options) {
  return Hessian(OfLists(f), std::vector<Tensor>{x}, options)[0][0];
}

Product Vjp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& v, const FunctionalOptions& options) {
  EnableGradGuard grad;
  const std::vector<Tensor> prepared = Prepared(inputs, options.create_graph);
  Product result;
  result.values = f(prepared);
  CheckVectors("vjp", v, result.values, "result");
  result.products =
      GradOrZeros(result.values, prepared, v, options.create_graph, options.create_graph);
  if (!options.create_graph) {
    for (Tensor& value : result.values) value = value.Detach();
  }
  return result;
}

Product Jvp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& v, const FunctionalOptions& options) {
  CheckVectors("jvp", v, inputs, "input");
  EnableGradGuard grad;
  const std::vector<Tensor> prepared = Prepared(inputs, options.create_graph);
  Product result;
  result.values = f(prepared);
  // The gradient g(u) = Jᵀ u is linear in its seed u, so its own gradient by u
  // with seed v is J v, whatever u is.
  std::vector<Tensor> seeds;
  for (const Tensor& value : result.values) seeds.push_back(Leaf(ZerosLike(value)));
  const std::vector<Tensor> gradients =
      GradOrZeros(result.values, prepared, seeds, /*create_graph=*/true,
                  /*retain_graph=*/true);
  result.products = GradOrZeros(gradients, seeds, v, options.create_graph, options.create_graph);
  if (!options.create_graph) {
    for (Tensor& value : result.values) value = value.Detach();
  }
  return result;
}

Product Hvp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& v, const FunctionalOptions& options) {
  Tensor value;
  // H is symmetric where the function is twice continuously differentiable: vᵀ
  // H is H v.
  Product result = Vjp([&](const std::vector<Tensor>& x) { return GradientOf(f, x, &value); },
                       inputs, v, options);
  result.values = {options.create_graph ? value : value.Detach()};
  return result;
}

}  // namespace twingrad

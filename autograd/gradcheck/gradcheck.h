// GradCheck and GradGradCheck: whether gradients are the derivatives of the
// values.
//
//   GradCheckReport report = GradCheck(f, {Leaf(x), Leaf(w)});
//   EXPECT_TRUE(report.ok()) << report.text();
//
// The function takes and gives lists of tensors. Inputs that require grad are
// f64 and are varied one element at a time; the others are passed on as they
// are. Results are f64. The function may be called some hundred times and must
// depend on nothing else: it is called twice at the same point, and another
// result is reported. Each element of the Jacobian, from backward calls, is
// compared with differences (difference.h): it is wrong if it is farther off
// than 16 times their error, and than 2^-36 of both and 2^-40 of the largest
// element, which stand for the rounding of the gradient itself.
//
// Errors: those of the function; kInvalidArgument where no input requires grad,
// kDType for an input that requires grad or a result that is not f64,
// kUndefined for undefined ones.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/functional/functional.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

struct GradCheckReport {
  // An element of the Jacobian: `row` of an output by `column` of an input,
  // both as indices.
  struct Element {
    size_t output = 0;
    size_t input = 0;
    std::vector<int64_t> row;
    std::vector<int64_t> column;
    double gradient = 0;  // from the backward call
    double slope = 0;     // from differences; at a kink the mean of both sides
    double allowed = 0;   // how far apart they may be
    double left = 0;      // of kinks: the slopes from both sides
    double right = 0;
  };

  // Nothing wrong, and something was compared.
  bool ok() const { return problem.empty() && wrong.empty() && compared > 0; }
  // One line that says the verdict, then one for the worst element of each
  // kind.
  std::string text() const;

  std::string call;              // gradcheck or gradgradcheck
  uint64_t seed = 0;             // of the seeds of GradGradCheck; 0 where there are none
  std::string problem;           // what is wrong besides single elements
  int64_t compared = 0;          // elements
  std::vector<Element> wrong;    // the worst first
  std::vector<Element> kinks;    // not compared: the function is not smooth there
  std::vector<Element> unclear;  // not compared: differences do not settle
};

// First derivatives.
GradCheckReport GradCheck(const TensorListFunction& f, const std::vector<Tensor>& inputs);

// Second derivatives: the function's gradients, as a function of its inputs and
// of random seeds, one for each result. Of the report's numbers, output i is
// the gradient of the i-th input that requires grad, and inputs beyond the
// function's own are the seeds.
GradCheckReport GradGradCheck(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                              uint64_t seed = 1);

}  // namespace twingrad

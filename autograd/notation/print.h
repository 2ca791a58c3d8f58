// A tensor as text.
//
//   std::cout << Exp(x);
//
//   [[  1, 2.71828],
//    [nan,    -inf]]
//   f64[2,2] on cpu, node ExpBackward
//
// Six significant digits. Of a tensor of more than 1000 elements, dimensions longer than six show
// their first and last three entries. The last line says what the tensor is: type, shape, device,
// whether it is a leaf that requires grad or which node made it. Reads only; errors: none, an
// undefined tensor is `undefined`.

#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "autograd/tensor/tensor.h"

namespace twingrad {

struct PrintOptions {
  int digits = 6;                // significant ones, 1 to 17
  int64_t abridge_above = 1000;  // elements
  int64_t edge = 3;              // entries shown at each end of an abridged dimension
};

// The elements, then the line that Describe gives.
std::string ToString(const Tensor& tensor, const PrintOptions& options = {});
// What it is, without the elements: "f64[2,2] on cpu, node ExpBackward".
std::string Describe(const Tensor& tensor);

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

}  // namespace twingrad

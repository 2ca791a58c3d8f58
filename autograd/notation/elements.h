// The elements of a tensor as plain numbers, and leaves made of numbers.
//
//   Tensor x = Leaf(Tensor::FromData<double>({2}, {3, 4}));     // requires grad
//   std::vector<double> v = Elements(x);                         // 3, 4
//   double loss = Item(Sum(x));                                  // 7
//
// Reads numbers and bool alike, strided or not; i64 beyond 2^53 is rounded. Errors:
// kUndefined for an undefined tensor, kShape for Item of more or less than one element.

#pragma once

#include <vector>

#include "autograd/tensor/tensor.h"

namespace twingrad {

// In row-major order.
std::vector<double> Elements(const Tensor& a);
// Of a tensor of one element, whatever its rank.
double Item(const Tensor& a);

// A leaf that requires grad, over the very memory of `data`, whose history it leaves behind.
Tensor Leaf(const Tensor& data);

}  // namespace twingrad

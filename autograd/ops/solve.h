// inverse, det, solve_triangular and cholesky, differentiable to any order.
//
//   Tensor x = ops::SolveTriangular(ops::Cholesky(a), b, /*upper=*/false);
//
// Floats; the last two dimensions are a matrix, and there may be any before them. Every
// derivative is one by all elements that are read. Errors: kUndefined for an undefined operand,
// kDType for other types, kDevice for operands on different devices, kShape for matrices that are
// not square and shapes that do not fit.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Of square matrices. A singular one, one of which elimination leaves no pivot but 0, is kDomain.
// M. B. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
// differentiation", 2008: -xᵀ g xᵀ.
Tensor Inverse(const Tensor& a);

// [..,n,n] -> [..]. The derivative is the matrix of cofactors, of singular matrices too, and so is
// every further one a polynomial. Cofactors of matrices up to 8x8 are determinants of smaller
// matrices, n² of them for n rows. So are those of larger ones near singular ones that have further
// derivatives, which then takes the memory of n⁴ elements.
Tensor Det(const Tensor& a);

// x of a x = b, for b [..,n,k] with a's leading dimensions. Only the lower (upper) triangle of `a`
// is read, and has a gradient. A zero on the diagonal makes infinities and NaN.
Tensor SolveTriangular(const Tensor& a, const Tensor& b, bool upper);

// The lower triangular l with l lᵀ = a, for symmetric `a`, of which only the lower triangle is read
// and has a gradient. A matrix that is not positive definite is kDomain. I. Murray,
// "Differentiation of the Cholesky decomposition", arXiv:1602.07527.
Tensor Cholesky(const Tensor& a);

}  // namespace twingrad::ops

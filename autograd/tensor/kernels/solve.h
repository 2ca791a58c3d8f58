// Inverses, determinants, triangular systems and Cholesky factors of matrices.
//
//   Tensor x = kernels::Inverse(a);   // [..,n,n] -> [..,n,n]
//
// Floats, any leading dimensions; all are computed in double and rounded once. Elimination goes
// by the greatest pivot of a column, the first of several, so that results are the same on every
// machine. What is not square is Error(kShape). n may be 0. On devices that the host does not reach
// the matrices are brought to the host and back. No history; any thread.
//
// G. H. Golub and C. F. Van Loan, "Matrix computations", 4th edition, sections 3.1, 3.4
// and 4.2.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// Error(kShape) naming `op` unless the last two dimensions of `a` are equal.
void CheckSquare(const char* op, const Tensor& a);

// A singular matrix, one that leaves no pivot but 0, is Error(kDomain).
Tensor Inverse(const Tensor& a);

// [..,n,n] -> [..].
Tensor Det(const Tensor& a);

// The derivative of Det by each element, [..,n,n] -> [..,n,n], of singular matrices too: by the
// greatest pivot of all that is left, in a time of n³ for finite elements.
Tensor Cofactors(const Tensor& a);

// Whether for each matrix the product of its norm and that of its inverse is so small that the
// inverse has at least half of the digits of a double.
bool AreWellConditioned(const Tensor& a);

// x of a x = b for b [..,n,k] with a's leading dimensions. Only the lower (upper) triangle of a is
// read. A zero on the diagonal makes infinities and NaN.
Tensor SolveTriangular(const Tensor& a, const Tensor& b, bool upper);

// The lower factor of symmetric matrices, of which the lower triangle alone is read; 0 above. A
// matrix that is not positive definite is Error(kDomain).
Tensor Cholesky(const Tensor& a);

}  // namespace twingrad::kernels

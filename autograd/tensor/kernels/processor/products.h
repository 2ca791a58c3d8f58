// Products of matrices in the instructions of this processor: f32 by oneDNN, f64 by the loops
// (loops.h).
//
//   Multiply(a, b, out);   // out, row-major, becomes a b
//
// Both operands are read in place if one of their steps is 1. One thread a call, whatever OpenMP is
// set to; the same bits at each call on one machine. What oneDNN reports is Error(kInternal); no
// memory for the panels of f64 is Error(kInvalidArgument). Any thread.

#pragma once

#include "autograd/tensor/kernels/processor/loops.h"

namespace twingrad::processor {

// Whether Multiply takes `a` or `b`: one step is 1, and rows or columns do not overlap.
template <typename T>
bool IsMultiplied(const Matrix<T>& m) {
  return (m.column_step == 1 && m.row_step >= m.columns) ||
         (m.row_step == 1 && m.column_step >= m.rows);
}

// a.columns is b.rows; no size is 0.
void Multiply(const Matrix<float>& a, const Matrix<float>& b, float* out);
void Multiply(const Matrix<double>& a, const Matrix<double>& b, double* out);

}  // namespace twingrad::processor

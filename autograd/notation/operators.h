// + - * / and their compound assignments, on tensors and with constants.
//
//   Tensor y = 2 * x - x / (1 + x * x);
//   y += 1;                              // in place: y's version is bumped
//   At(y, {0}) *= 3;                     // through a view; At is of indexing.h
//
// The same functions as ops::Add and so on, with their types, shapes, history and errors. A
// constant takes the type and device of the tensor beside it; Error(kDType) if that is i64 and the
// constant is no whole number of 63 bits, or if it is bool. Found by argument-dependent lookup:
// nothing need be brought into scope.

#pragma once

#include "autograd/tensor/tensor.h"

namespace twingrad {

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, double b);
Tensor operator+(double a, const Tensor& b);

Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, double b);
Tensor operator-(double a, const Tensor& b);
Tensor operator-(const Tensor& a);

Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, double b);
Tensor operator*(double a, const Tensor& b);

Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, double b);
Tensor operator/(double a, const Tensor& b);

// In place. A handle that is about to end, such as a view just made, may be written through too.
Tensor& operator+=(Tensor& a, const Tensor& b);
Tensor& operator-=(Tensor& a, const Tensor& b);
Tensor& operator*=(Tensor& a, const Tensor& b);
Tensor& operator/=(Tensor& a, const Tensor& b);
Tensor& operator+=(Tensor& a, double b);
Tensor& operator-=(Tensor& a, double b);
Tensor& operator*=(Tensor& a, double b);
Tensor& operator/=(Tensor& a, double b);
inline Tensor operator+=(Tensor&& a, const Tensor& b) { return a += b; }
inline Tensor operator-=(Tensor&& a, const Tensor& b) { return a -= b; }
inline Tensor operator*=(Tensor&& a, const Tensor& b) { return a *= b; }
inline Tensor operator/=(Tensor&& a, const Tensor& b) { return a /= b; }
inline Tensor operator+=(Tensor&& a, double b) { return a += b; }
inline Tensor operator-=(Tensor&& a, double b) { return a -= b; }
inline Tensor operator*=(Tensor&& a, double b) { return a *= b; }
inline Tensor operator/=(Tensor&& a, double b) { return a /= b; }

// A scalar with the type and device of `like`, without history: what the operators make of a
// constant, with their errors.
Tensor ConstantLike(double value, const Tensor& like);

}  // namespace twingrad

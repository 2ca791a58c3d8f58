#include "autograd/notation/operators.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"

namespace twingrad {

Tensor ConstantLike(double value, const Tensor& like) {
  if (!like.defined()) {
    throw Error(ErrorKind::kUndefined,
                absl::StrCat("[operator] the constant ", value,
                             " beside an undefined tensor; defined tensors are allowed; check "
                             "defined() first"));
  }
  const double end = like.dtype() == DType::kI32 ? 0x1p31 : 0x1p63;
  const bool whole = std::trunc(value) == value && std::abs(value) < end;
  if (like.dtype() == DType::kBool || (IsInteger(like.dtype()) && !whole)) {
    throw Error(ErrorKind::kDType,
                absl::StrCat("[operator] the constant ", value, " beside a tensor of ",
                             DTypeName(like.dtype()),
                             "; a constant takes the tensor's type: any beside floats, whole "
                             "numbers of its range beside integers; cast the tensor first"));
  }
  return Tensor::Scalar(value, like.dtype(), like.device());
}

Tensor operator+(const Tensor& a, const Tensor& b) { return ops::Add(a, b); }
Tensor operator+(const Tensor& a, double b) { return ops::Add(a, ConstantLike(b, a)); }
Tensor operator+(double a, const Tensor& b) { return ops::Add(ConstantLike(a, b), b); }

Tensor operator-(const Tensor& a, const Tensor& b) { return ops::Sub(a, b); }
Tensor operator-(const Tensor& a, double b) { return ops::Sub(a, ConstantLike(b, a)); }
Tensor operator-(double a, const Tensor& b) { return ops::Sub(ConstantLike(a, b), b); }
Tensor operator-(const Tensor& a) { return ops::Neg(a); }

Tensor operator*(const Tensor& a, const Tensor& b) { return ops::Mul(a, b); }
Tensor operator*(const Tensor& a, double b) { return ops::Mul(a, ConstantLike(b, a)); }
Tensor operator*(double a, const Tensor& b) { return ops::Mul(ConstantLike(a, b), b); }

Tensor operator/(const Tensor& a, const Tensor& b) { return ops::Div(a, b); }
Tensor operator/(const Tensor& a, double b) { return ops::Div(a, ConstantLike(b, a)); }
Tensor operator/(double a, const Tensor& b) { return ops::Div(ConstantLike(a, b), b); }

Tensor& operator+=(Tensor& a, const Tensor& b) { return ops::AddInPlace(a, b), a; }
Tensor& operator-=(Tensor& a, const Tensor& b) { return ops::SubInPlace(a, b), a; }
Tensor& operator*=(Tensor& a, const Tensor& b) { return ops::MulInPlace(a, b), a; }
Tensor& operator/=(Tensor& a, const Tensor& b) { return ops::DivInPlace(a, b), a; }
Tensor& operator+=(Tensor& a, double b) { return a += ConstantLike(b, a); }
Tensor& operator-=(Tensor& a, double b) { return a -= ConstantLike(b, a); }
Tensor& operator*=(Tensor& a, double b) { return a *= ConstantLike(b, a); }
Tensor& operator/=(Tensor& a, double b) { return a /= ConstantLike(b, a); }

}  // namespace twingrad

// Norms: what is less its mean, by its deviation; then times a weight and plus a bias.
//
//   Tensor y = ops::LayerNorm(x, weight, bias, /*count=*/1, 1e-5);
//
// Floats. (a - mean) / √(variance + eps), where the variance is the mean of squares. Weight
// and bias may be undefined, a bias alone not. The derivatives are right to any order. Errors:
// kUndefined for an undefined operand, kDType for i64 and bool, kShape where operands do not fit,
// kInvalidArgument unless eps is 0 or more. With 0 a group of equal elements gives 0 / 0.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// Over the last `count` dimensions, of which weight and bias have the sizes. J. L. Ba, J. R. Kiros,
// G. E. Hinton, "Layer normalization", 2016.
Tensor LayerNorm(const Tensor& a, const Tensor& weight, const Tensor& bias, int64_t count,
                 double eps);

// a: [N, C, ..]. Over the channels of each of `groups` equal parts and all that follows; weight and
// bias are [C]. Y. Wu, K. He, "Group normalization", ECCV 2018.
Tensor GroupNorm(const Tensor& a, const Tensor& weight, const Tensor& bias, int64_t groups,
                 double eps);

// a: [N, C, ..]. Over all but the channels; weight and bias are [C]. S. Ioffe, C. Szegedy, "Batch
// normalization", ICML 2015.
Tensor BatchNorm(const Tensor& a, const Tensor& weight, const Tensor& bias, double eps);

}  // namespace twingrad::ops

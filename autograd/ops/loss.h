// mse_loss, smooth_l1_loss, cross_entropy, bce_with_logits and nll_loss.
//
//   Tensor loss = ops::CrossEntropy(logits, classes, Reduction::kMean);
//
// Floats, and one node each. A reduced loss is a scalar; a mean over nothing is NaN. Errors:
// kUndefined for an undefined operand, kDType and kDevice where operands do not fit each other,
// kShape where their shapes do not.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// What becomes of the losses of the elements or samples.
enum class Reduction : uint8_t { kMean, kSum, kNone };

// (a - b) squared, of equal shapes; for kNone in that shape.
Tensor MseLoss(const Tensor& a, const Tensor& b, Reduction reduction);

// d²/2 where |d| < 1, else |d| - 1/2, of d = a - b, of equal shapes.
Tensor SmoothL1Loss(const Tensor& a, const Tensor& b, Reduction reduction);

// -log_softmax(logits) at each sample's class. logits [N,C] with classes [N] of type i64, or [C]
// with a scalar; a class that is not within 0 and C - 1 is Error(kIndex). For kNone in the shape of
// `classes`.
Tensor CrossEntropy(const Tensor& logits, const Tensor& classes, Reduction reduction);

// log(1 + e^a) - a b, of equal shapes: the cross entropy of sigmoid(a) where b is the probability.
Tensor BceWithLogits(const Tensor& a, const Tensor& b, Reduction reduction);

// -a at each sample's class; shapes and errors as for CrossEntropy.
Tensor NllLoss(const Tensor& logs, const Tensor& classes, Reduction reduction);

}  // namespace twingrad::ops

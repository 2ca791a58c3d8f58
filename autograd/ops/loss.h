// mse_loss and cross_entropy.
//
//   Tensor loss = ops::CrossEntropy(logits, classes, Reduction::kMean);
//
// Each is one node. A mean over nothing is NaN.

#ifndef AUTOGRAD_OPS_LOSS_H_
#define AUTOGRAD_OPS_LOSS_H_

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// What becomes of the losses of the elements or samples.
enum class Reduction : uint8_t { kMean, kSum, kNone };

// (a - b) squared, of equal shapes.
Tensor MseLoss(const Tensor& a, const Tensor& b, Reduction reduction);

// -log_softmax(logits) at each sample's class. logits [N,C] with classes [N] of type i64, or [C]
// with a scalar; a class that is not within 0 and C - 1 is Error(kIndex).
Tensor CrossEntropy(const Tensor& logits, const Tensor& classes, Reduction reduction);

}  // namespace twingrad::ops

#endif  // AUTOGRAD_OPS_LOSS_H_

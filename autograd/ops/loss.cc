#include "autograd/ops/loss.h"

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/softmax.h"
#include "autograd/tensor/kernels/kernels.h"
#include "autograd/tensor/kernels/narrow.h"

namespace twingrad::ops {
namespace {

double CountOf(const Tensor& each) { return static_cast<double>(each.numel()); }

// In the type of the operands, in which or wider than which the losses are.
Tensor Reduce(const Tensor& each, Reduction reduction, DType dtype) {
  if (reduction == Reduction::kNone) return kernels::Narrowed(each, dtype);
  const Tensor sum = kernels::SumAll(each, false);
  if (reduction == Reduction::kSum) return kernels::Narrowed(sum, dtype);
  return kernels::Narrowed(kernels::Div(sum, Constant(CountOf(each), sum)), dtype);
}

// The gradient of what is added up. Where that is nothing, infinity would make NaN of further
// derivatives.
Tensor Share(const Tensor& gradient, Reduction reduction, double count) {
  if (reduction != Reduction::kMean || count == 0) return gradient;
  return Div(gradient, Constant(count, gradient));
}

// The classes as indices along the last dimension of the logits.
Tensor Column(const Tensor& classes) {
  Shape sizes = SizesOf(classes);
  Shape strides(classes.strides().begin(), classes.strides().end());
  sizes.push_back(1);
  strides.push_back(1);
  return classes.AsStrided(sizes, strides, classes.storage_offset());
}

// softmax - 1 at the class.
Tensor Excess(const Tensor& logits, const Tensor& column) {
  const int64_t last = logits.dim() - 1;
  const Tensor zeros = Tensor::Zeros(logits.sizes(), logits.dtype(), logits.device());
  const Tensor ones = Tensor::Ones(column.sizes(), logits.dtype(), logits.device());
  return Sub(Softmax(logits, last), kernels::ScatterAdd(zeros, last, column, ones));
}

void CheckEqualShapes(const char* op, const Tensor& a, const Tensor& b) {
  if (a.sizes() == b.sizes()) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] shapes ", ShapeToString(a.sizes()), " and ",
                           ShapeToString(b.sizes()), " differ; they must be equal; expand one"));
}

void CheckClasses(const char* op, const Tensor& logits, const Tensor& classes) {
  const auto sizes = logits.sizes();
  const bool fits =
      !sizes.empty() && sizes.size() <= 2 && classes.sizes() == sizes.first(sizes.size() - 1);
  if (fits) return;
  throw Error(
      ErrorKind::kShape,
      absl::StrCat("[", op, "] logits of shape ", ShapeToString(sizes), " and classes of shape ",
                   ShapeToString(classes.sizes()), "; [N,C] with [N], or [C] with a scalar"));
}

}  // namespace

Tensor MseLoss(const Tensor& a, const Tensor& b, Reduction reduction) {
  CheckDefined("mse_loss", a, b);
  CheckEqualShapes("mse_loss", a, b);
  kernels::CheckSameKind("mse_loss", a, b);
  const Tensor difference = kernels::Sub(kernels::Widened(a), kernels::Widened(b));
  Tensor result = Reduce(kernels::Mul(difference, difference), reduction, a.dtype());
  if (ShouldRecord(a, b)) {
    Record<2>("MseLossBackward", result, {&a, &b},
              [reduction, count = CountOf(a)](size_t k, const Tensor& g, const Tensor* a_and_b) {
                const Tensor apart = Sub(a_and_b[k], a_and_b[1 - k]);
                const Tensor twice = Mul(Constant(2, apart), apart);
                return Mul(Share(g, reduction, count), twice);
              })
        ->Save(a)
        ->Save(b);
  }
  return result;
}

Tensor SmoothL1Loss(const Tensor& a, const Tensor& b, Reduction reduction) {
  CheckDefined("smooth_l1_loss", a, b);
  CheckEqualShapes("smooth_l1_loss", a, b);
  kernels::CheckSameKind("smooth_l1_loss", a, b);
  const Tensor d = kernels::Sub(kernels::Widened(a), kernels::Widened(b));
  const Tensor half = Constant(0.5, d);
  const Tensor near = kernels::Mul(half, kernels::Mul(d, d));
  const Tensor far = kernels::Sub(kernels::Each<kernels::AbsNumber>(d), half);
  Tensor result =
      Reduce(kernels::Where(kernels::IsWithin(d, -1, 1), near, far), reduction, a.dtype());
  if (ShouldRecord(a, b)) {
    Record<2>("SmoothL1LossBackward", result, {&a, &b},
              [reduction, count = CountOf(a)](size_t k, const Tensor& g, const Tensor* a_and_b) {
                // Of b too the edges lead to a first: the rule of differences.
                const Tensor slope = Clamp(Sub(a_and_b[0], a_and_b[1]), -1, 1);
                return Mul(Share(g, reduction, count), k == 0 ? slope : Neg(slope));
              })
        ->Save(a)
        ->Save(b);
  }
  return result;
}

Tensor CrossEntropy(const Tensor& logits, const Tensor& classes, Reduction reduction) {
  CheckDefined("cross_entropy", logits, classes);
  CheckClasses("cross_entropy", logits, classes);
  const Tensor logs = LogSoftmax(kernels::Widened(logits.Detach()), logits.dim() - 1);
  const Tensor picked = kernels::Gather(logs, logits.dim() - 1, Column(classes), "cross_entropy");
  const Tensor each = WithShape(kernels::Each<kernels::NegNumber>(picked), classes.sizes());
  Tensor result = Reduce(each, reduction, logits.dtype());
  if (ShouldRecord(logits)) {
    Record<2>("CrossEntropyBackward", result, logits,
              [reduction, count = CountOf(each)](const Tensor& g, const Tensor* saved) {
                const Tensor column = Column(saved[1]);
                Tensor share = Share(g, reduction, count);
                if (reduction == Reduction::kNone) share = ReshapeTo(share, column.sizes());
                return Mul(share, Excess(saved[0], column));
              })
        ->Save(logits)
        ->Save(classes);
  }
  return result;
}

Tensor BceWithLogits(const Tensor& a, const Tensor& b, Reduction reduction) {
  CheckDefined("bce_with_logits", a, b);
  CheckEqualShapes("bce_with_logits", a, b);
  kernels::CheckSameKind("bce_with_logits", a, b);
  const Tensor x = kernels::Widened(a), y = kernels::Widened(b);
  const Tensor softplus = kernels::Each<kernels::SoftplusNumber>(x);
  Tensor result = Reduce(kernels::Sub(softplus, kernels::Mul(x, y)), reduction, a.dtype());
  if (ShouldRecord(a, b)) {
    Record<2>("BceWithLogitsBackward", result, {&a, &b},
              [reduction, count = CountOf(a)](size_t k, const Tensor& g, const Tensor* saved) {
                const Tensor share = Share(g, reduction, count);
                if (k == 1) return Neg(Mul(share, saved[0]));
                return Mul(share, Sub(Sigmoid(saved[0]), saved[1]));
              })
        ->Save(a)
        ->Save(b);
  }
  return result;
}

Tensor NllLoss(const Tensor& logs, const Tensor& classes, Reduction reduction) {
  CheckDefined("nll_loss", logs, classes);
  CheckClasses("nll_loss", logs, classes);
  const Tensor picked =
      kernels::Gather(kernels::Widened(logs), logs.dim() - 1, Column(classes), "nll_loss");
  const Tensor each = WithShape(kernels::Each<kernels::NegNumber>(picked), classes.sizes());
  Tensor result = Reduce(each, reduction, logs.dtype());
  if (ShouldRecord(logs)) {
    Record<1>("NllLossBackward", result, logs,
              [reduction, count = CountOf(each), sizes = SizesOf(logs)](const Tensor& g,
                                                                        const Tensor* saved) {
                const Tensor column = Column(saved[0]);
                const Tensor share = Neg(Share(g, reduction, count));
                const Tensor each_share = reduction == Reduction::kNone
                                              ? ReshapeTo(share, column.sizes())
                                              : ExpandTo(share, column.sizes());
                const Tensor zeros = Tensor::Zeros(sizes, g.dtype(), g.device());
                return ScatterAdd(zeros, zeros.dim() - 1, column, each_share);
              })
        ->Save(classes);
  }
  return result;
}

}  // namespace twingrad::ops

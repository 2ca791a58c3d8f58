#include "autograd/ops/loss.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/rule_node.h"
#include "autograd/ops/softmax.h"
#include "autograd/tensor/kernels/kernels.h"

namespace twingrad::ops {
namespace {

double CountOf(const Tensor& each) { return static_cast<double>(each.numel()); }

Tensor Reduce(const Tensor& each, Reduction reduction) {
  if (reduction == Reduction::kNone) return each;
  const Tensor sum = kernels::SumAll(each, false);
  if (reduction == Reduction::kSum) return sum;
  return kernels::Div(sum, Constant(CountOf(each), sum));
}

// The gradient of what is added up. Where that is nothing, infinity would make NaN of further
// derivatives.
Tensor Share(const Tensor& gradient, Reduction reduction, double count) {
  if (reduction != Reduction::kMean || count == 0) return gradient;
  return Div(gradient, Constant(count, gradient));
}

struct MseLossRule {
  Reduction reduction;
  double count;

  std::string_view name() const { return "MseLossBackward"; }
  Tensor Derivative(size_t operand, const Tensor& gradient, const Tensor* saved) const {
    const Tensor difference = Sub(saved[operand], saved[1 - operand]);
    const Tensor twice = Mul(Constant(2, difference), difference);
    return Mul(Share(gradient, reduction, count), twice);
  }
};

// The classes as indices along the last dimension of the logits.
Tensor Column(const Tensor& classes) {
  Shape sizes(classes.sizes().begin(), classes.sizes().end());
  Shape strides(classes.strides().begin(), classes.strides().end());
  sizes.push_back(1);
  strides.push_back(1);
  return classes.AsStrided(sizes, strides, classes.storage_offset());
}

struct CrossEntropyRule {
  Reduction reduction;
  double count;

  std::string_view name() const { return "CrossEntropyBackward"; }
  // `saved`: logits and classes. (softmax - 1 at the class) times the sample's share.
  Tensor Derivative(size_t, const Tensor& gradient, const Tensor* saved) const {
    const Tensor& logits = saved[0];
    const Tensor column = Column(saved[1]);
    const int64_t last = logits.dim() - 1;
    const Tensor zeros = Tensor::Zeros(logits.sizes(), logits.dtype(), logits.device());
    const Tensor ones = Tensor::Ones(column.sizes(), logits.dtype(), logits.device());
    const Tensor hot = kernels::ScatterAdd(zeros, last, column, ones);
    Tensor share = Share(gradient, reduction, count);
    if (reduction == Reduction::kNone) share = ReshapeTo(share, column.sizes());
    return Mul(share, Sub(Softmax(logits, last), hot));
  }
};

}  // namespace

Tensor MseLoss(const Tensor& a, const Tensor& b, Reduction reduction) {
  CheckDefined("mse_loss", a);
  CheckDefined("mse_loss", b);
  if (a.sizes() != b.sizes()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[mse_loss] shapes ", ShapeToString(a.sizes()), " and ",
                             ShapeToString(b.sizes()), " differ; they must be equal; expand one"));
  }
  const Tensor difference = kernels::Sub(a, b);
  Tensor result = Reduce(kernels::Mul(difference, difference), reduction);
  if (ShouldRecord(a, b)) {
    const auto node = Record(MseLossRule{reduction, CountOf(a)}, result, {&a, &b});
    node->Save(a);
    node->Save(b);
  }
  return result;
}

Tensor CrossEntropy(const Tensor& logits, const Tensor& classes, Reduction reduction) {
  CheckDefined("cross_entropy", logits);
  CheckDefined("cross_entropy", classes);
  const auto sizes = logits.sizes();
  if (sizes.empty() || sizes.size() > 2 || classes.sizes() != sizes.first(sizes.size() - 1)) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[cross_entropy] logits of shape ", ShapeToString(sizes),
                             " and classes of shape ", ShapeToString(classes.sizes()),
                             "; [N,C] with [N], or [C] with a scalar"));
  }
  const Tensor logs = LogSoftmax(logits.Detach(), logits.dim() - 1);
  const Tensor picked = kernels::Gather(logs, logits.dim() - 1, Column(classes), "cross_entropy");
  const Tensor each = kernels::Each<kernels::NegNumber>(picked).AsStrided(
      classes.sizes(), ContiguousStrides(classes.sizes()), 0);
  Tensor result = Reduce(each, reduction);
  if (ShouldRecord(logits)) {
    const auto node = Record(CrossEntropyRule{reduction, CountOf(each)}, result, {&logits});
    node->Save(logits);
    node->Save(classes);
  }
  return result;
}

}  // namespace twingrad::ops

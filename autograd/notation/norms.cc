#include "autograd/notation/norms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/thread_state.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

// A number a channel, beside [N, C, ..].
Tensor OfChannels(const Tensor& numbers, const Tensor& a) {
  Shape shape(static_cast<size_t>(a.dim()) - 1, 1);
  shape[0] = numbers.numel();
  return Reshape(numbers, shape);
}

// The weight, of ones where there is none beside a bias.
Tensor WeightOf(const NormOptions& options) {
  const bool alone = options.bias.defined() && !options.weight.defined();
  return alone ? Tensor::Ones(options.bias.sizes(), options.bias.dtype(), options.bias.device())
               : options.weight;
}

void CheckChannels(const char* op, const Tensor& a) {
  if (a.defined() && a.dim() >= 2) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] a tensor of rank ", a.defined() ? a.dim() : 0,
                           "; it takes [N, C, ..], of rank 2 or more; reshape it"));
}

// Those of a batch with `count` numbers a channel, added to what has been seen before.
void Remember(RunningMoments& moments, const Tensor& a, int64_t count) {
  const NoGradGuard no_grad;
  Shape dims = {0};  // all but the channels
  for (int64_t d = 2; d < a.dim(); ++d) dims.push_back(d);
  const double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
  const auto mixed = [&](const Tensor& seen, const Tensor& latest) {
    if (!seen.defined()) return Clone(latest);
    return seen * (1 - moments.momentum) + latest * moments.momentum;
  };
  moments.mean = mixed(moments.mean, Mean(a, dims));
  moments.variance = mixed(moments.variance, Var(a, dims) * unbiased);
}

}  // namespace

Tensor LayerNorm(const Tensor& a, int64_t dims, const NormOptions& options) {
  return ops::LayerNorm(a, WeightOf(options), options.bias, dims, options.epsilon);
}

Tensor GroupNorm(const Tensor& a, int64_t groups, const NormOptions& options) {
  return ops::GroupNorm(a, WeightOf(options), options.bias, groups, options.epsilon);
}

Tensor BatchNorm(const Tensor& a, RunningMoments& moments, bool training,
                 const NormOptions& options) {
  CheckChannels("batch_norm", a);
  if (!training) {
    if (!moments.mean.defined() || !moments.variance.defined()) {
      throw Error(ErrorKind::kInvalidArgument,
                  "[batch_norm] evaluation without moments; there must have been a batch in "
                  "training, or mean and variance must be set");
    }
    const Tensor apart = a - OfChannels(moments.mean, a);
    Tensor y = apart * Rsqrt(OfChannels(moments.variance, a) + options.epsilon);
    if (options.weight.defined()) y = y * OfChannels(options.weight, a);
    if (options.bias.defined()) y = y + OfChannels(options.bias, a);
    return y;
  }
  const int64_t channels = a.sizes()[1];
  const int64_t count = channels == 0 ? 0 : a.numel() / channels;
  if (count < 2) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[batch_norm] ", count, " numbers a channel of ",
                             ShapeToString(a.sizes()), "; training takes 2 or more"));
  }
  Remember(moments, a, count);
  return ops::BatchNorm(a, WeightOf(options), options.bias, options.epsilon);
}

Tensor Dropout(const Tensor& a, double probability, Generator& generator) {
  const PhiloxBlock words = generator.NextBlock();
  return ops::Dropout(a, probability, uint64_t{words[1]} << 32 | words[0]);
}

Tensor ScaledDotProductAttention(const Tensor& q, const Tensor& k, const Tensor& v,
                                 const AttentionOptions& options) {
  const auto batch = [](const Tensor& a) { return a.sizes().first(a.sizes().size() - 2); };
  const bool plain = !options.mask.defined() && q.dim() >= 2 && q.dim() <= 4 &&
                     k.dim() == q.dim() && v.dim() == q.dim() &&
                     std::ranges::equal(batch(q), batch(k)) &&
                     std::ranges::equal(batch(k), batch(v));
  if (plain) return ops::ScaledDotProductAttention(q, k, v, options.causal);
  Tensor scores =
      Matmul(q, Transpose(k)) * (1 / std::sqrt(static_cast<double>(q.sizes()[q.dim() - 1])));
  constexpr double kUnseen = -std::numeric_limits<double>::infinity();
  if (options.causal) {
    const Tensor ones = Tensor::Ones(
        {scores.sizes()[scores.dim() - 2], scores.sizes()[scores.dim() - 1]}, DType::kF64);
    scores = MaskedFill(To(Cast(Triu(ones, 1), DType::kBool), scores.device()), scores, kUnseen);
  }
  if (options.mask.defined()) {
    scores = Where(options.mask, scores, ConstantLike(kUnseen, scores));
  }
  return Matmul(Softmax(scores, -1), v);
}

}  // namespace twingrad

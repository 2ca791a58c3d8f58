#include "autograd/notation/norms.h"

#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/thread_state.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"

namespace twingrad {
namespace {

Shape DimsFrom(int64_t first, int64_t end) {
  Shape dims;
  for (int64_t d = first; d < end; ++d) dims.push_back(d);
  return dims;
}

Tensor NormalizedBy(const Tensor& a, const Tensor& mean, const Tensor& variance, double epsilon) {
  return (a - mean) * Rsqrt(variance + epsilon);
}

Tensor Normalized(const Tensor& a, Ints dims, double epsilon) {
  return NormalizedBy(a, Mean(a, dims, true), Var(a, dims, true), epsilon);
}

// A number a channel, beside [N, C, ..].
Tensor OfChannels(const Tensor& numbers, const Tensor& a) {
  Shape shape(static_cast<size_t>(a.dim()) - 1, 1);
  shape[0] = numbers.numel();
  return Reshape(numbers, shape);
}

Tensor Scaled(Tensor a, const NormOptions& options, bool of_channels) {
  const auto beside = [&](const Tensor& numbers) {
    return of_channels ? OfChannels(numbers, a) : numbers;
  };
  if (options.weight.defined()) a = a * beside(options.weight);
  if (options.bias.defined()) a = a + beside(options.bias);
  return a;
}

void CheckChannels(const char* op, const Tensor& a) {
  if (a.defined() && a.dim() >= 2) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] a tensor of rank ", a.defined() ? a.dim() : 0,
                           "; it takes [N, C, ..], of rank 2 or more; reshape it"));
}

// Those of the batch, added to what has been seen before.
void Remember(RunningMoments& moments, const Tensor& mean, const Tensor& variance, int64_t count) {
  const NoGradGuard no_grad;
  const double unbiased = static_cast<double>(count) / static_cast<double>(count - 1);
  const auto mixed = [&](const Tensor& seen, const Tensor& latest) {
    if (!seen.defined()) return Clone(latest);
    return seen * (1 - moments.momentum) + latest * moments.momentum;
  };
  moments.mean = mixed(moments.mean, Reshape(mean, {-1}));
  moments.variance = mixed(moments.variance, Reshape(variance, {-1}) * unbiased);
}

}  // namespace

Tensor LayerNorm(const Tensor& a, int64_t dims, const NormOptions& options) {
  const int64_t rank = a.defined() ? a.dim() : 0;
  if (dims < 1 || dims > rank) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[layer_norm] over ", dims, " dimensions of a tensor of rank ", rank,
                             "; it takes 1 to the rank"));
  }
  return Scaled(Normalized(a, DimsFrom(rank - dims, rank), options.epsilon), options, false);
}

Tensor GroupNorm(const Tensor& a, int64_t groups, const NormOptions& options) {
  CheckChannels("group_norm", a);
  const int64_t channels = a.sizes()[1];
  if (groups < 1 || channels % groups != 0) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[group_norm] ", channels, " channels in ", groups,
                             " groups; the number of groups must divide that of channels"));
  }
  const Shape sizes(a.sizes().begin(), a.sizes().end());
  if (a.numel() == 0) return Scaled(a * 1, options, true);
  const Tensor parts = Reshape(a, {sizes[0], groups, -1});
  return Scaled(Reshape(Normalized(parts, {2}, options.epsilon), sizes), options, true);
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
    const Tensor mean = OfChannels(moments.mean, a), variance = OfChannels(moments.variance, a);
    return Scaled(NormalizedBy(a, mean, variance, options.epsilon), options, true);
  }
  const int64_t channels = a.sizes()[1];
  const int64_t count = channels == 0 ? 0 : a.numel() / channels;
  if (count < 2) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[batch_norm] ", count, " numbers a channel of ",
                             ShapeToString(a.sizes()), "; training takes 2 or more"));
  }
  Shape dims = DimsFrom(1, a.dim());
  dims[0] = 0;  // all but the channels
  const Tensor mean = Mean(a, dims, true), variance = Var(a, dims, true);
  Remember(moments, mean, variance, count);
  return Scaled(NormalizedBy(a, mean, variance, options.epsilon), options, true);
}

Tensor Dropout(const Tensor& a, double probability, Generator& generator) {
  if (!(probability >= 0 && probability < 1)) {
    throw Error(ErrorKind::kInvalidArgument, absl::StrCat("[dropout] probability ", probability,
                                                          "; it is from 0 to less than 1"));
  }
  const std::vector<double> draws = Elements(Uniform(a.sizes(), 0, 1, generator));
  std::vector<double> factors;
  for (const double draw : draws) factors.push_back(draw < probability ? 0 : 1 / (1 - probability));
  const Tensor mask = Tensor::FromData<double>(a.sizes(), factors);
  return a * To(Cast(mask, a.dtype()), a.device());
}

Tensor Attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options) {
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

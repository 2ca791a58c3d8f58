#include "autograd/tensor/kernels/norm.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/processor/loops.h"

namespace twingrad::kernels {
namespace {

using processor::Binary;
using processor::Moments;
using processor::NormSums;

// Norms of groups whose elements lie side by side, or in runs that do.
template <typename T>
class OneGroup {
 public:
  // The first weight of the group is weight[0]. Null: 1, or 0 for the bias.
  struct Weights {
    const T* weight;
    const T* bias;
  };
  struct Sums {
    T* weight;
    T* bias;
  };

  // A run has `channels` times `places` elements.
  struct Runs {
    int64_t count = 1;
    int64_t step = 0;  // from one to the next
  };
  OneGroup(int64_t channels, int64_t places, const Runs& runs, double eps)
      : loops_(processor::LoopsInUse().Of<T>()),
        channels_(channels),
        places_(places),
        runs_(runs),
        eps_(static_cast<T>(eps)) {}

  // Of groups `step` apart. A sum of few elements is a chain of additions: those of several groups
  // run beside each other, so all sums come before all squares.
  void MomentsOf(const T* x, int64_t step, Span<Moments<T>> moments) const {
    const auto groups = static_cast<int64_t>(moments.size());
    for (int64_t k = 0; k < groups; ++k) {
      const auto sum = [this](const T* run, int64_t size) { return loops_.sum(run, size); };
      moments[k].mean = TotalOf(x + k * step, sum) / Count();
    }
    for (int64_t k = 0; k < groups; ++k) {
      const T mean = moments[k].mean;
      const auto squares = [&](const T* run, int64_t size) {
        return loops_.squares(run, mean, size);
      };
      moments[k].inverse = RsqrtNumber::Of(TotalOf(x + k * step, squares) / Count() + eps_);
    }
  }

  void Normalize(const T* x, const Moments<T>& moments, const Weights& of, T* out) const {
    const T no_bias = T(-0.0);  // changes no zero either
    ForEachPiece([&](int64_t at, int64_t size, int64_t channel) {
      const Operand weight = OfPiece(of.weight, channel, kOne);
      const Operand bias = OfPiece(of.bias, channel, no_bias);
      loops_.normalize(x + at, moments, weight.from, weight.step, bias.from, bias.step, out + at,
                       size);
    });
  }

  // The means of h and of h n (loops.h). Adds to the sums, each of which may be null.
  NormSums<T> AddTo(const Sums& sums, const T* g, const T* x, const Moments<T>& moments,
                    const T* weights) const {
    const NormSums<T> total = places_ == 1 ? AddOfElements(g, x, weights, moments, sums)
                                           : AddOfChannels(g, x, weights, moments, sums);
    return {total.g / Count(), total.along / Count()};
  }
  void Differentiate(const T* g, const T* x, const Moments<T>& moments, const NormSums<T>& means,
                     const T* weights, T* out) const {
    ForEachPiece([&](int64_t at, int64_t size, int64_t channel) {
      const Operand weight = OfPiece(weights, channel, kOne);
      loops_.norm_gradient(g + at, weight.from, weight.step, x + at, moments, means, out + at,
                           size);
    });
  }

 private:
  static constexpr T kOne = 1;

  struct Operand {
    const T* from;
    int64_t step;
  };

  T Count() const { return static_cast<T>(runs_.count * channels_ * places_); }

  // function(first element, size, first channel) for parts in which each element has a channel of
  // its own, or all are of one.
  template <typename Function>
  void ForEachPiece(Function function) const {
    if (places_ == 1) return function(0, channels_, 0);
    for (int64_t r = 0; r < runs_.count; ++r) {
      for (int64_t c = 0; c < channels_; ++c) function(r * runs_.step + c * places_, places_, c);
    }
  }

  // Both add to the sums of each channel, and return those over the group. Where each element has a
  // channel of its own:
  NormSums<T> AddOfElements(const T* g, const T* x, const T* weights, const Moments<T>& moments,
                            const Sums& sums) const {
    if (sums.bias != nullptr) loops_.binary(Binary::kAdd, sums.bias, 1, g, 1, sums.bias, channels_);
    if (sums.weight != nullptr) loops_.norm_along(g, x, moments, sums.weight, channels_);
    const Operand weight = OfPiece(weights, 0, kOne);
    return loops_.norm_sums(g, weight.from, weight.step, x, moments, channels_);
  }
  NormSums<T> AddOfChannels(const T* g, const T* x, const T* weights, const Moments<T>& moments,
                            const Sums& sums) const {
    NormSums<T> total = {0, 0};
    ForEachPiece([&](int64_t at, int64_t size, int64_t channel) {
      const NormSums<T> piece = loops_.norm_sums(g + at, &kOne, 0, x + at, moments, size);
      if (sums.bias != nullptr) sums.bias[channel] += piece.g;
      if (sums.weight != nullptr) sums.weight[channel] += piece.along;
      const T weight = weights == nullptr ? kOne : weights[channel];
      total.g += weight * piece.g;
      total.along += weight * piece.along;
    });
    return total;
  }

  Operand OfPiece(const T* of_channels, int64_t channel, const T& without) const {
    if (of_channels == nullptr) return {&without, 0};
    return {of_channels + channel, places_ == 1 ? 1 : 0};
  }

  // Of the sums of the runs.
  template <typename Sum>
  T TotalOf(const T* x, const Sum& sum) const {
    const int64_t size = channels_ * places_;
    T all = runs_.count == 0 ? T(0) : sum(x, size);
    for (int64_t r = 1; r < runs_.count; ++r) all += sum(x + r * runs_.step, size);
    return all;
  }

  const processor::LoopsOf<T>& loops_;
  const int64_t channels_, places_;
  const Runs runs_;
  const T eps_;
};

// Shorter runs are laid side by side.
constexpr int64_t kLongRun = 64;

bool IsGathered(const NormGroups& groups) {
  return groups.over_samples && groups.places < kLongRun;
}

// The groups of a tensor, one after the other, as OneGroup takes them.
template <typename T>
class SideBySide {
 public:
  explicit SideBySide(const NormGroups& groups)
      : groups_(groups),
        run_(groups.channels * groups.places),
        is_gathered_(IsGathered(groups)),
        gathered_(is_gathered_ ? static_cast<size_t>(groups.samples * run_) : 0) {}

  // From one group to the next, where they are not gathered.
  int64_t step() const { return run_; }
  const T* Read(const T* data, int64_t group) {
    if (!is_gathered_) return data + group * run_;
    ForEachRun(group, [&](int64_t at, T* run) { std::copy_n(data + at, run_, run); });
    return gathered_.data();
  }
  // Where the elements of the group are to be put before Write.
  T* Target(T* data, int64_t group) {
    return is_gathered_ ? gathered_.data() : data + group * run_;
  }
  void Write(T* data, int64_t group) {
    if (!is_gathered_) return;
    ForEachRun(group, [&](int64_t at, const T* run) { std::copy_n(run, run_, data + at); });
  }

 private:
  // function(where in the tensor, where beside each other)
  template <typename Function>
  void ForEachRun(int64_t group, Function function) {
    for (int64_t s = 0; s < groups_.samples; ++s) {
      function((s * groups_.groups + group) * run_, gathered_.data() + s * run_);
    }
  }

  const NormGroups& groups_;
  const int64_t run_;
  const bool is_gathered_;
  std::vector<T> gathered_;
};

template <typename T>
OneGroup<T> OneGroupOf(const NormGroups& groups, double eps) {
  using Runs = typename OneGroup<T>::Runs;
  const bool is_gathered = IsGathered(groups);
  const int64_t together = is_gathered ? groups.samples : 1;
  const Runs runs = groups.over_samples && !is_gathered
                        ? Runs{groups.samples, groups.groups * groups.places}
                        : Runs();
  return OneGroup<T>(groups.channels, together * groups.places, runs, eps);
}

int64_t NumGroups(const NormGroups& groups) {
  return groups.over_samples ? groups.groups : groups.samples * groups.groups;
}

// Groups that are worked on together. Of gathered ones there is one at a time.
constexpr int64_t kTogether = 8;
// function(first group, how many)
template <typename Function>
void ForEachFew(const NormGroups& groups, Function function) {
  const int64_t all = NumGroups(groups), few = IsGathered(groups) ? 1 : kTogether;
  for (int64_t i = 0; i < all; i += few) function(i, std::min(few, all - i));
}

template <typename T>
const T* DataOrNull(const Tensor& tensor) {
  return tensor.defined() ? tensor.data<T>() : nullptr;
}

// Of a group, from the weights of all; null of none.
template <typename T>
T* OfGroup(T* all, int64_t group, const NormGroups& groups) {
  return all == nullptr ? nullptr : all + group % groups.groups * groups.channels;
}

Tensor ContiguousOrNone(const Tensor& a) { return a.defined() ? Contiguous(a) : a; }

}  // namespace

Tensor Normalize(const Tensor& a, const Tensor& weight, const Tensor& bias,
                 const NormGroups& groups, double eps) {
  if (IsNarrow(a.dtype())) {
    return Widely([&](const Tensor& x, const Tensor& by,
                      const Tensor& plus) { return Normalize(x, by, plus, groups, eps); },
                  a, weight, bias);
  }
  const Tensor in = Contiguous(a);
  const Tensor w = ContiguousOrNone(weight), b = ContiguousOrNone(bias);
  Tensor out = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  DispatchFloating("norm", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const x = in.data<T>();
    const T* const weights = DataOrNull<T>(w);
    const T* const biases = DataOrNull<T>(b);
    T* const y = out.mutable_data<T>();
    const OneGroup<T> group = OneGroupOf<T>(groups, eps);
    SideBySide<T> from(groups), to(groups);
    ForEachFew(groups, [&](int64_t first, int64_t count) {
      Moments<T> moments[kTogether];
      const T* const few = from.Read(x, first);
      group.MomentsOf(few, from.step(), {moments, static_cast<size_t>(count)});
      T* const made = to.Target(y, first);
      for (int64_t k = 0; k < count; ++k) {
        const int64_t i = first + k;
        group.Normalize(few + k * from.step(), moments[k],
                        {OfGroup(weights, i, groups), OfGroup(biases, i, groups)},
                        made + k * to.step());
      }
      to.Write(y, first);
    });
  });
  return out;
}

NormGradients NormGradientsOf(const Tensor& gradient, const Tensor& a, const Tensor& weight,
                              const NormGroups& groups, double eps, const NormWanted& wanted) {
  if (const DType dtype = a.dtype(); IsNarrow(dtype)) {
    const NormGradients wide =
        NormGradientsOf(Widened(gradient), Widened(a), Widened(weight), groups, eps, wanted);
    return {Narrowed(wide.operand, dtype), Narrowed(wide.weight, dtype),
            Narrowed(wide.bias, dtype)};
  }
  const Tensor gradients = Contiguous(gradient), in = Contiguous(a);
  const Tensor w = ContiguousOrNone(weight);
  NormGradients of;
  const Shape weights = {groups.groups, groups.channels};
  if (wanted.operand) of.operand = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  if (wanted.weight) of.weight = Tensor::Zeros(weights, a.dtype(), a.device());
  if (wanted.bias) of.bias = Tensor::Zeros(weights, a.dtype(), a.device());
  DispatchFloating("norm", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto target = [](Tensor& t) { return t.defined() ? t.mutable_data<T>() : nullptr; };
    const T* const g = gradients.data<T>();
    const T* const x = in.data<T>();
    const T* const factors = DataOrNull<T>(w);
    T* const of_operand = target(of.operand);
    T* const of_weight = target(of.weight);
    T* const of_bias = target(of.bias);
    const OneGroup<T> group = OneGroupOf<T>(groups, eps);
    SideBySide<T> from(groups), beside(groups), to(groups);
    ForEachFew(groups, [&](int64_t first, int64_t count) {
      Moments<T> moments[kTogether];
      NormSums<T> means[kTogether];
      const T* const few = from.Read(x, first);
      const T* const theirs = beside.Read(g, first);
      const int64_t step = from.step();
      group.MomentsOf(few, step, {moments, static_cast<size_t>(count)});
      for (int64_t k = 0; k < count; ++k) {
        const int64_t i = first + k;
        means[k] =
            group.AddTo({OfGroup(of_weight, i, groups), OfGroup(of_bias, i, groups)},
                        theirs + k * step, few + k * step, moments[k], OfGroup(factors, i, groups));
      }
      if (of_operand == nullptr) return;
      T* const made = to.Target(of_operand, first);
      for (int64_t k = 0; k < count; ++k) {
        group.Differentiate(theirs + k * step, few + k * step, moments[k], means[k],
                            OfGroup(factors, first + k, groups), made + k * step);
      }
      to.Write(of_operand, first);
    });
  });
  return of;
}

}  // namespace twingrad::kernels

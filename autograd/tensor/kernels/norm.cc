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
using processor::NormRows;
using processor::NormSums;

// Groups that are worked on together, at most.
constexpr int64_t kTogether = 16;

// Norms of groups whose elements lie side by side, or in runs that do; of up to kTogether at once.
template <typename T>
class Groups {
 public:
  // The first weight of a group is weight[0]. Null: 1, or 0 for the bias.
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
  Groups(int64_t channels, int64_t places, const Runs& runs, double eps)
      : loops_(processor::LoopsInUse().Of<T>()),
        channels_(channels),
        places_(places),
        runs_(runs),
        eps_(static_cast<T>(eps)) {}

  // Of groups `step` apart. A sum of few elements is a chain of additions: those of several groups
  // run beside each other.
  void MomentsOf(const T* x, int64_t step, Span<Moments<T>> moments) const {
    T means[kTogether], variances[kTogether];
    if (runs_.count == 1) {
      loops_.moments(x, RowsOf(moments, step, channels_ * places_), means, variances);
    } else {
      for (size_t k = 0; k < moments.size(); ++k) {
        MomentsOfRuns(x + static_cast<int64_t>(k) * step, &means[k], &variances[k]);
      }
    }
    for (size_t k = 0; k < moments.size(); ++k) {
      moments[k] = {means[k], RsqrtNumber::Of(variances[k] + eps_)};
    }
  }

  // From here on groups have the same weights.
  void Normalize(const T* x, int64_t step, Span<const Moments<T>> moments, const Weights& of,
                 T* out) const {
    const T no_bias = T(-0.0);  // changes no zero either
    ForEachPiece(step, moments, [&](const NormRows& rows, int64_t at, size_t k) {
      loops_.normalize(x + at, rows, &moments[k], OfRows(of.weight, kOne), OfRows(of.bias, no_bias),
                       out + at);
    });
  }

  // The means of h and of h n (loops.h). Adds to the sums, each of which may be null.
  void AddTo(const Sums& sums, const T* g, const T* x, int64_t step, Span<const Moments<T>> moments,
             const T* weights, NormSums<T>* means) const {
    if (places_ == 1) {
      AddOfElements(g, x, RowsOf(moments, step, channels_), weights, moments, sums, means);
    } else {
      for (size_t k = 0; k < moments.size(); ++k) {
        const int64_t at = static_cast<int64_t>(k) * step;
        means[k] = AddOfChannels(g + at, x + at, weights, moments[k], sums);
      }
    }
    for (size_t k = 0; k < moments.size(); ++k) {
      means[k] = {means[k].g / Count(), means[k].along / Count()};
    }
  }
  void Differentiate(const T* g, const T* x, int64_t step, Span<const Moments<T>> moments,
                     const NormSums<T>* means, const T* weights, T* out) const {
    ForEachPiece(step, moments, [&](const NormRows& rows, int64_t at, size_t k) {
      loops_.norm_gradient(g + at, OfRows(weights, kOne), x + at, rows, &moments[k], &means[k],
                           out + at);
    });
  }

 private:
  static constexpr T kOne = 1;

  T Count() const { return static_cast<T>(runs_.count * channels_ * places_); }

  using Rows = processor::RowsOf<T>;

  static NormRows RowsOf(Span<const Moments<T>> moments, int64_t step, int64_t size) {
    return {static_cast<int64_t>(moments.size()), step, size};
  }
  // The rows of one group, each of one channel.
  NormRows RowsOfGroup() const {
    if (channels_ == 1) return {runs_.count, runs_.step, places_, /*moments_step=*/0};
    return {channels_, places_, places_, /*moments_step=*/0};
  }
  Rows OfRows(const T* of_channels, const T& without) const {
    if (of_channels == nullptr) return {&without, 0, 0};
    if (places_ == 1) return {of_channels, 1, 0};
    return {of_channels, 0, channels_ == 1 ? 0 : 1};
  }

  // function(rows, first element, first group) for parts in which each element of a row has a
  // channel of its own, or all are of one.
  template <typename Function>
  void ForEachPiece(int64_t step, Span<const Moments<T>> moments, Function function) const {
    if (places_ == 1) return function(RowsOf(moments, step, channels_), 0, 0);
    for (size_t k = 0; k < moments.size(); ++k) {
      function(RowsOfGroup(), static_cast<int64_t>(k) * step, k);
    }
  }

  void MomentsOfRuns(const T* x, T* mean, T* variance) const {
    *mean = TotalOf(x, loops_.sum) / Count();
    const auto squares = [&](const T* run, int64_t size) {
      return loops_.squares(run, *mean, size);
    };
    *variance = TotalOf(x, squares) / Count();
  }

  // Both add to the sums of each channel, and give those over a group. Where each element has a
  // channel of its own:
  void AddOfElements(const T* g, const T* x, const NormRows& rows, const T* weights,
                     Span<const Moments<T>> moments, const Sums& sums, NormSums<T>* totals) const {
    loops_.norm_add(g, x, rows, moments.data(), sums.weight, sums.bias);
    const Rows weight = OfRows(weights, kOne);
    loops_.norm_sums(g, weight.first, weight.step, x, rows, moments.data(), totals);
  }
  NormSums<T> AddOfChannels(const T* g, const T* x, const T* weights, const Moments<T>& moments,
                            const Sums& sums) const {
    NormSums<T> total = {0, 0}, pieces[kTogether];
    const NormRows all = RowsOfGroup();
    const int64_t next = channels_ == 1 ? 0 : 1;  // the channel of the next row
    for (int64_t row = 0; row < all.count; row += kTogether) {
      NormRows rows = all;
      rows.count = std::min(kTogether, all.count - row);
      const int64_t at = row * rows.step;
      loops_.norm_sums(g + at, &kOne, 0, x + at, rows, &moments, pieces);
      for (int64_t i = 0; i < rows.count; ++i) {
        const int64_t channel = (row + i) * next;
        if (sums.bias != nullptr) sums.bias[channel] += pieces[i].g;
        if (sums.weight != nullptr) sums.weight[channel] += pieces[i].along;
        const T weight = weights == nullptr ? kOne : weights[channel];
        total.g += weight * pieces[i].g;
        total.along += weight * pieces[i].along;
      }
    }
    return total;
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

// The groups of a tensor, one after the other, as Groups takes them.
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
Groups<T> GroupsOf(const NormGroups& groups, double eps) {
  using Runs = typename Groups<T>::Runs;
  const bool is_gathered = IsGathered(groups);
  const int64_t together = is_gathered ? groups.samples : 1;
  const Runs runs = groups.over_samples && !is_gathered
                        ? Runs{groups.samples, groups.groups * groups.places}
                        : Runs();
  return Groups<T>(groups.channels, together * groups.places, runs, eps);
}

int64_t NumGroups(const NormGroups& groups) {
  return groups.over_samples ? groups.groups : groups.samples * groups.groups;
}

// How many go together: more of small ones. Of gathered ones there is one at a time.
template <typename T>
int64_t NumTogether(const NormGroups& groups) {
  if (IsGathered(groups)) return 1;
  constexpr int64_t kFew = 8, kElements = 8192 / static_cast<int64_t>(sizeof(T));
  const int64_t size = groups.channels * groups.places;
  return std::clamp(kElements / std::max<int64_t>(size, 1), kFew, kTogether);
}
// function(first group, how many)
template <typename T, typename Function>
void ForEachFew(const NormGroups& groups, Function function) {
  const int64_t all = NumGroups(groups), few = NumTogether<T>(groups);
  for (int64_t i = 0; i < all; i += few) function(i, std::min(few, all - i));
}
// function(first, how many) for those of `count` groups that have the same weights.
template <typename Function>
void ForEachAlike(const NormGroups& groups, int64_t count, Function function) {
  const int64_t alike = groups.groups == 1 ? count : 1;
  for (int64_t k = 0; k < count; k += alike) function(k, static_cast<size_t>(alike));
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
    const Groups<T> norm = GroupsOf<T>(groups, eps);
    SideBySide<T> from(groups), to(groups);
    ForEachFew<T>(groups, [&](int64_t first, int64_t count) {
      Moments<T> moments[kTogether];
      const int64_t step = from.step();
      const T* const few = from.Read(x, first);
      norm.MomentsOf(few, step, {moments, static_cast<size_t>(count)});
      T* const made = to.Target(y, first);
      ForEachAlike(groups, count, [&](int64_t k, size_t alike) {
        const int64_t i = first + k;
        norm.Normalize(few + k * step, step, {moments + k, alike},
                       {OfGroup(weights, i, groups), OfGroup(biases, i, groups)}, made + k * step);
      });
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
    const Groups<T> norm = GroupsOf<T>(groups, eps);
    SideBySide<T> from(groups), beside(groups), to(groups);
    ForEachFew<T>(groups, [&](int64_t first, int64_t count) {
      Moments<T> moments[kTogether];
      NormSums<T> means[kTogether];
      const int64_t step = from.step();
      const T* const few = from.Read(x, first);
      const T* const theirs = beside.Read(g, first);
      norm.MomentsOf(few, step, {moments, static_cast<size_t>(count)});
      ForEachAlike(groups, count, [&](int64_t k, size_t alike) {
        const int64_t i = first + k;
        norm.AddTo({OfGroup(of_weight, i, groups), OfGroup(of_bias, i, groups)}, theirs + k * step,
                   few + k * step, step, {moments + k, alike}, OfGroup(factors, i, groups),
                   means + k);
      });
      if (of_operand == nullptr) return;
      T* const made = to.Target(of_operand, first);
      ForEachAlike(groups, count, [&](int64_t k, size_t alike) {
        norm.Differentiate(theirs + k * step, few + k * step, step, {moments + k, alike}, means + k,
                           OfGroup(factors, first + k, groups), made + k * step);
      });
      to.Write(of_operand, first);
    });
  });
  return of;
}

}  // namespace twingrad::kernels

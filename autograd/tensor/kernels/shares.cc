#include "autograd/tensor/kernels/shares.h"

#include <cstdint>

#include "autograd/base/check.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/processor/loops.h"

namespace twingrad::kernels {
namespace {

// function(first element, rows) for each causal matrix, or for all rows at once.
template <typename Function>
void ForEachRowsOf(const Tensor& matrices, bool is_causal, Function function) {
  const Ints sizes = matrices.sizes();
  const int64_t columns = sizes.back(), all = matrices.numel();
  if (all == 0) return;
  if (!is_causal) return function(0, processor::ShareRows{all / columns, columns, columns});
  const int64_t rows = sizes[sizes.size() - 2];
  for (int64_t at = 0; at < all; at += rows * columns) {
    function(at, processor::ShareRows{rows, columns, /*seen=*/1, /*seen_step=*/1});
  }
}

}  // namespace

void ShareOut(Tensor& scores, double scale, bool is_causal) {
  AG_DCHECK(scores.IsContiguous());
  DispatchFloating("softmax", scores.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const x = scores.mutable_data<T>();
    ForEachRowsOf(scores, is_causal, [&](int64_t at, const processor::ShareRows& rows) {
      processor::LoopsInUse().Of<T>().shares(x + at, static_cast<T>(scale), rows, x + at);
    });
  });
}

void ShareOutBack(Tensor& gradients, const Tensor& shares, double scale, bool is_causal) {
  AG_DCHECK(gradients.IsContiguous() && shares.IsContiguous());
  DispatchFloating("softmax", gradients.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const g = gradients.mutable_data<T>();
    const T* const of = shares.data<T>();
    ForEachRowsOf(gradients, is_causal, [&](int64_t at, const processor::ShareRows& rows) {
      processor::LoopsInUse().Of<T>().share_gradients(g + at, of + at, static_cast<T>(scale), rows);
    });
  });
}

}  // namespace twingrad::kernels

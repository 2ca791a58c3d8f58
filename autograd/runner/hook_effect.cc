#include "autograd/runner/hook_effect.h"

#include <algorithm>

#include "autograd/base/error.h"
#include "autograd/base/words.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/sparse.h"

namespace twingrad::runner {
namespace {

// What leaves the node of sparse_values, or an embedding's for a leaf, is sparse; a hook must
// return the same.
Tensor ScaledSparse(const Tensor& gradient, double by) {
  const Tensor coalesced = ops::Coalesce(gradient);
  const Tensor values = ops::SparseValues(coalesced);
  return ops::SparseCoo(ops::Mul(values, ops::Constant(by, values)), ops::SparseIndices(coalesced),
                        gradient.sizes());
}

}  // namespace

std::optional<HookAction> HookActionOf(std::string_view word) {
  constexpr auto kWords = SplitWords<12>(
      "record scale undefined throw wrong_shape wrong_dtype "  // as HookAction
      "register remove backward callback warn zero_grad");
  const auto* at = std::find(kWords.begin(), kWords.end(), word);
  if (at == kWords.end()) return std::nullopt;
  const auto action = static_cast<HookAction>(at - kWords.begin());
  return action <= HookAction::kWrongDType ? action : HookAction::kRecord;
}

Tensor HookEffect::operator()(const Tensor& gradient) const {
  switch (action) {
    case HookAction::kRecord:
      return gradient;
    case HookAction::kScale:
      if (!gradient.defined()) return gradient;
      if (gradient.is_sparse()) return ScaledSparse(gradient, by);
      return ops::Mul(gradient, ops::Constant(by, gradient));
    case HookAction::kUndefined:
      return Tensor();
    case HookAction::kThrow:
      throw Error(ErrorKind::kUser,
                  "[runner] a hook with do=throw was run; hooks may throw; the call ends here");
    case HookAction::kWrongShape: {
      // One dimension more, so that it fits no gradient whatever its sizes are.
      const size_t rank = gradient.defined() ? gradient.sizes().size() + 1 : 1;
      return Tensor::Zeros(Shape(rank, 2), dtype, device);
    }
    case HookAction::kWrongDType: {
      // The gradients that leave a cast's node have another type than the hooked value.
      const DType own = gradient.defined() ? gradient.dtype() : dtype;
      const DType other = own == DType::kF64 ? DType::kF32 : DType::kF64;
      if (!gradient.defined()) return Tensor::Zeros({}, other, device);
      if (gradient.is_sparse()) return ops::CastSparse(ops::Coalesce(gradient), other);
      return ops::Cast(gradient, other);
    }
  }
  return gradient;
}

}  // namespace twingrad::runner

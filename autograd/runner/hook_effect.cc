#include "autograd/runner/hook_effect.h"

#include <algorithm>

#include "autograd/base/error.h"
#include "autograd/base/words.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/sparse.h"

namespace twingrad::runner {

std::optional<HookAction> HookActionOf(std::string_view word) {
  constexpr auto kWords = SplitWords<12>(
      "record scale undefined throw wrong_shape wrong_dtype "  // as HookAction
      "register remove backward callback warn zero_grad");
  const auto* at = std::find(kWords.begin(), kWords.end(), word);
  if (at == kWords.end()) return std::nullopt;
  const auto action = static_cast<HookAction>(at - kWords.begin());
  return action <= HookAction::kWrongDType ? action : HookAction::kRecord;
}

Tensor HookEffect::operator()(const Tensor& given) const {
  // What leaves the node of sparse_values is sparse.
  const bool computes = action == HookAction::kScale || action == HookAction::kWrongDType;
  const bool is_sparse = given.defined() && given.is_sparse();
  const Tensor gradient = computes && is_sparse ? ops::ToDense(given) : given;
  switch (action) {
    case HookAction::kRecord:
      return gradient;
    case HookAction::kScale:
      if (!gradient.defined()) return gradient;
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
      return ops::Cast(gradient, other);
    }
  }
  return gradient;
}

}  // namespace twingrad::runner

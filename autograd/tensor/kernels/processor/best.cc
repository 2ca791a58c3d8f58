// The loops for each instruction set, and the choice among them. See loops.h.
//
// The compiler reads this file once for each (foreach_target.h).

// Those left are SSE4, AVX2 and AVX-512 beside what every processor of the architecture has; and on
// others those whose vectors have a size that the compiler knows.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/tensor/kernels/processor/best.cc"
// In this order.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "autograd/tensor/kernels/processor/loops.h"

HWY_BEFORE_NAMESPACE();
namespace twingrad::processor {
namespace {
namespace HWY_NAMESPACE {
// Each after those that it uses.
// clang-format off
#include "autograd/tensor/kernels/processor/arithmetic.inc"
#include "autograd/tensor/kernels/processor/elementary.inc"
#include "autograd/tensor/kernels/processor/moves.inc"
#include "autograd/tensor/kernels/processor/sums.inc"
#include "autograd/tensor/kernels/processor/norms.inc"
#include "autograd/tensor/kernels/processor/pools.inc"
#include "autograd/tensor/kernels/processor/products.inc"
#include "autograd/tensor/kernels/processor/shares.inc"
#include "autograd/tensor/kernels/processor/table.inc"
// clang-format on
}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace twingrad::processor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace twingrad::processor {
namespace {

HWY_EXPORT(Table);

}  // namespace

const Loops& LoopsInUse() { return UsesPlain() ? PlainLoops() : HWY_DYNAMIC_DISPATCH(Table)(); }

std::vector<const Loops*> EveryLoops() {
  std::vector<const Loops*> every;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    every.push_back(&HWY_DYNAMIC_DISPATCH(Table)());
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  every.push_back(&PlainLoops());
  return every;
}

}  // namespace twingrad::processor
#endif

// The loops for one element at a time, in plain C++. See loops.h.

#define HWY_COMPILE_ONLY_SCALAR
// In this order.
// clang-format off
#include <hwy/highway.h>
#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

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

namespace twingrad::processor {

const Loops& PlainLoops() { return HWY_NAMESPACE::Table(); }

}  // namespace twingrad::processor

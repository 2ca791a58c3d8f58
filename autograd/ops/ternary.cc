#include "autograd/ops/ternary.h"

#include <array>
#include <cstddef>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/arithmetic.h"

namespace twingrad::ops {
namespace {

std::array<BroadcastUndo, 3> UndosOf(std::array<const Tensor*, 3> operands, const Tensor& result) {
  return {BroadcastUndo(*operands[0], result), BroadcastUndo(*operands[1], result),
          BroadcastUndo(*operands[2], result)};
}

}  // namespace

Tensor Addcmul(const Tensor& a, const Tensor& b, const Tensor& c) {
  CheckDefined("addcmul", a, b, c);
  Tensor result = kernels::Add(a, kernels::Mul(b, c));
  if (ShouldRecord(a, b, c)) {
    const Tensor none;
    Record<2>(
        "AddcmulBackward", result, {&a, &b, &c},
        [undo = UndosOf({&a, &b, &c}, result)](size_t k, const Tensor& g, const Tensor* saved) {
          return undo[k].Undo(k == 0 ? g : Mul(g, saved[2 - k]));
        })
        ->Save(RequiresGrad(c) ? b : none)
        ->Save(RequiresGrad(b) ? c : none);
  }
  return result;
}

Tensor Addcdiv(const Tensor& a, const Tensor& b, const Tensor& c) {
  CheckDefined("addcdiv", a, b, c);
  Tensor result = kernels::Add(a, kernels::Div(b, c));
  if (ShouldRecord(a, b, c)) {
    const Tensor none;
    Record<2>(
        "AddcdivBackward", result, {&a, &b, &c},
        [undo = UndosOf({&a, &b, &c}, result)](size_t k, const Tensor& g, const Tensor* saved) {
          if (k == 0) return undo[0].Undo(g);
          if (k == 1) return undo[1].Undo(Div(g, saved[1]));
          return undo[2].Undo(Neg(Mul(g, Div(Div(saved[0], saved[1]), saved[1]))));
        })
        ->Save(RequiresGrad(c) ? b : none)
        ->Save(RequiresGrad(b) || RequiresGrad(c) ? c : none);
  }
  return result;
}

Tensor Lerp(const Tensor& a, const Tensor& b, const Tensor& weight) {
  CheckDefined("lerp", a, b, weight);
  Tensor result = kernels::Add(a, kernels::Mul(weight, kernels::Sub(b, a)));
  if (ShouldRecord(a, b, weight)) {
    const Tensor none;
    const bool ends = RequiresGrad(a) || RequiresGrad(b);
    Record<3>("LerpBackward", result, {&a, &b, &weight},
              [undo = UndosOf({&a, &b, &weight}, result)](size_t k, const Tensor& g,
                                                          const Tensor* saved) {
                if (k == 2) return undo[2].Undo(Mul(g, Sub(saved[1], saved[0])));
                const Tensor part = Mul(g, saved[2]);
                return undo[k].Undo(k == 1 ? part : Sub(g, part));
              })
        ->Save(RequiresGrad(weight) ? a : none)
        ->Save(RequiresGrad(weight) ? b : none)
        ->Save(ends ? weight : none);
  }
  return result;
}

}  // namespace twingrad::ops

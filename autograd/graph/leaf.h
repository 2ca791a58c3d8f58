// Changes of a leaf that keep its identity: its data, and the dtype of its gradients.
//
//   SetData(w, ops::Cast(w, DType::kF32));     // w is f32 from now on, and the same leaf
//   SetGradDType(w, DType::kF64);              // its .grad is f64
//
// Threads: as for any change of a variable's graph, the caller orders them with everything else.

#pragma once

#include <optional>

#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// `leaf` shows the memory of `data` from now on, with its dtype, device, shape and strides, without
// its history; the version goes on from the leaf's own. Views of the leaf, detached tensors and
// saved variables keep the old memory. Where dtype, device or shape change, the accumulator is made
// anew, and takes the hooks over: a gradient that an older graph sends is Error(kLeafInPlace).
// Errors: kUndefined; kInvalidArgument on results of recorded operations, views and sparse tensors,
// where a leaf that requires grad would not be floating, where `.grad` would not fit or shares the
// memory of `data`.
void SetData(const Tensor& leaf, const Tensor& data);

// Gradients of the leaf are cast to `dtype` instead of the leaf's; nullopt: every floating dtype is
// taken as it comes, and later ones are cast to that of `.grad`. Errors: kUndefined;
// kInvalidArgument unless leaf and `dtype` are floating, or where a `.grad` of another dtype is
// there already.
void SetGradDType(const Tensor& leaf, std::optional<DType> dtype);
// The leaf's own dtype where none was set.
std::optional<DType> GradDTypeOf(const Tensor& leaf);

}  // namespace twingrad

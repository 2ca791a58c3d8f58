// Which gradients share memory with what they should not when a call has ended.
//
//   std::vector<program::SharingRecord> found = SharedMemory(values, grads, results, kept);
//
// A .grad and a result of `grad` have memory of their own. Reads what it is given and changes
// nothing; no call may be running that writes these .grads.

#pragma once

#include <vector>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/runner/grads.h"
#include "autograd/runner/recorder.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

// `values` and their `grads` by ValueId, `results` those that the call has defined, `kept` what its
// hooks have kept.
std::vector<program::SharingRecord> SharedMemory(const std::vector<Tensor>& values,
                                                 const Grads& grads,
                                                 absl::Span<const program::ValueId> results,
                                                 const std::vector<Recorder::KeptGradient>& kept);

// By value: the first that uses the same memory, kNoValue where it is undefined.
std::vector<program::ValueId> Storages(const std::vector<Tensor>& values);

}  // namespace twingrad::runner

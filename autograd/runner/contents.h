// Contents: what every value and every `.grad` held before a call of the engine.
//
//   contents.Take(values);
//   ... the call ...
//   std::vector<program::WriteRecord> writes = contents.Changed(values, GradsOf(values));
//
// Keeps hashes of the bytes, of all that a tensor's storage has, and so no tensor alive. Under the
// model it watches: its looks are no steps. No call may be running that writes what is looked at.
// One thread.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

class Contents {
 public:
  // `values` by ValueId; undefined ones have not run.
  void Take(absl::Span<const Tensor> values);
  // Which of those that were there hold something else by now, and which `.grad`s, those included
  // that have become defined or undefined. A value whose storage was exchanged counts. `grads`: the
  // values' by now.
  std::vector<program::WriteRecord> Changed(absl::Span<const Tensor> values,
                                            absl::Span<const Tensor> grads) const;

 private:
  struct Hashes {
    uint64_t data = 0;  // 0: undefined
    uint64_t grad = 0;
  };
  std::vector<Hashes> before_;  // by value
};

}  // namespace twingrad::runner

// Parts of a tensor by index, range and new dimension, as in Python.
//
//   At(x, {1})                       // x[1]
//   At(x, {kAll, Range{1, 3}})       // x[:, 1:3]
//   At(x, {kRest, -1})               // x[..., -1]
//   At(x, {kAll, kNewDim}) *= 2;     // x[:, None] *= 2
//
// The result is a differentiable view: what is written to it is written to x, with history. Indices
// and ends of ranges may count from the end. Errors: those of ops::Select and ops::Slice;
// Error(kIndex) for more places than dimensions and for a second kRest.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/notation/functions.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// start, start + step, ... below stop; step is 1 or more.
struct Range {
  int64_t start = 0;
  int64_t stop = kEnd;
  int64_t step = 1;
};

// One place of an index: an entry, after which the dimension is gone; a range of entries; a new
// dimension of size 1; or kRest, which stands for as many kAll as there is room for.
class Place {
 public:
  enum class Kind : uint8_t { kEntry, kRange, kNewDim, kRest };

  Place(int64_t entry) : range_{entry, kEnd, 1} {}  // NOLINT: so that {1, kAll} is an index
  Place(Range range) : kind_(Kind::kRange), range_(range) {}  // NOLINT
  explicit constexpr Place(Kind kind) : kind_(kind) {}

  Kind kind() const { return kind_; }
  int64_t entry() const { return range_.start; }
  const Range& range() const { return range_; }

 private:
  Kind kind_ = Kind::kEntry;
  Range range_;
};

inline constexpr Place kAll{Place::Kind::kRange};
inline constexpr Place kNewDim{Place::Kind::kNewDim};
inline constexpr Place kRest{Place::Kind::kRest};

// Dimensions without a place are taken whole.
Tensor At(const Tensor& a, const std::vector<Place>& index);

}  // namespace twingrad

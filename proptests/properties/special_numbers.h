// Numbers at which derivatives go wrong: zeros of both signs, whole numbers and halves, ends of the
// format and of functions' ranges, infinities, NaN, kinks, and the neighbours of all of these.
//
//   SpecialNumbers numbers(DType::kF32, /*seed=*/1);
//   const double x = numbers.Next();        // a float
//   const double w = numbers.Beside(x);     // often x itself, -x or a neighbour of x
//
// Of few thousand calls of Next the first give each special number once. One thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "autograd/base/dtype.h"
#include "autograd/base/float_format.h"

namespace twingrad::properties {

class SpecialNumbers {
 public:
  SpecialNumbers(DType type, uint64_t seed);

  absl::Span<const double> all() const { return all_; }
  double Next();
  double Beside(double x);
  uint64_t Random(uint64_t end);  // 0 to before `end`

 private:
  double Neighbour(double x, int steps) const;

  const FloatFormat& format_;
  std::mt19937_64 random_;
  size_t next_ = 0;
  std::vector<double> all_;
};

}  // namespace twingrad::properties

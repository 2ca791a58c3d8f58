// Convolutions of f32 in the instructions of this processor, by oneDNN: each of the three tensors
// of a convolution from the two others.
//
//   Convolution of{.samples = 64, .depth = 3, .results = 8, .axes = {{32, 32, 3, 1, 1, 1}}};
//   const bool is_made = Convolve(ConvolutionPart::kNarrow, of, {wide, weights}, narrow, scratch);
//
// What is made is the sum over all that meets in an element, in an order of oneDNN's own; an entry
// of a window that lies outside of the plane has no term. One thread a call, whatever OpenMP is set
// to; the same bits at each call of one shape on one machine. What oneDNN reports is
// Error(kInternal). Any thread.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"

namespace twingrad::processor {

// Which of the three is made of the two others.
enum class ConvolutionPart : uint8_t { kNarrow, kWide, kWeights };

// Of a wide tensor [samples, groups * depth, sizes..], weights [groups * results, depth,
// entries..] and a narrow one [samples, groups * results, windows..].
struct Convolution {
  struct Axis {
    int64_t size = 1, windows = 1, entries = 1;
    int64_t stride = 1, padding = 0, dilation = 1;
  };

  // Of one of the three.
  int64_t Multiplications() const;
  // Whether each window has an entry in the plane.
  bool EachWindowMeetsThePlane() const;

  int64_t samples = 1, groups = 1;
  int64_t depth = 1, results = 1;  // channels of one group
  std::vector<Axis> axes;          // one to three
};

// In row-major order; the one to be made is not looked at.
struct ConvolutionOperands {
  const float* wide = nullptr;
  const float* weights = nullptr;
  const float* narrow = nullptr;
};

// Memory for so many elements, on a cache line, that lives until Convolve returns.
using Scratch = absl::FunctionRef<float*(int64_t count)>;

// False: nothing was done, for oneDNN has no fast kernel for the shape. No size is 0.
bool Convolve(ConvolutionPart part, const Convolution& of, const ConvolutionOperands& operands,
              float* out, Scratch scratch);

}  // namespace twingrad::processor

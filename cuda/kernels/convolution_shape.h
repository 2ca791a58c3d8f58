// DnnShape: a convolution as cuDNN takes it, in planes of two or three dimensions.
//
//   const auto shape = DnnShapeOf(work.shape);     // nullopt: of more elements than it counts
//
// Pure, any thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "autograd/tensor/kernels/convolution_bodies.h"

namespace twingrad::cuda {

// Sizes of the three tensors: N or O, channels, then the plane, of which the first `rank` numbers
// hold; and how the windows go along the plane, of which rank - 2 numbers hold. The others are 0.
struct DnnShape {
  static constexpr size_t kMostRank = 5;
  using Sizes = std::array<int, kMostRank>;
  using Steps = std::array<int, kMostRank - 2>;

  int rank = 4;
  int groups = 1;
  Sizes wide{}, weights{}, narrow{};
  Steps padding{}, stride{}, dilation{};

  auto Key() const {
    return std::tie(rank, groups, wide, weights, narrow, padding, stride, dilation);
  }
  friend bool operator==(const DnnShape& a, const DnnShape& b) { return a.Key() == b.Key(); }
  template <typename H>
  friend H AbslHashValue(H state, const DnnShape& shape) {
    return H::combine(std::move(state), shape.Key());
  }

  // Row-major, of one of the sizes.
  Sizes StridesOf(const Sizes& sizes) const;
};

std::optional<DnnShape> DnnShapeOf(const kernels::ConvolutionShape& shape);

}  // namespace twingrad::cuda

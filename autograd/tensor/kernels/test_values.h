// For the kernels' tests: tensors from lists, lists from tensors.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <vector>

#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

using Doubles = std::vector<double>;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Integers = std::vector<int64_t>;

template <typename T>
Tensor Make(std::initializer_list<int64_t> sizes, std::initializer_list<T> elements) {
  return Tensor::FromData<T>(sizes, elements);
}

// The elements in row-major order, through the strides.
template <typename T>
std::vector<T> Elements(const Tensor& t) {
  std::vector<T> result;
  std::vector<int64_t> index(t.sizes().size(), 0);
  for (int64_t n = 0; n < t.numel(); ++n) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * t.strides()[d];
    result.push_back(t.data<T>()[offset]);
    for (size_t d = index.size(); d > 0; --d) {
      if (++index[d - 1] < t.sizes()[d - 1]) break;
      index[d - 1] = 0;
    }
  }
  return result;
}

inline std::vector<int64_t> SizesOf(const Tensor& t) {
  return {t.sizes().begin(), t.sizes().end()};
}

// A matrix of the same elements whose strides are swapped: t's transpose, as a view.
inline Tensor Transposed(const Tensor& t) {
  return t.AsStrided({t.sizes()[1], t.sizes()[0]}, {t.strides()[1], t.strides()[0]},
                     t.storage_offset());
}

}  // namespace twingrad::kernels

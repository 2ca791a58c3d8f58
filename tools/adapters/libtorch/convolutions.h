// Convolutions, and what they are transposed, in one to three dimensions. Safe from any thread.

#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "autograd/program/program.h"
#include "tools/adapters/libtorch/indexed.h"

namespace twingrad::libtorch {

template <int dims>
at::Tensor Convolution(const program::Statement& s, const Operands& o) {
  const auto list = [&](program::Key key, int64_t otherwise) {
    const std::vector<int64_t> given = s.Get<std::vector<int64_t>>(key);
    return given.empty() ? std::vector<int64_t>(dims, otherwise) : given;
  };
  const std::vector<int64_t> stride = list(program::Key::kStride, 1),
                             padding = list(program::Key::kPadding, 0);
  const std::vector<int64_t> dilation = list(program::Key::kDilation, 1);
  const int64_t groups = s.Get<int64_t>(program::Key::kGroups, 1);
  if constexpr (dims == 1) return at::conv1d(o[0], o[1], {}, stride, padding, dilation, groups);
  if constexpr (dims == 2) return at::conv2d(o[0], o[1], {}, stride, padding, dilation, groups);
  if constexpr (dims == 3) return at::conv3d(o[0], o[1], {}, stride, padding, dilation, groups);
}

template <int dims>
at::Tensor TransposedConvolution(const program::Statement& s, const Operands& o) {
  const auto list = [&](program::Key key, int64_t otherwise) {
    const std::vector<int64_t> given = s.Get<std::vector<int64_t>>(key);
    return given.empty() ? std::vector<int64_t>(dims, otherwise) : given;
  };
  const std::vector<int64_t> stride = list(program::Key::kStride, 1),
                             padding = list(program::Key::kPadding, 0);
  const std::vector<int64_t> dilation = list(program::Key::kDilation, 1),
                             more = list(program::Key::kOutputPadding, 0);
  const int64_t groups = s.Get<int64_t>(program::Key::kGroups, 1);
  if constexpr (dims == 1) {
    return at::conv_transpose1d(o[0], o[1], {}, stride, padding, more, groups, dilation);
  } else if constexpr (dims == 2) {
    return at::conv_transpose2d(o[0], o[1], {}, stride, padding, more, groups, dilation);
  } else {
    return at::conv_transpose3d(o[0], o[1], {}, stride, padding, more, groups, dilation);
  }
}

}  // namespace twingrad::libtorch

// Copies and sums in the layout of a leaf. See grad_layout.h.

#include "autograd/graph/grad_layout.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "autograd/base/inlined_vector.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/sparse.h"

namespace twingrad {

bool IsNonOverlappingAndDense(Ints sizes, Ints strides) {
  InlinedVector<std::pair<int64_t, int64_t>, 4> dims;  // (stride, size), those that move
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return true;
    if (sizes[i] > 1) dims.emplace_back(strides[i], sizes[i]);
  }
  std::sort(dims.begin(), dims.end());
  int64_t expected = 1;
  for (const auto& [stride, size] : dims) {
    if (stride != expected) return false;
    expected *= size;
  }
  return true;
}

GradLayout::GradLayout(const Tensor& leaf) {
  if (leaf.IsContiguous() || !IsNonOverlappingAndDense(leaf.sizes(), leaf.strides())) return;
  is_row_major_ = false;
  strides_.assign(leaf.strides().begin(), leaf.strides().end());
}

bool GradLayout::Fits(const Tensor& gradient) const {
  if (gradient.is_sparse()) return true;
  if (is_row_major_) return gradient.IsContiguous();
  for (size_t i = 0; i < strides_.size(); ++i) {
    if (gradient.sizes()[i] != 1 && gradient.strides()[i] != strides_[i]) return false;
  }
  return true;
}

Tensor GradLayout::Like(const Tensor& gradient) const {
  const Tensor memory = Tensor::Empty(gradient.sizes(), gradient.dtype(), gradient.device());
  return memory.AsStrided(gradient.sizes(), strides_, 0);
}

Tensor GradLayout::Clone(const Tensor& gradient) const {
  if (is_row_major_ || gradient.is_sparse()) return kernels::Clone(gradient);
  Tensor copy = Like(gradient);
  kernels::CopyInto(copy, gradient);
  return copy;
}

Tensor GradLayout::Add(const Tensor& a, const Tensor& b) const {
  if (a.is_sparse() || b.is_sparse()) [[unlikely]] {
    Tensor sum = kernels::AddSparse(a, b);
    return Fits(sum) ? sum : Clone(sum);
  }
  if (is_row_major_) return kernels::Add(a, b);
  Tensor sum = Clone(a);
  kernels::AddInto(sum, b);
  return sum;
}

}  // namespace twingrad

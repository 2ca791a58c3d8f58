// InputMetadata: the dtype, device and shape that a gradient arriving at a node's input must have.
//
// Two words; only types that do not fit two words (see TypeWords) keep their sizes apart.

#pragma once

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class InputMetadata {
 public:
  InputMetadata() = default;
  explicit InputMetadata(const Tensor& tensor) : words_(tensor.type()) {
    if (!words_.IsExact()) {
      sizes_ = std::make_unique<Shape>(tensor.sizes().begin(), tensor.sizes().end());
    }
  }

  DType dtype() const { return words_.dtype(); }
  Device device() const { return words_.device(); }
  Shape sizes() const { return sizes_ != nullptr ? *sizes_ : words_.sizes(); }

  // Whether `tensor` has exactly this type.
  bool Matches(const Tensor& tensor) const {
    return tensor.type() == words_ &&
           (sizes_ == nullptr || tensor.sizes() == absl::Span<const int64_t>(*sizes_));
  }

 private:
  TypeWords words_;
  std::unique_ptr<Shape> sizes_;
};

}  // namespace twingrad

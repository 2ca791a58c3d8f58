// Edge: where a gradient goes, the input `input_nr` of the node `function`. InputMetadata: the type
// that it must have there.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "autograd/base/dtype.h"
#include "autograd/base/span.h"
#include "autograd/sync/ref_count.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class Node;
using NodePtr = sync::IntrusivePtr<Node>;

struct Edge {
  NodePtr function;  // null: nothing needs this gradient
  uint32_t input_nr = 0;

  Edge() = default;
  Edge(NodePtr node, uint32_t nr) : function(std::move(node)), input_nr(nr) {}
  bool is_valid() const { return static_cast<bool>(function); }
  bool operator==(const Edge&) const = default;
  template <typename H>
  friend H AbslHashValue(H state, const Edge& edge) {
    return H::combine(std::move(state), edge.function, edge.input_nr);
  }
};

// The dtype, device and shape that a gradient arriving at a node's input must have. Two words; only
// types that do not fit two words (see TypeWords) keep their sizes apart.
class InputMetadata {
 public:
  InputMetadata() = default;
  explicit InputMetadata(const Tensor& tensor) : words_(tensor.type()) {
    if (!words_.IsExact()) {
      sizes_ = std::make_unique<Shape>(tensor.sizes().begin(), tensor.sizes().end());
    }
  }

  // Where any is taken: that of the tensor.
  DType dtype() const { return static_cast<DType>(words_.low & (kDTypeByte & ~kAnyDType)); }
  Device device() const { return words_.device(); }
  Shape sizes() const { return sizes_ != nullptr ? *sizes_ : words_.sizes(); }

  // Gradients are to have this dtype instead of the tensor's; nullopt: any floating one.
  void SetGradDType(std::optional<DType> dtype) {
    if (dtype.has_value()) {
      words_.low = (words_.low & ~kDTypeByte) | static_cast<uint64_t>(*dtype);
    } else {
      words_.low |= kAnyDType;
    }
  }
  bool TakesAnyDType() const { return (words_.low & kAnyDType) != 0; }

  // Whether `tensor` has exactly this type.
  bool Matches(const Tensor& tensor) const {
    return tensor.type() == words_ &&
           (sizes_ == nullptr || tensor.sizes() == Span<const int64_t>(*sizes_));
  }

 private:
  static constexpr uint64_t kDTypeByte = 0xff;
  // In that byte: no tensor's type has it, so none matches without a closer look.
  static constexpr uint64_t kAnyDType = 0x80;

  TypeWords words_;
  std::unique_ptr<Shape> sizes_;
};

}  // namespace twingrad

// For containers of the standard library; those of Abseil have AbslHashValue.
template <>
struct std::hash<twingrad::Edge> {
  std::size_t operator()(const twingrad::Edge& edge) const {
    // Inputs of one node must not collide, nor neighbours of it in memory.
    return std::hash<twingrad::NodePtr>()(edge.function) * 31 + edge.input_nr;
  }
};

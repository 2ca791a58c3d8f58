// The nodes of operations that move elements and do not compute: views, and the layouts of
// gradients.
//
// Each gives its one operand the gradient with the move undone.

#pragma once

#include <string_view>
#include <utility>

#include "autograd/base/dtype.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/one_gradient_node.h"

namespace twingrad::ops {

// Row-major order kept: view, reshape, squeeze, unsqueeze.
class ReshapeNode final : public OneGradientNode {
 public:
  ReshapeNode(std::string_view name, Edge edge, Ints operand_sizes)
      : OneGradientNode(name, std::move(edge)),
        sizes_(operand_sizes.begin(), operand_sizes.end()) {}
  Tensor Derivative(const Tensor& gradient) const override;

 private:
  Shape sizes_;
};

// transpose, permute.
class PermuteNode final : public OneGradientNode {
 public:
  PermuteNode(std::string_view name, Edge edge, Ints dims)
      : OneGradientNode(name, std::move(edge)), inverse_(InversePermutation(dims)) {}
  Tensor Derivative(const Tensor& gradient) const override;

 private:
  Shape inverse_;
};

// expand.
class ExpandNode final : public OneGradientNode {
 public:
  ExpandNode(std::string_view name, Edge edge, Ints operand_sizes)
      : OneGradientNode(name, std::move(edge)),
        sizes_(operand_sizes.begin(), operand_sizes.end()) {}
  Tensor Derivative(const Tensor& gradient) const override;

 private:
  Shape sizes_;
};

// select, slice.
class PartNode final : public OneGradientNode {
 public:
  PartNode(std::string_view name, Edge edge, Part place)
      : OneGradientNode(name, std::move(edge)), place_(std::move(place)) {}
  Tensor Derivative(const Tensor& gradient) const override;

 private:
  Part place_;
};

// EmbedPart.
class EmbedNode final : public OneGradientNode {
 public:
  EmbedNode(std::string_view name, Edge edge, Part place)
      : OneGradientNode(name, std::move(edge)), place_(std::move(place)) {}
  Tensor Derivative(const Tensor& gradient) const override;

 private:
  Part place_;
};

}  // namespace twingrad::ops

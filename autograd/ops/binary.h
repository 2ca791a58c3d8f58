// Elementwise operations of two operands, broadcast against each other, each described by a rule.
//
//   constexpr BinaryRule kMul = {"mul", "MulBackward", kernels::Mul, kSavesB, kSavesA,
//                                [](const Tensor& g, const Saved& s) { return Mul(g, s.b); }, ...};
//
// What a node saves depends on which operands require grad: the union of what their gradients need.
// Gradients are computed in the result's shape and then summed to the operand's (broadcast.h), in
// one place for all rules. Derivatives are written in differentiable operations. Rules are
// constant.

#pragma once

#include <cstdint>
#include <string_view>

#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// What a gradient needs of the forward run: a set of bits.
inline constexpr uint8_t kSavesNothing = 0;
inline constexpr uint8_t kSavesA = 1;
inline constexpr uint8_t kSavesB = 2;
inline constexpr uint8_t kSavesResult = 4;

// The saved tensors; undefined where not saved.
struct Saved {
  Tensor a;
  Tensor b;
  Tensor result;
};

struct BinaryRule {
  using Derivative = Tensor (*)(const Tensor& gradient, const Saved& saved);

  const char* name;
  std::string_view node_name;
  Tensor (*forward)(const Tensor& a, const Tensor& b);
  uint8_t needs_a;  // what the gradient of a needs
  uint8_t needs_b;
  Derivative derivative_a;
  Derivative derivative_b;
};

Tensor ApplyBinary(const BinaryRule& rule, const Tensor& a, const Tensor& b);
// self becomes forward(self, other); where self is saved, a private copy of its old contents is.
void ApplyBinaryInPlace(const BinaryRule& rule, Tensor& self, const Tensor& other);

}  // namespace twingrad::ops

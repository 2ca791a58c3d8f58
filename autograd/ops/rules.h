// Elementwise operations, each described by a rule: a row of what it computes, saves and derives.
//
//   constexpr UnaryRule kExp = RuleOf<ExpNumber>("ExpBackward", Saves::kResult, ExpDerivative);
//   Tensor Exp(const Tensor& a) { return ApplyUnary(kExp, a); }
//   void ExpInPlace(Tensor& a) { ApplyUnaryInPlace(kExp, a); }
//   constexpr BinaryRule kMul = {"mul", "MulBackward", kernels::Mul, kSavesB, kSavesA,
//                                [](const Tensor& g, const Saved& s) { return Mul(g, s.b); }, ...};
//
// Two operands are broadcast against each other. What their node saves depends on which of them
// require grad: the union of what their gradients need. Gradients are computed in the result's
// shape and then summed to the operand's (broadcast.h), in one place for all rules.
//
// Derivatives are written in differentiable operations, so that they can be derived again. Rules
// are constant and outlive every node.

#pragma once

#include <cstdint>
#include <string_view>

#include "autograd/tensor/kernels/elementary.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

enum class Saves : uint8_t { kNothing, kOperand, kResult };

struct UnaryRule {
  const char* name;
  std::string_view node_name;
  Tensor (*forward)(const Tensor& operand);
  Saves saves;
  // The gradient of the operand from that of the result; `saved` is undefined for Saves::kNothing.
  Tensor (*derivative)(const Tensor& gradient, const Tensor& saved);
};

// The rule of a function of kernels/numbers.h.
template <typename Number>
constexpr UnaryRule RuleOf(std::string_view node_name, Saves saves,
                           Tensor (*derivative)(const Tensor& gradient, const Tensor& saved)) {
  return {Number::kName, node_name, kernels::Each<Number>, saves, derivative};
}

Tensor ApplyUnary(const UnaryRule& rule, const Tensor& operand);
// Saves a private copy of the operand where the rule saves the operand.
void ApplyUnaryInPlace(const UnaryRule& rule, Tensor& self);

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

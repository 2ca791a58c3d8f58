// Operations of one operand, each described by a rule: a row of what it computes, saves and
// derives.
//
//   constexpr UnaryRule kExp = RuleOf<ExpNumber>("ExpBackward", Saves::kResult, ExpDerivative);
//   Tensor Exp(const Tensor& a) { return ApplyUnary(kExp, a); }
//   void ExpInPlace(Tensor& a) { ApplyUnaryInPlace(kExp, a); }
//
// The derivative is written in differentiable operations, so that it can be derived again. Rules
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

}  // namespace twingrad::ops

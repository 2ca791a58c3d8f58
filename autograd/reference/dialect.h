// Which engine's rules the twin follows where engines of this kind differ.
//
// One switch a rule, named after what it does; a dialect is a setting of all of them. Plain values.

#ifndef AUTOGRAD_REFERENCE_DIALECT_H_
#define AUTOGRAD_REFERENCE_DIALECT_H_

#include <cstdint>

namespace autograd::reference {

enum class Dialect : uint8_t { kTwingrad, kPytorch };

struct DialectRules {
  // A captured gradient has passed the tensor hooks also where its node is executed (D11).
  bool captures_always_see_hooks = true;
  // More seeds than roots are an error; else the surplus is ignored (A5).
  bool surplus_seeds_are_errors = true;
  // Node pre-hooks act before the gradient is retained; else after (H).
  bool pre_hooks_before_retain_grad = true;
  // Nodes save what their derivatives need; else gather its operand, sgn its operand and result,
  // prod its result besides.
  bool saves_what_is_needed = true;
};

constexpr DialectRules RulesOf(Dialect dialect) {
  if (dialect == Dialect::kTwingrad) return {};
  return {.captures_always_see_hooks = false,
          .surplus_seeds_are_errors = false,
          .pre_hooks_before_retain_grad = false,
          .saves_what_is_needed = false};
}

}  // namespace autograd::reference

#endif  // AUTOGRAD_REFERENCE_DIALECT_H_

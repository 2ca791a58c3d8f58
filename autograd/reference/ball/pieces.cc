// Functions of several pieces: between limits, bent at 0, and filled by a mask.

#include <cstdint>

#include <arb.h>

#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Key;
using program::Opcode;

void Evaluation::Clamp() {
  for (Ref a : in_[0].elements) {
    for (const Key key : {Key::kMin, Key::kMax}) {
      if (statement_.Find(key) == nullptr) continue;
      const Real limit = Real(statement_.Get<double>(key)).RoundedTo(FormatOf(type()));
      a = math_.Extreme({a, math_.Keep({limit, limit, {}})}, key == Key::kMin, type());
    }
    Put(a);
  }
}

Ref Evaluation::Within(Ref a, double low, double high) {
  a = math_.Extreme({a, math_.Point(low)}, /*greatest=*/true, type());
  return math_.Extreme({a, math_.Point(high)}, /*greatest=*/false, type());
}

void Evaluation::Relu6() {
  for (Ref a : in_[0].elements) Put(Within(a, 0, 6));
}

// Libraries may multiply by 1 / 6.
void Evaluation::Hardsigmoid() {
  for (Ref a : in_[0].elements) {
    Ref sum = math_.Add(Within(a, -3, 3), math_.Point(3), type());
    Put(math_.Divide(sum, math_.Point(6), type(), 3));
  }
}

void Evaluation::MaskedFill() {
  const double by = statement_.Get<double>(Key::kBy);
  Ref filling = IsFloating(out_.type) ? math_.Point(by) : math_.Integer(static_cast<int64_t>(by));
  const Places masks = Broadcasting(in_[0].shape, out_.shape);
  const Places places = Broadcasting(in_[1].shape, out_.shape);
  for (size_t i = 0; i < masks.size(); ++i) {
    Ref mask = in_[0].elements[static_cast<size_t>(masks[i])];
    Put(math_.Where(mask, filling, in_[1].elements[static_cast<size_t>(places[i])]));
  }
}

// Of selu two constants of 32 digits, which libraries round, and their product.
Ref Evaluation::Scaled(Ref a, bool above) {
  const auto of_digits = [&](const char* digits) {
    Real number;
    arb_set_str(number.get(), digits, kBits);
    return math_.Keep({number, number, {}});
  };
  if (op_ != Opcode::kSelu) {
    return above ? a : math_.Multiply(math_.Point(statement_.Get<double>(Key::kBy)), a, type());
  }
  Ref factor = of_digits("1.0507009873554804934193349852946");
  if (above) return math_.Multiply(factor, a, type(), 3);
  Ref depth = of_digits("1.6732632423543772848170429916717");
  return math_.Multiply(math_.Multiply(factor, depth, type(), kInSteps), a, type(), 6);
}

// The sign of the run tells the piece; but for leaky_relu libraries may compute exp(a) - 1.
void Evaluation::Bent() {
  for (Ref a : in_[0].elements) {
    if (a->run.IsPositive()) {
      Put(Scaled(a, /*above=*/true));
      continue;
    }
    Ref below = a;
    if (op_ == Opcode::kCelu) {
      below = math_.Divide(a, math_.Point(statement_.Get<double>(Key::kBy)), type(), 3);
    }
    if (op_ != Opcode::kLeakyRelu) {
      below =
          math_.Rounded(math_.Apply(Function::kExpm1, below, type(), kInSteps), type(), kUnits, 1);
    }
    below = Scaled(below, /*above=*/false);
    Put(a->run.IsNegative() ? below : math_.AnyOf({Scaled(a, /*above=*/true), below}));
  }
}

}  // namespace twingrad::reference::ball

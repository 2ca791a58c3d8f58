// A custom function as the twin sees it: what its backward does with the gradients of its results.

#pragma once

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/reference/calculus.h"
#include "autograd/reference/interpreter.h"

namespace twingrad::reference {

enum class CustomAction : uint8_t {
  kPass,
  kScale,
  kUndefined,
  kThrow,
  kWrongShape,
  kWrongDType,
  kWrongCount,
  kNan,
  kSquare,
  kExp,
  kBackward,
  kWarn,
};

// By the word of do=.
CustomAction CustomActionOf(std::string_view word);

struct CustomRule {
  int32_t statement = -1;
  CustomAction action = CustomAction::kPass;
  double by = 1;
  bool keeps_undefined = false;
  Hook acting;                         // of kBackward and kWarn: what a hook would do
  absl::Span<const Variable> results;  // as gradients are; those that have one are tracked
  absl::Span<const Variable> saved;    // one a result; undefined ones where nothing is saved
};

}  // namespace twingrad::reference

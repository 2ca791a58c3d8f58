// What the ball witness says of a Program: an enclosure of each number, as plain data.
//
// Stands apart from the library of ball arithmetic, so that judges read results without linking it.

#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace twingrad::reference::ball {

// The exact number lies within `radius` of `nearest + rest`, which is the middle to more than a
// hundred bits: `nearest` is a number of the element type.
struct Enclosure {
  double nearest = 0;
  double rest = 0;
  double radius = std::numeric_limits<double>::infinity();  // infinity: nothing is known

  bool IsKnown() const { return std::isfinite(radius); }
  bool IsPoint() const { return radius == 0; }
  // A lower bound on how far `x` lies from all numbers of the enclosure.
  double Distance(double x) const {
    if (!IsKnown() || x == nearest) return 0;
    const double gap = std::fabs((x - nearest) - rest);
    return std::fmax(gap * (1 - 0x1p-50) - radius * (1 + 0x1p-50), 0.0);
  }
  bool operator==(const Enclosure&) const = default;
};

struct BallTensor {
  bool known = false;  // false: the witness says nothing of this tensor
  std::vector<Enclosure> elements;
};

// Why the witness cannot judge a Program.
enum class Refusal : uint8_t {
  kNone,
  kNestedCall,
  kSavedTensors,
  kSecondOrderHook,
  kNodeHook,
  kLateHook,
  kRemovedHook,
  kSharedHook,
  kUnknownGradient,
  kHighOrder,
  kIndex,
  kDomain,
  kRepeatedWrite,
  kForm,
  kTooLarge,
};
inline constexpr int kNumRefusals = static_cast<int>(Refusal::kTooLarge) + 1;
constexpr std::string_view RefusalText(Refusal refusal) {
  constexpr std::string_view kTexts[kNumRefusals] = {
      "none",
      "a hook or custom function that runs backward",
      "saved-tensor hooks with do=scale",
      "a hook changes gradients of second order where a derivative is written with its value",
      "a hook on a node changes gradients that are asked for",
      "a hook changes the gradients of later calls alone",
      "a hook that changes gradients is removed",
      "a hook changes the gradient of a value that shares its storage",
      "a gradient that is not known is used",
      "derivatives of fourth or higher order",
      "an index out of range",
      "a matrix that is singular or not positive definite, or may be",
      "a write through a view that repeats elements",
      "operands that do not fit",
      "too many elements or derivatives",
  };
  return kTexts[static_cast<int>(refusal)];
}

struct BallResult {
  int order = 0;                     // of the derivatives that the Program takes
  Refusal refusal = Refusal::kNone;  // else the rest is empty
  // By ValueId, at the end of the run: contents (of floating tensors) and .grad (zero where none).
  std::vector<BallTensor> values;
  std::vector<BallTensor> grads;
};

}  // namespace twingrad::reference::ball

// What the ball witness says of a Program: an enclosure of each number, as plain data.
//
// Stands apart from the library of ball arithmetic, so that judges read results without linking it.

#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
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

struct BallResult {
  int order = 0;               // of the derivatives that the Program takes
  std::string not_applicable;  // why the Program cannot be judged; the rest is then empty
  // By ValueId, at the end of the run: contents (of floating tensors) and .grad (zero where none).
  std::vector<BallTensor> values;
  std::vector<BallTensor> grads;
};

}  // namespace twingrad::reference::ball

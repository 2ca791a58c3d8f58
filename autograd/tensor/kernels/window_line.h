// How windows lie along one dimension: the dimensions of a plane are independent, so that windows
// of a plane are a product of Lines.
//
//   Line boxes = BoxLine(/*size=*/4, {.kernel = 3, .padding = 1});    // -1 0 1 | 0 1 2 | ...
//   Line between = LinearLine(/*size=*/2, /*windows=*/4, /*corners=*/false);
//
// Sizes and counts are 1 or more, and boxes fit: the operations check. Pure functions.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "autograd/base/dtype.h"

namespace twingrad::kernels {

// From one box to the next it goes `stride` on, from one of its entries to the next `dilation`; the
// first one starts `padding` before the dimension.
struct Box {
  int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
};

struct Line {
  int64_t size = 1;             // of the dimension
  int64_t windows = 1;          // how many there are
  int64_t entries = 1;          // of each
  std::vector<int64_t> places;  // [windows, entries]: in the dimension; -1: none
  std::vector<double> weights;  // the same; empty where all are 1
  std::optional<Box> box;       // what the places are, of a BoxLine
};
// A Line for each dimension of the plane.
using Windows = std::vector<Line>;

Line BoxLine(int64_t size, const Box& box);
// Portions as equal as can be, from the whole part of i size / windows to the next whole number at
// (i + 1) size / windows. Shorter ones have -1 at the end.
Line PortionLine(int64_t size, int64_t windows);

// Window i is at i size / windows: the entry there.
Line NearestLine(int64_t size, int64_t windows);
// Middles stand on middles, window i at (i + 1/2) size / windows - 1/2, or `corners` on corners, at
// i (size - 1) / (windows - 1). Two entries, and weights of a line between them; before the first
// entry, that.
Line LinearLine(int64_t size, int64_t windows, bool corners);
// Four entries, those outside replaced by the nearest. Weights: R. Keys, "Cubic Convolution
// Interpolation for Digital Image Processing", 1981, (8) with a = -3/4.
Line CubicLine(int64_t size, int64_t windows, bool corners);

// Windows one after the other, each `step` after the one before, with all entries that they have
// inside.
struct WindowStretch {
  int64_t count = 1;
  int64_t step = 1;
  std::vector<int64_t> places;  // of the first window
};
// All windows of the Line, in order, in as few as come from taking each as long as it goes.
std::vector<WindowStretch> StretchesOf(const Line& line);

// Elements of the plane.
int64_t PlaneSizeOf(const Windows& windows);
Shape CountsOf(const Windows& windows);
int64_t EntriesOf(const Windows& windows);

}  // namespace twingrad::kernels

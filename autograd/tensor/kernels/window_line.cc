#include "autograd/tensor/kernels/window_line.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace twingrad::kernels {
namespace {

// Where a window is: `whole` entries on, and a part of one.
struct Position {
  int64_t whole;
  int64_t numerator;
  int64_t denominator;

  double part() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  double rest() const {
    return static_cast<double>(denominator - numerator) / static_cast<double>(denominator);
  }
};

Position PositionOf(int64_t window, int64_t size, int64_t windows, bool corners, bool clamps) {
  int64_t numerator = corners ? window * (size - 1) : (2 * window + 1) * size - windows;
  int64_t denominator = corners ? windows - 1 : 2 * windows;
  if (denominator == 0) numerator = 0, denominator = 1;
  if (clamps) numerator = std::max<int64_t>(numerator, 0);
  int64_t whole = numerator / denominator;
  if (whole * denominator > numerator) --whole;
  return {whole, numerator - whole * denominator, denominator};
}

// Of entries at distances of up to 1, and of 1 to 2.
double Near(double x) { return (1.25 * x - 2.25) * x * x + 1; }
double Far(double x) { return ((-0.75 * x + 3.75) * x - 6) * x + 3; }

Line LineOf(int64_t size, int64_t windows, int64_t entries) {
  Line line;
  line.size = size;
  line.windows = windows;
  line.entries = entries;
  line.places.reserve(static_cast<size_t>(windows * entries));
  return line;
}

}  // namespace

Line BoxLine(int64_t size, const Box& box) {
  const int64_t extent = box.dilation * (box.kernel - 1) + 1;
  Line line = LineOf(size, (size + 2 * box.padding - extent) / box.stride + 1, box.kernel);
  line.box = box;
  for (int64_t w = 0; w < line.windows; ++w) {
    for (int64_t k = 0; k < box.kernel; ++k) {
      const int64_t at = w * box.stride + k * box.dilation - box.padding;
      line.places.push_back(at >= 0 && at < size ? at : -1);
    }
  }
  return line;
}

Line PortionLine(int64_t size, int64_t windows) {
  const auto start = [&](int64_t w) { return w * size / windows; };
  const auto end = [&](int64_t w) { return ((w + 1) * size + windows - 1) / windows; };
  int64_t longest = 1;
  for (int64_t w = 0; w < windows; ++w) longest = std::max(longest, end(w) - start(w));
  Line line = LineOf(size, windows, longest);
  for (int64_t w = 0; w < windows; ++w) {
    for (int64_t k = 0; k < longest; ++k) {
      line.places.push_back(start(w) + k < end(w) ? start(w) + k : -1);
    }
  }
  return line;
}

Line NearestLine(int64_t size, int64_t windows) {
  Line line = LineOf(size, windows, 1);
  for (int64_t w = 0; w < windows; ++w) line.places.push_back(w * size / windows);
  return line;
}

Line LinearLine(int64_t size, int64_t windows, bool corners) {
  Line line = LineOf(size, windows, 2);
  for (int64_t w = 0; w < windows; ++w) {
    const Position at = PositionOf(w, size, windows, corners, /*clamps=*/true);
    line.places.insert(line.places.end(), {at.whole, std::min(at.whole + 1, size - 1)});
    line.weights.insert(line.weights.end(), {at.rest(), at.part()});
  }
  return line;
}

Line CubicLine(int64_t size, int64_t windows, bool corners) {
  Line line = LineOf(size, windows, 4);
  for (int64_t w = 0; w < windows; ++w) {
    const Position at = PositionOf(w, size, windows, corners, /*clamps=*/false);
    for (int64_t k = -1; k < 3; ++k) {
      line.places.push_back(std::clamp<int64_t>(at.whole + k, 0, size - 1));
    }
    line.weights.insert(line.weights.end(),
                        {Far(1 + at.part()), Near(at.part()), Near(at.rest()), Far(1 + at.rest())});
  }
  return line;
}

std::vector<WindowStretch> StretchesOf(const Line& line) {
  std::vector<WindowStretch> stretches;
  std::vector<int64_t> before;
  for (int64_t w = 0; w < line.windows; ++w) {
    std::vector<int64_t> places;
    for (int64_t k = 0; k < line.entries; ++k) {
      const int64_t place = line.places[static_cast<size_t>(w * line.entries + k)];
      if (place >= 0) places.push_back(place);
    }
    WindowStretch* const last = stretches.empty() ? nullptr : &stretches.back();
    const auto follows = [&] {
      if (last == nullptr || places.empty() || places.size() != before.size()) return false;
      const int64_t step = places[0] - before[0];
      if (step < 1 || (last->count > 1 && step != last->step)) return false;
      for (size_t k = 0; k < places.size(); ++k) {
        if (places[k] - before[k] != step) return false;
      }
      return true;
    };
    if (follows()) {
      last->step = places[0] - before[0];
      ++last->count;
    } else {
      stretches.push_back({1, 1, places});
    }
    before = std::move(places);
  }
  return stretches;
}

int64_t PlaneSizeOf(const Windows& windows) {
  int64_t size = 1;
  for (const Line& line : windows) size *= line.size;
  return size;
}

Shape CountsOf(const Windows& windows) {
  Shape counts;
  for (const Line& line : windows) counts.push_back(line.windows);
  return counts;
}

int64_t EntriesOf(const Windows& windows) {
  int64_t entries = 1;
  for (const Line& line : windows) entries *= line.entries;
  return entries;
}

}  // namespace twingrad::kernels

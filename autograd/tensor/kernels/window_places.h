// Where the entries of windows lie in their plane, as tables that kernels read.
//
//   const WindowPlane plane(a.sizes(), windows);
//   const std::vector<int64_t> places = PlacesOf(windows);   // [entries, windows]
//
// Internal to the kernels. Pure functions, any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "autograd/base/span.h"
#include "autograd/tensor/kernels/window_bodies.h"
#include "autograd/tensor/kernels/window_line.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// What windows move over: the last dimensions of a tensor of the sizes `whole`.
struct WindowPlane {
  WindowPlane(Ints whole, const Windows& windows);
  int64_t size = 1;   // elements of one
  int64_t count = 0;  // how many there are
};

// How many windows a plane has.
int64_t NumWindows(const Windows& windows);
// By entry, and then by window: the place in the plane; -1 where a dimension has none.
std::vector<int64_t> PlacesOf(const Windows& windows);
// The same of the products of the Lines' weights.
std::vector<double> ProductsOfWeights(const Windows& windows);
// By place of a plane of `size` elements, where those begin among `takers` that lie there.
void Invert(const std::vector<int64_t>& places, int64_t size, std::vector<int64_t>* starts,
            std::vector<int64_t>* takers);

// Windows of a plane along its last dimension.
struct WindowRow {
  int64_t first, count, step;
  size_t begin, entries;  // among the places of all rows, those of the first window
};

// All of a plane, of entries that lie inside.
struct WindowRows {
  std::vector<WindowRow> rows;
  std::vector<int64_t> places;
};
WindowRows WindowRowsOf(const Windows& windows);

// The windows as boxes, for bodies; nothing where some are none.
std::optional<Boxes> BoxesIn(const Windows& windows);
// Over so many planes.
std::optional<BoxWork> BoxWorkOf(const Windows& windows, int64_t planes);

// A list for bodies, on the device of `a`.
Tensor OnDeviceOf(const Tensor& a, const std::vector<int64_t>& numbers);

}  // namespace twingrad::kernels

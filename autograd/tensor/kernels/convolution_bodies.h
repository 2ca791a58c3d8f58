// Convolutions on devices that have a kernel for a whole one, and what corrects such a kernel.
//
//   const bool kKnown = (convolution_launcher<float> = Launch, true);   // before main
//
// A convolution is a form in three tensors, the sum of wide[n,c,place] weights[o,c,entry]
// narrow[n,o,window] over all of them where the entry of the window lies at the place: each of its
// derivatives by one of them is a kernel of the two others. convolve.h takes them so. Nothing here
// knows of tensors; the launcher is called from any thread.

#pragma once

#include <cmath>
#include <cstdint>

#include "autograd/base/device_code.h"
#include "autograd/base/span.h"
#include "autograd/device/stream.h"
#include "autograd/tensor/body.h"
#include "autograd/tensor/kernels/offset_walk.h"
#include "autograd/tensor/kernels/processor/convolutions.h"
#include "autograd/tensor/kernels/window_bodies.h"

namespace twingrad::kernels {

// wide: [samples, groups * depth, plane], weights: [groups * results, depth, entries], narrow:
// [samples, groups * results, windows], all in row-major order.
struct ConvolutionShape {
  Boxes boxes;
  int64_t samples = 1, groups = 1;
  int64_t depth = 1, results = 1;               // channels of one group
  int64_t plane = 1, entries = 1, windows = 1;  // of all axes
};

using processor::ConvolutionPart;

template <class T>
struct ConvolutionWork {
  ConvolutionPart part;
  ConvolutionShape shape;
  T* wide;
  T* weights;
  T* narrow;
};

// Queues it on the stream, as part of `op`; false: nothing was queued, for the device has no such
// kernel. Throws Error(kDevice) if it fails.
template <class T>
using ConvolutionLauncher = bool (*)(const char* op, const ConvolutionWork<T>& work,
                                     Span<const BodyAccess> accesses, Stream stream);

// Set before main, and constant from then on; null where no device has one.
template <class T>
inline ConvolutionLauncher<T> convolution_launcher = nullptr;

// Piece i: element i of the wide tensor, which is summed again if it is NaN. A kernel that is a
// product of matrices multiplies weights by zeros where no window has an entry at the place, and
// infinite ones are NaN then; in the sum there is no such term.
template <class T>
struct ResumNansBody {
  static constexpr const char* kName = "resum_nans";
  const T* weights;
  const T* narrow;
  T* wide;
  ConvolutionShape shape;

  int64_t Pieces() const { return shape.samples * shape.groups * shape.depth * shape.plane; }
  AG_DEVICE void operator()(int64_t i) const {
    if (std::isnan(wide[i])) wide[i] = SumAt(i);
  }
  AG_DEVICE T SumAt(int64_t i) const {
    const int64_t row = Quotient(i, shape.plane);
    const int64_t of_group = Quotient(row, shape.depth), c = row - of_group * shape.depth;
    const int64_t group = of_group - Quotient(of_group, shape.groups) * shape.groups;
    const Boxes::Place place = shape.boxes.Split(i - row * shape.plane, &Boxes::Axis::size);
    const int64_t step = shape.depth * shape.entries;
    const T* const first = weights + group * shape.results * step + c * shape.entries;
    const T* const terms = narrow + of_group * shape.results * shape.windows;
    Boxes::Place entry{};
    T total(0);
    int64_t at = 0;
    do {
      const int64_t window = shape.boxes.WindowOf(entry, place);
      if (window >= 0) {
        T products(0);
        for (int64_t o = 0; o < shape.results; ++o) {
          products += first[o * step + at] * terms[o * shape.windows + window];
        }
        total += products;
      }
      ++at;
    } while (shape.boxes.Next(entry));
    return total;
  }
};

}  // namespace twingrad::kernels

#include "autograd/ops/unfold.h"

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/recording.h"

namespace twingrad::ops {

Tensor Unfolded(const Tensor& a, const Windows& windows) {
  Tensor result = kernels::Unfold(a, windows);
  if (ShouldRecord(a)) {
    Record("UnfoldBackward", result, a,
           [windows, sizes = SizesOf(a)](const Tensor& g) { return Folded(g, windows, sizes); });
  }
  return result;
}

Tensor Folded(const Tensor& columns, const Windows& windows, const Shape& sizes) {
  Tensor result = kernels::Fold(columns, windows, sizes);
  if (ShouldRecord(columns)) {
    Record("FoldBackward", result, columns,
           [windows](const Tensor& g) { return Unfolded(g, windows); });
  }
  return result;
}

Shape CheckedSteps(const char* op, const char* what, Ints given, size_t dims, int64_t least) {
  bool fits = given.size() == dims;
  for (const int64_t step : given) fits &= step >= least;
  if (fits) return Shape(given.begin(), given.end());
  throw Error(ErrorKind::kShape, absl::StrCat("[", op, "] ", what, " ", ShapeToString(given),
                                              "; it takes ", dims, " numbers of at least ", least));
}

Shape StepsOf(const char* op, const char* what, Ints given, Ints otherwise, int64_t least) {
  return CheckedSteps(op, what, given.empty() ? otherwise : given, otherwise.size(), least);
}

Ints PlaneOf(const char* op, const Tensor& a, size_t dims) {
  const size_t rank = a.sizes().size();
  bool fits = rank == dims + 1 || rank == dims + 2;
  for (size_t d = rank - dims - 1; fits && d < rank; ++d) fits = a.sizes()[d] > 0;
  if (fits) return a.sizes().last(dims);
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] in ", ShapeToString(a.sizes()),
                           "; it takes [N,C,..] or [C,..] with a plane of ", dims,
                           " dimensions, and sizes of 1 or more but for N"));
}

Windows BoxesOf(const char* op, Ints plane, Ints kernel, Ints stride, Ints padding, Ints dilation) {
  Windows windows;
  for (size_t d = 0; d < plane.size(); ++d) {
    if (kernel[d] < 1 || dilation[d] * (kernel[d] - 1) >= plane[d] + 2 * padding[d]) {
      throw Error(ErrorKind::kShape,
                  absl::StrCat("[", op, "] windows of ", ShapeToString(kernel), " in ",
                               ShapeToString(plane), "; they must fit, padding included"));
    }
    windows.push_back(kernels::BoxLine(plane[d], {.kernel = kernel[d],
                                                  .stride = stride[d],
                                                  .padding = padding[d],
                                                  .dilation = dilation[d]}));
  }
  return windows;
}

Shape WindowedShape(const Tensor& a, const Windows& windows) {
  Shape shape = SizesOf(a);
  shape.resize(shape.size() - windows.size());
  for (const kernels::Line& line : windows) shape.push_back(line.windows);
  return shape;
}

}  // namespace twingrad::ops

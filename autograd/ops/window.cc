#include "autograd/ops/window.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/linear_algebra.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/matmul.h"
#include "autograd/tensor/kernels/rearrange.h"
#include "autograd/tensor/kernels/reduce.h"
#include "autograd/tensor/kernels/windows.h"

namespace twingrad::ops {
namespace {

using kernels::Window;

// By the number of dimensions.
struct Names {
  const char* op;
  const char* node;
};
constexpr Names kConvolutions[] = {
    {"conv1d", "Conv1dBackward"}, {"conv2d", "Conv2dBackward"}, {"conv3d", "Conv3dBackward"}};
constexpr Names kAverages[] = {{"avg_pool1d", "AvgPool1dBackward"},
                               {"avg_pool2d", "AvgPool2dBackward"},
                               {"avg_pool3d", "AvgPool3dBackward"}};
constexpr Names kGreatest[] = {{"max_pool1d", "MaxPool1dBackward"},
                               {"max_pool2d", "MaxPool2dBackward"},
                               {"max_pool3d", "MaxPool3dBackward"}};
constexpr Names kGreatestIndices[] = {
    {"max_pool1d_indices", ""}, {"max_pool2d_indices", ""}, {"max_pool3d_indices", ""}};

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

// The operand has samples and channels before the plane, or channels alone, and windows fit.
void CheckWindows(const char* op, const Tensor& a, const Window& window, bool pools) {
  const size_t dims = window.kernel.size(), rank = a.sizes().size();
  bool fits = rank == dims + 1 || rank == dims + 2;
  for (size_t d = rank - dims - 1; fits && d < rank; ++d) fits = a.sizes()[d] > 0;
  for (size_t d = 0; fits && d < dims; ++d) {
    const int64_t size = a.sizes()[rank - dims + d] + 2 * window.padding[d];
    fits = window.kernel[d] > 0 && window.dilation[d] * (window.kernel[d] - 1) < size &&
           (!pools || 2 * window.padding[d] <= window.kernel[d]);
  }
  if (fits) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] windows of ", ShapeToString(window.kernel), " in ",
                           ShapeToString(a.sizes()), "; they must fit into [N,C,..] or [C,..]",
                           pools ? ", with a padding of at most half of them" : ""));
}

Window PoolOf(const char* op, int dims, const Tensor& a, Ints kernel, Ints stride, Ints padding) {
  CheckDefined(op, a);
  const Shape ones(static_cast<size_t>(dims), 1), zeros(static_cast<size_t>(dims), 0);
  Window window;
  window.kernel = CheckedSteps(op, "kernel", kernel, ones.size(), 1);
  window.stride = StepsOf(op, "stride", stride, window.kernel, 1);
  window.padding = StepsOf(op, "padding", padding, zeros, 0);
  window.dilation = ones;
  CheckWindows(op, a, window, /*pools=*/true);
  return window;
}

Ints PlaneOf(const Tensor& a, const Window& window) { return a.sizes().last(window.kernel.size()); }

// The operand's shape with counts of windows in place of its plane.
Shape WindowedShape(const Tensor& a, const Window& window) {
  Shape shape = SizesOf(a);
  const Shape counts = window.Counts(PlaneOf(a, window));
  shape.resize(shape.size() - counts.size());
  shape.insert(shape.end(), counts.begin(), counts.end());
  return shape;
}

int64_t ProductOf(Ints sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

// The kernels', differentiable; each is the other's derivative.
Tensor Folded(const Tensor& columns, const Window& window, const Shape& sizes);
Tensor Unfolded(const Tensor& a, const Window& window) {
  Tensor result = kernels::Unfold(a, window);
  if (ShouldRecord(a)) {
    Record("UnfoldBackward", result, a,
           [window, sizes = SizesOf(a)](const Tensor& g) { return Folded(g, window, sizes); });
  }
  return result;
}
Tensor Folded(const Tensor& columns, const Window& window, const Shape& sizes) {
  Tensor result = kernels::Fold(columns, window, sizes);
  if (ShouldRecord(columns)) {
    Record("FoldBackward", result, columns,
           [window](const Tensor& g) { return Unfolded(g, window); });
  }
  return result;
}

// A convolution as a product of matrices: [groups, results, entries] by [samples, groups, entries,
// windows]; an entry is one of a window in one of the channels of the group.
struct Convolved {
  Window window;
  Shape sizes_a, sizes_b, sizes;
  Shape weights, columns, products;
  Shape unfolded;  // the columns by channel
};

Convolved ConvolvedOf(const char* op, const Tensor& a, const Tensor& b, int dims, Ints stride,
                      Ints padding, Ints dilation, int64_t groups) {
  CheckDefined(op, a, b);
  kernels::CheckSameKind(op, a, b);
  const auto rank = static_cast<size_t>(dims) + 2;
  const Shape ones(static_cast<size_t>(dims), 1), zeros(static_cast<size_t>(dims), 0);
  Convolved c;
  c.sizes_a = SizesOf(a);
  c.sizes_b = SizesOf(b);
  const bool ranked = c.sizes_b.size() == rank && c.sizes_a.size() + 1 >= rank;
  const int64_t channels = ranked ? c.sizes_a[c.sizes_a.size() - rank + 1] : 0;
  if (!ranked || groups < 1 || c.sizes_b[0] < 1 || c.sizes_b[0] % groups != 0 ||
      c.sizes_b[1] * groups != channels) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", op, "] ", ShapeToString(a.sizes()), " by ",
                             ShapeToString(b.sizes()), " in ", groups,
                             " groups; of [N,C,..] by [O,C/groups,..] it goes, where groups "
                             "divide O"));
  }
  c.window.kernel.assign(c.sizes_b.begin() + 2, c.sizes_b.end());
  c.window.stride = StepsOf(op, "stride", stride, ones, 1);
  c.window.padding = StepsOf(op, "padding", padding, zeros, 0);
  c.window.dilation = StepsOf(op, "dilation", dilation, ones, 1);
  CheckWindows(op, a, c.window, /*pools=*/false);
  c.sizes = WindowedShape(a, c.window);
  c.sizes[c.sizes.size() - rank + 1] = c.sizes_b[0];
  const int64_t samples = c.sizes_a.size() == rank ? c.sizes_a[0] : 1;
  const int64_t windows = ProductOf(c.window.Counts(PlaneOf(a, c.window)));
  const int64_t entries = c.window.entries();
  c.unfolded = {samples * channels, entries, windows};
  c.weights = {groups, c.sizes_b[0] / groups, c.sizes_b[1] * entries};
  c.columns = {samples, groups, c.sizes_b[1] * entries, windows};
  c.products = {samples, groups, c.sizes_b[0] / groups, windows};
  return c;
}

Tensor DeriveConvolution(const Convolved& c, size_t k, const Tensor& gradient,
                         const Tensor* saved) {
  const Tensor g = ReshapeTo(gradient, c.products);
  if (k == 0) {
    const Tensor columns = Matmul(TransposeLast(ReshapeTo(saved[1], c.weights)), g);
    return Folded(ReshapeTo(columns, c.unfolded), c.window, c.sizes_a);
  }
  const Tensor columns = ReshapeTo(Unfolded(saved[0], c.window), c.columns);
  return ReshapeTo(SumTo(Matmul(g, TransposeLast(columns)), c.weights), c.sizes_b);
}

}  // namespace

template <int kDims>
Tensor Convolution(const Tensor& a, const Tensor& weights, Ints stride, Ints padding, Ints dilation,
                   int64_t groups) {
  const Names names = kConvolutions[kDims - 1];
  Convolved c = ConvolvedOf(names.op, a, weights, kDims, stride, padding, dilation, groups);
  const Tensor columns = WithShape(kernels::Unfold(a, c.window), c.columns);
  const Tensor matrices = WithShape(kernels::Clone(weights), c.weights);
  Tensor result = WithShape(kernels::Matmul(matrices, columns), c.sizes);
  if (ShouldRecord(a, weights)) {
    const Tensor none;
    Record<2>(names.node, result, {&a, &weights},
              [c = std::move(c)](size_t k, const Tensor& g, const Tensor* saved) {
                return DeriveConvolution(c, k, g, saved);
              })
        ->Save(RequiresGrad(weights) ? a : none)
        ->Save(RequiresGrad(a) ? weights : none);
  }
  return result;
}

template <int kDims>
Tensor AvgPool(const Tensor& a, Ints kernel, Ints stride, Ints padding) {
  const Names names = kAverages[kDims - 1];
  const Window window = PoolOf(names.op, kDims, a, kernel, stride, padding);
  const Tensor columns = kernels::Unfold(a, window);
  const auto entries = static_cast<double>(window.entries());
  const Tensor sums = kernels::Sum(columns, {1}, /*keepdim=*/false);
  Tensor result = WithShape(kernels::Div(sums, Constant(entries, sums)), WindowedShape(a, window));
  if (ShouldRecord(a)) {
    Record(names.node, result, a,
           [window, entries, unfolded = SizesOf(columns), sizes = SizesOf(a)](const Tensor& g) {
             const Tensor share = Div(g, Constant(entries, g));
             const Tensor each = ReshapeTo(share, {unfolded[0], 1, unfolded[2]});
             return Folded(ExpandTo(each, unfolded), window, sizes);
           });
  }
  return result;
}

template <int kDims>
Tensor MaxPoolIndices(const Tensor& a, Ints kernel, Ints stride, Ints padding) {
  const Window window = PoolOf(kGreatestIndices[kDims - 1].op, kDims, a, kernel, stride, padding);
  return WithShape(kernels::IndexOfGreatest(a, window), WindowedShape(a, window));
}

template <int kDims>
Tensor MaxPool(const Tensor& a, Ints kernel, Ints stride, Ints padding) {
  const Names names = kGreatest[kDims - 1];
  const Window window = PoolOf(names.op, kDims, a, kernel, stride, padding);
  const Tensor index = kernels::IndexOfGreatest(a, window);
  const Ints plane = PlaneOf(a, window);
  const Shape rows = SizesOf(index), planes = {rows[0], ProductOf(plane)};
  const Tensor taken = kernels::Gather(WithShape(kernels::Clone(a), planes), 1, index);
  Tensor result = WithShape(taken, WindowedShape(a, window));
  if (ShouldRecord(a)) {
    Record<1>(names.node, result, a,
              [rows, planes, sizes = SizesOf(a)](const Tensor& g, const Tensor* saved) {
                const Tensor zeros = Tensor::Zeros(planes, g.dtype(), g.device());
                const Tensor places = ReshapeTo(saved[0], rows);
                return ReshapeTo(ScatterAdd(zeros, 1, places, ReshapeTo(g, rows)), sizes);
              })
        ->Save(WithShape(index, SizesOf(result)));
  }
  return result;
}

template Tensor Convolution<1>(const Tensor&, const Tensor&, Ints, Ints, Ints, int64_t);
template Tensor Convolution<2>(const Tensor&, const Tensor&, Ints, Ints, Ints, int64_t);
template Tensor Convolution<3>(const Tensor&, const Tensor&, Ints, Ints, Ints, int64_t);
template Tensor AvgPool<1>(const Tensor&, Ints, Ints, Ints);
template Tensor AvgPool<2>(const Tensor&, Ints, Ints, Ints);
template Tensor AvgPool<3>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPool<1>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPool<2>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPool<3>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPoolIndices<1>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPoolIndices<2>(const Tensor&, Ints, Ints, Ints);
template Tensor MaxPoolIndices<3>(const Tensor&, Ints, Ints, Ints);

}  // namespace twingrad::ops

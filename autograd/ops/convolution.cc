#include "autograd/ops/convolution.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/linear_algebra.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/unfold.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/matmul.h"

namespace twingrad::ops {
namespace {

constexpr WindowNames kConvolutions[] = {
    {"conv1d", "Conv1dBackward"}, {"conv2d", "Conv2dBackward"}, {"conv3d", "Conv3dBackward"}};
constexpr WindowNames kTransposed[] = {{"conv_transpose1d", "ConvTranspose1dBackward"},
                                       {"conv_transpose2d", "ConvTranspose2dBackward"},
                                       {"conv_transpose3d", "ConvTranspose3dBackward"}};

// A convolution as a product of matrices: [groups, results, entries] by [samples, groups, entries,
// windows]; an entry is one of a window in one of the channels of the group. Its adjoint in the
// first operand takes the products for the operand, and gives what has the windows.
struct Convolved {
  Windows windows;
  Shape wide, weights_sizes, narrow;  // with windows, the weights, with a plane of their counts
  Shape weights, columns, products;
  Shape unfolded;  // the columns by channel
};

struct Steps {
  Shape kernel, stride, padding, dilation;
};

// Of weights [O, I, ..] that an operand of rank `rank` meets.
Steps TakeSteps(const char* op, const Tensor& a, const Tensor& weights, size_t dims, Ints stride,
                Ints padding, Ints dilation) {
  CheckDefined(op, a, weights);
  kernels::CheckSameKind(op, a, weights);
  const Ints sizes = weights.sizes();
  bool fits = sizes.size() == dims + 2;
  for (const int64_t size : sizes) fits &= size > 0;
  if (!fits) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", op, "] by ", ShapeToString(sizes), "; weights have rank ",
                             dims + 2, " and sizes of 1 or more"));
  }
  PlaneOf(op, a, dims);
  const Shape ones(dims, 1), zeros(dims, 0);
  return {Shape(sizes.begin() + 2, sizes.end()), StepsOf(op, "stride", stride, ones, 1),
          StepsOf(op, "padding", padding, zeros, 0), StepsOf(op, "dilation", dilation, ones, 1)};
}

[[noreturn]] void RefuseGroups(const char* op, const Tensor& a, const Tensor& weights,
                               int64_t groups, const char* allowed) {
  throw Error(ErrorKind::kShape, absl::StrCat("[", op, "] ", ShapeToString(a.sizes()), " by ",
                                              ShapeToString(weights.sizes()), " in ", groups,
                                              " groups; of ", allowed));
}

// Of shapes that fit: `wide` has the channels that the weights' second dimension counts.
Convolved ConvolvedOf(const char* op, Shape wide, const Tensor& weights, const Steps& steps,
                      int64_t groups) {
  const size_t dims = steps.kernel.size(), channel = wide.size() - dims - 1;
  const Ints b = weights.sizes();
  Convolved c;
  c.windows =
      BoxesOf(op, Ints(wide).last(dims), steps.kernel, steps.stride, steps.padding, steps.dilation);
  const Shape counts = kernels::CountsOf(c.windows);
  int64_t windows = 1;
  for (const int64_t count : counts) windows *= count;
  const int64_t entries = kernels::EntriesOf(c.windows);
  const int64_t samples = channel == 0 ? 1 : wide[0];
  c.narrow.assign(wide.begin(), wide.begin() + static_cast<std::ptrdiff_t>(channel));
  c.narrow.push_back(b[0]);
  c.narrow.insert(c.narrow.end(), counts.begin(), counts.end());
  c.unfolded = {samples * wide[channel], entries, windows};
  c.weights = {groups, b[0] / groups, b[1] * entries};
  c.columns = {samples, groups, b[1] * entries, windows};
  c.products = {samples, groups, b[0] / groups, windows};
  c.weights_sizes = SizesOf(weights);
  c.wide = std::move(wide);
  return c;
}

// What the convolution by `weights` gives of a gradient by its operand.
Tensor Spread(const Convolved& c, const Tensor& weights, const Tensor& products) {
  const Tensor columns = Matmul(TransposeLast(ReshapeTo(weights, c.weights)), products);
  return Folded(ReshapeTo(columns, c.unfolded), c.windows, c.wide);
}
// What it gives by its weights.
Tensor ByWeights(const Convolved& c, const Tensor& wide, const Tensor& products) {
  const Tensor columns = ReshapeTo(Unfolded(wide, c.windows), c.columns);
  return ReshapeTo(SumTo(Matmul(products, TransposeLast(columns)), c.weights), c.weights_sizes);
}

Tensor DeriveConvolution(const Convolved& c, size_t k, const Tensor& gradient,
                         const Tensor* saved) {
  const Tensor g = ReshapeTo(gradient, c.products);
  return k == 0 ? Spread(c, saved[1], g) : ByWeights(c, saved[0], g);
}

Tensor DeriveTransposed(const Convolved& c, size_t k, const Tensor& gradient, const Tensor* saved) {
  if (k == 1) return ByWeights(c, gradient, ReshapeTo(saved[0], c.products));
  const Tensor columns = ReshapeTo(Unfolded(gradient, c.windows), c.columns);
  return ReshapeTo(Matmul(ReshapeTo(saved[1], c.weights), columns), c.narrow);
}

// Both operands have a node of two, each saved for the other.
template <typename Derivative>
void RecordBoth(const char* name, const Tensor& result, const Tensor& a, const Tensor& weights,
                Derivative derivative) {
  if (!ShouldRecord(a, weights)) return;
  const Tensor none;
  Record<2>(name, result, {&a, &weights}, std::move(derivative))
      ->Save(RequiresGrad(weights) ? a : none)
      ->Save(RequiresGrad(a) ? weights : none);
}

}  // namespace

template <int kDims>
Tensor Convolution(const Tensor& a, const Tensor& weights, Ints stride, Ints padding, Ints dilation,
                   int64_t groups) {
  const WindowNames names = kConvolutions[kDims - 1];
  const Steps steps = TakeSteps(names.op, a, weights, kDims, stride, padding, dilation);
  const Ints b = weights.sizes();
  const int64_t channels = a.sizes()[a.sizes().size() - kDims - 1];
  if (groups < 1 || b[0] % groups != 0 || b[1] * groups != channels) {
    RefuseGroups(names.op, a, weights, groups,
                 "[N,C,..] by [O,C/groups,..] it goes, where groups divide O");
  }
  Convolved c = ConvolvedOf(names.op, SizesOf(a), weights, steps, groups);
  const Tensor columns = WithShape(kernels::Unfold(a, c.windows), c.columns);
  const Tensor matrices = WithShape(kernels::Clone(weights), c.weights);
  Tensor result = WithShape(kernels::Matmul(matrices, columns), c.narrow);
  RecordBoth(names.node, result, a, weights,
             [c = std::move(c)](size_t k, const Tensor& g, const Tensor* saved) {
               return DeriveConvolution(c, k, g, saved);
             });
  return result;
}

template <int kDims>
Tensor TransposedConvolution(const Tensor& a, const Tensor& weights, Ints stride, Ints padding,
                             Ints dilation, int64_t groups, Ints output_padding) {
  const WindowNames names = kTransposed[kDims - 1];
  const Steps steps = TakeSteps(names.op, a, weights, kDims, stride, padding, dilation);
  const Ints b = weights.sizes();
  const size_t channel = a.sizes().size() - kDims - 1;
  if (groups < 1 || b[0] % groups != 0 || b[0] != a.sizes()[channel]) {
    RefuseGroups(names.op, a, weights, groups,
                 "[N,C,..] by [C,O/groups,..] it goes, where groups divide C");
  }
  const Shape more = StepsOf(names.op, "output_padding", output_padding, Shape(kDims, 0), 0);
  Shape wide(a.sizes().begin(), a.sizes().begin() + channel);
  wide.push_back(b[1] * groups);
  for (size_t d = 0; d < kDims; ++d) {
    const int64_t size = (a.sizes()[channel + 1 + d] - 1) * steps.stride[d] - 2 * steps.padding[d] +
                         steps.dilation[d] * (steps.kernel[d] - 1) + more[d] + 1;
    if (size < 1 || more[d] >= steps.stride[d]) {
      throw Error(ErrorKind::kShape,
                  absl::StrCat("[", names.op, "] makes ", size, " entries, ", more[d],
                               " of them output_padding, with a stride of ", steps.stride[d],
                               "; there must be 1 or more, and less output_padding than stride"));
    }
    wide.push_back(size);
  }
  Convolved c = ConvolvedOf(names.op, std::move(wide), weights, steps, groups);
  const Tensor products = WithShape(kernels::Clone(a), c.products);
  const Tensor matrices = TransposeLast(WithShape(kernels::Clone(weights), c.weights));
  const Tensor columns = WithShape(kernels::Matmul(matrices, products), c.unfolded);
  Tensor result = kernels::Fold(columns, c.windows, c.wide);
  RecordBoth(names.node, result, a, weights,
             [c = std::move(c)](size_t k, const Tensor& g, const Tensor* saved) {
               return DeriveTransposed(c, k, g, saved);
             });
  return result;
}

template Tensor Convolution<1>(const Tensor&, const Tensor&, Ints, Ints, Ints, int64_t);
template Tensor Convolution<2>(const Tensor&, const Tensor&, Ints, Ints, Ints, int64_t);
template Tensor Convolution<3>(const Tensor&, const Tensor&, Ints, Ints, Ints, int64_t);
template Tensor TransposedConvolution<1>(const Tensor&, const Tensor&, Ints, Ints, Ints, int64_t,
                                         Ints);
template Tensor TransposedConvolution<2>(const Tensor&, const Tensor&, Ints, Ints, Ints, int64_t,
                                         Ints);
template Tensor TransposedConvolution<3>(const Tensor&, const Tensor&, Ints, Ints, Ints, int64_t,
                                         Ints);

}  // namespace twingrad::ops

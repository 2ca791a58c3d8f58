#include "autograd/ops/convolution.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/unfold.h"
#include "autograd/sync/ref_count.h"
#include "autograd/tensor/kernels/convolve.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad::ops {
namespace {

constexpr WindowNames kConvolutions[] = {
    {"conv1d", "Conv1dBackward"}, {"conv2d", "Conv2dBackward"}, {"conv3d", "Conv3dBackward"}};
constexpr WindowNames kTransposed[] = {{"conv_transpose1d", "ConvTranspose1dBackward"},
                                       {"conv_transpose2d", "ConvTranspose2dBackward"},
                                       {"conv_transpose3d", "ConvTranspose3dBackward"}};

struct Steps {
  Shape kernel, stride, padding, dilation;
};

// Of weights [O, I, ..] that an operand with `dims` dimensions in its plane meets.
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

// Shared by the nodes of one convolution.
struct SharedForm : sync::RefCounted<SharedForm>, kernels::ConvolutionForm {};
using Form = sync::IntrusivePtr<SharedForm>;

// Of shapes that fit: `wide` has the channels that the weights' second dimension counts.
Form FormOf(const char* op, Shape wide, const Tensor& weights, const Steps& steps, int64_t groups) {
  const size_t dims = steps.kernel.size(), channel = wide.size() - dims - 1;
  Form form = sync::MakeIntrusive<SharedForm>();
  form->windows =
      BoxesOf(op, Ints(wide).last(dims), steps.kernel, steps.stride, steps.padding, steps.dilation);
  form->groups = groups;
  form->narrow.assign(wide.begin(), wide.begin() + static_cast<std::ptrdiff_t>(channel));
  form->narrow.push_back(weights.sizes()[0]);
  for (const kernels::Line& line : form->windows) form->narrow.push_back(line.windows);
  form->weights = SizesOf(weights);
  form->wide = std::move(wide);
  return form;
}

// The form in three tensors, taken along one of them (kernels/convolve.h): with history, so that
// what derives one of them is another, to any order.
Tensor ConvolvedNarrow(const char* name, const Form& form, const Tensor& wide,
                       const Tensor& weights);
Tensor ConvolvedWide(const char* name, const Form& form, const Tensor& narrow,
                     const Tensor& weights);
Tensor ConvolvedWeights(const Form& form, const Tensor& wide, const Tensor& narrow);

// Both operands have a node of two, each saved for the other.
template <typename Derivative>
void RecordBoth(const char* name, const Tensor& result, const Tensor& a, const Tensor& b,
                Derivative derivative) {
  if (!ShouldRecord(a, b)) return;
  const Tensor none;
  Record<2>(name, result, {&a, &b}, std::move(derivative))
      ->Save(RequiresGrad(b) ? a : none)
      ->Save(RequiresGrad(a) ? b : none);
}

constexpr const char* kNarrowNode = "ConvolveBackward";
constexpr const char* kWideNode = "ConvolveBackBackward";
constexpr const char* kWeightsNode = "ConvolveWeightsBackward";

Tensor ConvolvedNarrow(const char* name, const Form& form, const Tensor& wide,
                       const Tensor& weights) {
  Tensor result = kernels::Convolve(*form, wide, weights);
  RecordBoth(name, result, wide, weights, [form](size_t k, const Tensor& g, const Tensor* saved) {
    return k == 0 ? ConvolvedWide(kWideNode, form, g, saved[1])
                  : ConvolvedWeights(form, saved[0], g);
  });
  return result;
}

Tensor ConvolvedWide(const char* name, const Form& form, const Tensor& narrow,
                     const Tensor& weights) {
  Tensor result = kernels::ConvolveBack(*form, narrow, weights);
  RecordBoth(name, result, narrow, weights, [form](size_t k, const Tensor& g, const Tensor* saved) {
    return k == 0 ? ConvolvedNarrow(kNarrowNode, form, g, saved[1])
                  : ConvolvedWeights(form, g, saved[0]);
  });
  return result;
}

Tensor ConvolvedWeights(const Form& form, const Tensor& wide, const Tensor& narrow) {
  Tensor result = kernels::ConvolveWeights(*form, wide, narrow);
  RecordBoth(kWeightsNode, result, wide, narrow,
             [form](size_t k, const Tensor& g, const Tensor* saved) {
               return k == 0 ? ConvolvedWide(kWideNode, form, saved[1], g)
                             : ConvolvedNarrow(kNarrowNode, form, saved[0], g);
             });
  return result;
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
  return ConvolvedNarrow(names.node, FormOf(names.op, SizesOf(a), weights, steps, groups), a,
                         weights);
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
  return ConvolvedWide(names.node, FormOf(names.op, std::move(wide), weights, steps, groups), a,
                       weights);
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

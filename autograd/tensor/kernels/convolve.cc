#include "autograd/tensor/kernels/convolve.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/convolution_bodies.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/matmul.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/processor/convolutions.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/reduce.h"
#include "autograd/tensor/kernels/window_places.h"
#include "autograd/tensor/remote.h"

namespace twingrad::kernels {
namespace {

constexpr const char* kConvolution = "convolution";

void CheckSizes(const Tensor& tensor, const Shape& sizes) {
  if (tensor.sizes() == sizes) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", kConvolution, "] of ", ShapeToString(tensor.sizes()), "; of ",
                           ShapeToString(sizes), " it is; pass that"));
}

// As a device takes it; nothing where it has no kernel, or nothing to do.
std::optional<ConvolutionShape> ShapeThere(const ConvolutionForm& form, const Tensor& like) {
  if (!IsRemote(like) || like.device().type == DeviceType::kLate) return std::nullopt;
  const std::optional<Boxes> boxes = BoxesIn(form.windows);
  if (!boxes) return std::nullopt;
  ConvolutionShape shape;
  shape.boxes = *boxes;
  const size_t channel = form.wide.size() - form.windows.size() - 1;
  shape.samples = channel == 0 ? 1 : form.wide[0];
  shape.groups = form.groups;
  shape.depth = form.weights[1];
  shape.results = form.weights[0] / form.groups;
  for (const Line& line : form.windows) {
    shape.plane *= line.size;
    shape.entries *= line.entries;
    shape.windows *= line.windows;
  }
  return shape.samples == 0 ? std::nullopt : std::optional(shape);
}

// Made of the two others by the device's own kernel; undefined where it has none for it. Of the
// three the one to be made is undefined.
[[gnu::noinline, gnu::cold]] Tensor MakeThere(const ConvolutionForm& form, ConvolutionPart part,
                                              Tensor wide, Tensor weights, Tensor narrow) {
  const Tensor& like = wide.defined() ? wide : weights;
  const DType dtype = like.dtype();
  const Device device = like.device();
  const std::optional<ConvolutionShape> shape = ShapeThere(form, like);
  if (!shape || (dtype != DType::kF32 && dtype != DType::kF64)) return Tensor();
  const auto ready = [&](Tensor& tensor, const Shape& sizes) {
    tensor = tensor.defined() ? Contiguous(tensor) : Tensor::Empty(sizes, dtype, device);
  };
  return DispatchFloating(kConvolution, dtype, [&](auto zero) {
    using T = decltype(zero);
    if (convolution_launcher<T> == nullptr) return Tensor();
    ready(wide, form.wide);
    ready(weights, form.weights);
    ready(narrow, form.narrow);
    const ConvolutionWork<T> work{part, *shape, Address<T>(wide), Address<T>(weights),
                                  Address<T>(narrow)};
    const Stream stream = WorkStream(device);
    const Tensor* const all[] = {&narrow, &wide, &weights};
    const Tensor& made = *all[static_cast<int>(part)];
    const Tensor& first = part == ConvolutionPart::kNarrow ? wide : narrow;
    const Tensor& second = part == ConvolutionPart::kWeights ? wide : weights;
    const bool is_made = convolution_launcher<T>(
        kConvolution, work, AccessesOf({&made}, {&first, &second}, stream), stream);
    return is_made ? made : Tensor();
  });
}

// As oneDNN takes it; nothing where the windows are no boxes, and for what is too small to pay.
std::optional<processor::Convolution> ConvolutionHere(const ConvolutionForm& form,
                                                      const Tensor& like) {
  if (like.dtype() != DType::kF32) return std::nullopt;
  const size_t channel = form.wide.size() - form.windows.size() - 1;
  processor::Convolution here;
  here.samples = channel == 0 ? 1 : form.wide[0];
  here.groups = form.groups;
  here.depth = form.weights[1];
  here.results = form.weights[0] / form.groups;
  for (const Line& line : form.windows) {
    if (!line.box) return std::nullopt;
    here.axes.push_back({line.size, line.windows, line.entries, line.box->stride, line.box->padding,
                         line.box->dilation});
  }
  const bool is_worth = processor::IsWorth(here.Multiplications(), kConvolutionVectorSize);
  return is_worth ? std::optional(here) : std::nullopt;
}

bool IsFinite(const Tensor& a) {
  return std::isfinite(processor::LoopsInUse().f32.sum(a.data<float>(), a.numel()));
}

// Made of the two others by oneDNN; undefined where it is not for it. oneDNN leaves out the
// products with the zeros of the padding, which are NaN where the other factor is not finite. So
// such factors go the plain way: they show in the result, but for those that meet nothing else than
// padding.
Tensor MakeHere(const ConvolutionForm& form, ConvolutionPart part, Tensor wide, Tensor weights,
                Tensor narrow) {
  const Tensor& like = part == ConvolutionPart::kWide ? weights : wide;
  const std::optional<processor::Convolution> here = ConvolutionHere(form, like);
  if (!here) return Tensor();
  if (part == ConvolutionPart::kNarrow && !IsFinite(Contiguous(weights))) return Tensor();
  if (part == ConvolutionPart::kWeights && !here->EachWindowMeetsThePlane()) return Tensor();
  const auto read = [](Tensor& tensor) -> const float* {
    if (!tensor.defined()) return nullptr;
    tensor = Contiguous(tensor);
    return tensor.data<float>();
  };
  const Shape* const sizes[] = {&form.narrow, &form.wide, &form.weights};
  Tensor made = Tensor::Empty(*sizes[static_cast<int>(part)], DType::kF32, like.device());
  std::vector<Tensor> kept;
  const auto scratch = [&](int64_t count) {
    kept.push_back(Tensor::Empty({count}, DType::kF32));
    return kept.back().mutable_data<float>();
  };
  const processor::ConvolutionOperands operands{read(wide), read(weights), read(narrow)};
  const bool is_made =
      processor::Convolve(part, *here, operands, made.mutable_data<float>(), scratch);
  return is_made && IsFinite(made) ? made : Tensor();
}

// Made of the two others in one go, if the device or the processor has a way; else undefined.
Tensor MakeAtOnce(const ConvolutionForm& form, ConvolutionPart part, const Tensor& wide,
                  const Tensor& weights, const Tensor& narrow) {
  const bool is_remote = IsRemote(wide.defined() ? wide : weights);
  return is_remote ? MakeThere(form, part, wide, weights, narrow)
                   : MakeHere(form, part, wide, weights, narrow);
}

// A convolution as a product of matrices: [groups, results, entries] by [samples, groups, entries,
// windows]; an entry is one of a window in one of the channels of the group.
struct Matrices {
  explicit Matrices(const ConvolutionForm& form) {
    const size_t channel = form.wide.size() - form.windows.size() - 1;
    const int64_t samples = channel == 0 ? 1 : form.wide[0], groups = form.groups;
    const int64_t results = form.weights[0] / groups, depth = form.weights[1];
    const int64_t entries = EntriesOf(form.windows);
    int64_t windows = 1;
    for (const Line& line : form.windows) windows *= line.windows;
    weights = {groups, results, depth * entries};
    columns = {samples, groups, depth * entries, windows};
    products = {samples, groups, results, windows};
    unfolded = {samples * groups * depth, entries, windows};
  }
  Shape weights, columns, products;
  Shape unfolded;  // the columns by channel
};

Tensor Reshaped(const Tensor& a, const Shape& shape) {
  const Tensor rows = Contiguous(a);
  return rows.AsStrided(shape, ContiguousStrides(shape), rows.storage_offset());
}

Tensor LastTwoSwapped(const Tensor& a) {
  Shape sizes(a.sizes().begin(), a.sizes().end()), strides(a.strides().begin(), a.strides().end());
  const size_t last = sizes.size() - 1;
  std::swap(sizes[last - 1], sizes[last]);
  std::swap(strides[last - 1], strides[last]);
  return a.AsStrided(sizes, strides, a.storage_offset());
}

}  // namespace

Tensor Convolve(const ConvolutionForm& form, const Tensor& wide, const Tensor& weights) {
  CheckSameKind(kConvolution, wide, weights);
  CheckSizes(wide, form.wide);
  CheckSizes(weights, form.weights);
  if (IsNarrow(wide.dtype())) {
    return Widely([&](const auto&... wider) { return Convolve(form, wider...); }, wide, weights);
  }
  const Tensor made = MakeAtOnce(form, ConvolutionPart::kNarrow, wide, weights, Tensor());
  if (made.defined()) return made;
  const Matrices matrices(form);
  const Tensor columns = Reshaped(Unfold(wide, form.windows), matrices.columns);
  return Reshaped(Matmul(Reshaped(weights, matrices.weights), columns), form.narrow);
}

Tensor ConvolveBack(const ConvolutionForm& form, const Tensor& narrow, const Tensor& weights) {
  CheckSameKind(kConvolution, narrow, weights);
  CheckSizes(narrow, form.narrow);
  CheckSizes(weights, form.weights);
  if (IsNarrow(narrow.dtype())) {
    return Widely([&](const auto&... wider) { return ConvolveBack(form, wider...); }, narrow,
                  weights);
  }
  const Tensor made = MakeAtOnce(form, ConvolutionPart::kWide, Tensor(), weights, narrow);
  if (made.defined()) return made;
  const Matrices matrices(form);
  const Tensor columns = Matmul(LastTwoSwapped(Reshaped(weights, matrices.weights)),
                                Reshaped(narrow, matrices.products));
  return Fold(Reshaped(columns, matrices.unfolded), form.windows, form.wide);
}

Tensor ConvolveWeights(const ConvolutionForm& form, const Tensor& wide, const Tensor& narrow) {
  CheckSameKind(kConvolution, wide, narrow);
  CheckSizes(wide, form.wide);
  CheckSizes(narrow, form.narrow);
  if (IsNarrow(wide.dtype())) {
    return Widely([&](const auto&... wider) { return ConvolveWeights(form, wider...); }, wide,
                  narrow);
  }
  const Tensor made = MakeAtOnce(form, ConvolutionPart::kWeights, wide, Tensor(), narrow);
  if (made.defined()) return made;
  const Matrices matrices(form);
  const Tensor columns = Reshaped(Unfold(wide, form.windows), matrices.columns);
  const Tensor sums = Matmul(Reshaped(narrow, matrices.products), LastTwoSwapped(columns));
  return Reshaped(SumTo(sums, matrices.weights), form.weights);
}

}  // namespace twingrad::kernels

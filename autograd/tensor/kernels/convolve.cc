#include "autograd/tensor/kernels/convolve.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/convolution_bodies.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/matmul.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/reduce.h"
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
  if (IsRemote(wide)) [[unlikely]] {
    const Tensor made = MakeThere(form, ConvolutionPart::kNarrow, wide, weights, Tensor());
    if (made.defined()) return made;
  }
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
  if (IsRemote(narrow)) [[unlikely]] {
    const Tensor made = MakeThere(form, ConvolutionPart::kWide, Tensor(), weights, narrow);
    if (made.defined()) return made;
  }
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
  if (IsRemote(wide)) [[unlikely]] {
    const Tensor made = MakeThere(form, ConvolutionPart::kWeights, wide, Tensor(), narrow);
    if (made.defined()) return made;
  }
  const Matrices matrices(form);
  const Tensor columns = Reshaped(Unfold(wide, form.windows), matrices.columns);
  const Tensor sums = Matmul(Reshaped(narrow, matrices.products), LastTwoSwapped(columns));
  return Reshaped(SumTo(sums, matrices.weights), form.weights);
}

}  // namespace twingrad::kernels

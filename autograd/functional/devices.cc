// Tensors over several devices. See devices.h.

#include "autograd/functional/devices.h"

#include <cstddef>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/view.h"
#include "autograd/tensor/geometry.h"

namespace twingrad::devices {
namespace {

void CheckSome(const char* name, size_t count, const char* what) {
  if (count > 0) return;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[", name, "] no ", what, "; name one or more"));
}

std::vector<int64_t> EqualSizes(int64_t whole, size_t count) {
  const auto parts = static_cast<int64_t>(count);
  std::vector<int64_t> sizes(count, whole / parts);
  for (int64_t i = 0; i < whole % parts; ++i) ++sizes[static_cast<size_t>(i)];
  return sizes;
}

void CheckSizes(const std::vector<int64_t>& sizes, int64_t whole, size_t count) {
  bool fits = sizes.size() == count;
  for (const int64_t size : sizes) fits = fits && size >= 0;
  if (fits && std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) == whole) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[scatter] sizes ", absl::StrJoin(sizes, ","), " for ", count,
                           " devices and a dimension of ", whole,
                           "; give one a device, none negative, that add up to the dimension"));
}

}  // namespace

std::vector<Tensor> Broadcast(const Tensor& a, const std::vector<Device>& devices) {
  ops::CheckDefined("broadcast", a);
  CheckSome("broadcast", devices.size(), "devices");
  std::vector<Tensor> copies;
  for (const Device device : devices) copies.push_back(ops::To(a, device));
  return copies;
}

std::vector<Tensor> Scatter(const Tensor& a, const std::vector<Device>& devices, int64_t dim,
                            const std::vector<int64_t>& sizes) {
  ops::CheckDimOf("scatter", a, dim);
  CheckSome("scatter", devices.size(), "devices");
  const int64_t whole = a.sizes()[static_cast<size_t>(dim)];
  if (!sizes.empty()) CheckSizes(sizes, whole, devices.size());
  const std::vector<int64_t> lengths = sizes.empty() ? EqualSizes(whole, devices.size()) : sizes;
  std::vector<Tensor> pieces;
  int64_t begin = 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    const Tensor piece = ops::Slice(a, dim, begin, begin + lengths[i], 1);
    pieces.push_back(ops::To(piece, devices[i]));
    begin += lengths[i];
  }
  return pieces;
}

Tensor Gather(const std::vector<Tensor>& parts, Device device, int64_t dim) {
  CheckSome("gather", parts.size(), "tensors");
  std::vector<Tensor> arrived;
  for (const Tensor& part : parts) {
    ops::CheckDefined("gather", part);
    arrived.push_back(ops::To(part, device));
  }
  std::vector<const Tensor*> operands;
  for (const Tensor& part : arrived) operands.push_back(&part);
  return ops::Cat(operands, dim);
}

Tensor ReduceAdd(const std::vector<Tensor>& parts, Device device) {
  CheckSome("reduce_add", parts.size(), "tensors");
  Tensor sum;
  for (const Tensor& part : parts) {
    ops::CheckDefined("reduce_add", part);
    if (part.sizes() != parts[0].sizes()) {
      throw Error(ErrorKind::kShape,
                  absl::StrCat("[reduce_add] shapes ", ShapeToString(parts[0].sizes()), " and ",
                               ShapeToString(part.sizes()), "; all tensors have one shape"));
    }
    const Tensor arrived = ops::To(part, device);
    sum = sum.defined() ? ops::Add(sum, arrived) : arrived;
  }
  return sum;
}

}  // namespace twingrad::devices

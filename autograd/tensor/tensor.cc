// Making tensors, and what they refuse. See tensor.h.

#include "autograd/tensor/tensor.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "autograd/device/device_interface.h"
#include "autograd/device/device_registry.h"
#include "autograd/tensor/remote.h"
#include "autograd/tensor/sparse.h"

namespace twingrad {

Tensor Tensor::Empty(Ints sizes, DType dtype, Device device) {
  return Tensor(TensorImpl::MakeOwning(sizes, dtype, device));
}

template <class T>
[[gnu::noinline, gnu::cold]] static void FillRemote(const Tensor& tensor, T value) {
  RunRemote("fill", FillBody<T>{Address<T>(tensor), value}, tensor.numel(), {&tensor}, {});
}

Tensor Tensor::Full(Ints sizes, double value, DType dtype, Device device) {
  Tensor result = Empty(sizes, dtype, device);
  DispatchAll(dtype, [&](auto zero) {
    using T = decltype(zero);
    if (IsRemote(result)) [[unlikely]]
      return FillRemote(result, CastNumber<T>(value));
    std::fill_n(result.mutable_data<T>(), result.numel(), CastNumber<T>(value));
  });
  return result;
}

Tensor Tensor::Zeros(Ints sizes, DType dtype, Device device) {
  if (!device.IsCpu()) return Full(sizes, 0, dtype, device);
  Tensor result = Empty(sizes, dtype, device);
  const size_t bytes = static_cast<size_t>(result.numel()) * ElementSize(dtype);
  if (bytes > 0) std::memset(result.mutable_raw_data(), 0, bytes);  // 0 in each type
  return result;
}

Tensor Tensor::Ones(Ints sizes, DType dtype, Device device) {
  return Full(sizes, 1, dtype, device);
}

Tensor Tensor::Scalar(double value, DType dtype, Device device) {
  return Full({}, value, dtype, device);
}

Tensor Tensor::FromBytes(Ints sizes, DType dtype, const void* data, size_t count, Device device) {
  Tensor result = Empty(sizes, dtype, device);
  if (static_cast<int64_t>(count) != result.numel()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[tensor] ", count, " elements given for shape ", ShapeToString(sizes),
                             "; it takes exactly ", result.numel()));
  }
  if (count == 0) return result;
  if (IsRemote(result)) [[unlikely]] {
    GetDeviceInterface(device).CopyFromHost(result.impl()->data(), data, count * ElementSize(dtype),
                                            WorkStream(device));
  } else {
    std::memcpy(result.mutable_raw_data(), data, count * ElementSize(dtype));
  }
  return result;
}

void Tensor::RefuseVersion() {
  throw Error(
      ErrorKind::kInvalidArgument,
      "[tensor] the version of an inference tensor was asked for; only tensors made outside "
      "inference mode have one; clone it outside");
}

void Tensor::ThrowUndefined() {
  throw Error(ErrorKind::kUndefined,
              "[tensor] an undefined tensor was asked for its type or data; defined tensors have "
              "them; check defined() first");
}

void Tensor::ThrowNoItem(DType asked) const {
  if (numel() != 1) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[tensor] item() of ", numel(),
                             " elements; it takes exactly one; index or reduce first"));
  }
  throw Error(ErrorKind::kDType,
              absl::StrCat("[tensor] item() of a tensor of ", DTypeName(dtype()), " as ",
                           DTypeName(asked), "; it gives the tensor's own type; cast before"));
}

bool Tensor::HasSameTypeAs(const Tensor& other) const {
  if (!(Defined().type() == other.Defined().type())) return false;
  return type().IsExact() || sizes() == other.sizes();
}

Tensor Tensor::AsStrided(Ints sizes, Ints strides, int64_t offset) const {
  TensorImpl& self = Defined();
  if (is_sparse()) RefuseSparse("tensor");
  const int64_t capacity = static_cast<int64_t>(self.storage()->bytes() / ElementSize(dtype()));
  int64_t lowest = offset;
  int64_t highest = offset;
  bool fits = sizes.size() == strides.size();
  bool empty = false;
  for (size_t i = 0; fits && i < sizes.size(); ++i) {
    if (sizes[i] == 0) empty = true;
    int64_t reach = 0;
    fits = sizes[i] >= 0 &&
           !__builtin_mul_overflow(std::max<int64_t>(sizes[i] - 1, 0), strides[i], &reach) &&
           !__builtin_add_overflow(reach < 0 ? lowest : highest, reach,
                                   reach < 0 ? &lowest : &highest);
  }
  // Where there is no element, a slice of an empty tensor say, any offset will do.
  if (empty) offset = std::clamp<int64_t>(offset, 0, capacity);
  fits = fits && (empty || (lowest >= 0 && highest < capacity));
  if (!fits) {
    throw Error(
        ErrorKind::kInvalidArgument,
        absl::StrCat("[tensor] sizes ", ShapeToString(sizes), " with strides ",
                     ShapeToString(strides), " at offset ", offset, " reach out of a storage of ",
                     capacity, " elements; every element must lie inside"));
  }
  return Tensor(TensorImpl::MakeAlias(self, sizes, strides, offset));
}

Tensor Tensor::Detach() const {
  return Tensor(TensorImpl::MakeAlias(Defined(), sizes(), strides(), storage_offset()));
}

Tensor Tensor::Data() const { return Tensor(TensorImpl::MakeBorrowing(Defined(), 0)); }

}  // namespace twingrad

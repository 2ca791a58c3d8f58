#include "autograd/runner/tensor_data.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "autograd/device/device_interface.h"
#include "autograd/device/device_registry.h"
#include "autograd/program/element_text.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/sparse.h"
#include "autograd/tensor/remote.h"

namespace twingrad::runner {
namespace {

template <typename T>
T FromBits(uint64_t bits) {
  if constexpr (IsFloating(kDTypeOf<T>)) return CastNumber<T>(std::bit_cast<double>(bits));
  return static_cast<T>(bits);
}

template <typename T>
uint64_t ToBits(T value) {
  if constexpr (IsFloating(kDTypeOf<T>)) {
    const auto number = CastNumber<double>(value);
    return std::isnan(number) ? program::kNanBits : std::bit_cast<uint64_t>(number);
  } else {
    return static_cast<uint64_t>(value);
  }
}

}  // namespace

Tensor TensorFromBits(const program::TensorType& type, const program::Bits& bits, Device device) {
  Tensor tensor = Tensor::Empty(type.shape, type.dtype, kernels::HostSide(device));
  kernels::DispatchAll(type.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = tensor.mutable_data<T>();
    for (uint64_t element : bits) *out++ = FromBits<T>(element);
  });
  return kernels::MovedTo(tensor, device);
}

Tensor WatchedCopy(const Tensor& remote) {
  const Storage& storage = *remote.impl()->storage();
  const auto count = static_cast<int64_t>(storage.bytes() / ElementSize(remote.dtype()));
  const Tensor whole = Tensor::Empty({count}, remote.dtype());
  GetDeviceInterface(remote.device())
      .Watch(whole.mutable_raw_data(), storage.data(), storage.bytes(), remote.device());
  return whole.AsStrided(remote.sizes(), remote.strides(), remote.storage_offset());
}

program::TensorData DataOf(const Tensor& tensor) {
  program::TensorData data;
  ReadInto(tensor, data);
  return data;
}

void ReadInto(const Tensor& tensor, program::TensorData& data) {
  if (IsRemote(tensor)) [[unlikely]]
    return ReadInto(WatchedCopy(tensor), data);
  if (tensor.is_sparse()) return ReadInto(kernels::ToDense(tensor), data);
  data.dtype = tensor.dtype();
  data.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
  const auto count = static_cast<size_t>(tensor.numel());
  data.bits.resize(count);
  uint64_t* out = data.bits.data();
  kernels::DispatchAll(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = tensor.watched_data<T>();
    if (tensor.IsContiguous()) {
      for (size_t i = 0; i < count; ++i) out[i] = ToBits(in[i]);
      return;
    }
    kernels::ForEachRow<1>(tensor.sizes(), {kernels::StridesFor(tensor, tensor.sizes())},
                           [&](const kernels::Row<1>& row) {
                             for (int64_t i = 0; i < row.count; ++i)
                               *out++ = ToBits(in[row.offset[0] + i * row.step[0]]);
                           });
  });
}

}  // namespace twingrad::runner

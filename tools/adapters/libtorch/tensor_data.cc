#include "tools/adapters/libtorch/tensor_data.h"

#include <ATen/ATen.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "autograd/program/element_text.h"
#include "tools/adapters/libtorch/operations.h"

namespace twingrad::libtorch {
namespace {

using twingrad::program::Bits;
using twingrad::program::TensorData;

template <typename T>
void Write(const Bits& bits, T* out) {
  for (uint64_t element : bits) {
    if constexpr (std::is_floating_point_v<T>) {
      *out++ = static_cast<T>(std::bit_cast<double>(element));
    } else {
      *out++ = static_cast<T>(element);
    }
  }
}

template <typename T>
void Read(const T* in, Bits& bits) {
  for (uint64_t& element : bits) {
    const T value = *in++;
    if constexpr (std::is_floating_point_v<T>) {
      element = std::isnan(value) ? twingrad::program::kNanBits
                                  : std::bit_cast<uint64_t>(static_cast<double>(value));
    } else {
      element = static_cast<uint64_t>(value);
    }
  }
}

}  // namespace

at::Tensor TensorOf(const twingrad::program::TensorType& type, const Bits& bits) {
  const std::vector<int64_t> sizes(type.shape.begin(), type.shape.end());
  at::Tensor tensor = at::empty(sizes, TypeOf(type.dtype));
  switch (type.dtype) {
    case twingrad::DType::kF32:
      Write(bits, tensor.data_ptr<float>());
      break;
    case twingrad::DType::kF64:
      Write(bits, tensor.data_ptr<double>());
      break;
    case twingrad::DType::kI64:
      Write(bits, tensor.data_ptr<int64_t>());
      break;
    case twingrad::DType::kBool:
      Write(bits, tensor.data_ptr<bool>());
      break;
  }
  return tensor;
}

TensorData DataOf(const at::Tensor& given) {
  // libtorch's own zeros have no memory.
  const at::Tensor tensor = given._is_zerotensor() ? at::zeros(given.sizes(), given.scalar_type())
                                                   : given.detach().contiguous();
  TensorData data;
  data.dtype = DTypeOf(tensor.scalar_type());
  data.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
  data.bits.resize(static_cast<size_t>(tensor.numel()));
  switch (data.dtype) {
    case twingrad::DType::kF32:
      Read(tensor.data_ptr<float>(), data.bits);
      break;
    case twingrad::DType::kF64:
      Read(tensor.data_ptr<double>(), data.bits);
      break;
    case twingrad::DType::kI64:
      Read(tensor.data_ptr<int64_t>(), data.bits);
      break;
    case twingrad::DType::kBool:
      Read(tensor.data_ptr<bool>(), data.bits);
      break;
  }
  return data;
}

}  // namespace twingrad::libtorch

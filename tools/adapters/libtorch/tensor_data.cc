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

using program::Bits;
using program::TensorData;

template <typename T>
void Write(const Bits& bits, T* out) {
  for (uint64_t element : bits) {
    if constexpr (!std::is_integral_v<T>) {
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
    if constexpr (!std::is_integral_v<T>) {
      const auto number = static_cast<double>(value);
      element = std::isnan(number) ? program::kNanBits : std::bit_cast<uint64_t>(number);
    } else {
      element = static_cast<uint64_t>(value);
    }
  }
}

// Calls `use` with the elements as their C++ type.
template <typename Use>
void WithElements(const at::Tensor& tensor, const Use& use) {
  switch (DTypeOf(tensor.scalar_type())) {
    case DType::kF32:
      return use(tensor.data_ptr<float>());
    case DType::kF64:
      return use(tensor.data_ptr<double>());
    case DType::kF16:
      return use(tensor.data_ptr<at::Half>());
    case DType::kBF16:
      return use(tensor.data_ptr<at::BFloat16>());
    case DType::kI64:
      return use(tensor.data_ptr<int64_t>());
    case DType::kI32:
      return use(tensor.data_ptr<int32_t>());
    case DType::kBool:
      return use(tensor.data_ptr<bool>());
  }
}

}  // namespace

at::Tensor TensorOf(const program::TensorType& type, const Bits& bits) {
  const std::vector<int64_t> sizes(type.shape.begin(), type.shape.end());
  at::Tensor tensor = at::empty(sizes, TypeOf(type.dtype));
  WithElements(tensor, [&](auto* out) { Write(bits, out); });
  return tensor;
}

TensorData DataOf(const at::Tensor& given) {
  if (given.is_sparse()) return DataOf(given.detach().to_dense());
  // libtorch's own zeros have no memory.
  const at::Tensor tensor = given._is_zerotensor() ? at::zeros(given.sizes(), given.scalar_type())
                                                   : given.detach().contiguous();
  TensorData data;
  data.dtype = DTypeOf(tensor.scalar_type());
  data.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
  data.bits.resize(static_cast<size_t>(tensor.numel()));
  WithElements(tensor, [&](const auto* in) { Read(in, data.bits); });
  return data;
}

}  // namespace twingrad::libtorch

#include "autograd/runner/accessors.h"

#include <algorithm>
#include <cstdint>

#include "autograd/ops/copy.h"
#include "autograd/runner/tensor_data.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad::runner {
namespace {

using program::TensorData;

TensorData Item(const Tensor& gradient) {
  return kernels::DispatchAll(gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Tensor one = Tensor::Empty(gradient.sizes(), gradient.dtype());
    *one.mutable_data<T>() = gradient.item<T>();
    return DataOf(one);
  });
}

// Each element of the first dimension for itself, as a view.
TensorData Rows(const Tensor& gradient) {
  TensorData data = {gradient.dtype(), {}, {}};
  data.shape.assign(gradient.sizes().begin(), gradient.sizes().end());
  TensorData row;
  const Ints sizes = gradient.sizes().subspan(1), strides = gradient.strides().subspan(1);
  for (int64_t i = 0; i < gradient.sizes()[0] && gradient.numel() > 0; ++i) {
    const int64_t offset = gradient.storage_offset() + i * gradient.strides()[0];
    ReadInto(gradient.AsStrided(sizes, strides, offset), row);
    data.bits.insert(data.bits.end(), row.bits.begin(), row.bits.end());
  }
  return data;
}

}  // namespace

void ReadByAccessors(const Tensor& gradient, const TensorData& read,
                     const program::AccessorNotes& notes) {
  if (gradient.device() != Device::Cpu() || gradient.is_sparse()) return;
  Tensor copy;
  notes.Read("clone", read, [&] {
    copy = ops::Clone(gradient);
    return DataOf(copy);
  });
  notes.Read("detach", read, [&] { return DataOf(gradient.Detach()); });
  notes.Read("data", read, [&] { return DataOf(gradient.Data()); });
  if (gradient.numel() == 1) notes.Read("item", read, [&] { return Item(gradient); });
  if (!gradient.sizes().empty()) notes.Read("rows", read, [&] { return Rows(gradient); });
  TensorData zeros = read;
  std::ranges::fill(zeros.bits, 0);
  notes.Read("write_clone", zeros, [&] {
    ops::ZeroInPlace(copy);
    return DataOf(copy);
  });
  notes.Read("again", read, [&] { return DataOf(gradient); });
}

}  // namespace twingrad::runner

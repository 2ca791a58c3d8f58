#include "autograd/tensor/kernels/remote_bodies.h"

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"

namespace twingrad::kernels {

void RefuseRank(const char* op, Device device, size_t rank) {
  throw Error(ErrorKind::kUnsupported,
              absl::StrCat("[", op, "] unsupported on ", DeviceTypeName(device.type),
                           " of operands of rank ", rank, " whose memory has more than ",
                           kMostWalked, " dimensions; make them contiguous, or copy them to cpu"));
}

namespace {

// The bytes between the first and the last element of a tensor that has some.
std::pair<intptr_t, intptr_t> ReachOf(const Tensor& tensor) {
  const auto size = static_cast<int64_t>(ElementSize(tensor.dtype()));
  intptr_t begin = reinterpret_cast<intptr_t>(tensor.impl()->data()), end = begin + size;
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    const int64_t reach = (tensor.sizes()[d] - 1) * tensor.strides()[d] * size;
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

bool Meet(const Tensor& out, const Tensor& in) {
  if (!out.HasSameStorage(in) || in.numel() == 0) return false;
  if (in.impl()->data() == out.impl()->data() && in.sizes() == out.sizes() &&
      in.strides() == out.strides() && in.dtype() == out.dtype()) {
    return false;
  }
  const auto [begin, end] = ReachOf(out);
  const auto [from, to] = ReachOf(in);
  return begin < to && from < end;
}

}  // namespace

void CheckPieces(const char* op, const Tensor& out, std::initializer_list<const Tensor*> in) {
  if (out.numel() == 0) return;
  bool are_apart = !HasInternalOverlap(out.sizes(), out.strides());
  for (const Tensor* operand : in) are_apart &= !Meet(out, *operand);
  if (are_apart) return;
  throw Error(ErrorKind::kInternal,
              absl::StrCat("[", op,
                           "] elements of the tensor to write share memory with others that are "
                           "read or written; pieces that run at the same time must not; write it "
                           "part by part, or a copy"));
}

}  // namespace twingrad::kernels

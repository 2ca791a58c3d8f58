#include "autograd/tensor/kernels/loops.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"

namespace twingrad::kernels {

Shape BroadcastStrides(Ints sizes, Ints strides, Ints target) {
  Shape result(target.size(), 0);
  const size_t lead = target.size() - sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1) result[lead + d] = strides[d];
  }
  return result;
}

Shape BroadcastShape(const char* op, Ints a, Ints b) {
  const size_t rank = std::max(a.size(), b.size());
  Shape result(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t size_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) {
      throw Error(ErrorKind::kShape,
                  absl::StrCat("[", op, "] shapes ", ShapeToString(a), " and ", ShapeToString(b),
                               " do not broadcast; sizes must be equal or 1, aligned at the right; "
                               "reshape or expand one of them"));
    }
    result[rank - 1 - i] = size_a == 1 ? size_b : size_a;
  }
  return result;
}

bool BroadcastsTo(Ints from, Ints to) {
  if (from.size() > to.size()) return false;
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[lead + d]) return false;
  }
  return true;
}

void RefuseDType(const char* op, DType dtype, const char* allowed) {
  throw Error(ErrorKind::kDType,
              absl::StrCat("[", op, "] element type ", DTypeName(dtype),
                           " is not supported; allowed are ", allowed, "; cast the operand"));
}

void RefuseDevices(const char* op, std::string_view what_a, const Tensor& a,
                   std::string_view what_b, const Tensor& b) {
  throw Error(ErrorKind::kDevice, absl::StrCat("[", op, "] ", what_a, a.device().ToString(), what_b,
                                               b.device().ToString(),
                                               "; they must be on one device; copy one with to"));
}

void RefuseMixedKinds(const char* op, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) {
    throw Error(ErrorKind::kDType, absl::StrCat("[", op, "] element types ", DTypeName(a.dtype()),
                                                " and ", DTypeName(b.dtype()),
                                                " differ; they must be equal; cast one operand"));
  }
  if (a.device() == b.device()) RefuseSparse(op);
  RefuseDevices(op, "operands are on ", a, " and ", b);
}

}  // namespace twingrad::kernels

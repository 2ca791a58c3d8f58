#include "tools/adapters/libtorch/views.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tools/adapters/libtorch/failures.h"
#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {

using at::Tensor;
using program::Key;
using program::Statement;
using Integers = std::vector<int64_t>;

Tensor View(const Statement& s, const Operands& o) {
  if (!o[0].is_contiguous()) {
    throw Refusal(ErrorKind::kInvalidArgument, "view of a tensor that is not contiguous");
  }
  return o[0].view(s.Get<Integers>(Key::kShape));
}

Tensor AsStrided(const Statement& s, const Operands& o) {
  if (!o[0].is_contiguous()) {
    throw Refusal(ErrorKind::kInvalidArgument, "as_strided of a tensor that is not contiguous");
  }
  const int64_t start = o[0].storage_offset() + s.Get<int64_t>(Key::kStart);
  return at::as_strided(o[0], s.Get<Integers>(Key::kShape), s.Get<Integers>(Key::kStride), start);
}

Tensor Reshape(const Statement& s, const Operands& o) {
  const Integers shape = s.Get<Integers>(Key::kShape);
  if (o[0].is_contiguous()) return o[0].view(shape);
  return at::_unsafe_view(o[0].clone(at::MemoryFormat::Contiguous), shape);
}

Tensor Squeeze(const Statement& s, const Operands& o) {
  if (s.Find(Key::kDims) == nullptr) return at::squeeze(o[0]);
  Integers dims = s.Get<Integers>(Key::kDims);
  if (dims.empty()) return at::alias(o[0]);
#if TORCH_VERSION_MAJOR >= 2
  return at::squeeze(o[0], dims);
#else
  std::sort(dims.rbegin(), dims.rend());
  Tensor result = o[0];
  for (int64_t dim : dims) result = at::squeeze(result, dim);
  return result;
#endif
}

namespace {

// Of a slice: where it ends, and its steps.
int64_t StopOf(const Statement& s, const Tensor& of) {
  return s.Get<int64_t>(Key::kStop, of.size(Dim(s)));
}
int64_t StepOf(const Statement& s) { return s.Get<int64_t>(Key::kStep, 1); }

}  // namespace

Tensor Slice(const Statement& s, const Operands& o) {
  return at::slice(o[0], Dim(s), s.Get<int64_t>(Key::kStart), StopOf(s, o[0]), StepOf(s));
}

Tensor SliceScatter(const Statement& s, const Operands& o) {
  return at::slice_scatter(o[0], o[1], Dim(s), s.Get<int64_t>(Key::kStart), StopOf(s, o[0]),
                           StepOf(s));
}

Tensor AsStridedScatter(const Statement& s, const Operands& o) {
  if (!o[0].is_contiguous()) {
    throw Refusal(ErrorKind::kUnsupported, "as_strided_scatter of a tensor that is not contiguous");
  }
  // Counted in the result's memory, which before 2.0 is as large as the operand.
  const int64_t begin = TORCH_VERSION_MAJOR < 2 ? 0 : o[0].storage_offset();
  const int64_t start = begin + s.Get<int64_t>(Key::kStart);
  return at::as_strided_scatter(o[0], o[1], s.Get<Integers>(Key::kShape),
                                s.Get<Integers>(Key::kStride), start);
}

}  // namespace twingrad::libtorch

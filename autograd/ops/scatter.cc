#include "autograd/ops/scatter.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/rearrange.h"

namespace twingrad::ops {
namespace {

// The list of indices beside each lane of `source`.
Tensor ListedPlaces(const char* op, const Tensor& a, int64_t dim, const Tensor& index,
                    const Tensor& source) {
  CheckDefined(op, a, index);
  CheckDefined(op, source);
  CheckDimOf(op, a, dim);
  Shape entries = SizesOf(a);
  entries[dim] = index.numel();
  if (index.dim() == 1 && source.sizes() == Ints(entries)) return Repeated(index, entries, dim);
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] indices of shape ", ShapeToString(index.sizes()),
                           " and a source of shape ", ShapeToString(source.sizes()),
                           " for a tensor of shape ", ShapeToString(a.sizes()),
                           "; indices are a list, of rank 1, and the source has an entry along "
                           "dimension ",
                           dim, " for each, of the tensor's sizes"));
}

}  // namespace

Tensor StaysThere(Ints whole, int64_t dim, const Tensor& index) {
  const Device device = index.device(), here = kernels::HostSide(device);
  Tensor order = Tensor::Empty(index.sizes(), DType::kI64, here);
  int64_t* const numbers = order.mutable_data<int64_t>();
  for (int64_t i = 0; i < order.numel(); ++i) numbers[i] = i;
  const Tensor none = Tensor::Zeros(whole, DType::kI64, index.device());
  const Tensor last = kernels::Gather(
      kernels::Scatter(none, dim, index, kernels::MovedTo(order, device)), dim, index);
  Tensor stays = Tensor::Empty(index.sizes(), DType::kBool, here);
  bool* const flags = stays.mutable_data<bool>();
  const Tensor last_here = kernels::MovedTo(last, here);
  const int64_t* const writers = last_here.data<int64_t>();
  for (int64_t i = 0; i < stays.numel(); ++i) flags[i] = writers[i] == i;
  return kernels::MovedTo(stays, device);
}

Tensor Scatter(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  CheckIndices("scatter", a, dim, index, source);
  Tensor result = kernels::Scatter(a, dim, index, source);
  if (ShouldRecord(a, source)) {
    Record<1>("ScatterBackward", result, {&a, &source},
              [dim](size_t k, const Tensor& g, const Tensor* saved) {
                const Tensor& places = saved[0];
                const Tensor zeros = Tensor::Zeros(places.sizes(), g.dtype(), g.device());
                if (k == 0) return Scatter(g, dim, places, zeros);
                const Tensor stays = StaysThere(g.sizes(), dim, places);
                return Where(stays, Gather(g, dim, places), Constant(0, g));
              })
        ->Save(index);
  }
  return result;
}

Tensor IndexAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  Tensor result =
      kernels::ScatterAdd(a, dim, ListedPlaces("index_add", a, dim, index, source), source);
  if (ShouldRecord(a, source)) {
    auto* const node = Record<1>("IndexAddBackward", result, {&a, &source},
                                 [dim](size_t k, const Tensor& g, const Tensor* saved) {
                                   return k == 0 ? g : IndexSelect(g, dim, saved[0]);
                                 });
    node->Save(node->next_edge(1).is_valid() ? index : Tensor());
  }
  return result;
}

Tensor IndexCopy(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  Tensor result =
      kernels::Scatter(a, dim, ListedPlaces("index_copy", a, dim, index, source), source);
  if (ShouldRecord(a, source)) {
    Record<1>("IndexCopyBackward", result, {&a, &source},
              [dim, sizes = SizesOf(source)](size_t k, const Tensor& g, const Tensor* saved) {
                const Tensor& list = saved[0];
                if (k == 0) {
                  return IndexCopy(g, dim, list, Tensor::Zeros(sizes, g.dtype(), g.device()));
                }
                const Tensor stays = StaysThere(g.sizes(), dim, Repeated(list, sizes, dim));
                return Where(stays, IndexSelect(g, dim, list), Constant(0, g));
              })
        ->Save(index);
  }
  return result;
}

}  // namespace twingrad::ops

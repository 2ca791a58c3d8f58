#include "autograd/ops/sparse.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/sparse.h"
#include "autograd/tensor/remote.h"
#include "autograd/tensor/sparse.h"

namespace twingrad::ops {
namespace {

const SparseParts& PartsOf(const char* op, const Tensor& a) {
  if (!a.defined()) RefuseUndefined(op);
  return SparsePartsOf(a);
}

const SparseParts& CoalescedPartsOf(const char* op, const Tensor& a) {
  const SparseParts& parts = PartsOf(op, a);
  if (parts.is_coalesced) return parts;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[", op,
                           "] a tensor that is not coalesced; it may list a place more than "
                           "once: coalesce it first"));
}

// What `dense` holds at the indices: the entries of a sparse tensor with the values [n, ..].
Tensor EntriesAt(const Tensor& dense, const Tensor& indices) {
  const Tensor list = kernels::Contiguous(indices);
  const int64_t* const all = list.data<int64_t>();
  const int64_t dims = list.sizes()[0], entries = list.sizes()[1];
  std::vector<int64_t> rows(static_cast<size_t>(entries), 0);
  Shape matrix = {1, 1}, values = {entries};
  for (int64_t d = 0; d < dense.dim(); ++d) {
    const int64_t size = dense.sizes()[static_cast<size_t>(d)];
    matrix[d < dims ? 0 : 1] *= size;
    if (d >= dims) values.push_back(size);
    for (int64_t e = 0; d < dims && e < entries; ++e) {
      int64_t& row = rows[static_cast<size_t>(e)];
      row = row * size + all[d * entries + e];
    }
  }
  const Tensor at = IndexList(rows, dense.device());
  return ReshapeTo(IndexSelect(ReshapeTo(dense, matrix), 0, at), values);
}

}  // namespace

Tensor SparseCoo(const Tensor& values, const Tensor& indices, Ints sizes) {
  CheckDefined("sparse_coo", values, indices);
  RequireHost("sparse_coo", values);
  const Tensor own = kernels::Clone(indices);
  Tensor result = MakeSparse(sizes, own, kernels::Clone(values));
  if (ShouldRecord(values)) {
    Record<1>("SparseCooBackward", result, values, [](const Tensor& g, const Tensor* saved) {
      return EntriesAt(g.is_sparse() ? ToDense(g) : g, saved[0]);
    })->Save(own);
  }
  return result;
}

Tensor Coalesce(const Tensor& a, int64_t count) {
  PartsOf("coalesce", a);
  Tensor result = kernels::CloneSparse(kernels::Coalesce(a));
  const int64_t found = SparsePartsOf(result).entries();
  if (count != kAnyEntries && count != found) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[coalesce] a tensor with ", found, " different indices; ", count,
                             " are asked for: they must be equal"));
  }
  if (ShouldRecord(a)) {
    Record("CoalesceBackward", result, a, [](const Tensor& g) { return g; });
  }
  return result;
}

Tensor ToDense(const Tensor& a) {
  PartsOf("to_dense", a);
  Tensor result = kernels::ToDense(a);
  if (ShouldRecord(a)) {
    Record("ToDenseBackward", result, a, [](const Tensor& g) { return g; });
  }
  return result;
}

Tensor CastSparse(const Tensor& a, DType dtype) {
  PartsOf("cast", a);
  Tensor result = kernels::CastSparse(a, dtype);
  if (ShouldRecord(a)) {
    Record("CastSparseBackward", result, a, [from = a.dtype()](const Tensor& g) {
      return g.is_sparse() ? CastSparse(g, from) : Cast(g, from);
    });
  }
  return result;
}

Tensor SparseValues(const Tensor& a) {
  const SparseParts& parts = CoalescedPartsOf("sparse_values", a);
  Tensor result = kernels::Clone(parts.values);
  if (ShouldRecord(a)) {
    Record<1>("SparseValuesBackward", result, a,
              [sizes = SizesOf(a), dtype = a.dtype()](const Tensor& g, const Tensor* saved) {
                return SparseCoo(g.dtype() == dtype ? g : Cast(g, dtype), saved[0], sizes);
              })
        ->Save(parts.indices);
  }
  return result;
}

Tensor SparseIndices(const Tensor& a) {
  return kernels::Clone(CoalescedPartsOf("sparse_indices", a).indices);
}

}  // namespace twingrad::ops

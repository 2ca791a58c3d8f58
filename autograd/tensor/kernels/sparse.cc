#include "autograd/tensor/kernels/sparse.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/sparse.h"

namespace twingrad::kernels {
namespace {

// The parts of a sparse tensor in row-major order, and how they are walked.
struct Entries {
  explicit Entries(const SparseParts& parts)
      : indices(Contiguous(parts.indices)),
        values(Contiguous(parts.values)),
        dims(parts.sparse_dims()),
        count(parts.entries()),
        value_sizes(values.sizes().begin() + 1, values.sizes().end()),
        value_numel(ElementCount(value_sizes)),
        index_data(indices.data<int64_t>()) {}

  int64_t Index(int64_t dim, int64_t entry) const { return index_data[dim * count + entry]; }
  int64_t Compare(int64_t a, int64_t b) const {
    for (int64_t d = 0; d < dims; ++d) {
      if (const int64_t difference = Index(d, a) - Index(d, b); difference != 0) return difference;
    }
    return 0;
  }

  const Tensor indices;
  const Tensor values;
  const int64_t dims;
  const int64_t count;
  const Shape value_sizes;
  const int64_t value_numel;
  const int64_t* const index_data;
};

void CheckAddends(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes()) {
    throw Error(
        ErrorKind::kShape,
        absl::StrCat("[add] shapes ", ShapeToString(a.sizes()), " and ", ShapeToString(b.sizes()),
                     " of a sum with a sparse tensor differ; they must be equal; nothing "
                     "is broadcast"));
  }
  if (a.dtype() != b.dtype() || a.device() != b.device()) RefuseMixedKinds("add", a, b);
}

bool StaySparse(const Tensor& a, const Tensor& b) {
  return a.is_sparse() && b.is_sparse() &&
         SparsePartsOf(a).sparse_dims() == SparsePartsOf(b).sparse_dims();
}

// The entries of a, then those of b.
SparseParts Joined(const SparseParts& a, const SparseParts& b) {
  const int64_t dims = a.sparse_dims();
  const int64_t count = a.entries() + b.entries();
  Shape value_sizes(a.values.sizes().begin(), a.values.sizes().end());
  value_sizes[0] = count;
  SparseParts joined = {Tensor::Empty({dims, count}, DType::kI64, a.indices.device()),
                        Tensor::Empty(value_sizes, a.values.dtype(), a.values.device())};
  int64_t* const indices = joined.indices.mutable_data<int64_t>();
  char* const values = static_cast<char*>(joined.values.mutable_raw_data());
  int64_t first = 0;
  for (const SparseParts* part : {&a, &b}) {
    const Entries from(*part);
    for (int64_t d = 0; d < dims; ++d) {
      std::copy_n(from.index_data + d * from.count, from.count, indices + d * count + first);
    }
    const size_t row = static_cast<size_t>(from.value_numel) * ElementSize(a.values.dtype());
    if (row > 0 && from.count > 0) {
      std::memcpy(values + static_cast<size_t>(first) * row, from.values.raw_data(),
                  static_cast<size_t>(from.count) * row);
    }
    first += from.count;
  }
  return joined;
}

SparseParts Coalesced(const SparseParts& parts) {
  if (parts.is_coalesced) return parts;
  if (const DType dtype = parts.values.dtype(); IsNarrow(dtype)) {
    SparseParts wide = Coalesced({parts.indices, Widened(parts.values)});
    wide.values = Narrowed(wide.values, dtype);
    return wide;
  }
  const Entries from(parts);
  std::vector<int64_t> order(static_cast<size_t>(from.count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return from.Compare(a, b) < 0; });
  std::vector<int64_t> firsts;  // places in `order` where another index begins
  for (int64_t i = 0; i < from.count; ++i) {
    if (i == 0 || from.Compare(order[i - 1], order[i]) != 0) firsts.push_back(i);
  }
  const int64_t count = static_cast<int64_t>(firsts.size());
  Shape value_sizes = {count};
  value_sizes.insert(value_sizes.end(), from.value_sizes.begin(), from.value_sizes.end());
  SparseParts result = {Tensor::Empty({from.dims, count}, DType::kI64, from.indices.device()),
                        Tensor::Empty(value_sizes, from.values.dtype(), from.values.device()),
                        /*is_coalesced=*/true};
  DispatchNumeric("coalesce", from.values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    int64_t* const indices = result.indices.mutable_data<int64_t>();
    T* const sums = result.values.mutable_data<T>();
    const T* const values = from.values.data<T>();
    for (int64_t to = 0; to < count; ++to) {
      const int64_t begin = firsts[to];
      const int64_t end = to + 1 < count ? firsts[to + 1] : from.count;
      for (int64_t d = 0; d < from.dims; ++d) {
        indices[d * count + to] = from.Index(d, order[begin]);
      }
      T* const sum = sums + to * from.value_numel;
      std::copy_n(values + order[begin] * from.value_numel, from.value_numel, sum);
      for (int64_t i = begin + 1; i < end; ++i) {
        const T* next = values + order[i] * from.value_numel;
        for (int64_t k = 0; k < from.value_numel; ++k) sum[k] = AddNumber::Of(sum[k], next[k]);
      }
    }
  });
  return result;
}

Tensor Sparse(Ints sizes, const SparseParts& parts) {
  Tensor result = MakeSparse(sizes, parts.indices, parts.values);
  SetSparseParts(result, parts);
  return result;
}

}  // namespace

Tensor Coalesce(const Tensor& a) {
  const SparseParts& parts = SparsePartsOf(a);
  return parts.is_coalesced ? a : Sparse(a.sizes(), Coalesced(parts));
}

Tensor ToDense(const Tensor& a) {
  SparsePartsOf(a);
  Tensor result = Tensor::Zeros(a.sizes(), a.dtype(), a.device());
  AddSparseInto(result, a);
  return result;
}

Tensor CloneSparse(const Tensor& a) { return CastSparse(a, a.dtype()); }

Tensor CastSparse(const Tensor& a, DType dtype) {
  const SparseParts& parts = SparsePartsOf(a);
  return Sparse(a.sizes(), {Clone(parts.indices), Cast(parts.values, dtype), parts.is_coalesced});
}

Tensor AddSparse(const Tensor& a, const Tensor& b) {
  CheckAddends(a, b);
  if (StaySparse(a, b)) {
    const SparseParts joined = Joined(Coalesced(SparsePartsOf(a)), Coalesced(SparsePartsOf(b)));
    return Sparse(a.sizes(), Coalesced(joined));
  }
  Tensor sum = a.is_sparse() ? ToDense(a) : Clone(a);
  if (!b.is_sparse()) {
    AddInto(sum, b);
  } else {
    AddSparseInto(sum, b);
  }
  return sum;
}

void AddSparseInto(Tensor& target, const Tensor& a) {
  if (target.is_sparse()) RefuseSparse("add_");
  CheckAddends(target, a);
  const Entries from(Coalesced(SparsePartsOf(a)));
  const Ints strides = target.strides();
  for (int64_t e = 0; e < from.count; ++e) {
    int64_t offset = target.storage_offset();
    for (int64_t d = 0; d < from.dims; ++d) offset += from.Index(d, e) * strides[d];
    Tensor place = target.AsStrided(from.value_sizes, strides.subspan(from.dims), offset);
    AddInto(place, from.values.AsStrided(from.value_sizes, ContiguousStrides(from.value_sizes),
                                         from.values.storage_offset() + e * from.value_numel));
  }
}

bool AddIntoSparse(Tensor& target, const Tensor& a) {
  CheckAddends(target, a);
  if (!StaySparse(target, a)) return false;
  const SparseParts joined = Joined(Coalesced(SparsePartsOf(target)), Coalesced(SparsePartsOf(a)));
  SetSparseParts(target, Coalesced(joined));
  return true;
}

}  // namespace twingrad::kernels

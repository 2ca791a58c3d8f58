// Making sparse tensors, with every check of their parts. See sparse.h.

#include "autograd/tensor/sparse.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/remote.h"

namespace twingrad {
namespace {

void CheckKinds(const Tensor& indices, const Tensor& values) {
  if (!indices.defined() || !values.defined()) {
    throw Error(ErrorKind::kUndefined,
                "[sparse] indices or values are undefined; both must be tensors; pass tensors "
                "with no entries for a tensor of zeros");
  }
  if (indices.is_sparse() || values.is_sparse()) RefuseSparse("sparse");
  if (indices.dtype() != DType::kI64) {
    throw Error(ErrorKind::kDType, absl::StrCat("[sparse] indices are ", DTypeName(indices.dtype()),
                                                "; they must be i64; cast them"));
  }
  if (indices.device() != values.device()) {
    throw Error(
        ErrorKind::kDevice,
        absl::StrCat("[sparse] indices are on ", indices.device().ToString(), " and values on ",
                     values.device().ToString(), "; they must be on one device; copy one there"));
  }
  RequireHost("sparse", indices);
}

void CheckShapes(Ints sizes, const Tensor& indices, const Tensor& values) {
  bool fits = indices.dim() == 2 && indices.sizes()[0] <= static_cast<int64_t>(sizes.size());
  if (fits) {
    Shape wanted = {indices.sizes()[1]};
    wanted.insert(wanted.end(), sizes.begin() + indices.sizes()[0], sizes.end());
    fits = values.sizes() == Ints(wanted);
  }
  if (fits) return;
  throw Error(
      ErrorKind::kShape,
      absl::StrCat("[sparse] indices ", ShapeToString(indices.sizes()), " and values ",
                   ShapeToString(values.sizes()), " do not make a tensor ", ShapeToString(sizes),
                   "; indices are [d, entries] and values [entries, the sizes after the "
                   "first d]; reshape them"));
}

void CheckRanges(Ints sizes, const Tensor& indices) {
  const int64_t* data = indices.data<int64_t>();
  for (int64_t d = 0; d < indices.sizes()[0]; ++d) {
    for (int64_t e = 0; e < indices.sizes()[1]; ++e) {
      const int64_t index = data[d * indices.strides()[0] + e * indices.strides()[1]];
      if (index >= 0 && index < sizes[static_cast<size_t>(d)]) continue;
      throw Error(ErrorKind::kIndex,
                  absl::StrCat("[sparse] index ", index, " of entry ", e, " in dimension ", d,
                               " of size ", sizes[static_cast<size_t>(d)],
                               "; 0 to size - 1 are allowed; correct the indices"));
    }
  }
}

Tensor WithoutMeta(const Tensor& tensor) {
  return tensor.impl()->meta() == nullptr ? tensor : tensor.Detach();
}

}  // namespace

Tensor MakeSparse(Ints sizes, const Tensor& indices, const Tensor& values) {
  CheckKinds(indices, values);
  ElementCount(sizes);
  CheckShapes(sizes, indices, values);
  CheckRanges(sizes, indices);
  SparseParts parts = {WithoutMeta(indices), WithoutMeta(values), indices.sizes()[1] == 0};
  return Tensor(TensorImpl::MakeSparse(sizes, std::move(parts)));
}

const SparseParts& SparsePartsOf(const Tensor& sparse) {
  if (!sparse.defined() || !sparse.is_sparse()) {
    throw Error(ErrorKind::kInvalidArgument,
                "[sparse] the parts of a tensor that is not sparse were asked for; sparse ones "
                "have parts; check is_sparse() first");
  }
  return *static_cast<const SparseParts*>(sparse.impl()->storage()->data());
}

void SetSparseParts(const Tensor& sparse, SparseParts parts) {
  const_cast<SparseParts&>(SparsePartsOf(sparse)) = std::move(parts);
}

void RefuseSparse(const char* op) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[", op,
                           "] an operand is a sparse tensor; dense ones are allowed; make it one "
                           "with kernels::ToDense"));
}

}  // namespace twingrad

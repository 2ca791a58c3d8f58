#include "autograd/ops/index.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/scatter.h"
#include "autograd/ops/taken.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/rearrange.h"

namespace twingrad::ops {
namespace {

using Indices = Span<const Tensor* const>;
constexpr size_t kMostIndices = 3;

// A tensor as a matrix, with a row for each place that indices can name.
struct Rows {
  Tensor list;    // of those that they do name
  Shape matrix;   // its shape
  Shape named;    // the shape that the indices have
  Shape picked;   // and that of what they take
  Shape beside;   // that of the list beside what they take
  Shape several;  // as many rows as the list has
};

// Fresh and row-major.
Tensor Spread(const Tensor& a, const Shape& shape) {
  return kernels::Clone(Alias(a, ExpandedGeometry(a, shape)));
}

void CheckPlace(const char* op, const Tensor& a, const Tensor& index, DType dtype) {
  if (index.dtype() != dtype) {
    kernels::RefuseDType(op, index.dtype(),
                         dtype == DType::kI64 ? "i64 indices, or one mask of bool" : "a bool mask");
  }
  if (index.device() == a.device()) return;
  kernels::RefuseDevices(op, "indices are on ", index, " and the operand on ", a);
}

// Where the mask is true, of the places in row-major order.
Tensor TruePlaces(const char* op, const Tensor& mask, int64_t count) {
  const Tensor flags =
      kernels::Contiguous(kernels::MovedTo(mask, kernels::HostSide(mask.device())));
  const bool* const begin = flags.data<bool>();
  std::vector<int64_t> places;
  for (int64_t i = 0; i < flags.numel(); ++i) {
    if (begin[i]) places.push_back(i);
  }
  const auto found = static_cast<int64_t>(places.size());
  if (count != kAnyCount && count != found) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[", op, "] a mask with ", found, " true elements; ", count,
                             " are asked for: they must be equal"));
  }
  return IndexList(places, mask.device());
}

// The number of the row that the indices name together, for each of their elements.
Tensor NumbersOfRows(const char* op, const Tensor& a, Indices indices, const Shape& named) {
  const Device here = kernels::HostSide(a.device());
  Tensor list = Tensor::Zeros({ElementCount(named)}, DType::kI64, here);
  int64_t* const rows = list.mutable_data<int64_t>();
  for (size_t k = 0; k < indices.size(); ++k) {
    const Tensor all = Spread(kernels::MovedTo(*indices[k], here), named);
    const int64_t* const each = all.data<int64_t>();
    const int64_t size = a.sizes()[k];
    for (int64_t i = 0; i < list.numel(); ++i) {
      if (each[i] < 0 || each[i] >= size) {
        throw Error(ErrorKind::kIndex,
                    absl::StrCat("[", op, "] index ", each[i], " of a dimension of size ", size,
                                 "; 0 to size - 1 are allowed"));
      }
      rows[i] = rows[i] * size + each[i];
    }
  }
  return kernels::MovedTo(list, a.device());
}

[[noreturn]] void RefusePlaces(const char* op, const Tensor& a, Ints shape, const char* allowed) {
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] ", ShapeToString(shape), " for a tensor of shape ",
                           ShapeToString(a.sizes()), "; ", allowed));
}

bool IsMask(Indices indices) { return indices.size() == 1 && indices[0]->dtype() == DType::kBool; }

Rows RowsAt(const char* op, const Tensor& a, Indices indices, int64_t count) {
  CheckDefined(op, a);
  for (const Tensor* index : indices) CheckDefined(op, *index);
  const auto sizes = a.sizes();
  Rows rows;
  size_t dims = indices.size();
  if (dims == 0 || dims > kMostIndices || static_cast<int64_t>(dims) > a.dim()) {
    RefusePlaces(op, a, {static_cast<int64_t>(dims)},
                 "1 to 3 indices, and no more than dimensions");
  }
  if (IsMask(indices)) {
    const Tensor& mask = *indices[0];
    CheckPlace(op, a, mask, DType::kBool);
    dims = mask.sizes().size();
    bool fits = dims > 0 && static_cast<int64_t>(dims) <= a.dim();
    for (size_t d = 0; fits && d < dims; ++d) fits = mask.sizes()[d] == sizes[d];
    if (!fits) RefusePlaces(op, a, mask.sizes(), "a mask has the sizes of its first dimensions");
    rows.list = TruePlaces(op, mask, count);
    rows.named = {rows.list.numel()};
  } else {
    for (const Tensor* index : indices) {
      CheckPlace(op, a, *index, DType::kI64);
      rows.named = kernels::BroadcastShape(op, rows.named, index->sizes());
    }
    rows.list = NumbersOfRows(op, a, indices, rows.named);
  }
  rows.matrix = {1, 1};
  rows.picked = rows.beside = rows.named;
  for (size_t d = 0; d < sizes.size(); ++d) {
    rows.matrix[d < dims ? 0 : 1] *= sizes[d];
    if (d < dims) continue;
    rows.picked.push_back(sizes[d]);
    rows.beside.push_back(1);
  }
  rows.several = {rows.list.numel(), rows.matrix[1]};
  return rows;
}

// The indices that a node has saved.
class SavedIndices {
 public:
  explicit SavedIndices(const Tensor* saved) {
    for (size_t k = 0; k < kMostIndices && saved[k].defined(); ++k) pointers_.push_back(&saved[k]);
  }
  Indices all() const { return {pointers_.data(), pointers_.size()}; }

 private:
  std::vector<const Tensor*> pointers_;
};

template <typename Node>
void SaveAll(Node* node, Indices indices) {
  for (size_t k = 0; k < kMostIndices; ++k) node->Save(k < indices.size() ? *indices[k] : Tensor());
}

// g of what stays where it was put.
Tensor OfThoseThatStay(const Tensor& g, Indices indices) {
  const Tensor taken = Index(g, indices);
  if (IsMask(indices)) return taken;
  const Rows rows = RowsAt("index_put", g, indices, kAnyCount);
  const Tensor stays = StaysThere({rows.matrix[0]}, 0, rows.list);
  return Where(WithShape(stays, rows.beside), taken, Constant(0, g));
}

}  // namespace

Tensor Index(const Tensor& a, Indices indices, int64_t count) {
  const Rows rows = RowsAt("index", a, indices, count);
  const Tensor matrix = WithShape(kernels::Contiguous(a), rows.matrix);
  Tensor result = WithShape(
      kernels::Gather(matrix, 0, Repeated(rows.list, rows.several, 0), "index"), rows.picked);
  if (ShouldRecord(a)) {
    SaveAll(Record<kMostIndices>("IndexBackward", result, a,
                                 [sizes = SizesOf(a)](const Tensor& g, const Tensor* saved) {
                                   return IndexPut(ZerosLike(g, sizes), g,
                                                   SavedIndices(saved).all(),
                                                   /*accumulate=*/true);
                                 }),
            indices);
  }
  return result;
}

Tensor IndexPut(const Tensor& a, const Tensor& source, Indices indices, bool accumulate,
                int64_t count) {
  CheckDefined("index_put", a, source);
  kernels::CheckSameKind("index_put", a, source);
  if (accumulate && a.dtype() == DType::kBool) {
    kernels::RefuseDType("index_put", a.dtype(),
                         "f16, bf16, f32, f64, i32 and i64, where it adds,");
  }
  const Rows rows = RowsAt("index_put", a, indices, count);
  if (!kernels::BroadcastsTo(source.sizes(), rows.picked)) {
    RefusePlaces("index_put", source, rows.picked,
                 "a source is broadcast to the shape of what the indices take");
  }
  const Tensor matrix = WithShape(kernels::Contiguous(a), rows.matrix);
  const Tensor terms = WithShape(Spread(source, rows.picked), rows.several);
  const Tensor places = Repeated(rows.list, rows.several, 0);
  Tensor result = WithShape(accumulate ? kernels::ScatterAdd(matrix, 0, places, terms)
                                       : kernels::Scatter(matrix, 0, places, terms),
                            a.sizes());
  if (ShouldRecord(a, source)) {
    SaveAll(
        Record<kMostIndices>(
            "IndexPutBackward", result, {&a, &source},
            [accumulate, sizes = SizesOf(source)](size_t k, const Tensor& g, const Tensor* saved) {
              const SavedIndices kept(saved);
              if (k == 0) {
                return accumulate ? g : IndexPut(g, Constant(0, g), kept.all(), false);
              }
              const Tensor each =
                  accumulate ? Index(g, kept.all()) : OfThoseThatStay(g, kept.all());
              return SumTo(each, sizes);
            }),
        indices);
  }
  return result;
}

Tensor MaskedSelect(const Tensor& a, const Tensor& mask, int64_t count) {
  constexpr const char* kOp = "masked_select";
  CheckDefined(kOp, a, mask);
  CheckPlace(kOp, a, mask, DType::kBool);
  const Shape all = kernels::BroadcastShape(kOp, a.sizes(), mask.sizes());
  const Shape list = {ElementCount(all)};
  const Tensor places = TruePlaces(kOp, Spread(mask, all), count);
  Tensor result = kernels::Gather(WithShape(Spread(a, all), list), 0, places, kOp);
  if (ShouldRecord(a)) {
    Record<1>("MaskedSelectBackward", result, a,
              [all, list, sizes = SizesOf(a)](const Tensor& g, const Tensor* saved) {
                const Tensor flags = WithShape(Spread(saved[0], all), list);
                const Tensor put = IndexPut(ZerosLike(g, list), g, {&flags}, /*accumulate=*/true);
                return SumTo(ReshapeTo(put, all), sizes);
              })
        ->Save(mask);
  }
  return result;
}

}  // namespace twingrad::ops

// Dimensions that count from the end are made to count from the start; the operations do the rest.

#include "autograd/notation/functions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/notation/operators.h"

namespace twingrad {
namespace {

// An index out of range stays as it is, so that the operation refuses it as the user wrote it. An
// undefined operand is the operation's to refuse too.
int64_t FromStart(int64_t index, int64_t size) {
  return index < 0 && index >= -size ? index + size : index;
}

int64_t DimOf(const Tensor& a, int64_t dim) { return a.defined() ? FromStart(dim, a.dim()) : dim; }

Shape DimsOf(const Tensor& a, Ints dims) {
  Shape result(dims.begin(), dims.end());
  for (int64_t& dim : result) dim = DimOf(a, dim);
  return result;
}

int64_t SizeOf(const Tensor& a, int64_t dim) {
  return a.defined() && dim >= 0 && dim < a.dim() ? a.sizes()[dim] : 0;
}

// An end of a slice: as in Python, what lies before the start is clamped to it.
int64_t Clamped(int64_t end, int64_t size) {
  return end < 0 ? std::max<int64_t>(end + size, 0) : end;
}

[[noreturn]] void RefuseInferred(const Tensor& a, Ints shape, const char* why) {
  throw Error(ErrorKind::kShape,
              absl::StrCat("[reshape] ", ShapeToString(a.sizes()), " as ", ShapeToString(shape),
                           ", where ", why, "; one size may be -1 if the others divide the ",
                           a.numel(), " elements; give the sizes"));
}

// The shape with the size that -1 stands for.
Shape Inferred(const Tensor& a, Ints shape) {
  Shape result(shape.begin(), shape.end());
  const auto unknown = std::find(result.begin(), result.end(), -1);
  if (unknown == result.end() || !a.defined()) return result;
  if (std::find(unknown + 1, result.end(), -1) != result.end()) {
    RefuseInferred(a, shape, "-1 stands twice");
  }
  *unknown = 1;
  const int64_t others = ElementCount(result);
  if (others == 0) RefuseInferred(a, shape, "any size would do");
  if (a.numel() % others != 0) RefuseInferred(a, shape, "the rest is no whole number");
  *unknown = a.numel() / others;
  return result;
}

std::vector<const Tensor*> PointersTo(const std::vector<Tensor>& operands) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& operand : operands) pointers.push_back(&operand);
  return pointers;
}

template <class Function>
Tensor Joined(const Function& join, const std::vector<Tensor>& operands, int64_t dim,
              int64_t added_rank) {
  if (!operands.empty() && operands[0].defined()) {
    dim = FromStart(dim, operands[0].dim() + added_rank);
  }
  return join(PointersTo(operands), dim);
}

}  // namespace

Tensor Pow(const Tensor& a, double exponent) { return ops::Pow(a, ConstantLike(exponent, a)); }
Tensor Pow(double base, const Tensor& exponent) {
  return ops::Pow(ConstantLike(base, exponent), exponent);
}

Tensor Sum(const Tensor& a, Ints dims, bool keepdim) {
  return ops::Sum(a, DimsOf(a, dims), keepdim);
}
Tensor Mean(const Tensor& a, Ints dims, bool keepdim) {
  return ops::Mean(a, DimsOf(a, dims), keepdim);
}
Tensor Prod(const Tensor& a, Ints dims, bool keepdim) {
  return ops::Prod(a, DimsOf(a, dims), keepdim);
}
Tensor Amax(const Tensor& a, Ints dims, bool keepdim) {
  return ops::Amax(a, DimsOf(a, dims), keepdim);
}
Tensor Amin(const Tensor& a, Ints dims, bool keepdim) {
  return ops::Amin(a, DimsOf(a, dims), keepdim);
}
Tensor Logsumexp(const Tensor& a, Ints dims, bool keepdim) {
  return ops::Logsumexp(a, DimsOf(a, dims), keepdim);
}

Tensor Var(const Tensor& a, Ints dims, bool keepdim) {
  return ops::Var(a, DimsOf(a, dims), keepdim);
}
Tensor Std(const Tensor& a, Ints dims, bool keepdim) {
  return ops::Std(a, DimsOf(a, dims), keepdim);
}
Tensor Norm(const Tensor& a, Ints dims, bool keepdim) {
  return ops::Norm(a, DimsOf(a, dims), keepdim);
}

Tensor Softmax(const Tensor& a, int64_t dim) { return ops::Softmax(a, DimOf(a, dim)); }
Tensor LogSoftmax(const Tensor& a, int64_t dim) { return ops::LogSoftmax(a, DimOf(a, dim)); }
Tensor Cumsum(const Tensor& a, int64_t dim) { return ops::Cumsum(a, DimOf(a, dim)); }
Tensor Cumprod(const Tensor& a, int64_t dim) { return ops::Cumprod(a, DimOf(a, dim)); }
Tensor Cummax(const Tensor& a, int64_t dim) { return ops::Cummax(a, DimOf(a, dim)); }
Tensor Cummin(const Tensor& a, int64_t dim) { return ops::Cummin(a, DimOf(a, dim)); }
Tensor CummaxIndices(const Tensor& a, int64_t dim) { return ops::CummaxIndices(a, DimOf(a, dim)); }
Tensor CumminIndices(const Tensor& a, int64_t dim) { return ops::CumminIndices(a, DimOf(a, dim)); }
Tensor Topk(const Tensor& a, int64_t count, int64_t dim) {
  return ops::Topk(a, DimOf(a, dim), count);
}
Tensor TopkIndices(const Tensor& a, int64_t count, int64_t dim) {
  return ops::TopkIndices(a, DimOf(a, dim), count);
}
ValuesAndIndices CummaxWithIndices(const Tensor& a, int64_t dim) {
  return ops::CummaxWithIndices(a, DimOf(a, dim));
}
ValuesAndIndices CumminWithIndices(const Tensor& a, int64_t dim) {
  return ops::CumminWithIndices(a, DimOf(a, dim));
}
ValuesAndIndices TopkWithIndices(const Tensor& a, int64_t count, int64_t dim) {
  return ops::TopkWithIndices(a, DimOf(a, dim), count);
}
ValuesAndIndices SortWithIndices(const Tensor& a, int64_t dim, bool descending) {
  return ops::SortWithIndices(a, DimOf(a, dim), descending);
}
ValuesAndIndices MaxWithIndices(const Tensor& a, int64_t dim, bool keepdim) {
  return ops::MaxWithIndices(a, DimOf(a, dim), keepdim);
}
ValuesAndIndices MinWithIndices(const Tensor& a, int64_t dim, bool keepdim) {
  return ops::MinWithIndices(a, DimOf(a, dim), keepdim);
}
Tensor Logcumsumexp(const Tensor& a, int64_t dim) { return ops::Logcumsumexp(a, DimOf(a, dim)); }
Tensor Sort(const Tensor& a, int64_t dim, bool descending) {
  return ops::Sort(a, DimOf(a, dim), descending);
}
Tensor Argsort(const Tensor& a, int64_t dim, bool descending) {
  return ops::Argsort(a, DimOf(a, dim), descending);
}
Tensor Max(const Tensor& a, int64_t dim, bool keepdim) {
  return ops::Max(a, DimOf(a, dim), keepdim);
}
Tensor Min(const Tensor& a, int64_t dim, bool keepdim) {
  return ops::Min(a, DimOf(a, dim), keepdim);
}
Tensor Argmax(const Tensor& a, int64_t dim, bool keepdim) {
  return ops::Argmax(a, DimOf(a, dim), keepdim);
}
Tensor Argmin(const Tensor& a, int64_t dim, bool keepdim) {
  return ops::Argmin(a, DimOf(a, dim), keepdim);
}

Tensor Einsum(const std::string& equation, const std::vector<Tensor>& operands) {
  return ops::Einsum(PointersTo(operands), equation);
}
Tensor Cat(const std::vector<Tensor>& operands, int64_t dim) {
  return Joined(ops::Cat, operands, dim, /*added_rank=*/0);
}
Tensor Stack(const std::vector<Tensor>& operands, int64_t dim) {
  return Joined(ops::Stack, operands, dim, /*added_rank=*/1);
}
Tensor Flip(const Tensor& a, Ints dims) { return ops::Flip(a, DimsOf(a, dims)); }
Tensor IndexSelect(const Tensor& a, int64_t dim, const Tensor& index) {
  return ops::IndexSelect(a, DimOf(a, dim), index);
}
Tensor Gather(const Tensor& a, int64_t dim, const Tensor& index) {
  return ops::Gather(a, DimOf(a, dim), index);
}
Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  return ops::ScatterAdd(a, DimOf(a, dim), index, source);
}

Tensor Scatter(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  return ops::Scatter(a, DimOf(a, dim), index, source);
}
Tensor IndexAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  return ops::IndexAdd(a, DimOf(a, dim), index, source);
}
Tensor IndexCopy(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  return ops::IndexCopy(a, DimOf(a, dim), index, source);
}
Tensor Index(const Tensor& a, const std::vector<Tensor>& indices) {
  return ops::Index(a, PointersTo(indices));
}
Tensor IndexPut(const Tensor& a, const std::vector<Tensor>& indices, const Tensor& source,
                bool accumulate) {
  return ops::IndexPut(a, source, PointersTo(indices), accumulate);
}
Tensor MaskedSelect(const Tensor& a, const Tensor& mask) { return ops::MaskedSelect(a, mask); }
Tensor ScatterReduce(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source,
                     ScatterReduction reduction, bool include_self) {
  return ops::ScatterReduce(a, DimOf(a, dim), index, source, reduction, include_self);
}
Tensor SparseCoo(const Tensor& values, const Tensor& indices, Ints sizes) {
  return ops::SparseCoo(values, indices, sizes);
}
Tensor Coalesce(const Tensor& a) { return ops::Coalesce(a); }
Tensor ToDense(const Tensor& a) { return ops::ToDense(a); }
Tensor SparseValues(const Tensor& a) { return ops::SparseValues(a); }
Tensor SparseIndices(const Tensor& a) { return ops::SparseIndices(a); }
Tensor SelectScatter(const Tensor& a, const Tensor& part, int64_t dim, int64_t index) {
  dim = DimOf(a, dim);
  return ops::SelectScatter(a, part, dim, FromStart(index, SizeOf(a, dim)));
}
Tensor SliceScatter(const Tensor& a, const Tensor& part, int64_t dim, int64_t start, int64_t stop,
                    int64_t step) {
  dim = DimOf(a, dim);
  const int64_t size = SizeOf(a, dim);
  return ops::SliceScatter(a, part, dim, Clamped(start, size), Clamped(stop, size), step);
}
Tensor DiagonalScatter(const Tensor& a, const Tensor& part, int64_t dim0, int64_t dim1,
                       int64_t by) {
  return ops::DiagonalScatter(a, part, Shape{DimOf(a, dim0), DimOf(a, dim1)}, by);
}
Tensor AsStridedScatter(const Tensor& a, const Tensor& part, Ints shape, Ints strides,
                        int64_t start) {
  return ops::AsStridedScatter(a, part, shape, strides, start);
}
Tensor Roll(const Tensor& a, int64_t dim, int64_t by) { return ops::Roll(a, DimOf(a, dim), by); }
Tensor Tril(const Tensor& a, int64_t by) { return ops::Tril(a, by); }
Tensor Triu(const Tensor& a, int64_t by) { return ops::Triu(a, by); }
Tensor Pad(const Tensor& a, Ints pads, double by) { return ops::Pad(a, pads, by); }

Tensor View(const Tensor& a, Ints shape) { return ops::View(a, Inferred(a, shape)); }
Tensor Reshape(const Tensor& a, Ints shape) { return ops::Reshape(a, Inferred(a, shape)); }
Tensor Transpose(const Tensor& a, int64_t dim0, int64_t dim1) {
  return ops::Transpose(a, DimOf(a, dim0), DimOf(a, dim1));
}
Tensor Permute(const Tensor& a, Ints dims) { return ops::Permute(a, DimsOf(a, dims)); }

Tensor Expand(const Tensor& a, Ints shape) {
  Shape sizes(shape.begin(), shape.end());
  const int64_t added = static_cast<int64_t>(shape.size()) - (a.defined() ? a.dim() : 0);
  for (int64_t d = std::max<int64_t>(added, 0); d < static_cast<int64_t>(sizes.size()); ++d) {
    if (sizes[d] == -1) sizes[d] = SizeOf(a, d - added);
  }
  return ops::Expand(a, sizes);
}

Tensor Squeeze(const Tensor& a, Ints dims) { return ops::Squeeze(a, DimsOf(a, dims)); }
Tensor Unsqueeze(const Tensor& a, int64_t dim) {
  return ops::Unsqueeze(a, a.defined() ? FromStart(dim, a.dim() + 1) : dim);
}

Tensor Select(const Tensor& a, int64_t dim, int64_t index) {
  dim = DimOf(a, dim);
  return ops::Select(a, dim, FromStart(index, SizeOf(a, dim)));
}

Tensor Slice(const Tensor& a, int64_t dim, int64_t start, int64_t stop, int64_t step) {
  dim = DimOf(a, dim);
  const int64_t size = SizeOf(a, dim);
  return ops::Slice(a, dim, Clamped(start, size), Clamped(stop, size), step);
}

Tensor Diagonal(const Tensor& a, int64_t dim0, int64_t dim1, int64_t by) {
  return ops::Diagonal(a, Shape{DimOf(a, dim0), DimOf(a, dim1)}, by);
}
Tensor Unfold(const Tensor& a, int64_t dim, int64_t count, int64_t step) {
  return ops::Unfold(a, DimOf(a, dim), step, count);
}

Tensor AsStrided(const Tensor& a, Ints shape, Ints strides, int64_t start) {
  return ops::AsStrided(a, shape, strides, start);
}

VariableList Unbind(const Tensor& a, int64_t dim) { return ops::Unbind(a, DimOf(a, dim)); }
VariableList Split(const Tensor& a, int64_t count, int64_t dim) {
  return ops::Split(a, DimOf(a, dim), count);
}
VariableList Chunk(const Tensor& a, int64_t count, int64_t dim) {
  return ops::Chunk(a, DimOf(a, dim), count);
}

}  // namespace twingrad

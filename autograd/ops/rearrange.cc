#include "autograd/ops/rearrange.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/sparse.h"
#include "autograd/ops/taken.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/rearrange.h"

namespace twingrad::ops {
namespace {

using Operands = Span<const Tensor* const>;

void CheckOperands(const char* op, Operands operands, int64_t dim, bool stacks) {
  if (operands.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[", op, "] no operands; at least one is needed"));
  }
  for (const Tensor* operand : operands) CheckDefined(op, *operand);
  const Tensor& first = *operands[0];
  const int64_t limit = first.dim() + (stacks ? 1 : 0);
  CheckDim(op, dim, limit);
  for (const Tensor* operand : operands) {
    kernels::CheckSameKind(op, first, *operand);
    bool fits = operand->dim() == first.dim();
    for (int64_t d = 0; fits && d < first.dim(); ++d) {
      fits = operand->sizes()[d] == first.sizes()[d] || (!stacks && d == dim);
    }
    if (fits) continue;
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", op, "] shapes ", ShapeToString(first.sizes()), " and ",
                             ShapeToString(operand->sizes()), " differ",
                             stacks ? "; they must be equal; expand one"
                                    : "; they may in the dimension of the join alone"));
  }
}

// Where each operand lies in the result.
std::vector<Part> PartsOf(Operands operands, int64_t dim, bool stacks) {
  Shape whole = SizesOf(*operands[0]);
  if (stacks) {
    whole.insert(whole.begin() + dim, static_cast<int64_t>(operands.size()));
  } else {
    whole[dim] = 0;
    for (const Tensor* operand : operands) whole[dim] += operand->sizes()[dim];
  }
  std::vector<Part> parts;
  int64_t start = 0;
  for (const Tensor* operand : operands) {
    const int64_t length = stacks ? 1 : operand->sizes()[dim];
    parts.push_back({whole, dim, start, 1, length, stacks});
    start += length;
  }
  return parts;
}

Tensor Join(const char* op, const char* node_name, Operands operands, int64_t dim, bool stacks) {
  CheckOperands(op, operands, dim, stacks);
  std::vector<Part> parts = PartsOf(operands, dim, stacks);
  Tensor result = Tensor::Empty(parts[0].whole, operands[0]->dtype(), operands[0]->device());
  bool records = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    records |= ShouldRecord(*operands[k]);
    if (operands[k]->numel() == 0) continue;
    Tensor target = Alias(result, PartGeometry(result, parts[k]));
    kernels::CopyInto(target, *operands[k]);
  }
  if (records) {
    Record(node_name, result, operands,
           [parts = std::move(parts)](size_t k, const Tensor& g, const Tensor*) {
             return TakePart(g, parts[k]);
           });
  }
  return result;
}

Tensor RunningSum(const Tensor& a, int64_t dim, bool reverse) {
  Tensor result = kernels::Cumsum(a, dim, reverse);
  if (ShouldRecord(a)) {
    Record("CumsumBackward", result, a,
           [dim, reverse](const Tensor& g) { return RunningSum(g, dim, !reverse); });
  }
  return result;
}

// Bool, [rows, columns]: where the column is at most (least) `by` places right of the row.
Tensor TriangleMask(int64_t rows, int64_t columns, int64_t by, bool below, Device device) {
  Tensor mask = Tensor::Empty({rows, columns}, DType::kBool, kernels::HostSide(device));
  bool* next = mask.mutable_data<bool>();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) *next++ = below ? j - i <= by : j - i >= by;
  }
  return kernels::MovedTo(mask, device);
}

Tensor Triangle(const char* op, const char* node_name, const Tensor& a, int64_t by, bool below) {
  CheckDefined(op, a);
  if (a.dim() < 2) {
    throw Error(ErrorKind::kShape, absl::StrCat("[", op, "] rank ", a.dim(),
                                                "; it takes matrices, of rank 2 or more"));
  }
  const auto sizes = a.sizes();
  const Tensor mask =
      TriangleMask(sizes[sizes.size() - 2], sizes[sizes.size() - 1], by, below, a.device());
  Tensor result = kernels::Where(mask, a, Constant(0, a));
  if (ShouldRecord(a)) {
    Record(node_name, result, a, [op, node_name, by, below](const Tensor& g) {
      return Triangle(op, node_name, g, by, below);
    });
  }
  return result;
}

// As the kernel's, in differentiable steps.
Tensor CumprodDerivative(const Tensor& gradient, const Tensor& a, int64_t dim) {
  const int64_t size = a.sizes()[dim];
  if (size < 2) return gradient;
  if (!ShouldRecord(gradient, a)) return kernels::CumprodGradient(gradient, a, dim);
  const auto entry = [&](const Tensor& of, int64_t i) {
    return TakePart(of, {SizesOf(a), dim, i, 1, 1, false});
  };
  std::vector<Tensor> parts(static_cast<size_t>(size));
  Tensor after = entry(gradient, size - 1);
  parts.back() = after;
  for (int64_t i = size - 1; i-- > 0;) {
    after = Add(entry(gradient, i), Mul(after, entry(a, i + 1)));
    parts[static_cast<size_t>(i)] = after;
  }
  Tensor before = entry(a, 0);
  for (int64_t i = 1; i < size; ++i) {
    if (i > 1) before = Mul(before, entry(a, i - 1));
    Tensor& part = parts[static_cast<size_t>(i)];
    part = Mul(before, part);
  }
  std::vector<const Tensor*> all;
  for (const Tensor& part : parts) all.push_back(&part);
  return Cat({all.data(), all.size()}, dim);
}

[[noreturn]] void RefuseCounts(const char* op, Ints counts, const Tensor& a, const char* allowed) {
  throw Error(ErrorKind::kShape, absl::StrCat("[", op, "] counts ", ShapeToString(counts), " for ",
                                              ShapeToString(a.sizes()), "; ", allowed));
}

void CheckPads(const char* op, const Tensor& a, Ints pads) {
  CheckDefined(op, a);
  bool fits = pads.size() % 2 == 0 && static_cast<int64_t>(pads.size()) <= 2 * a.dim();
  for (const int64_t pad : pads) fits &= pad >= 0;
  if (!fits) RefuseCounts(op, pads, a, "two for each dimension from the last on, none negative");
}

// The places in one dimension from which its entries are taken.
struct Source {
  int64_t dim;
  Tensor from;
};

// a, seen as of shape `start`, where each of these dimensions has the entries that its list names,
// one dimension after another.
struct Taking {
  const char* op;
  const char* node_name;
  std::vector<Source> sources;
  Shape start;
};

Tensor PutBack(const Tensor& gradient, const Taking& taking, const Shape& sizes);

Tensor TakeFrom(const Tensor& a, const Taking& taking) {
  Tensor result = WithShape(kernels::Clone(a), taking.start);
  for (const Source& source : taking.sources) {
    Shape sizes = SizesOf(result);
    sizes[source.dim] = source.from.sizes()[0];
    const Tensor places = Repeated(source.from, sizes, source.dim);
    result = kernels::Gather(result, source.dim, places, taking.op);
  }
  if (ShouldRecord(a)) {
    Record(taking.node_name, result, a, [taking, sizes = SizesOf(a)](const Tensor& gradient) {
      return PutBack(gradient, taking, sizes);
    });
  }
  return result;
}

// Its adjoint, of shape `sizes`: of an entry the sum of those at all of its places.
Tensor PutBack(const Tensor& gradient, const Taking& taking, const Shape& sizes) {
  std::vector<Shape> shapes = {taking.start};
  for (const Source& source : taking.sources) {
    shapes.push_back(shapes.back());
    shapes.back()[source.dim] = source.from.sizes()[0];
  }
  Tensor result = gradient.Detach();
  for (size_t k = taking.sources.size(); k-- > 0;) {
    const Source& source = taking.sources[k];
    const Tensor places = Repeated(source.from, SizesOf(result), source.dim);
    result = kernels::ScatterAdd(ZerosLike(result, shapes[k]), source.dim, places, result);
  }
  result = WithShape(kernels::Contiguous(result), sizes);
  if (result.HasSameStorage(gradient)) result = kernels::Clone(result);
  if (ShouldRecord(gradient)) {
    Record(taking.node_name, result, gradient,
           [taking](const Tensor& g) { return TakeFrom(g, taking); });
  }
  return result;
}

// Entry `at`(k, size) of each dimension that grows, for k from -before on.
template <typename At>
Tensor Extended(const char* op, const char* node_name, const Tensor& a, Ints pads, int64_t spare,
                At at) {
  CheckPads(op, a, pads);
  std::vector<Source> sources;
  for (size_t k = 0; k + 1 < pads.size(); k += 2) {
    const int64_t dim = a.dim() - 1 - static_cast<int64_t>(k / 2), size = a.sizes()[dim];
    const int64_t most = std::max(pads[k], pads[k + 1]);
    if (most > 0 && (size == 0 || most > size - spare)) {
      RefuseCounts(op, pads, a, "no more than there are entries to repeat");
    }
    Tensor from =
        Tensor::Empty({pads[k] + size + pads[k + 1]}, DType::kI64, kernels::HostSide(a.device()));
    int64_t* next = from.mutable_data<int64_t>();
    for (int64_t i = -pads[k]; i < size + pads[k + 1]; ++i) *next++ = at(i, size);
    sources.push_back({dim, kernels::MovedTo(from, a.device())});
  }
  return TakeFrom(a, {op, node_name, std::move(sources), SizesOf(a)});
}

// Refuses indices along a dimension that are out of range where no element is read: a looks as if
// its other dimensions were of size one.
void CheckList(const char* op, const Tensor& a, int64_t dim, const Tensor& list) {
  Shape sizes(static_cast<size_t>(a.dim()), 1);
  sizes[dim] = a.sizes()[dim];
  const Tensor lane = Tensor::Zeros(sizes, a.dtype(), a.device());
  sizes[dim] = list.numel();
  kernels::Gather(lane, dim, WithShape(list, sizes), op);
}

}  // namespace

void CheckIndices(const char* op, const Tensor& a, int64_t dim, const Tensor& index) {
  CheckDefined(op, a, index);
  CheckDimOf(op, a, dim);
  bool fits = index.dim() == a.dim();
  for (int64_t d = 0; fits && d < a.dim(); ++d) {
    fits = d == dim || index.sizes()[d] <= a.sizes()[d];
  }
  if (fits) return;
  throw Error(
      ErrorKind::kShape,
      absl::StrCat("[", op, "] indices of shape ", ShapeToString(index.sizes()),
                   " for a tensor of shape ", ShapeToString(a.sizes()),
                   "; the rank must be equal and no size larger but along dimension ", dim));
}

void CheckIndices(const char* op, const Tensor& a, int64_t dim, const Tensor& index,
                  const Tensor& source) {
  CheckIndices(op, a, dim, index);
  CheckDefined(op, source);
  if (source.sizes() == index.sizes()) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] source of shape ", ShapeToString(source.sizes()),
                           " with indices of shape ", ShapeToString(index.sizes()),
                           "; they must be equal"));
}

Tensor Cat(Operands operands, int64_t dim) {
  return Join("cat", "CatBackward", operands, dim, /*stacks=*/false);
}

Tensor Stack(Operands operands, int64_t dim) {
  return Join("stack", "StackBackward", operands, dim, /*stacks=*/true);
}

Tensor Flip(const Tensor& a, Ints dims) {
  CheckDefined("flip", a);
  for (const int64_t d : dims) CheckDim("flip", d, a.dim());
  Tensor result = kernels::Flip(a, dims);
  if (ShouldRecord(a)) {
    Record("FlipBackward", result, a,
           [dims = Shape(dims.begin(), dims.end())](const Tensor& g) { return Flip(g, dims); });
  }
  return result;
}

Tensor Roll(const Tensor& a, int64_t dim, int64_t by) {
  CheckDimOf("roll", a, dim);
  const int64_t size = a.sizes()[dim];
  const int64_t shift = size == 0 ? 0 : (by % size + size) % size;
  Tensor from = Tensor::Empty({size}, DType::kI64, kernels::HostSide(a.device()));
  int64_t* const next = from.mutable_data<int64_t>();
  for (int64_t k = 0; k < size; ++k) next[(k + shift) % size] = k;
  from = kernels::MovedTo(from, a.device());
  Tensor result = kernels::Gather(a, dim, Repeated(from, SizesOf(a), dim), "roll");
  if (ShouldRecord(a)) {
    Record("RollBackward", result, a,
           [dim, back = size - shift](const Tensor& g) { return Roll(g, dim, back); });
  }
  return result;
}

Tensor Tril(const Tensor& a, int64_t by) {
  return Triangle("tril", "TrilBackward", a, by, /*below=*/true);
}
Tensor Triu(const Tensor& a, int64_t by) {
  return Triangle("triu", "TriuBackward", a, by, /*below=*/false);
}

Tensor Pad(const Tensor& a, Ints pads, double by) {
  CheckPads("pad", a, pads);
  Shape sizes = SizesOf(a);
  for (size_t k = 0; k < pads.size(); ++k) sizes[sizes.size() - 1 - k / 2] += pads[k];
  Tensor result = Tensor::Empty(sizes, a.dtype(), a.device());
  kernels::FillInto(result, by);
  Tensor target = result;
  std::vector<Part> parts;
  for (size_t k = 0; k + 1 < pads.size(); k += 2) {
    const int64_t dim = a.dim() - 1 - static_cast<int64_t>(k / 2);
    parts.push_back({SizesOf(target), dim, pads[k], 1, a.sizes()[dim], false});
    target = Alias(target, PartGeometry(target, parts.back()));
  }
  if (a.numel() > 0) kernels::CopyInto(target, a);
  if (ShouldRecord(a)) {
    Record("PadBackward", result, a, [parts = std::move(parts)](const Tensor& gradient) {
      Tensor g = gradient;
      for (const Part& part : parts) g = TakePart(g, part);
      return g;
    });
  }
  return result;
}

Tensor PadReflect(const Tensor& a, Ints pads) {
  return Extended("pad_reflect", "PadReflectBackward", a, pads, 1, [](int64_t k, int64_t size) {
    return k < 0 ? -k : std::min(k, 2 * (size - 1) - k);
  });
}
Tensor PadReplicate(const Tensor& a, Ints pads) {
  constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::min() / 2;
  return Extended("pad_replicate", "PadReplicateBackward", a, pads, kAnyNumber,
                  [](int64_t k, int64_t size) { return std::clamp<int64_t>(k, 0, size - 1); });
}
Tensor PadCircular(const Tensor& a, Ints pads) {
  return Extended("pad_circular", "PadCircularBackward", a, pads, 0,
                  [](int64_t k, int64_t size) { return (k + size) % size; });
}

Tensor Repeat(const Tensor& a, Ints counts) {
  CheckDefined("repeat", a);
  bool fits = static_cast<int64_t>(counts.size()) >= a.dim();
  for (const int64_t count : counts) fits &= count >= 0;
  if (!fits) RefuseCounts("repeat", counts, a, "one for each dimension, and for new ones before");
  Shape start(counts.size() - static_cast<size_t>(a.dim()), 1);
  for (const int64_t size : a.sizes()) start.push_back(size);
  std::vector<Source> sources;
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] == 1) continue;
    Tensor from = Tensor::Empty({counts[d] * start[d]}, DType::kI64, kernels::HostSide(a.device()));
    int64_t* const next = from.mutable_data<int64_t>();
    for (int64_t k = 0; k < from.numel(); ++k) next[k] = k % start[d];
    sources.push_back({static_cast<int64_t>(d), kernels::MovedTo(from, a.device())});
  }
  return TakeFrom(a, {"repeat", "RepeatBackward", std::move(sources), start});
}

Tensor IndexSelect(const Tensor& a, int64_t dim, const Tensor& index) {
  CheckDefined("index_select", a, index);
  CheckDimOf("index_select", a, dim);
  if (index.dim() != 1) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[index_select] indices of shape ", ShapeToString(index.sizes()),
                             "; they must be a list, of rank 1"));
  }
  Shape sizes = SizesOf(a);
  sizes[dim] = index.sizes()[0];
  const bool reads = std::find(sizes.begin(), sizes.end(), 0) == sizes.end();
  if (!reads) CheckList("index_select", a, dim, kernels::Clone(index));
  Tensor result = kernels::Gather(a, dim, Repeated(index, sizes, dim), "index_select");
  if (ShouldRecord(a)) {
    Record<1>("IndexSelectBackward", result, a,
              [dim, sizes = SizesOf(a)](const Tensor& g, const Tensor* saved) {
                const Tensor places = Repeated(saved[0], SizesOf(g), dim);
                return ScatterAdd(ZerosLike(g, sizes), dim, places, g);
              })
        ->Save(index);
  }
  return result;
}

Tensor Embedding(const Tensor& a, const Tensor& index, bool sparse) {
  CheckDefined("embedding", a, index);
  if (a.dim() != 2) {
    throw Error(ErrorKind::kShape, absl::StrCat("[embedding] in shape ", ShapeToString(a.sizes()),
                                                "; it takes rows of a matrix, of rank 2"));
  }
  const Shape rows = {index.numel(), a.sizes()[1]};
  Shape sizes = SizesOf(index);
  sizes.push_back(rows[1]);
  const Tensor list = WithShape(kernels::Clone(index), {rows[0]});
  if (rows[1] == 0) CheckList("embedding", a, 0, list);
  Tensor result = WithShape(kernels::Gather(a, 0, Repeated(list, rows, 0), "embedding"), sizes);
  if (!ShouldRecord(a)) return result;
  const bool lists = sparse && IsLeaf(a) && a.device() == Device::Cpu();
  Record<1>(
      "EmbeddingBackward", result, a,
      [rows, lists, dtype = a.dtype(), sizes = SizesOf(a)](const Tensor& g, const Tensor* saved) {
        if (lists) {
          const Tensor values = ReshapeTo(g.dtype() == dtype ? g : Cast(g, dtype), rows);
          return SparseCoo(values, ReshapeTo(saved[0], {1, rows[0]}), sizes);
        }
        const Tensor places = Repeated(ReshapeTo(saved[0], {rows[0]}), rows, 0);
        return ScatterAdd(ZerosLike(g, sizes), 0, places, ReshapeTo(g, rows));
      })
      ->Save(index);
  return result;
}

Tensor Gather(const Tensor& a, int64_t dim, const Tensor& index) {
  CheckIndices("gather", a, dim, index);
  Tensor result = kernels::Gather(a, dim, index);
  RecordTaken("GatherBackward", a, dim, index, result);
  return result;
}

Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  CheckIndices("scatter_add", a, dim, index, source);
  Tensor result = kernels::ScatterAdd(a, dim, index, source);
  if (ShouldRecord(a, source)) {
    auto* const node = Record<1>("ScatterAddBackward", result, {&a, &source},
                                 [dim](size_t k, const Tensor& g, const Tensor* saved) {
                                   return k == 0 ? g : Gather(g, dim, saved[0]);
                                 });
    node->Save(node->next_edge(1).is_valid() ? index : Tensor());
  }
  return result;
}

Tensor Cumsum(const Tensor& a, int64_t dim) {
  CheckDimOf("cumsum", a, dim);
  return RunningSum(a, dim, /*reverse=*/false);
}

Tensor Cumprod(const Tensor& a, int64_t dim) {
  CheckDimOf("cumprod", a, dim);
  Tensor result = kernels::Cumprod(a, dim);
  if (ShouldRecord(a)) {
    Record<1>("CumprodBackward", result, a, [dim](const Tensor& g, const Tensor* operand) {
      return CumprodDerivative(g, operand[0], dim);
    })->Save(a);
  }
  return result;
}

}  // namespace twingrad::ops

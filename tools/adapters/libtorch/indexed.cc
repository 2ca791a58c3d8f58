#include "tools/adapters/libtorch/indexed.h"

#include <ATen/ATen.h>

#include <string>

#include "tools/adapters/libtorch/failures.h"
#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {

using at::Tensor;
using program::Key;
using program::Statement;

namespace {

using Indices = c10::List<Optional<Tensor>>;

void CheckCount(const Statement& s, const Tensor& mask) {
  if (at::count_nonzero(mask).item<int64_t>() == s.Get<int64_t>(Key::kCount)) return;
  throw Refusal(ErrorKind::kInvalidArgument, "a mask with another count of true elements");
}

// The operands from `first` on. libtorch counts negative ones from the end, and looks at none where
// nothing is taken.
Indices IndicesOf(const Statement& s, const Operands& o, size_t first) {
  Indices indices;
  for (size_t k = first; k < o.size(); ++k) {
    if (o[k].scalar_type() == at::kBool) {
      CheckCount(s, o[k]);
    } else {
      const int64_t size = o[0].size(static_cast<int64_t>(k - first));
      const Tensor wrong = at::logical_or(at::lt(o[k], 0), at::ge(o[k], size));
      if (at::any(wrong).item<bool>()) throw Refusal(ErrorKind::kIndex, "an index out of range");
    }
    indices.push_back(o[k]);
  }
  return indices;
}

}  // namespace

std::tuple<Tensor, Tensor> Sorted(const Statement& s, const Tensor& of) {
  return at::sort(of, /*stable=*/true, Dim(s), s.Get<bool>(Key::kDescending));
}

std::tuple<Tensor, Tensor> Topk(const Statement& s, const Tensor& of) {
  return at::topk(of, s.Get<int64_t>(Key::kCount), Dim(s));
}

void CheckOrder(const Statement& s, const Tensor& of) {
  if (s.op != program::Opcode::kTopk && s.op != program::Opcode::kTopkIndices) return;
  const Tensor all = of.detach();
  const bool differ = std::get<0>(at::_unique(all)).numel() == all.numel();
  if (!differ || at::isnan(all).any().item<bool>()) {
    throw Refusal(ErrorKind::kUnsupported, "the order of equal elements");
  }
}

// Of several elements for one place libtorch leaves open which one stays.
Tensor Scatter(const Statement& s, const Operands& o) {
  const Tensor order = at::arange(o[1].numel(), at::kLong).view(o[1].sizes());
  const Tensor places = at::zeros(o[0].sizes(), at::kLong).scatter(Dim(s), o[1], order);
  if (!at::equal(places.gather(Dim(s), o[1]), order)) {
    throw Refusal(ErrorKind::kUnsupported, "two elements scattered to one place");
  }
  return at::scatter(o[0], Dim(s), o[1], o[2]);
}

Tensor IndexCopy(const Statement& s, const Operands& o) {
  if (std::get<0>(at::_unique(o[1])).numel() != o[1].numel()) {
    throw Refusal(ErrorKind::kUnsupported, "two entries copied to one place");
  }
  return at::index_copy(o[0], Dim(s), o[1], o[2]);
}

Tensor Index(const Statement& s, const Operands& o) { return at::index(o[0], IndicesOf(s, o, 1)); }

Tensor IndexPut(const Statement& s, const Operands& o) {
  const Indices indices = IndicesOf(s, o, 2);
  const bool adds = s.Get<bool>(Key::kAccumulate);
  const Tensor numbers = at::arange(o[0].numel(), at::kLong).view(o[0].sizes());
  const Tensor places = at::index(numbers, indices);
  if (!adds && std::get<0>(at::_unique(places)).numel() != places.numel()) {
    throw Refusal(ErrorKind::kUnsupported, "two elements put in one place");
  }
  return at::index_put(o[0], indices, o[1], adds);
}

Tensor MaskedSelect(const Statement& s, const Operands& o) {
  const auto all = at::broadcast_tensors({o[0].detach(), o[1]});
  CheckCount(s, all[1]);
  return at::masked_select(o[0], o[1]);
}

Tensor ScatterReduce(const Statement& s, const Operands& o) {
  const auto reduction = s.Get<std::string>(Key::kReduction);
  return at::scatter_reduce(o[0], Dim(s), o[1], o[2], reduction,
                            s.Get<bool>(Key::kIncludeSelf, true));
}

Tensor SparseCoo(const Statement& s, const Operands& o) {
  const auto sizes = s.Get<std::vector<int64_t>>(Key::kShape);
  for (int64_t d = 0; d < o[1].size(0); ++d) {
    const Tensor of_dim = o[1].select(0, d);
    const int64_t size = sizes[static_cast<size_t>(d)];
    const Tensor wrong = at::logical_or(at::lt(of_dim, 0), at::ge(of_dim, size));
    if (at::any(wrong).item<bool>()) throw Refusal(ErrorKind::kIndex, "an index out of range");
  }
  // Entries one after the other: to_dense() takes a stride for their size (golden/findings).
  const Tensor values = o[0].clone(at::MemoryFormat::Contiguous);
  return at::sparse_coo_tensor(o[1].clone(), values, sizes);
}

// Always a tensor of its own.
Tensor Coalesce(const Statement& s, const Operands& o) {
  const Tensor result = o[0].is_coalesced() ? o[0].clone() : o[0].coalesce();
  if (result._nnz() == s.Get<int64_t>(Key::kCount)) return result;
  throw Refusal(ErrorKind::kInvalidArgument, "another number of different indices");
}

}  // namespace twingrad::libtorch

#include "tools/adapters/libtorch/indexed.h"

#include <ATen/ATen.h>

#include "tools/adapters/libtorch/failures.h"

namespace twingrad::libtorch {

using at::Tensor;
using program::Key;
using program::Statement;

std::tuple<Tensor, Tensor> Sorted(const Statement& s, const Tensor& of) {
  return at::sort(of, /*stable=*/true, Dim(s), s.Get<bool>(Key::kDescending));
}

Tensor Topk(const Statement& s, const Operands& o) {
  return std::get<0>(at::topk(o[0], s.Get<int64_t>(Key::kCount), Dim(s)));
}

// Of equal elements it is open which comes first.
Tensor TopkIndices(const Statement& s, const Operands& o) {
  const Tensor all = o[0].detach();
  const bool differ = std::get<0>(at::_unique(all)).numel() == all.numel();
  if (!differ || at::isnan(all).any().item<bool>()) {
    throw Refusal(ErrorKind::kUnsupported, "the order of equal elements");
  }
  return std::get<1>(at::topk(all, s.Get<int64_t>(Key::kCount), Dim(s)));
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

}  // namespace twingrad::libtorch

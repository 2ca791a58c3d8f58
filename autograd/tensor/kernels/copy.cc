#include "autograd/tensor/kernels/copy.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/sparse.h"

namespace twingrad::kernels {
namespace {

template <typename To, typename From>
void CopyElements(Tensor& target, const Tensor& source) {
  To* out = target.data<To>();
  const From* in = source.data<From>();
  if (target.dim() == 0 && source.dim() == 0) {
    *out = CastNumber<To>(*in);
    return;
  }
  if (target.sizes() == source.sizes() && target.IsContiguous() && source.IsContiguous()) {
    const int64_t count = target.numel();
    for (int64_t i = 0; i < count; ++i) out[i] = CastNumber<To>(in[i]);
    return;
  }
  const Ints sizes = target.sizes();
  ForEachElement<2>(sizes, {StridesFor(target, sizes), StridesFor(source, sizes)},
                    [&](int64_t to, int64_t from) { out[to] = CastNumber<To>(in[from]); });
}

void CopyAny(Tensor& target, const Tensor& source) {
  if (target.is_sparse() || source.is_sparse()) RefuseSparse("copy_");
  DispatchAll(target.dtype(), [&](auto to) {
    DispatchAll(source.dtype(),
                [&](auto from) { CopyElements<decltype(to), decltype(from)>(target, source); });
  });
}

Tensor Fresh(const Tensor& a, DType dtype, Device device) {
  Tensor out = Tensor::Empty(a.sizes(), dtype, device);
  CopyAny(out, a);
  return out;
}

template <typename T>
Tensor WhereOf(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Shape shape =
      BroadcastShape("where", condition.sizes(), BroadcastShape("where", a.sizes(), b.sizes()));
  Tensor out = Tensor::Empty(shape, a.dtype(), a.device());
  const bool* c = condition.data<bool>();
  const T* x = a.data<T>();
  const T* y = b.data<T>();
  T* z = out.data<T>();
  ForEachElement<3>(shape,
                    {StridesFor(condition, shape), StridesFor(a, shape), StridesFor(b, shape)},
                    [&](int64_t chosen, int64_t p, int64_t q) { *z++ = c[chosen] ? x[p] : y[q]; });
  return out;
}

}  // namespace

Tensor Clone(const Tensor& a) {
  if (a.is_sparse()) [[unlikely]]
    return CloneSparse(a);
  return Fresh(a, a.dtype(), a.device());
}
Tensor CopyTo(const Tensor& a, Device device) { return Fresh(a, a.dtype(), device); }
Tensor Cast(const Tensor& a, DType dtype) { return Fresh(a, dtype, a.device()); }

void CopyInto(Tensor& target, const Tensor& source) {
  if (!BroadcastsTo(source.sizes(), target.sizes())) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[copy_] source of shape ", ShapeToString(source.sizes()),
                             " does not broadcast to the target's ", ShapeToString(target.sizes()),
                             "; its sizes must be equal or 1, aligned at the right"));
  }
  if (target.HasSameStorage(source)) {
    CopyAny(target, Clone(source));
  } else {
    CopyAny(target, source);
  }
}

void FillInto(Tensor& target, double value) {
  DispatchAll(target.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T element = CastNumber<T>(value);
    T* out = target.data<T>();
    if (target.IsContiguous()) {
      std::fill_n(out, target.numel(), element);
      return;
    }
    const Ints sizes = target.sizes();
    ForEachElement<1>(sizes, {StridesFor(target, sizes)}, [&](int64_t at) { out[at] = element; });
  });
}

Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  if (condition.dtype() != DType::kBool) RefuseDType("where", condition.dtype(), "bool conditions");
  CheckSameKind("where", a, b);
  if (condition.device() != a.device()) {
    RefuseDevices("where", "condition is on ", condition, " and the operands on ", a);
  }
  return DispatchAll(a.dtype(),
                     [&](auto zero) { return WhereOf<decltype(zero)>(condition, a, b); });
}

}  // namespace twingrad::kernels

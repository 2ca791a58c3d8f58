#include "tools/adapters/libtorch/networks.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "autograd/program/dropout.h"
#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {
namespace {

using at::Tensor;
using program::Key;
using program::Statement;

Optional<Tensor> OrNone(const Operands& o, size_t k) {
  return k < o.size() ? Optional<Tensor>(o[k]) : Optional<Tensor>();
}

double Eps(const Statement& s) { return s.Get<double>(Key::kEps); }

}  // namespace

Tensor Linear(const Statement&, const Operands& o) { return at::linear(o[0], o[1], OrNone(o, 2)); }

// The steps one by one: the fused kernels have no second derivatives.
Tensor Attention(const Statement& s, const Operands& o) {
  const bool causal = s.Get<bool>(Key::kCausal);
#if TORCH_VERSION_MAJOR >= 2
  return std::get<0>(at::_scaled_dot_product_attention_math(o[0], o[1], o[2], {}, 0, causal));
#else
  return std::get<0>(
      at::_scaled_dot_product_attention_math(o[0], o[1], o[2], {}, 0, false, causal));
#endif
}

Tensor LayerNorm(const Statement& s, const Operands& o) {
  const auto dims = static_cast<size_t>(s.Get<int64_t>(Key::kCount));
  return at::layer_norm(o[0], o[0].sizes().slice(o[0].sizes().size() - dims), OrNone(o, 1),
                        OrNone(o, 2), Eps(s));
}

Tensor GroupNorm(const Statement& s, const Operands& o) {
  return at::group_norm(o[0], s.Get<int64_t>(Key::kGroups, 1), OrNone(o, 1), OrNone(o, 2), Eps(s));
}

Tensor BatchNorm(const Statement& s, const Operands& o) {
  return at::batch_norm(o[0], OrNone(o, 1), OrNone(o, 2), {}, {}, /*training=*/true,
                        /*momentum=*/0, Eps(s), /*cudnn_enabled=*/false);
}

// libtorch draws by a generator of its own, so the factors are given.
Tensor Dropout(const Statement& s, const Operands& o) {
  const auto by = s.Get<double>(Key::kBy);
  std::vector<double> factors;
  for (int64_t i = 0; i < o[0].numel(); ++i) {
    factors.push_back(program::IsDropped(s.Get<int64_t>(Key::kSeed), i, by) ? 0 : 1 / (1 - by));
  }
  return at::mul(o[0], at::tensor(factors, o[0].options().requires_grad(false)).view(o[0].sizes()));
}

}  // namespace twingrad::libtorch

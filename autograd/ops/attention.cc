#include "autograd/ops/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/span.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/linear_algebra.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/softmax.h"
#include "autograd/tensor/kernels/kernels.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/shares.h"
#include "autograd/tensor/remote.h"

namespace twingrad::ops {
namespace {

constexpr char kOp[] = "scaled_dot_product_attention";

int64_t LastOf(const Tensor& a) { return a.sizes()[a.sizes().size() - 1]; }
int64_t RowsOf(const Tensor& a) { return a.sizes()[a.sizes().size() - 2]; }
double ScaleOf(const Tensor& q) { return 1 / std::sqrt(static_cast<double>(LastOf(q))); }

// Which keys each query sees: [L, S].
Tensor SeenKeys(const Tensor& q, const Tensor& k) {
  Tensor seen = Tensor::Empty({RowsOf(q), RowsOf(k)}, DType::kBool, kernels::HostSide(q.device()));
  bool* next = seen.mutable_data<bool>();
  for (int64_t i = 0; i < RowsOf(q); ++i) {
    for (int64_t j = 0; j < RowsOf(k); ++j) *next++ = j <= i;
  }
  return kernels::MovedTo(seen, q.device());
}

Tensor SeenKeysOf(const Tensor& q, const Tensor& k, bool causal) {
  return causal ? SeenKeys(q, k) : Tensor();
}

// 0 where a key is not seen, whatever stands there; `seen` is undefined where all are.
Tensor OfSeen(const Tensor& a, const Tensor& seen) {
  return seen.defined() ? Where(seen, a, Constant(0, a)) : a;
}

// Where queries see the keys up to their own place, products have rows that end there. What is not
// seen reaches neither them nor their derivatives, whatever stands there: 0 times infinity would be
// NaN.

// A pass on the host; on an accelerator the host would have to wait, so nothing is known there.
bool IsKnownFinite(const Tensor& a) {
  if (!a.device().IsCpu()) return false;
  const Tensor all = kernels::Cast(kernels::SumAll(a, false), DType::kF64);
  if (std::isfinite(all.item<double>())) return true;  // what is not would show in it
  const Tensor sum = kernels::SumAll(kernels::Sub(a, a), false);
  return kernels::Cast(sum, DType::kF64).item<double>() == 0;
}

Tensor LowerProduct(const Tensor& a, const Tensor& b, bool across);

// The lower triangle of a bᵀ, and 0 above it. With history.
Tensor LowerOuter(const Tensor& a, const Tensor& b) {
  const Tensor result = Tril(kernels::Matmul(a.Detach(), TransposeLast(b.Detach())), 0);
  if (!ShouldRecord(a, b)) return result;
  Record<2>("LowerOuterBackward", result, {&a, &b},
            [](size_t k, const Tensor& g, const Tensor* saved) {
              return LowerProduct(Tril(g, 0), saved[1 - k], /*across=*/k == 1);
            })
      ->Save(a)
      ->Save(b);
  return result;
}

// The product of the lower triangle of a or, `across`, of its transpose, and b; a is 0 above. With
// history.
Tensor LowerProduct(const Tensor& a, const Tensor& b, bool across) {
  const Tensor left = across ? TransposeLast(a.Detach()) : a.Detach(), right = b.Detach();
  const Tensor result = IsKnownFinite(right) ? kernels::Matmul(left, right)
                                             : kernels::TriangularMatmul(left, right, across);
  if (!ShouldRecord(a, b)) return result;
  Record<2>("LowerProductBackward", result, {&a, &b},
            [across](size_t k, const Tensor& g, const Tensor* saved) {
              if (k == 1) return LowerProduct(saved[0], g, !across);
              return across ? LowerOuter(saved[1], g) : LowerOuter(g, saved[1]);
            })
      ->Save(a)
      ->Save(b);
  return result;
}

// The product of each query's row with each key's; with those that it sees, where these are given.
Tensor Pairs(const Tensor& queries, const Tensor& keys, const Tensor& seen) {
  return seen.defined() ? LowerOuter(queries, keys) : Matmul(queries, TransposeLast(keys));
}

// The sums that a query makes over keys, and `across` those that a key makes over queries.
Tensor Sums(const Tensor& pairs, const Tensor& rows, bool across, const Tensor& seen) {
  if (seen.defined()) return LowerProduct(pairs, rows, across);
  return Matmul(across ? TransposeLast(pairs) : pairs, rows);
}

// The part that each key has in what each query gives.
Tensor Shares(const Tensor& q, const Tensor& k, const Tensor& seen) {
  Tensor scores = Mul(Pairs(q, k, seen), Constant(ScaleOf(q), q));
  if (seen.defined()) {
    scores = Where(seen, scores, Constant(-std::numeric_limits<double>::infinity(), scores));
  }
  return OfSeen(Softmax(scores, scores.dim() - 1), seen);
}

// The same of values whose history nobody asks for, on the host, in one pass a row.
Tensor SharesAtOnce(const Tensor& q, const Tensor& k, bool causal) {
  Tensor scores = kernels::Matmul(q.Detach(), TransposeLast(k.Detach()));
  kernels::ShareOut(scores, ScaleOf(q), causal);
  return scores;
}

// Those of q, k and v.
using Gradients = std::array<Tensor, 3>;
using Wanted = std::array<bool, 3>;

// Of softmax: (h - Σ h r) r; by the scale there, where matrices are small.
Gradients Derive(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& g,
                 const Tensor& seen, const Wanted& wanted) {
  Gradients results;
  const Tensor shares = Shares(q, k, seen);
  if (wanted[2]) results[2] = Sums(shares, g, /*across=*/true, seen);
  if (!wanted[0] && !wanted[1]) return results;
  const Tensor h = Pairs(g, v, seen);
  const Tensor mean = Sum(Mul(h, shares), {h.dim() - 1}, true);
  const Tensor scores = OfSeen(Mul(Mul(Sub(h, mean), shares), Constant(ScaleOf(q), q)), seen);
  if (wanted[0]) results[0] = Sums(scores, k, /*across=*/false, seen);
  if (wanted[1]) results[1] = Sums(scores, q, /*across=*/true, seen);
  return results;
}

// Of values as SharesAtOnce takes them.
Gradients DeriveAtOnce(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& g,
                       bool causal, const Wanted& wanted) {
  Gradients results;
  const Tensor shares = SharesAtOnce(q, k, causal);
  const auto sums = [causal](const Tensor& pairs, const Tensor& rows, bool across) {
    if (causal) return LowerProduct(pairs, rows, across);
    return kernels::Matmul(across ? TransposeLast(pairs) : pairs, rows);
  };
  if (wanted[2]) results[2] = sums(shares, g, /*across=*/true);
  if (!wanted[0] && !wanted[1]) return results;
  Tensor scores = kernels::Matmul(g, TransposeLast(v.Detach()));
  kernels::ShareOutBack(scores, shares, ScaleOf(q), causal);
  if (wanted[0]) results[0] = sums(scores, k.Detach(), /*across=*/false);
  if (wanted[1]) results[1] = sums(scores, q.Detach(), /*across=*/true);
  return results;
}

class AttentionNode final : public Node {
 public:
  AttentionNode(const Tensor& q, const Tensor& k, const Tensor& v, bool causal, Span<Edge> edges)
      : causal_(causal) {
    const Tensor* const operands[] = {&q, &k, &v};
    for (int i = 0; i < 3; ++i) {
      saved_[i] = SavedVariable(*operands[i], /*is_output=*/false);
      AddNextEdge(std::move(edges[i]));
    }
  }

  VariableList Apply(VariableList&& gradients) override {
    Tensor q = saved_[0].Unpack(this), k = saved_[1].Unpack(this), v = saved_[2].Unpack(this);
    VariableList results(3);
    if (!gradients[0].defined()) return results;
    const DType dtype = gradients[0].dtype();
    if (IsShort(dtype)) {
      for (Tensor* tensor : {&gradients[0], &q, &k, &v}) Widen(*tensor);
    }
    Wanted wanted;
    for (size_t i = 0; i < 3; ++i) wanted[i] = TaskShouldComputeOutput(i);
    const Tensor& g = gradients[0];
    const bool at_once = !IsRemote(g) && !ShouldRecord(q, k, v) && !ShouldRecord(g);
    Gradients of_operands = at_once ? DeriveAtOnce(q, k, v, g, causal_, wanted)
                                    : Derive(q, k, v, g, SeenKeysOf(q, k, causal_), wanted);
    std::ranges::move(of_operands, results.begin());
    if (IsShort(dtype)) NarrowAll(results, dtype);
    return results;
  }
  void ReleaseVariables() override {
    for (SavedVariable& saved : saved_) saved.Reset();
  }
  std::vector<SavedVariable*> SavedVariables() override {
    return {&saved_[0], &saved_[1], &saved_[2]};
  }
  std::string_view name() const override { return "ScaledDotProductAttentionBackward"; }

 private:
  const bool causal_;
  SavedVariable saved_[3];
};

void CheckOperands(const Tensor& q, const Tensor& k, const Tensor& v) {
  CheckDefined(kOp, q, k, v);
  kernels::CheckSameKind(kOp, q, k);
  kernels::CheckSameKind(kOp, q, v);
  const auto batches = [](const Tensor& a) { return a.sizes().first(a.sizes().size() - 2); };
  bool fits = q.dim() >= 2 && q.dim() <= 4 && k.dim() == q.dim() && v.dim() == q.dim();
  fits = fits && std::ranges::equal(batches(q), batches(k)) &&
         std::ranges::equal(batches(k), batches(v)) && LastOf(q) == LastOf(k) &&
         RowsOf(k) == RowsOf(v) && LastOf(q) > 0 && RowsOf(k) > 0;
  if (fits) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", kOp, "] shapes ", ShapeToString(q.sizes()), ", ",
                           ShapeToString(k.sizes()), " and ", ShapeToString(v.sizes()),
                           "; of [..,L,E], [..,S,E] and [..,S,D] it goes, of ranks 2 to 4, where E "
                           "and S are 1 or more"));
}

// Without history.
Tensor Attend(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  const Tensor seen = IsRemote(q) ? SeenKeysOf(q, k, causal) : Tensor();
  if (IsRemote(q)) return Sums(Shares(q, k, seen), v, /*across=*/false, seen);
  const Tensor shares = SharesAtOnce(q, k, causal);
  return causal ? LowerProduct(shares, v, /*across=*/false) : kernels::Matmul(shares, v);
}

}  // namespace

Tensor ScaledDotProductAttention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  CheckOperands(q, k, v);
  const auto plain = [](const Tensor& a) { return kernels::Widened(a.Detach()); };
  Tensor result = kernels::Narrowed(Attend(plain(q), plain(k), plain(v), causal), q.dtype());
  if (ShouldRecord(q, k, v)) {
    Edge edges[] = {GradientEdge(q), GradientEdge(k), GradientEdge(v)};
    RecordNode(MakeNode<AttentionNode>(q, k, v, causal, edges), result);
  }
  return result;
}

}  // namespace twingrad::ops

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
#include "autograd/graph/thread_state.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/linear_algebra.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/view.h"
#include "autograd/tensor/kernels/kernels.h"
#include "autograd/tensor/kernels/narrow.h"

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

// 0 where a key is not seen, whatever stands there; `seen` is undefined where all are.
Tensor OfSeen(const Tensor& a, const Tensor& seen) {
  return seen.defined() ? Where(seen, a, Constant(0, a)) : a;
}

// The part that each key has in what each query gives.
Tensor Shares(const Tensor& q, const Tensor& k, const Tensor& seen) {
  Tensor scores = Mul(Matmul(q, TransposeLast(k)), Constant(ScaleOf(q), q));
  if (seen.defined()) {
    scores = Where(seen, scores, Constant(-std::numeric_limits<double>::infinity(), scores));
  }
  return OfSeen(Softmax(scores, scores.dim() - 1), seen);
}

// Those of q, k and v.
using Gradients = std::array<Tensor, 3>;
using Wanted = std::array<bool, 3>;

// Of softmax: (h - Σ h r) r; by the scale there, where matrices are small.
Gradients AtOnce(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& g,
                 const Tensor& seen, const Wanted& wanted) {
  Gradients results;
  const Tensor shares = Shares(q, k, seen);
  if (wanted[2]) results[2] = Matmul(TransposeLast(shares), g);
  if (!wanted[0] && !wanted[1]) return results;
  const Tensor h = OfSeen(Matmul(g, TransposeLast(v)), seen);
  const Tensor mean = Sum(Mul(h, shares), {h.dim() - 1}, true);
  const Tensor scores = OfSeen(Mul(Mul(Sub(h, mean), shares), Constant(ScaleOf(q), q)), seen);
  if (wanted[0]) results[0] = Matmul(scores, k);
  if (wanted[1]) results[1] = Matmul(TransposeLast(scores), q);
  return results;
}

Tensor RowsFrom(const Tensor& a, int64_t start, int64_t stop) {
  return Slice(a, a.dim() - 2, start, stop, 1);
}

Tensor Joined(const std::vector<Tensor>& rows) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& row : rows) pointers.push_back(&row);
  return Cat(pointers, rows[0].dim() - 2);
}

// The rest is for queries that see the keys up to their own place. At once, what a query does not
// see is multiplied by 0, which makes NaN of infinities and NaN. So where there are any, and where
// derivatives that come later may hold some, each query goes alone, with the keys that it sees; on
// an accelerator always, since the host would have to wait to learn what there is.

bool IsFinite(const Tensor& a) {
  if (!a.device().IsCpu()) return false;
  const Tensor sum = kernels::SumAll(kernels::Sub(a, a), false);
  return kernels::Cast(sum, DType::kF64).item<double>() == 0;
}

Tensor ByQueries(const Tensor& q, const Tensor& k, const Tensor& v) {
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < RowsOf(q); ++i) {
    const int64_t seen = std::min(i + 1, RowsOf(k));
    const Tensor shares = Shares(RowsFrom(q, i, i + 1), RowsFrom(k, 0, seen), Tensor());
    rows.push_back(Matmul(shares, RowsFrom(v, 0, seen)));
  }
  return Joined(rows);
}

Gradients ByQueries(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& g,
                    const Wanted& wanted) {
  std::vector<Tensor> of_queries;
  Gradients sums;
  for (int64_t i = 0; i < RowsOf(q); ++i) {
    const int64_t seen = std::min(i + 1, RowsOf(k));
    Gradients part = AtOnce(RowsFrom(q, i, i + 1), RowsFrom(k, 0, seen), RowsFrom(v, 0, seen),
                            RowsFrom(g, i, i + 1), Tensor(), wanted);
    if (wanted[0]) of_queries.push_back(std::move(part[0]));
    for (const size_t operand : {1, 2}) {
      if (!wanted[operand]) continue;
      const Tensor more = Pad(part[operand], {0, 0, 0, RowsOf(k) - seen}, 0);
      sums[operand] = i == 0 ? more : Add(sums[operand], more);
    }
  }
  if (wanted[0]) sums[0] = Joined(of_queries);
  return sums;
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
    Gradients of_operands = Derive(q, k, v, gradients[0], wanted);
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
  Gradients Derive(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& g,
                   const Wanted& wanted) const {
    if (!causal_) return AtOnce(q, k, v, g, Tensor(), wanted);
    const auto finite = [](const Tensor& a) { return IsFinite(a.Detach()); };
    const bool at_once = RowsOf(q) == 0 || (!GradMode::IsEnabled() && finite(q) && finite(k) &&
                                            finite(v) && finite(g));
    return at_once ? AtOnce(q, k, v, g, SeenKeys(q, k), wanted) : ByQueries(q, k, v, g, wanted);
  }

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
  if (!causal) return kernels::Matmul(Shares(q, k, Tensor()), v);
  const bool at_once = RowsOf(q) == 0 || (IsFinite(q) && IsFinite(k) && IsFinite(v));
  return at_once ? kernels::Matmul(Shares(q, k, SeenKeys(q, k)), v) : ByQueries(q, k, v);
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

#include "autograd/ops/norm.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/inlined_vector.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/reduction.h"
#include "autograd/tensor/kernels/kernels.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/remote.h"

namespace twingrad::ops {
namespace {

struct Names {
  const char* op;
  const char* node;
};
constexpr Names kLayer = {"layer_norm", "LayerNormBackward"};
constexpr Names kGroup = {"group_norm", "GroupNormBackward"};
constexpr Names kBatch = {"batch_norm", "BatchNormBackward"};

// The operand in four dimensions: samples, groups, channels of a group, places. Means go over two
// of them, and weights belong to the second and third.
struct Layout {
  Shape sizes;    // of the operand
  Shape four;     // its elements in four dimensions
  Shape dims;     // of these, over which means go
  Shape weights;  // the sizes of weight and bias
  Shape beside;   // theirs beside the four
  double eps = 0;
};

kernels::NormGroups GroupsOf(const Layout& layout) {
  const Shape& four = layout.four;
  return {four[0], four[1], four[2], four[3], /*over_samples=*/layout.dims[0] == 0};
}

Tensor MeanOf(const Tensor& four, const Layout& layout) { return Mean(four, layout.dims, true); }

// 1 / √(variance + eps) of each group, without history.
Tensor InverseOf(const Tensor& four, const Layout& layout) {
  const Tensor apart = Sub(four, MeanOf(four, layout));
  const Tensor variance = MeanOf(Mul(apart, apart), layout);
  return Rsqrt(Add(variance, Constant(layout.eps, variance)));
}

Tensor Normalized(const Tensor& four, const Layout& layout);

// The same with history. Its derivative is -r² n / N, with n for what Normalized gives and N for
// the size of a group: r³ would underflow sooner.
Tensor Inverse(const Tensor& four, const Layout& layout) {
  const Tensor result = InverseOf(four.Detach(), layout);
  if (!ShouldRecord(four)) return result;
  Record<1>("InverseDeviationBackward", result, four,
            [layout](const Tensor& g, const Tensor* saved) {
              const Tensor r = Inverse(saved[0], layout), n = Normalized(saved[0], layout);
              const double count = -static_cast<double>(n.numel()) / static_cast<double>(r.numel());
              return Mul(Div(Mul(g, Mul(r, r)), Constant(count, r)), n);
            })
      ->Save(four);
  return result;
}

// The gradient to the elements of a group: r (h - mean h - n mean(h n)).
Tensor OfOperand(const Tensor& h, const Tensor& four, const Tensor& n, const Layout& layout) {
  const Tensor along = Mul(n, MeanOf(Mul(h, n), layout));
  return Mul(Inverse(four, layout), Sub(Sub(h, MeanOf(h, layout)), along));
}

// Elements less the mean of their group, by its deviation, times the weight, plus the bias, where
// there are such. Without history.
Tensor ValueOf(const Tensor& four, const Tensor& weight, const Tensor& bias, const Layout& layout) {
  if (!IsRemote(four)) {
    return kernels::Normalize(four, weight, bias, GroupsOf(layout), layout.eps);
  }
  Tensor result = Mul(Sub(four, MeanOf(four, layout)), InverseOf(four, layout));
  if (weight.defined()) result = kernels::Mul(result, ReshapeTo(weight, layout.beside));
  if (bias.defined()) result = kernels::Add(result, ReshapeTo(bias, layout.beside));
  return result;
}

// Elements less the mean of their group, by its deviation; with history.
Tensor Normalized(const Tensor& four, const Layout& layout) {
  const Tensor result = ValueOf(four.Detach(), Tensor(), Tensor(), layout);
  if (!ShouldRecord(four)) return result;
  Record<1>("NormalizeBackward", result, four, [layout](const Tensor& g, const Tensor* saved) {
    return OfOperand(g, saved[0], Normalized(saved[0], layout), layout);
  })->Save(four);
  return result;
}

class NormNode final : public Node {
 public:
  NormNode(const char* name, Layout layout, const Tensor& a, const Tensor& weight, Span<Edge> edges)
      : name_(name), layout_(std::move(layout)), has_weight_(weight.defined()) {
    a_ = SavedVariable(a, /*is_output=*/false);
    if (has_weight_ && edges[0].is_valid()) weight_ = SavedVariable(weight, /*is_output=*/false);
    for (Edge& edge : edges) AddNextEdge(std::move(edge));
  }

  VariableList Apply(VariableList&& gradients) override {
    Tensor a = a_.Unpack(this), weight = weight_.Unpack(this);
    VariableList results(num_outputs());
    if (!gradients[0].defined()) return results;
    const DType dtype = gradients[0].dtype();
    if (!IsShort(dtype)) return Derive(gradients[0], a, weight);
    for (Tensor* tensor : {&gradients[0], &a, &weight}) Widen(*tensor);
    results = Derive(gradients[0], a, weight);
    NarrowAll(results, dtype);
    return results;
  }
  void ReleaseVariables() override {
    a_.Reset();
    weight_.Reset();
  }
  std::vector<SavedVariable*> SavedVariables() override { return {&a_, &weight_}; }
  std::string_view name() const override { return name_; }

 private:
  VariableList Derive(const Tensor& gradient, const Tensor& a, const Tensor& weight) const {
    VariableList results(num_outputs());
    const Tensor g = ReshapeTo(gradient, layout_.four);
    const bool records = ShouldRecord(g, a) || (weight.defined() && ShouldRecord(weight));
    if (!records && !IsRemote(a)) return Values(g, a, weight);
    if (num_outputs() > 2 && TaskShouldComputeOutput(2)) results[2] = OfWeights(g);
    const bool of_operand = TaskShouldComputeOutput(0);
    const bool of_weight = num_outputs() > 1 && TaskShouldComputeOutput(1);
    if (!of_operand && !of_weight) return results;
    const Tensor four = ReshapeTo(a, layout_.four), n = Normalized(four, layout_);
    if (of_weight) results[1] = OfWeights(Mul(g, n));
    if (of_operand) {
      const Tensor h = has_weight_ ? Mul(g, ReshapeTo(weight, layout_.beside)) : g;
      results[0] = ReshapeTo(OfOperand(h, four, n, layout_), layout_.sizes);
    }
    return results;
  }
  // Where nothing is recorded: all at once.
  VariableList Values(const Tensor& g, const Tensor& a, const Tensor& weight) const {
    const size_t count = num_outputs();
    const auto wanted = [&](uint32_t k) { return count > k && TaskShouldComputeOutput(k); };
    kernels::NormGradients of = kernels::NormGradientsOf(
        g, ReshapeTo(a, layout_.four), weight, GroupsOf(layout_), layout_.eps,
        {.operand = wanted(0), .weight = wanted(1), .bias = wanted(2)});
    VariableList results(count);
    if (of.operand.defined()) results[0] = WithShape(of.operand, layout_.sizes);
    if (of.weight.defined()) results[1] = WithShape(of.weight, layout_.weights);
    if (of.bias.defined()) results[2] = WithShape(of.bias, layout_.weights);
    return results;
  }
  Tensor OfWeights(const Tensor& four) const {
    return ReshapeTo(SumTo(four, layout_.beside), layout_.weights);
  }

  const std::string_view name_;
  const Layout layout_;
  const bool has_weight_;
  SavedVariable a_, weight_;
};

void CheckWeights(const char* op, const Tensor& a, const Tensor& weights, const Layout& layout) {
  if (!weights.defined()) return;
  kernels::CheckSameKind(op, a, weights);
  if (weights.sizes() == Ints(layout.weights)) return;
  throw Error(ErrorKind::kShape,
              absl::StrCat("[", op, "] a weight or bias of shape ", ShapeToString(weights.sizes()),
                           " beside ", ShapeToString(a.sizes()), "; it takes ",
                           ShapeToString(layout.weights)));
}

Tensor Norm(Names names, const Tensor& a, const Tensor& weight, const Tensor& bias, Layout layout) {
  if (!(layout.eps >= 0)) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[", names.op, "] eps ", layout.eps, "; it must be 0 or more"));
  }
  if (bias.defined() && !weight.defined()) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[", names.op, "] a bias without a weight; give a weight of ones"));
  }
  CheckWeights(names.op, a, weight, layout);
  CheckWeights(names.op, a, bias, layout);
  const Tensor four = ReshapeTo(a.Detach(), layout.four);
  const auto plain = [](const Tensor& t) { return t.defined() ? kernels::Widened(t.Detach()) : t; };
  const Tensor value = ValueOf(plain(four), plain(weight), plain(bias), layout);
  const Tensor result = WithShape(kernels::Narrowed(value, a.dtype()), layout.sizes);
  InlinedVector<const Tensor*, 3> operands = {&a};
  for (const Tensor* more : {&weight, &bias}) {
    if (more->defined()) operands.push_back(more);
  }
  bool records = false;
  for (const Tensor* operand : operands) records |= ShouldRecord(*operand);
  if (!records) return result;
  InlinedVector<Edge, 3> edges;
  for (const Tensor* operand : operands) edges.push_back(GradientEdge(*operand));
  RecordNode(MakeNode<NormNode>(names.node, std::move(layout), a, weight, Span<Edge>(edges)),
             result);
  return result;
}

// Of [N, C, ..]: `channels` of a group, over the means of which `dims` say.
Layout OfChannels(Names names, const Tensor& a, int64_t groups, Shape dims, double eps) {
  CheckDefined(names.op, a);
  const Ints sizes = a.sizes();
  bool fits = sizes.size() >= 2;
  for (size_t d = 1; d < sizes.size(); ++d) fits &= sizes[d] > 0;
  if (!fits || groups < 1 || sizes[1] % groups != 0) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[", names.op, "] ", ShapeToString(sizes), " in ", groups,
                             " groups; of [N,C,..] it goes, of rank 2 or more, where groups divide "
                             "C and sizes are 1 or more, but N"));
  }
  int64_t places = 1;
  for (size_t d = 2; d < sizes.size(); ++d) places *= sizes[d];
  const int64_t channels = sizes[1] / groups;
  return {SizesOf(a),
          {sizes[0], groups, channels, places},
          std::move(dims),
          {sizes[1]},
          {groups, channels, 1},
          eps};
}

}  // namespace

Tensor LayerNorm(const Tensor& a, const Tensor& weight, const Tensor& bias, int64_t count,
                 double eps) {
  CheckDefined("layer_norm", a);
  const Ints sizes = a.sizes();
  if (count < 1 || count > a.dim()) {
    throw Error(ErrorKind::kShape,
                absl::StrCat("[layer_norm] over ", count, " dimensions of a tensor of rank ",
                             a.dim(), "; it takes 1 to the rank"));
  }
  const auto first = sizes.size() - static_cast<size_t>(count);
  Layout layout{SizesOf(a), {1, 1, 1, 1}, {2}, {}, {}, eps};
  for (size_t d = 0; d < sizes.size(); ++d) {
    layout.four[d < first ? 0 : 2] *= sizes[d];
    if (d >= first) layout.weights.push_back(sizes[d]);
  }
  layout.beside = {1, layout.four[2], 1};
  return Norm(kLayer, a, weight, bias, std::move(layout));
}

Tensor GroupNorm(const Tensor& a, const Tensor& weight, const Tensor& bias, int64_t groups,
                 double eps) {
  return Norm(kGroup, a, weight, bias, OfChannels(kGroup, a, groups, {2, 3}, eps));
}

Tensor BatchNorm(const Tensor& a, const Tensor& weight, const Tensor& bias, double eps) {
  const int64_t channels = a.defined() && a.dim() > 1 ? a.sizes()[1] : 1;
  return Norm(kBatch, a, weight, bias, OfChannels(kBatch, a, channels, {0, 3}, eps));
}

}  // namespace twingrad::ops

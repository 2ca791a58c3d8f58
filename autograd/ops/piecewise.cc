#include "autograd/ops/piecewise.h"

#include <string_view>
#include <utility>

#include "autograd/graph/saved_variable.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/rule_node.h"
#include "autograd/ops/unary.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/elementary.h"

namespace twingrad::ops {
namespace {

class WhereNode final : public Node {
 public:
  WhereNode(const Tensor& condition, Edge edge_a, Edge edge_b)
      : condition_(condition, /*is_output=*/false) {
    AddNextEdge(std::move(edge_a));
    AddNextEdge(std::move(edge_b));
  }

  VariableList Apply(VariableList&& gradients) override {
    const Tensor condition = condition_.Unpack(this);
    VariableList results(2);
    const Tensor& gradient = gradients[0];
    if (!gradient.defined()) return results;
    const Tensor zero = Constant(0, gradient);
    if (TaskShouldComputeOutput(0)) {
      results[0] = reduced_a_.Undo(Where(condition, gradient, zero));
    }
    if (TaskShouldComputeOutput(1)) {
      results[1] = reduced_b_.Undo(Where(condition, zero, gradient));
    }
    return results;
  }
  void ReleaseVariables() override { condition_.Reset(); }
  std::string_view name() const override { return "WhereBackward"; }

  void NoteShapes(const Tensor& a, const Tensor& b, const Tensor& result) {
    reduced_a_ = BroadcastUndo(a, result);
    reduced_b_ = BroadcastUndo(b, result);
  }

 private:
  SavedVariable condition_;
  BroadcastUndo reduced_a_;
  BroadcastUndo reduced_b_;
};

constexpr BinaryRule kMaximum = {
    "maximum",
    "MaximumBackward",
    kernels::Maximum,
    kSavesA | kSavesB,
    kSavesA | kSavesB,
    [](const Tensor& g, const Saved& s) { return Mul(g, kernels::MaximumWeight(s.a, s.b)); },
    [](const Tensor& g, const Saved& s) { return Mul(g, kernels::MaximumWeight(s.b, s.a)); }};

constexpr BinaryRule kMinimum = {
    "minimum",
    "MinimumBackward",
    kernels::Minimum,
    kSavesA | kSavesB,
    kSavesA | kSavesB,
    [](const Tensor& g, const Saved& s) { return Mul(g, kernels::MaximumWeight(s.b, s.a)); },
    [](const Tensor& g, const Saved& s) { return Mul(g, kernels::MaximumWeight(s.a, s.b)); }};

constexpr UnaryRule kSgn = RuleOf<kernels::SgnNumber>(
    "SgnBackward", Saves::kNothing,
    [](const Tensor& g, const Tensor&) { return Tensor::Zeros(g.sizes(), g.dtype(), g.device()); });

struct ClampRule {
  double low, high;

  std::string_view name() const { return "ClampBackward"; }
  Tensor Derivative(size_t, const Tensor& g, const Tensor* operand) const {
    return Where(kernels::IsWithin(operand[0], low, high), g, Constant(0, g));
  }
};

constexpr UnaryRule kRelu = RuleOf<kernels::ReluNumber>(
    "ReluBackward", Saves::kResult, [](const Tensor& g, const Tensor& r) {
      return Where(kernels::IsPositive(r), g, Constant(0, g));
    });

constexpr UnaryRule kAbs = RuleOf<kernels::AbsNumber>(
    "AbsBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(g, kernels::Each<kernels::SgnNumber>(x)); });

}  // namespace

Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  CheckDefined("where", condition);
  CheckDefined("where", a);
  CheckDefined("where", b);
  Tensor result = kernels::Where(condition, a, b);
  if (ShouldRecord(a, b)) {
    Edge edge_a = GradientEdge(a);
    Edge edge_b = GradientEdge(b);
    auto node = MakeNode<WhereNode>(condition, std::move(edge_a), std::move(edge_b));
    node->NoteShapes(a, b, result);
    SetHistory(result, std::move(node));
  }
  return result;
}

Tensor Maximum(const Tensor& a, const Tensor& b) { return ApplyBinary(kMaximum, a, b); }
Tensor Minimum(const Tensor& a, const Tensor& b) { return ApplyBinary(kMinimum, a, b); }
Tensor Sgn(const Tensor& a) { return ApplyUnary(kSgn, a); }

Tensor Clamp(const Tensor& a, double low, double high) {
  CheckDefined("clamp", a);
  Tensor result = kernels::Clamp(a, low, high);
  if (ShouldRecord(a)) Record(ClampRule{low, high}, result, {&a})->Save(a);
  return result;
}

Tensor Relu(const Tensor& a) { return ApplyUnary(kRelu, a); }
Tensor Abs(const Tensor& a) { return ApplyUnary(kAbs, a); }

void ReluInPlace(Tensor& self) { ApplyUnaryInPlace(kRelu, self); }
void AbsInPlace(Tensor& self) { ApplyUnaryInPlace(kAbs, self); }

}  // namespace twingrad::ops

#include "autograd/ops/rules.h"

#include <utility>
#include <vector>

#include "autograd/graph/saved_variable.h"
#include "autograd/graph/view.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/recording.h"

namespace twingrad::ops {
namespace {

class UnaryNode final : public Node {
 public:
  UnaryNode(const UnaryRule& rule, Edge edge) : rule_(rule) { AddNextEdge(std::move(edge)); }

  VariableList Apply(VariableList&& gradients) override {
    Tensor saved;
    Tensor* const places[] = {&saved};
    SavedVariable::Reading reading;
    if (rule_.saves != Saves::kNothing) reading.UnpackAll(&saved_, 1, 1, this, places);
    VariableList results(1);
    if (gradients[0].defined() && TaskShouldComputeOutput(0)) {
      const DType dtype = gradients[0].dtype();
      const bool widens = IsShort(dtype) && rule_.saves != Saves::kNothing;
      if (widens) [[unlikely]] {
        Widen(gradients[0]);
        Widen(saved);
      }
      results[0] = rule_.derivative(gradients[0], saved);
      if (widens) [[unlikely]]
        NarrowAll(results, dtype);
    }
    return results;
  }
  void ReleaseVariables() override {
    if (rule_.saves != Saves::kNothing) saved_.Reset();
  }
  std::vector<SavedVariable*> SavedVariables() override { return {&saved_}; }
  std::string_view name() const override { return rule_.node_name; }

  void SaveOperand(const Tensor& tensor) { saved_ = SavedVariable::OfOperand(tensor, 0); }
  void Save(const Tensor& tensor, bool is_output) { saved_ = SavedVariable(tensor, is_output); }

 private:
  const UnaryRule& rule_;
  SavedVariable saved_;
};

class BinaryNode final : public Node {
 public:
  // `a`, `b`: the operands as they are to be saved; `result` has the result's type. The edge of `a`
  // may be replaced where the operation writes it in place.
  BinaryNode(const BinaryRule& rule, const Tensor& a, const Tensor& b, const Tensor& result,
             Edge edge_a, Edge edge_b, bool writes_a)
      : rule_(rule),
        saves_(SavesOf(rule, edge_a, edge_b)),
        reduced_a_(a, result),
        reduced_b_(b, result),
        saved_{!Needs(kSavesA) ? SavedVariable()
               : writes_a      ? SavedVariable(a, /*is_output=*/false)
                               : SavedVariable::OfOperand(a, 0),
               Needs(kSavesB) ? SavedVariable::OfOperand(b, 1) : SavedVariable(), SavedVariable()} {
    SavedVariable::ShareLock(saved_, 3);
    AddNextEdge(std::move(edge_a));
    AddNextEdge(std::move(edge_b));
  }

  VariableList Apply(VariableList&& gradients) override {
    Saved saved;
    Tensor* const places[] = {&saved.a, &saved.b, &saved.result};
    SavedVariable::Reading reading;
    if (saves_ != 0) reading.UnpackAll(saved_, 3, saves_, this, places);
    VariableList results(2);
    Tensor& gradient = gradients[0];
    if (!gradient.defined()) return results;
    const DType dtype = gradient.dtype();
    const bool widens = IsShort(dtype) && saves_ != 0;
    if (widens) [[unlikely]] {
      for (Tensor* tensor : {&gradient, &saved.a, &saved.b, &saved.result}) Widen(*tensor);
    }
    if (TaskShouldComputeOutput(0)) {
      results[0] = reduced_a_.Undo(rule_.derivative_a(gradient, saved));
    }
    if (TaskShouldComputeOutput(1)) {
      results[1] = reduced_b_.Undo(rule_.derivative_b(gradient, saved));
    }
    if (widens) [[unlikely]]
      NarrowAll(results, dtype);
    return results;
  }
  void ReleaseVariables() override {
    if (saves_ != 0) SavedVariable::ResetAll(saved_, 3);
  }
  std::vector<SavedVariable*> SavedVariables() override {
    return {&saved_[0], &saved_[1], &saved_[2]};
  }
  std::string_view name() const override { return rule_.node_name; }

  bool Needs(uint8_t what) const { return (saves_ & what) != 0; }
  // To be called once the result has its history.
  void SaveResult(const Tensor& result) {
    if (Needs(kSavesResult)) saved_[2] = SavedVariable(result, /*is_output=*/true);
  }
  static uint8_t SavesOf(const BinaryRule& rule, const Edge& edge_a, const Edge& edge_b) {
    return (edge_a.is_valid() ? rule.needs_a : kSavesNothing) |
           (edge_b.is_valid() ? rule.needs_b : kSavesNothing);
  }

 private:
  const BinaryRule& rule_;
  const uint8_t saves_;
  BroadcastUndo reduced_a_;
  BroadcastUndo reduced_b_;
  SavedVariable saved_[3];  // a, b and the result, as the bits of saves_ say
};

}  // namespace

Tensor ApplyUnary(const UnaryRule& rule, const Tensor& operand) {
  CheckDefined(rule.name, operand);
  Tensor result = rule.forward(operand);
  if (ShouldRecord(operand)) {
    auto node = MakeNode<UnaryNode>(rule, GradientEdge(operand));
    if (rule.saves == Saves::kOperand) node->SaveOperand(operand);
    SetHistory(result, node);
    if (rule.saves == Saves::kResult) node->Save(result, /*is_output=*/true);
    AnnounceNode(*node);
  }
  return result;
}

void ApplyUnaryInPlace(const UnaryRule& rule, Tensor& self) {
  CheckDefined(rule.name, self);
  const bool records = ShouldRecord(self);
  CheckInPlace(self, records);
  if (!records) return StoreInPlace(rule.name, self, rule.forward(self));
  Edge edge = GradientEdge(self);
  auto node = MakeNode<UnaryNode>(rule, std::move(edge));
  if (rule.saves == Saves::kOperand) node->Save(OldContents(self), /*is_output=*/false);
  const Tensor value = rule.forward(self);
  // A pack hook may throw, so it runs before anything is written.
  const bool is_packed = rule.saves == Saves::kResult && SavedTensorHooksInForce() != nullptr;
  if (is_packed) node->Save(value, /*is_output=*/true);
  StoreInPlace(rule.name, self, value);
  RebaseHistory(self, node);
  if (rule.saves == Saves::kResult && !is_packed) node->Save(self, /*is_output=*/true);
  AnnounceWrite(self, *node);
}

Tensor ApplyBinary(const BinaryRule& rule, const Tensor& a, const Tensor& b) {
  CheckDefined(rule.name, a, b);
  Tensor result = rule.forward(a, b);
  if (!ShouldRecord(a, b)) return result;
  Edge edge_a = GradientEdge(a);
  Edge edge_b = GradientEdge(b);
  auto node = MakeNode<BinaryNode>(rule, a, b, result, std::move(edge_a), std::move(edge_b),
                                   /*writes_a=*/false);
  BinaryNode* const made = node.get();
  SetHistory(result, std::move(node));
  made->SaveResult(result);
  AnnounceNode(*made);
  return result;
}

void ApplyBinaryInPlace(const BinaryRule& rule, Tensor& self, const Tensor& other) {
  CheckDefined(rule.name, self, other);
  const bool records = ShouldRecord(self, other);
  CheckInPlace(self, records);
  const Tensor value = rule.forward(self, other);
  if (!records) return StoreInPlace(rule.name, self, value);
  Edge edge_a = GradientEdge(self);
  Edge edge_b = GradientEdge(other);
  const bool saves_self = (BinaryNode::SavesOf(rule, edge_a, edge_b) & kSavesA) != 0;
  const Tensor old = saves_self ? OldContents(self) : self;
  auto node = MakeNode<BinaryNode>(rule, old, other, value, std::move(edge_a), std::move(edge_b),
                                   /*writes_a=*/true);
  const bool is_packed = SavedTensorHooksInForce() != nullptr;
  if (is_packed) node->SaveResult(value);
  StoreInPlace(rule.name, self, value);
  RebaseHistory(self, node);
  if (!is_packed) node->SaveResult(self);
  AnnounceWrite(self, *node);
}

}  // namespace twingrad::ops

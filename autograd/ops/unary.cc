#include "autograd/ops/unary.h"

#include <utility>

#include "autograd/graph/saved_variable.h"
#include "autograd/graph/view.h"
#include "autograd/ops/recording.h"

namespace twingrad::ops {
namespace {

class UnaryNode final : public Node {
 public:
  UnaryNode(const UnaryRule& rule, Edge edge) : rule_(rule) { AddNextEdge(std::move(edge)); }

  VariableList Apply(VariableList&& gradients) override {
    const Tensor saved = rule_.saves == Saves::kNothing ? Tensor() : saved_.Unpack(this);
    VariableList results(1);
    if (gradients[0].defined() && TaskShouldComputeOutput(0)) {
      results[0] = rule_.derivative(gradients[0], saved);
    }
    return results;
  }
  void ReleaseVariables() override { saved_.Reset(); }
  std::string_view name() const override { return rule_.node_name; }

  void Save(const Tensor& tensor, bool is_output) { saved_ = SavedVariable(tensor, is_output); }

 private:
  const UnaryRule& rule_;
  SavedVariable saved_;
};

}  // namespace

Tensor ApplyUnary(const UnaryRule& rule, const Tensor& operand) {
  CheckDefined(rule.name, operand);
  Tensor result = rule.forward(operand);
  if (ShouldRecord(operand)) {
    auto node = MakeNode<UnaryNode>(rule, GradientEdge(operand));
    if (rule.saves == Saves::kOperand) node->Save(operand, /*is_output=*/false);
    SetHistory(result, node);
    if (rule.saves == Saves::kResult) node->Save(result, /*is_output=*/true);
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
  StoreInPlace(rule.name, self, rule.forward(self));
  RebaseHistory(self, node);
  if (rule.saves == Saves::kResult) node->Save(self, /*is_output=*/true);
}

}  // namespace twingrad::ops

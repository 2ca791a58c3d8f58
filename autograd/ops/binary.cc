#include "autograd/ops/binary.h"

#include <memory>
#include <utility>

#include "autograd/graph/view.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/recording.h"

namespace autograd::ops {
namespace {

class BinaryNode final : public Node {
 public:
  BinaryNode(const BinaryRule& rule, Edge edge_a, Edge edge_b) : rule_(rule) {
    if (edge_a.is_valid()) saves_ |= rule.needs_a;
    if (edge_b.is_valid()) saves_ |= rule.needs_b;
    AddNextEdge(std::move(edge_a));
    AddNextEdge(std::move(edge_b));
  }

  VariableList Apply(VariableList&& gradients) override {
    Saved saved;
    if (saves_ & kSavesA) saved.a = a_.Unpack(this);
    if (saves_ & kSavesB) saved.b = b_.Unpack(this);
    if (saves_ & kSavesResult) saved.result = result_.Unpack(this);
    VariableList results(2);
    const Tensor& gradient = gradients[0];
    if (!gradient.defined()) return results;
    if (TaskShouldComputeOutput(0)) {
      results[0] = reduced_a_.Undo(rule_.derivative_a(gradient, saved));
    }
    if (TaskShouldComputeOutput(1)) {
      results[1] = reduced_b_.Undo(rule_.derivative_b(gradient, saved));
    }
    return results;
  }
  void ReleaseVariables() override {
    a_.Reset();
    b_.Reset();
    result_.Reset();
  }
  std::string_view name() const override { return rule_.node_name; }

  bool Needs(uint8_t what) const { return (saves_ & what) != 0; }
  void SaveA(const Tensor& a) { a_ = SavedVariable(a, /*is_output=*/false); }
  void SaveB(const Tensor& b) { b_ = SavedVariable(b, /*is_output=*/false); }
  void SaveResult(const Tensor& result) { result_ = SavedVariable(result, /*is_output=*/true); }
  void NoteShapes(const Tensor& a, const Tensor& b, const Tensor& result) {
    reduced_a_ = BroadcastUndo(a, result);
    reduced_b_ = BroadcastUndo(b, result);
  }

 private:
  const BinaryRule& rule_;
  uint8_t saves_ = kSavesNothing;
  BroadcastUndo reduced_a_;
  BroadcastUndo reduced_b_;
  SavedVariable a_;
  SavedVariable b_;
  SavedVariable result_;
};

}  // namespace

Tensor ApplyBinary(const BinaryRule& rule, const Tensor& a, const Tensor& b) {
  CheckDefined(rule.name, a);
  CheckDefined(rule.name, b);
  Tensor result = rule.forward(a, b);
  if (!ShouldRecord(a, b)) return result;
  Edge edge_a = EdgeOf(a);
  Edge edge_b = EdgeOf(b);
  auto node = MakeNode<BinaryNode>(rule, std::move(edge_a), std::move(edge_b));
  node->NoteShapes(a, b, result);
  if (node->Needs(kSavesA)) node->SaveA(a);
  if (node->Needs(kSavesB)) node->SaveB(b);
  BinaryNode* const made = node.get();
  SetHistory(result, std::move(node));
  if (made->Needs(kSavesResult)) made->SaveResult(result);
  return result;
}

void ApplyBinaryInPlace(const BinaryRule& rule, Tensor& self, const Tensor& other) {
  CheckDefined(rule.name, self);
  CheckDefined(rule.name, other);
  const bool records = ShouldRecord(self, other);
  CheckInPlace(self, records);
  const Tensor value = rule.forward(self, other);
  if (!records) return StoreInPlace(rule.name, self, value);
  Edge edge_a = EdgeOf(self);
  Edge edge_b = EdgeOf(other);
  auto node = MakeNode<BinaryNode>(rule, std::move(edge_a), std::move(edge_b));
  node->NoteShapes(self, other, value);
  if (node->Needs(kSavesA)) node->SaveA(OldContents(self));
  if (node->Needs(kSavesB)) node->SaveB(other);
  StoreInPlace(rule.name, self, value);
  RebaseHistory(self, node);
  if (node->Needs(kSavesResult)) node->SaveResult(self);
}

}  // namespace autograd::ops

// One call of the engine, as the twin predicts it: arguments, counts, then a walk node by node in
// the order of the single-threaded ready queue.
//
// Contributions are summed when the last has arrived; hooks act on complete gradients. When a node
// throws and several devices were at work, the walk continues without recording, to find out which
// errors and gradients another timing could have shown. Lives for one statement.

#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/calculus.h"
#include "autograd/reference/interpreter.h"

namespace twingrad::reference {

class Call {
 public:
  // `outer`: the call whose hook, registered at `index`, makes this one; its seeds are ones.
  Call(Interpreter& interpreter, const program::Statement& statement, int32_t index,
       Call* outer = nullptr);

  // Throws Raised as the engine would.
  void Run();

 private:
  struct Contribution {
    Variable gradient;
    Contribution* next = nullptr;
  };
  // What the walk knows of a node.
  struct State {
    bool reachable = false;
    bool beside = false;    // an input or below one
    bool counted = false;   // a pruning engine would discover it
    bool expanded = false;  // not pruned: its edges count
    bool needed = false;
    bool executed = false;
    bool dead = false;  // threw `error`
    ErrorKind error = ErrorKind::kInternal;
    int32_t dependencies = 0;
    int32_t outstanding = 0;
    int32_t record = -1;    // index in the call's record
    int32_t captures = -1;  // first of the captures here
    Contribution* first = nullptr;
    Contribution* last = nullptr;
  };
  struct Capture {
    int32_t input;
    int32_t next;  // capture of the same node
  };
  struct Ready {
    uint64_t key;
    uint64_t arrival;
    NodeId node;
    bool operator<(const Ready& other) const {
      return key != other.key ? key < other.key : arrival > other.arrival;
    }
  };

  void TakeArguments();
  void TakeSeeds(absl::Span<const program::ValueId> seeds);
  Variable TakeSeed(program::ValueId root, program::ValueId seed);
  void TakeInputs();
  void Prepare();
  void CountDependencies();
  void FindInputsBeside();
  void MarkNeeded();
  void RecordGraph();
  void Walk();
  void Evaluate(NodeId node);
  void EvaluateOrStop(NodeId node);
  void StopAt(NodeId node, ErrorKind error);
  void ApplyNode(NodeId node, const Variable& gradient);
  // Post-hooks, then to where the edges lead.
  void Leave(NodeId node, const Variable& gradient, absl::Span<Variable> results);
  void Deliver(NodeId edge, const Variable& gradient);
  void Accumulate(NodeId node, const Variable& gradient);
  void AddToGrad(program::ValueId value, const Variable& gradient, bool in_place);
  // A hook makes `.grad` undefined, in one step with the addition before.
  void EmptyGrad(program::ValueId leaf);
  void NoteWarning(NodeId node, program::WarningSource source, int32_t statement);
  void StoreRetained(NodeId node, const Variable& gradient);
  // In the order of inputs=; `gradients`, by input of the node.
  void StoreCaptures(NodeId node, absl::Span<const Variable> gradients);
  void RunTensorHooks(NodeId node, Variable& gradient);
  void RunHook(NodeId node, int32_t hook, Variable& gradient);
  // Whether the hook, whose turn it is, was removed.
  bool IsGone(int32_t hook) const;
  void RunHooks(NodeId node, const std::vector<int32_t>& hooks, Variable& gradient);
  void NoteHook(NodeId node, int32_t hook, const Variable& gradient);
  void ActOnOthers(NodeId node, const Hook& hook);
  void RunNested(const Hook& hook);
  void RunCallbacks();
  void NoteUnpacked(NodeId node);
  void NoteGradient(NodeId node, int32_t statement, const Variable& gradient);
  void NoteExecuted(NodeId node);
  void EvaluateSeveral(NodeId node);
  void ApplyCustom(NodeId node, absl::Span<Variable> gradients);
  Variable WholeOf(NodeId node, absl::Span<const Variable> gradients);
  Variable ApplyCustomToView(NodeId node, const Variable& gradient);
  void RunHooksOfAll(NodeId node, absl::Span<Variable> gradients);
  void RunPreHook(NodeId node, int32_t hook, absl::Span<Variable> gradients);
  void StoreRetainedOfAll(NodeId node, absl::Span<const Variable> gradients);
  std::optional<ErrorKind> CustomThrows(
      NodeId node, const absl::Span<const Variable>* gradients = nullptr) const;
  void Act(const Hook& hook, Variable* gradient);
  Variable Scaled(const Variable& gradient, double by);
  void RunPostHooks(NodeId node, const Variable& gradient, absl::Span<Variable> results);
  void Release(NodeId node);
  void CheckSaved(NodeId node) const;
  // Under anomaly mode a NaN among what a node returns is an error.
  void CheckForNan(const Node& node, const Variable& gradient,
                   absl::Span<const Variable> results) const;
  // Of what nodes that create_graph made add up, and where a NaN arises, each engine has its own
  // form.
  Variable AddAll(absl::Span<const Variable> terms) {
    return calculus_.AddAll(terms, /*lenient=*/!predicted_);
  }
  void CheckSumForNan(absl::Span<const Variable> terms, const Variable& sum) const;
  std::optional<ErrorKind> Throws(NodeId node) const;
  void FindLegalErrors();
  void FindDevices();
  void DeliverResults();

  const Call& Outermost() const { return outer_ == nullptr ? *this : outer_->Outermost(); }
  Call& Outermost() { return outer_ == nullptr ? *this : outer_->Outermost(); }
  void NoteOtherGrads() const;
  bool ActsOnOthers() const;
  bool Filtered() const { return has_inputs_; }
  bool Executes(NodeId node) const { return !Filtered() || states_[node].needed; }
  bool Delivers(NodeId node) const { return Executes(node) || states_[node].captures >= 0; }

  Interpreter& interpreter_;
  Calculus& calculus_;
  const program::Statement& statement_;
  const int32_t index_;
  Call* const outer_;
  const bool is_grad_;
  const bool create_graph_;
  const bool keep_graph_;
  bool has_inputs_ = false;
  bool predicted_ = true;  // all nodes are made by statements
  bool several_devices_ = false;
  // The engine may run ready nodes in another order: several devices are at work, or create_graph
  // or another thread section made nodes whose order is not predicted.
  bool order_is_open_ = false;
  absl::Span<const program::ValueId> inputs_;
  // Calls are many and short, and most have few of each.
  absl::InlinedVector<NodeId, 4> roots_;
  absl::InlinedVector<Variable, 4> seeds_;
  absl::InlinedVector<NodeId, 4> input_nodes_;
  absl::InlinedVector<Variable, 4> captured_;
  absl::InlinedVector<Capture, 4> captures_;
  std::vector<State> states_;
  absl::InlinedVector<Ready, 8> ready_;
  uint64_t arrivals_ = 0;
  // Of a node that runs within the one that delivered to it: when it was, which is when what it
  // delivers to arrives.
  std::optional<uint64_t> within_;
  NodeId start_ = kNoNode;
  int32_t call_ = -1;               // index of the call's record
  std::vector<int32_t> callbacks_;  // the statements of the hooks that queued them
  // What `.grad` may also be should the call fail: without what was added before the error, or with
  // what is added after it.
  std::vector<std::pair<program::ValueId, Variable>> other_grads_;
  // The first error; from then on the walk only collects what else could have happened.
  std::optional<ErrorKind> error_;
  // Another thread section's call takes away what this one needs, wherever it has got to.
  bool fails_beside_ = false;
};

}  // namespace twingrad::reference

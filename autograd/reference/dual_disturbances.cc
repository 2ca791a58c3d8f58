// What disturbs gradients: hooks, custom functions and saved tensors that are scaled.
//
// A hook that is linear, there before the first call and never taken away is a factor of its
// value's tangents, of its second derivatives too: a function would act so whose backward is
// linear. A hook on a node leaves the value's own gradient alone. Everything else becomes a
// disturbance with a bit. The bits of an owner say what lies between it and the values that it was
// computed from, so that a call knows what it may reach.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/base/float_format.h"
#include "autograd/program/op_facts.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/reference/dual_plan.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Program;
using program::RegionKind;
using program::Signature;
using program::Statement;
using program::ValueId;

namespace {

// Whether a node of the op saves numbers, which its derivative then reads.
bool SavesNumbers(const Statement& statement) {
  using namespace program;  // NOLINT(google-build-using-namespace)
  const Saves saves = SavesOf(statement);
  const Saves operands = saves & kSavesOperands & SignatureOf(statement.op).differentiable;
  const Saves others = kSavesAForB | kSavesBForA | kSavesBForB | kSavesResult | kSavesResultForB;
  return operands != 0 || (saves & others) != 0;
}

class Finder {
 public:
  Finder(const Program& program, DualPlan& plan) : program_(program), plan_(plan) {}

  // Whether there are any.
  bool Run() {
    for (size_t s = 0; s < program_.statements.size(); ++s) {
      const Statement& statement = program_.statements[s];
      if (program::SignatureOf(statement.op).category == Category::kRegion) TakeRegion(statement);
      if (plan_.statements[s].fate == Fate::kIsSkipped) continue;
      called_ |= program::SignatureOf(statement.op).category == Category::kCall;
      if (plan_.statements[s].fate == Fate::kRuns) Take(static_cast<int32_t>(s));
    }
    for (const Linear& hook : linear_) Follow(hook);
    return count_ > 0;
  }

 private:
  // A linear hook that is there when the first call is made.
  struct Linear {
    int32_t statement;
    Opcode op;
    std::string id;
    ValueId on;
    double factor;
    bool stays = true;
  };

  void Refuse(const char* reason) {
    if (plan_.not_applicable.empty()) plan_.not_applicable = reason;
  }

  void Note(int32_t at, Disturbance disturbance) {
    StatementPlan& plan = plan_.statements[at];
    plan.disturbance = disturbance;
    plan.bit = Disturbances{1} << (count_++ % 64);
  }

  void TakeRegion(const Statement& statement) {
    if (statement.op != Opcode::kBegin) {
      scales_.pop_back();
      in_section_.pop_back();
      return;
    }
    const RegionKind kind = RegionKindOf(statement);
    in_section_.push_back(in_section_.back() || kind == RegionKind::kThread);
    // Of the innermost pair of hooks.
    if (kind != RegionKind::kSavedTensorHooks) return scales_.push_back(scales_.back());
    const bool scales = statement.Get<std::string>(Key::kDo, "record") == "scale";
    scales_.push_back(scales ? statement.Get<double>(Key::kBy, 1.0) : 1.0);
  }

  void Take(int32_t at) {
    const Statement& statement = program_.statements[at];
    const Signature& signature = program::SignatureOf(statement.op);
    switch (signature.category) {
      case Category::kCall:
        plan_.statements[at].obscures =
            scales_.back() != 1 && statement.Get<bool>(Key::kCreateGraph);
        return;
      case Category::kHook:
        return TakeHook(at);
      case Category::kCustom: {
        const auto action = statement.Get<std::string>(Key::kDo);
        if (action == "nan") return Note(at, Disturbance::kNan);
        if (action == "backward") return Note(at, Disturbance::kAdds);
        if (action == "square" || action == "exp") TakeSaved(at, action == "square");
        return;
      }
      default:
        if (scales_.back() != 1 && SavesNumbers(statement)) {
          TakeSaved(at, signature.facts.dependence == program::Dependence::kBilinear);
        }
    }
  }

  // A product's slopes are what it saves. Others may become infinite.
  void TakeSaved(int32_t at, bool is_product) {
    const double by = scales_.back();
    if (by == 1) return;
    // In the shorter formats it is rounded.
    if (is_product && IsRepresentable(by, kF16Format) && IsRepresentable(by, kBF16Format)) {
      plan_.statements[at].scale = by;
    } else {
      Note(at, is_product ? Disturbance::kChanges : Disturbance::kNan);
    }
  }

  void TakeHook(int32_t at) {
    const Statement& statement = program_.statements[at];
    const auto id = statement.Get<std::string>(Key::kId);
    if (statement.op == Opcode::kRemoveHook) {
      if (Contains(emptying_, id) && in_section_.back()) RefuseBeside();
      const auto hook =
          std::find_if(linear_.begin(), linear_.end(), [&](const Linear& l) { return l.id == id; });
      if (hook == linear_.end()) return;
      // One that was added after the last call has changed nothing.
      if (called_) {
        hook->stays = false;
      } else {
        linear_.erase(hook);
      }
      return;
    }
    const auto action = statement.Get<std::string>(Key::kDo);
    if (action == "backward") return Note(at, Disturbance::kAdds);
    if (action == "zero_grad") {
      if (in_section_.back()) RefuseBeside();
      return emptying_.push_back(id);
    }
    if (action == "remove") return removable_.push_back(statement.Get<std::string>(Key::kTarget));
    // The others change nothing, or end the call that runs them.
    if (action != "scale" && action != "undefined") return;
    if (called_) return Note(at, Disturbance::kChanges);
    const double factor = action == "scale" ? statement.Get<double>(Key::kBy, 1.0) : 0.0;
    linear_.push_back({at, statement.op, id, statement.operands[0], factor});
  }

  void RefuseBeside() {
    Refuse("a thread section adds or removes a hook that makes .grad undefined");
  }

  static bool Contains(const std::vector<std::string>& ids, const std::string& id) {
    return !id.empty() && std::find(ids.begin(), ids.end(), id) != ids.end();
  }

  void Follow(const Linear& hook) {
    ValuePlan& value = plan_.values[hook.on];
    const bool shares = value.is_view || plan_.Owner(hook.on).written;
    // The derivative of exp is written with its result, so that second derivatives pass the hook
    // once more.
    const bool bends = value.saves_result && plan_.order > 1;
    const bool stays = hook.stays && !Contains(removable_, hook.id) && !bends;
    if (hook.op == Opcode::kHook && stays && !shares) {
      value.scale *= hook.factor;
      return;
    }
    // A pre-hook comes between capture and retain_grad.
    const bool has_own_node = !value.leaf && !shares && value.custom < 0;
    const bool is_seen = hook.op == Opcode::kPreHook && value.retained;
    if (hook.op != Opcode::kHook && stays && has_own_node && !is_seen) {
      value.node_scale *= hook.factor;
      return;
    }
    Note(hook.statement, Disturbance::kChanges);
  }

  const Program& program_;
  DualPlan& plan_;
  std::vector<Linear> linear_;
  std::vector<std::string> emptying_;       // handles of hooks that make .grad undefined
  std::vector<std::string> removable_;      // handles of hooks that other hooks remove
  std::vector<bool> in_section_ = {false};  // of each open region
  std::vector<double> scales_ = {1};        // what is saved there, by this
  int count_ = 0;
  bool called_ = false;
};

// Follows the bits from statement to statement.
class Spreader {
 public:
  Spreader(const Program& program, DualPlan& plan) : program_(program), plan_(plan) {
    grads_.resize(plan.values.size());
  }

  void Run() {
    for (size_t s = 0; s < program_.statements.size(); ++s) {
      const bool is_hook =
          program::SignatureOf(program_.statements[s].op).category == Category::kHook;
      if (is_hook && plan_.statements[s].bit != 0) Plant(s);
    }
    for (size_t s = 0; s < program_.statements.size(); ++s) {
      if (plan_.statements[s].fate != Fate::kIsSkipped) Take(s);
    }
  }

 private:
  Disturbances& Upstream(ValueId value) { return plan_.values[plan_.values[value].owner].upstream; }

  // A hook on a node acts on the gradients of all its results, and a hook on one result runs when
  // gradients of others come.
  void Plant(size_t at) {
    const Statement& statement = program_.statements[at];
    const ValueId on = statement.operands[0];
    const Disturbances bit = plan_.statements[at].bit;
    Upstream(on) |= bit;
    const int32_t custom = plan_.Owner(on).custom;
    const bool alone =
        statement.op == Opcode::kHook && plan_.statements[at].disturbance != Disturbance::kAdds;
    if (alone || custom < 0) return;
    for (const ValueId result : program_.statements[custom].results) Upstream(result) |= bit;
  }

  void Take(size_t at) {
    const Statement& statement = program_.statements[at];
    Disturbances all = plan_.statements[at].bit;
    switch (program::SignatureOf(statement.op).category) {
      case Category::kCall: {
        for (const ValueId root : statement.operands) all |= Upstream(root);
        plan_.statements[at].reached = all;
        for (const ValueId seed : statement.Get<std::vector<ValueId>>(Key::kSeeds)) {
          if (seed != kNoValue) all |= Upstream(seed);
        }
        for (const ValueId result : statement.results) Upstream(result) |= all;
        for (Disturbances& grad : grads_) grad |= all;
        return;
      }
      case Category::kGradient:
        if (statement.op == Opcode::kReadGrad) {
          Upstream(statement.results[0]) |= grads_[static_cast<size_t>(statement.operands[0])];
        }
        return;
      case Category::kHook:
      case Category::kRegion:
      case Category::kExpect:
      case Category::kStream:
      case Category::kLeaf:
      case Category::kView:  // shares the owner's
        return;
      default:
        if (statement.op == Opcode::kDetach) return;
        for (const ValueId operand : statement.operands) all |= Upstream(operand);
        for (const ValueId result : statement.results) Upstream(result) |= all;
        if (statement.results.empty()) Upstream(statement.operands[0]) |= all;
    }
  }

  const Program& program_;
  DualPlan& plan_;
  std::vector<Disturbances> grads_;  // of .grad
};

}  // namespace

void PlanDisturbances(const Program& program, DualPlan& plan) {
  if (Finder(program, plan).Run()) Spreader(program, plan).Run();
}

}  // namespace twingrad::reference

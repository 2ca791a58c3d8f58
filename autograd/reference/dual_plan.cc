#include "autograd/reference/dual_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "autograd/program/region.h"
#include "autograd/program/signature.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Program;
using program::RegionKind;
using program::Statement;
using program::ValueId;

namespace {

constexpr std::string_view kLate = "a hook changes the gradients of later calls alone";
constexpr std::string_view kBeside =
    "a thread section adds or removes a hook that makes .grad undefined";

class Planner {
 public:
  explicit Planner(const Program& program) : program_(program) {
    plan_.values.resize(program.names.size());
    for (size_t v = 0; v < plan_.values.size(); ++v) {
      plan_.values[v].owner = static_cast<ValueId>(v);
    }
    grad_levels_.resize(program.names.size());
  }

  DualPlan Run() {
    for (const Statement& statement : program_.statements) Take(statement);
    if (!plan_.not_applicable.empty()) return plan_;
    if (plan_.order > 2) return Refuse("derivatives of third or higher order"), plan_;
    for (const Active& hook : hooks_) {
      if (!hook.refusal.empty()) continue;
      const ValueId value = hook.on;
      plan_.values[value].scale *= hook.factor;
      if (plan_.order > 1) return Refuse("a hook changes gradients of second order"), plan_;
      if (plan_.values[value].is_view || plan_.values[plan_.values[value].owner].written) {
        return Refuse("a hook changes the gradient of a value that shares its storage"), plan_;
      }
    }
    return plan_;
  }

 private:
  // A hook that is there when the first call is made.
  struct Active {
    std::string id;
    ValueId on;
    double factor;        // of a linear hook
    std::string refusal;  // why the witness cannot say what another one does
  };

  // The first reason stays; the rest of the plan is made all the same.
  void Refuse(std::string reason) {
    if (plan_.not_applicable.empty()) plan_.not_applicable = std::move(reason);
  }
  ValuePlan& Owner(ValueId value) { return plan_.values[plan_.values[value].owner]; }
  int LevelOf(ValueId value) { return Owner(value).level; }

  bool Empties(const std::string& id) const {
    return !id.empty() && std::find(emptying_.begin(), emptying_.end(), id) != emptying_.end();
  }

  void Take(const Statement& statement) {
    switch (program::SignatureOf(statement.op).category) {
      case Category::kLeaf: {
        ValuePlan& leaf = plan_.values[statement.results[0]];
        leaf.leaf = leaf.seeded = statement.Get<bool>(Key::kGrad);
        return;
      }
      case Category::kElementwise:
      case Category::kReduction:
      case Category::kMatmul:
      case Category::kRearrange:
      case Category::kScan:
      case Category::kLoss:
      case Category::kCopy:
      case Category::kView:
        return TakeComputed(statement);
      case Category::kInPlace:
        Owner(statement.operands[0]).written = true;
        if (statement.operands.size() > 1) {
          int& level = Owner(statement.operands[0]).level;
          level = std::max(level, LevelOf(statement.operands[1]));
          Owner(statement.operands[0]).undifferentiable |=
              Owner(statement.operands[1]).undifferentiable;
        }
        return;
      case Category::kGradient:
        return TakeGradient(statement);
      case Category::kHook:
        return TakeHook(statement);
      case Category::kCall:
        return TakeCall(statement);
      case Category::kRegion:
        return TakeRegion(statement);
      case Category::kExpect:
        return;
      case Category::kCustom:
        return TakeCustom(statement);
      case Category::kStream:  // changes no value
        return;
    }
  }

  void TakeRegion(const Statement& statement) {
    if (statement.op != Opcode::kBegin) return in_section_.pop_back();
    const RegionKind kind = RegionKindOf(statement);
    in_section_.push_back(in_section_.back() || kind == RegionKind::kThread);
    // Anomaly mode changes nothing but errors. Thread sections share nothing but .grad, whose sum
    // no order changes by more than rounding.
    if (kind == RegionKind::kNoGrad || kind == RegionKind::kAnomaly ||
        kind == RegionKind::kThread) {
      return;
    }
    if (kind != RegionKind::kSavedTensorHooks) {
      return Refuse("a region of kind=" + std::string(RegionKindName(kind)));
    }
    // Hooks that record change nothing.
    const auto action = statement.Get<std::string>(Key::kDo, "record");
    if (action != "record") Refuse("saved-tensor hooks with do=" + action);
  }

  void TakeComputed(const Statement& statement) {
    ValuePlan& result = plan_.values[statement.results[0]];
    const ValueId first = statement.operands[0];
    if (program::SignatureOf(statement.op).category == Category::kView) {
      result.is_view = true;
      result.owner = plan_.values[first].owner;
      return;
    }
    if (statement.op == Opcode::kDetach) return;
    const program::OpFacts& facts = program::SignatureOf(statement.op).facts;
    for (const ValueId operand : statement.operands) {
      result.undifferentiable |= Owner(operand).undifferentiable;
    }
    result.saves_result = facts.dependence == program::Dependence::kCurved &&
                          (facts.saves & (program::kSavesResult | program::kSavesResultForB)) != 0;
    for (const ValueId operand : statement.operands) {
      result.level = std::max(result.level, LevelOf(operand));
    }
  }

  void TakeCustom(const Statement& statement) {
    const auto action = statement.Get<std::string>(Key::kDo);
    const bool is_linear =
        action == "pass" || action == "warn" || action == "scale" || action == "undefined";
    if (!is_linear && action != "square" && action != "exp") {
      // No harm is done where no call runs it.
      for (const ValueId value : statement.results) plan_.values[value].undifferentiable = true;
      if (statement.results.empty()) Owner(statement.operands[0]).undifferentiable = true;
    }
    if (statement.results.empty()) {
      Owner(statement.operands[0]).written = true;
      return;
    }
    for (size_t k = 0; k < statement.operands.size(); ++k) {
      ValuePlan& result = plan_.values[statement.results[k]];
      result.level = LevelOf(statement.operands[k]);
      result.saves_result = action == "exp";
      for (const ValueId operand : statement.operands) {
        result.undifferentiable |= Owner(operand).undifferentiable;
      }
    }
  }

  void TakeGradient(const Statement& statement) {
    const ValueId of = statement.operands[0];
    if (statement.op == Opcode::kReadGrad) {
      plan_.values[statement.results[0]].level = grad_levels_[of];
    } else if (statement.op == Opcode::kRetainGrad) {
      plan_.values[of].seeded = true;
    }
  }

  void TakeHook(const Statement& statement) {
    if (statement.op == Opcode::kRemoveHook) {
      const auto id = statement.Get<std::string>(Key::kId);
      if (Empties(id) && in_section_.back()) return Refuse(std::string(kBeside));
      const auto at = std::find_if(hooks_.begin(), hooks_.end(),
                                   [&](const Active& hook) { return hook.id == id; });
      if (at == hooks_.end()) return;
      // One that was added after the last call has changed nothing.
      if (called_ && at->refusal != kLate) {
        return Refuse("a hook that changes gradients is removed after a call");
      }
      hooks_.erase(at);
      return;
    }
    const auto action = statement.Get<std::string>(Key::kDo);
    const auto note = [&](double factor, std::string refusal) {
      if (called_) refusal = std::string(kLate);
      hooks_.push_back({statement.Get<std::string>(Key::kId), statement.operands[0], factor,
                        std::move(refusal)});
    };
    if (action == "backward") return note(1, "a hook that runs backward");
    if (action == "zero_grad") {
      if (in_section_.back()) return Refuse(std::string(kBeside));
      return emptying_.push_back(statement.Get<std::string>(Key::kId));
    }
    if (action == "remove") {
      if (!hooks_.empty() || Empties(statement.Get<std::string>(Key::kTarget))) {
        Refuse("a hook that changes gradients may be removed");
      }
      return;
    }
    if (action == "record" || action == "register" || action == "callback" || action == "warn") {
      return;
    }
    if (statement.op != Opcode::kHook || (action != "scale" && action != "undefined")) {
      return note(1, "a hook that is not linear, or on a node");
    }
    note(action == "scale" ? statement.Get<double>(Key::kBy, 1.0) : 0.0, "");
  }

  void TakeCall(const Statement& statement) {
    called_ = true;
    for (const Active& hook : hooks_) {
      if (!hook.refusal.empty()) return Refuse(hook.refusal);
    }
    std::vector<ValueId> sources(statement.operands.begin(), statement.operands.end());
    for (const ValueId seed : statement.Get<std::vector<ValueId>>(Key::kSeeds)) {
      if (seed != kNoValue) sources.push_back(seed);
    }
    int level = 0;
    for (const ValueId source : sources) {
      level = std::max(level, LevelOf(source));
      if (Owner(source).undifferentiable) {
        return Refuse("a custom function whose backward is no derivative");
      }
    }
    plan_.order = std::max(plan_.order, level + 1);
    const auto inputs = statement.Get<std::vector<ValueId>>(Key::kInputs);
    for (const ValueId input : inputs) plan_.values[input].seeded = true;
    if (!statement.Get<bool>(Key::kCreateGraph)) return;
    for (const ValueId result : statement.results) plan_.values[result].level = level + 1;
    if (statement.op == Opcode::kGrad) return;
    for (int& grad_level : grad_levels_) grad_level = std::max(grad_level, level + 1);
  }

  const Program& program_;
  DualPlan plan_;
  std::vector<int> grad_levels_;  // of .grad
  std::vector<Active> hooks_;
  std::vector<std::string> emptying_;       // handles, or "", of hooks that make .grad undefined
  std::vector<bool> in_section_ = {false};  // of each open region
  bool called_ = false;
};

}  // namespace

DualPlan PlanDual(const Program& program) { return Planner(program).Run(); }

}  // namespace twingrad::reference

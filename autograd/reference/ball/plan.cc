#include "autograd/reference/ball/plan.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "autograd/program/parts.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/series.h"

namespace twingrad::reference::ball {

using program::Category;
using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Program;
using program::RegionKind;
using program::Statement;
using program::ValueId;

namespace {

bool IsAmong(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Planner {
 public:
  explicit Planner(const Program& program)
      : program_(program), count_(program.names.size()), base_(count_), kinds_(count_) {
    for (size_t v = 0; v < count_; ++v) base_[v] = static_cast<ValueId>(v);
    plan_.has_variable.resize(count_);
    plan_.loses_grad.resize(count_);
    plan_.scale.resize(count_, 1);
    plan_.node_scale.resize(count_, 1);
    plan_.saves_result.resize(count_);
    plan_.level.resize(count_);
    grad_level_ = 0;
  }

  Plan Run() {
    for (const Statement& statement : program_.statements) Take(statement);
    for (const Hook& hook : hooks_) {
      if (hook.before_a_call) Apply(hook);
    }
    if (plan_.order > kMaxOrder) Refuse(Refusal::kHighOrder);
    for (size_t v = 0; v < count_; ++v) {
      const auto base = static_cast<size_t>(base_[v]);
      plan_.level[v] = std::max(plan_.level[v], plan_.level[base]);
      plan_.saves_result[v] = plan_.saves_result[v] || plan_.saves_result[base];
      const bool asked =
          kinds_[v].asked || kinds_[v].retained || (plain_backward_ && kinds_[v].leaf);
      plan_.has_variable[v] = asked;
    }
    return std::move(plan_);
  }

 private:
  struct Kind {
    bool leaf = false;  // that requires grad
    bool asked = false;
    bool retained = false;
    bool written = false;
    bool alone = false;  // the only result of its statement
  };
  // One that changes gradients.
  struct Hook {
    std::string id;
    ValueId on = kNoValue;
    double factor = 1;
    bool on_node = false;
    bool before_a_call = false;
  };

  void Refuse(Refusal refusal) {
    if (plan_.refusal == Refusal::kNone) plan_.refusal = refusal;
  }
  int& Level(ValueId value) {
    return plan_.level[static_cast<size_t>(base_[static_cast<size_t>(value)])];
  }
  Kind& KindOf(ValueId value) { return kinds_[static_cast<size_t>(value)]; }

  // What passes through the value is scaled, and with its gradient what is asked for there. A node
  // scales what it passes on alone: there is none of its own where the value is a leaf, and more
  // than one value hangs on it where a custom function made several.
  void Apply(const Hook& hook) {
    const auto on = static_cast<size_t>(hook.on);
    const Kind& kind = kinds_[on];
    if (plan_.order > 1 && plan_.saves_result[on]) Refuse(Refusal::kSecondOrderHook);
    if (base_[on] != hook.on || kind.written) Refuse(Refusal::kSharedHook);
    if (!hook.on_node) {
      plan_.scale[on] *= hook.factor;
    } else if (kind.leaf || kind.asked || kind.retained || !kind.alone) {
      Refuse(Refusal::kNodeHook);
    } else {
      plan_.node_scale[on] *= hook.factor;
    }
  }

  void Take(const Statement& statement) {
    for (const ValueId result : statement.results) {
      KindOf(result).alone = statement.results.size() == 1 || program::GivesIndices(statement);
    }
    switch (program::SignatureOf(statement.op).category) {
      case Category::kLeaf:
        KindOf(statement.results[0]).leaf = statement.Get<bool>(Key::kGrad);
        return;
      case Category::kElementwise:
      case Category::kReduction:
      case Category::kMatmul:
      case Category::kRearrange:
      case Category::kScan:
      case Category::kNorm:
      case Category::kLoss:
      case Category::kView:
      case Category::kCopy:
      case Category::kInPlace:
        return TakeComputed(statement);
      case Category::kGradient:
        if (statement.op == Opcode::kReadGrad) Level(statement.results[0]) = grad_level_;
        if (statement.op == Opcode::kRetainGrad) KindOf(statement.operands[0]).retained = true;
        return;
      case Category::kHook:
        return TakeHook(statement);
      case Category::kCall:
        return TakeCall(statement);
      case Category::kCustom:
        return TakeCustom(statement);
      case Category::kRegion:
        if (program::Begins(statement, RegionKind::kSavedTensorHooks) &&
            statement.Get<std::string>(Key::kDo) == "scale") {
          Refuse(Refusal::kSavedTensors);
        }
        return;
      case Category::kStream:
      case Category::kExpect:
        return;
    }
  }

  void TakeComputed(const Statement& statement) {
    const program::Signature& signature = program::SignatureOf(statement.op);
    const bool writes = statement.results.empty();
    const ValueId result = writes ? statement.operands[0] : statement.results[0];
    const auto at = static_cast<size_t>(result);
    if (signature.category == Category::kView) {
      for (const ValueId view : statement.results) {
        base_[static_cast<size_t>(view)] = base_[static_cast<size_t>(statement.operands[0])];
      }
      return;
    }
    if (statement.op == Opcode::kDetach) return;
    if (writes) KindOf(base_[at]).written = true;
    for (const ValueId operand : statement.operands) {
      Level(result) = std::max(Level(result), Level(operand));
    }
    const program::OpFacts& facts = program::SignatureOf(signature.performs).facts;
    constexpr program::Saves kResults = program::kSavesResult | program::kSavesResultForB;
    if (facts.dependence == program::Dependence::kCurved && (facts.saves & kResults) != 0) {
      plan_.saves_result[static_cast<size_t>(base_[at])] = true;
    }
  }

  void TakeCustom(const Statement& statement) {
    const auto action = statement.Get<std::string>(Key::kDo);
    if (action == "backward") nested_ = true;
    const bool writes = statement.results.empty();
    if (writes) KindOf(base_[static_cast<size_t>(statement.operands[0])]).written = true;
    for (size_t k = 0; k < statement.operands.size(); ++k) {
      const ValueId result = writes ? statement.operands[0] : statement.results[k];
      Level(result) = std::max(Level(result), Level(statement.operands[k]));
      if (action == "exp") {
        plan_.saves_result[static_cast<size_t>(base_[static_cast<size_t>(result)])] = true;
      }
    }
  }

  // Hooks that only look change nothing, and where one that throws or returns what does not fit
  // fires, the run ends in an error, which this witness does not judge.
  void TakeHook(const Statement& statement) {
    if (statement.op == Opcode::kRemoveHook) {
      const auto id = statement.Get<std::string>(Key::kId);
      const auto at = std::find_if(hooks_.begin(), hooks_.end(),
                                   [&](const Hook& hook) { return hook.id == id; });
      if (at == hooks_.end()) return;
      if (at->before_a_call) return Refuse(Refusal::kRemovedHook);
      hooks_.erase(at);
      return;
    }
    const auto action = statement.Get<std::string>(Key::kDo);
    if (action == "backward") nested_ = true;
    if (action == "remove") removes_ = true;
    if (action == "zero_grad") plan_.loses_grad[static_cast<size_t>(statement.operands[0])] = true;
    if (!IsAmong(action, {"scale", "undefined"})) return;
    const double factor = action == "scale" ? statement.Get<double>(Key::kBy, 1.0) : 0;
    hooks_.push_back({statement.Get<std::string>(Key::kId), statement.operands[0], factor,
                      statement.op != Opcode::kHook});
    if (called_) late_ = true;
  }

  void TakeCall(const Statement& statement) {
    if (nested_) Refuse(Refusal::kNestedCall);
    if (late_) Refuse(Refusal::kLateHook);
    if (removes_ && !hooks_.empty()) Refuse(Refusal::kRemovedHook);
    called_ = true;
    for (Hook& hook : hooks_) hook.before_a_call = true;
    int level = 0;
    const auto seeds = statement.Get<std::vector<ValueId>>(Key::kSeeds);
    for (const ValueId root : statement.operands) level = std::max(level, Level(root));
    for (const ValueId seed : seeds) {
      if (seed != kNoValue) level = std::max(level, Level(seed));
    }
    plan_.order = std::max(plan_.order, level + 1);
    const bool filtered = statement.Find(Key::kInputs) != nullptr;
    for (const ValueId input : statement.Get<std::vector<ValueId>>(Key::kInputs)) {
      KindOf(input).asked = true;
    }
    plain_backward_ |= !filtered;
    if (!statement.Get<bool>(Key::kCreateGraph)) return;
    for (const ValueId result : statement.results) Level(result) = level + 1;
    if (statement.op == Opcode::kBackward) grad_level_ = std::max(grad_level_, level + 1);
  }

  const Program& program_;
  const size_t count_;
  Plan plan_;
  std::vector<ValueId> base_;  // whose storage a view shows
  std::vector<Kind> kinds_;
  std::vector<Hook> hooks_;
  int grad_level_ = 0;  // of any .grad
  bool plain_backward_ = false, called_ = false;
  bool nested_ = false, removes_ = false, late_ = false;
};

}  // namespace

Plan MakePlan(const Program& program) { return Planner(program).Run(); }

}  // namespace twingrad::reference::ball

#include "autograd/reference/dual_plan.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/parts.h"
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

// Which statements run. An error ends the innermost region that holds errors, or the run; regions
// that it leaves end all the same.
void PlanFates(const Program& program, absl::Span<const int32_t> failed,
               std::vector<StatementPlan>& plans) {
  const auto count = static_cast<int32_t>(program.statements.size());
  plans.resize(program.statements.size());
  std::vector<int32_t> open;
  int32_t until = 0;  // what lies before it is skipped
  size_t kept = 0;    // regions that were open at the error
  for (int32_t s = 0; s < count; ++s) {
    const Statement& statement = program.statements[s];
    const bool is_end = statement.op == Opcode::kEnd;
    const bool runs = s >= until || (is_end && open.size() <= kept);
    if (!runs) plans[s].fate = Fate::kIsSkipped;
    if (is_end) open.pop_back();
    if (statement.op == Opcode::kBegin) open.push_back(s);
    kept = std::min(kept, open.size());
    if (!runs || std::find(failed.begin(), failed.end(), s) == failed.end()) continue;
    plans[s].fate = Fate::kFails;
    until = count;
    kept = open.size();
    for (const int32_t begin : open) {
      const RegionKind kind = RegionKindOf(program.statements[begin]);
      if (kind != RegionKind::kTry && kind != RegionKind::kThread) continue;
      until = program::EndOfRegion(program, begin);
    }
  }
}

class Planner {
 public:
  Planner(const Program& program, absl::Span<const int32_t> failed, absl::Span<const Watch> watches)
      : program_(program) {
    PlanFates(program, failed, plan_.statements);
    plan_.values.resize(program.names.size());
    for (size_t v = 0; v < plan_.values.size(); ++v) {
      plan_.values[v].owner = static_cast<ValueId>(v);
    }
    grad_levels_.resize(program.names.size());
    for (const Watch& watch : watches) {
      if (!watch.of_grad) plan_.values[static_cast<size_t>(watch.value)].seeded = true;
    }
  }

  DualPlan Run() {
    for (size_t s = 0; s < program_.statements.size(); ++s) {
      const Fate fate = plan_.statements[s].fate;
      const Statement& statement = program_.statements[s];
      const Category category = program::SignatureOf(statement.op).category;
      const bool may_act = category == Category::kCall || category == Category::kCustom;
      if (fate == Fate::kRuns || (fate == Fate::kFails && may_act)) Take(s);
    }
    if (plan_.order > 2) plan_.not_applicable = "derivatives of third or higher order";
    PlanDisturbances(program_, plan_);
    PlanOrders(program_, plan_);
    return std::move(plan_);
  }

 private:
  ValuePlan& Owner(ValueId value) { return plan_.values[plan_.values[value].owner]; }
  int LevelOf(ValueId value) { return Owner(value).level; }

  void Take(size_t at) {
    const Statement& statement = program_.statements[at];
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
      case Category::kNorm:
      case Category::kLoss:
      case Category::kCopy:
      case Category::kView:
        return TakeComputed(statement, static_cast<int32_t>(at));
      case Category::kInPlace:
        Owner(statement.operands[0]).written = true;
        if (statement.operands.size() > 1) {
          int& level = Owner(statement.operands[0]).level;
          level = std::max(level, LevelOf(statement.operands[1]));
        }
        return;
      case Category::kGradient:
        return TakeGradient(statement);
      case Category::kCall:
        return TakeCall(statement);
      case Category::kCustom:
        return TakeCustom(statement, static_cast<int32_t>(at));
      case Category::kHook:    // see PlanDisturbances
      case Category::kRegion:  // that too; anomaly mode changes nothing but errors
      case Category::kExpect:
      case Category::kStream:  // changes no value
        return;
    }
  }

  void TakeComputed(const Statement& statement, int32_t at) {
    ValuePlan& result = plan_.values[statement.results[0]];
    const ValueId first = statement.operands[0];
    if (program::SignatureOf(statement.op).category == Category::kView) {
      for (const ValueId view : statement.results) {
        plan_.values[view].is_view = true;
        plan_.values[view].owner = plan_.values[first].owner;
        if (program::HasParts(statement.op)) plan_.values[view].parted = at;
      }
      return;
    }
    if (statement.op == Opcode::kDetach) return;
    const program::OpFacts& facts = program::SignatureOf(statement.op).facts;
    result.saves_result = facts.dependence == program::Dependence::kCurved &&
                          (facts.saves & (program::kSavesResult | program::kSavesResultForB)) != 0;
    for (const ValueId operand : statement.operands) {
      result.level = std::max(result.level, LevelOf(operand));
    }
  }

  void TakeCustom(const Statement& statement, int32_t at) {
    if (statement.results.empty()) {
      Owner(statement.operands[0]).written = true;
      return;
    }
    for (size_t k = 0; k < statement.operands.size(); ++k) {
      ValuePlan& result = plan_.values[statement.results[k]];
      result.level = LevelOf(statement.operands[k]);
      result.saves_result = statement.Get<std::string>(Key::kDo) == "exp";
      result.custom = at;
    }
  }

  void TakeGradient(const Statement& statement) {
    const ValueId of = statement.operands[0];
    if (statement.op == Opcode::kReadGrad) {
      plan_.values[statement.results[0]].level = grad_levels_[of];
    } else if (statement.op == Opcode::kRetainGrad) {
      plan_.values[of].seeded = plan_.values[of].retained = true;
    } else {
      plan_.values[of].grad_order = 0;
    }
  }

  void TakeCall(const Statement& statement) {
    int level = 0;
    for (const ValueId root : statement.operands) level = std::max(level, LevelOf(root));
    for (const ValueId seed : statement.Get<std::vector<ValueId>>(Key::kSeeds)) {
      if (seed != kNoValue) level = std::max(level, LevelOf(seed));
    }
    const int order = level + 1;
    plan_.order = std::max(plan_.order, order);
    const auto inputs = statement.Get<std::vector<ValueId>>(Key::kInputs);
    const bool adds = statement.op != Opcode::kGrad;
    const auto add_to = [order](ValuePlan& value) {
      value.grad_order = std::max(value.grad_order, order);
    };
    for (const ValueId input : inputs) {
      plan_.values[input].seeded = true;
      plan_.values[input].retained |= adds;
      if (adds) add_to(plan_.values[input]);
    }
    for (const ValueId result : statement.results) plan_.values[result].order = order;
    if (adds && inputs.empty()) std::for_each(plan_.values.begin(), plan_.values.end(), add_to);
    if (!statement.Get<bool>(Key::kCreateGraph)) return;
    for (const ValueId result : statement.results) plan_.values[result].level = order;
    for (int& grad_level : grad_levels_) {
      if (adds) grad_level = std::max(grad_level, order);
    }
  }

  const Program& program_;
  DualPlan plan_;
  std::vector<int> grad_levels_;  // of .grad
};

}  // namespace

DualPlan PlanDual(const Program& program, absl::Span<const int32_t> failed,
                  absl::Span<const Watch> watches) {
  return Planner(program, failed, watches).Run();
}

}  // namespace twingrad::reference

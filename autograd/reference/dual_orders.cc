// How many orders of derivatives calls ask of what each statement makes: one of all that leads to a
// root, and one more if what the call makes is itself differentiated.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "autograd/program/signature.h"
#include "autograd/reference/dual_plan.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Program;
using program::Statement;
using program::ValueId;

namespace {

// Goes from the last statement to the first.
class Asking {
 public:
  Asking(const Program& program, DualPlan& plan)
      : program_(program), plan_(plan), asked_(plan.values.size()) {}

  void Run() {
    for (size_t s = program_.statements.size(); s-- > 0;) {
      if (plan_.statements[s].fate != Fate::kIsSkipped) Take(s);
    }
  }

 private:
  int& AskedOf(ValueId value) { return asked_[static_cast<size_t>(plan_.values[value].owner)]; }
  void Ask(ValueId value, int order) { AskedOf(value) = std::max(AskedOf(value), order); }

  void Take(size_t at) {
    const Statement& statement = program_.statements[at];
    StatementPlan& plan = plan_.statements[at];
    const Category category = program::SignatureOf(statement.op).category;
    if (category == Category::kCall) return TakeCall(statement, plan);
    plan.order = 0;
    for (const ValueId result : statement.results) {
      plan.order = std::max(plan.order, AskedOf(result));
    }
    if (statement.op == Opcode::kReadGrad) {
      grads_ = std::max(grads_, plan.order);
      return;
    }
    const bool writes = statement.results.empty() && !statement.operands.empty();
    if (writes) plan.order = AskedOf(statement.operands[0]);
    // What a disturbance reaches is read from all derivatives of what it stands on.
    if (plan.disturbance != Disturbance::kNone) plan.order = plan_.order;
    if (plan.disturbance == Disturbance::kAdds) {
      Ask(statement.Get<std::vector<ValueId>>(Key::kTarget)[0], plan_.order);
    }
    for (const ValueId operand : statement.operands) Ask(operand, plan.order);
  }

  void TakeCall(const Statement& statement, StatementPlan& plan) {
    plan.order = 0;
    if (statement.Get<bool>(Key::kCreateGraph)) {
      plan.order = statement.op == Opcode::kGrad ? 0 : grads_;
      for (const ValueId result : statement.results) {
        plan.order = std::max(plan.order, AskedOf(result));
      }
    }
    // What a failed call may have reached is read so too.
    const int order = plan.fate == Fate::kFails ? plan_.order : plan.order + 1;
    for (const ValueId root : statement.operands) Ask(root, order);
    for (const ValueId seed : statement.Get<std::vector<ValueId>>(Key::kSeeds)) {
      if (seed != kNoValue) Ask(seed, order);
    }
  }

  const Program& program_;
  DualPlan& plan_;
  std::vector<int> asked_;  // by owner
  int grads_ = 0;           // of .grad
};

}  // namespace

void PlanOrders(const Program& program, DualPlan& plan) {
  for (StatementPlan& statement : plan.statements) statement.order = plan.order;
  if (plan.order > 1) Asking(program, plan).Run();
}

}  // namespace twingrad::reference

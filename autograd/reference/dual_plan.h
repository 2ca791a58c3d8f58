// What the dual witness must know of a Program before it runs it: how many orders of derivatives,
// which values need variables of their own, which gradients a hook scales, and whether it can judge
// the Program at all. A pure function.

#pragma once

#include <string>
#include <vector>

#include "autograd/program/program.h"

namespace twingrad::reference {

struct ValuePlan {
  // The value whose tangents this one shows: itself, unless it is a view.
  program::ValueId owner = program::kNoValue;
  bool is_view = false;
  bool seeded = false;   // a leaf that requires grad, or a value whose gradient is asked for
  bool leaf = false;     // that requires grad
  bool written = false;  // in place, itself or a value that shares its tangents
  double scale = 1;      // by linear hooks on its gradient
  // Its own derivative is written with the result (exp): second derivatives with respect to it
  // depend on that form and are not a property of the function.
  bool saves_result = false;
  // A custom function whose backward is no derivative lies between it and what it is computed from.
  bool undifferentiable = false;
  int level = 0;  // how many times its contents are gradients of gradients
};

struct DualPlan {
  std::vector<ValuePlan> values;
  int order = 0;
  std::string not_applicable;  // why the witness cannot judge the Program

  // Whether the value's own variables give its gradient.
  bool HasOwnGradient(program::ValueId value) const {
    const ValuePlan& plan = values[value];
    return plan.leaf || (plan.seeded && !plan.is_view && !values[plan.owner].written);
  }
};

DualPlan PlanDual(const program::Program& program);

}  // namespace twingrad::reference

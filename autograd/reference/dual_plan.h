// What the dual witness must know of a Program before it runs it: which statements run, how many
// orders of derivatives, which values need variables of their own, which gradients a hook scales,
// what disturbs gradients in ways that are not followed, and whether it can judge the Program at
// all. Pure functions.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/dual.h"

namespace twingrad::reference {

enum class Fate : uint8_t { kRuns, kFails, kIsSkipped };

// What a statement does to gradients that the witness does not follow.
enum class Disturbance : uint8_t {
  kNone,
  kChanges,  // a linear map of what passes: zeros stay
  kNan,      // may make NaN of zeros too
  kAdds,     // passes them on, and runs backward from another value
};

// Disturbances by number, modulo 64: where two share a bit, each is taken for both.
using Disturbances = uint64_t;

struct StatementPlan {
  Fate fate = Fate::kRuns;
  Disturbance disturbance = Disturbance::kNone;
  Disturbances bit = 0;
  // Of a product: its saved factors are unpacked times this.
  double scale = 1;
  // Of calls: those between the roots and what these were computed from.
  Disturbances reached = 0;
  // A call that makes a graph whose derivatives are not followed.
  bool obscures = false;
  int order = 0;  // of the derivatives that calls ask of what it makes
};

struct ValuePlan {
  // The value whose tangents this one shows: itself, unless it is a view.
  program::ValueId owner = program::kNoValue;
  bool is_view = false;
  bool seeded = false;    // a leaf that requires grad, or a value whose gradient is asked for
  bool leaf = false;      // that requires grad
  bool written = false;   // in place, itself or a value that shares its tangents
  bool retained = false;  // in .grad, by retain_grad or as an input of backward
  double scale = 1;       // by linear hooks on its gradient
  double node_scale = 1;  // by linear hooks on its node, which its own gradient does not pass
  // Its own derivative is written with the result (exp): second derivatives with respect to it
  // depend on that form and are not a property of the function.
  bool saves_result = false;
  int level = 0;  // how many times its contents are gradients of gradients
  // Of the derivatives that its contents (a result of grad) or its .grad hold.
  int order = 0;
  int grad_order = 0;
  // The statement that made it, if that is a custom function.
  int32_t custom = -1;
  int32_t parted = -1;        // the same, if it is one of the parts of another value
  Disturbances upstream = 0;  // of an owner: between it and what it was computed from
};

struct DualPlan {
  std::vector<ValuePlan> values;
  std::vector<StatementPlan> statements;
  int order = 0;
  std::string not_applicable;  // why the witness cannot judge the Program

  // Whether the value's own variables give its gradient.
  bool HasOwnGradient(program::ValueId value) const {
    const ValuePlan& plan = values[value];
    return plan.leaf || (plan.seeded && !plan.is_view && !values[plan.owner].written);
  }
  const ValuePlan& Owner(program::ValueId value) const { return values[values[value].owner]; }
};

// `failed`: the statements that end in an error.
DualPlan PlanDual(const program::Program& program, absl::Span<const int32_t> failed,
                  absl::Span<const Watch> watches = {});

// The part of PlanDual that follows disturbances; the rest of the plan must be there.
void PlanDisturbances(const program::Program& program, DualPlan& plan);

// Then the orders of its statements.
void PlanOrders(const program::Program& program, DualPlan& plan);

}  // namespace twingrad::reference

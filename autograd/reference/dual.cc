#include "autograd/reference/dual.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/reference/composite.h"
#include "autograd/reference/dual_interpreter.h"
#include "autograd/reference/dual_plan.h"

namespace twingrad::reference {
namespace {

// Runs the Program; why it could not, or an empty text.
std::string Run(const program::Program& program, const DualPlan& plan, Choices& choices,
                absl::Span<const Watch> watches, DualResult& result) {
  try {
    DualInterpreter(program, plan, std::min(plan.order, 2), choices, watches, result).Run();
    return "";
  } catch (const NotApplicable& refusal) {
    return refusal.reason;
  } catch (const TooWide&) {
    return "too many derivatives";
  } catch (const OutOfArena&) {
    return "too large";
  } catch (const UnknownInteger&) {
    return "an integer that rounding decides is an exponent or an index";
  } catch (const IndexOutOfRange&) {
    return "an index out of range";
  } catch (const CountDiffers&) {
    return "a mask with another number of true elements than it says";
  } catch (const TooLong&) {
    return "a product of more than 64 factors, or a matrix of more than 6 rows";
  } catch (const DomainError&) {
    return "an operand outside the domain of its op";
  } catch (const UnknownDomain&) {
    return "rounding decides whether an operand is in the domain of its op";
  }
}

}  // namespace

DualResult RunDualWith(const program::Program& program, Choices& choices,
                       absl::Span<const int32_t> failed, absl::Span<const Watch> watches) {
  DualResult result;
  const DualPlan plan = PlanDual(program, failed, watches);
  result.order_needed = plan.order;
  result.value_orders.reserve(plan.values.size());
  result.grad_orders.reserve(plan.values.size());
  for (const ValuePlan& value : plan.values) {
    result.value_orders.push_back(value.order);
    result.grad_orders.push_back(value.grad_order);
  }
  result.not_applicable = plan.not_applicable;
  if (result.not_applicable.empty()) {
    result.not_applicable = Run(program, plan, choices, watches, result);
    if (result.not_applicable.empty()) result.order_judged = plan.order;
  }
  result.kinks = choices.points();
  return result;
}

DualResult RunDual(const program::Program& program, absl::Span<const int32_t> failed) {
  Choices choices(Choices::Rule::kOwn);
  return RunDualWith(program, choices, failed);
}

std::vector<KinkPoint> KinksOf(const program::Program& program, absl::Span<const int32_t> failed) {
  Choices choices(Choices::Rule::kOwn);
  DualResult result;
  const DualPlan plan = PlanDual(program, failed);
  Run(program, plan, choices, {}, result);
  return choices.points();
}

}  // namespace twingrad::reference

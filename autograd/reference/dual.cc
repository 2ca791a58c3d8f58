#include "autograd/reference/dual.h"

#include "autograd/reference/composite.h"
#include "autograd/reference/dual_interpreter.h"
#include "autograd/reference/dual_plan.h"

namespace twingrad::reference {
namespace {

// Whether the statements before the first call of third order touch a kink. Such a Program is not
// judged, but other engines may differ in it because of their conventions at that point.
bool KinkBelowThirdOrder(program::Program program) {
  while (PlanDual(program).order > 2) program.statements.pop_back();
  return RunDual(program).kink;
}

}  // namespace

DualResult RunDual(const program::Program& program) {
  DualResult result;
  const DualPlan plan = PlanDual(program);
  result.order_needed = plan.order;
  result.not_applicable = plan.not_applicable;
  if (!result.not_applicable.empty()) {
    result.kink = plan.order > 2 && KinkBelowThirdOrder(program);
    return result;
  }
  try {
    DualInterpreter(program, plan, result).Run();
    result.order_judged = plan.order;
  } catch (const NotApplicable& refusal) {
    result.not_applicable = refusal.reason;
  } catch (const TooWide&) {
    result.not_applicable = "too many derivatives";
  } catch (const OutOfArena&) {
    result.not_applicable = "too large";
  } catch (const UnknownInteger&) {
    result.not_applicable = "an integer that rounding decides is an exponent or an index";
  } catch (const IndexOutOfRange&) {
    result.not_applicable = "an index out of range";
  } catch (const TooLong&) {
    result.not_applicable = "a product of more than 64 factors";
  } catch (const DomainError&) {
    result.not_applicable = "an integer power with a negative exponent";
  }
  return result;
}

}  // namespace twingrad::reference

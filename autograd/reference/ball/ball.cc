#include "autograd/reference/ball/ball.h"

#include <flint/flint.h>

#include "autograd/reference/ball/plan.h"
#include "autograd/reference/ball/witness.h"

namespace twingrad::reference::ball {
namespace {

// Terms of series that a run may make: some tenths of a second.
constexpr size_t kBudget = 1'000'000;

// Gives back what the library keeps for a thread: constants, which are soon computed again.
struct Caches {
  Caches() = default;
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;
  ~Caches() { flint_cleanup(); }
};

}  // namespace

BallResult RunBall(const program::Program& program) {
  const Caches caches;
  BallResult result;
  const Plan plan = MakePlan(program);
  result.order = plan.order;
  result.refusal = plan.refusal;
  if (result.refusal != Refusal::kNone) return result;
  try {
    Witness(program, plan, kBudget).Run(&result);
  } catch (const NotApplicable& refusal) {
    result.refusal = refusal.refusal;
  } catch (const TooLarge&) {
    result.refusal = Refusal::kTooLarge;
  }
  if (result.refusal != Refusal::kNone) {
    result.values.clear();
    result.grads.clear();
  }
  return result;
}

}  // namespace twingrad::reference::ball

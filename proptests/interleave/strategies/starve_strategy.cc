// Victims and delays; see starve_strategy.h.
#include "proptests/interleave/strategies/starve_strategy.h"

#include <bit>

#include "absl/strings/str_cat.h"

namespace twingrad::interleave {

namespace {

int ThreadAt(uint64_t runnable, int index) {
  for (int i = 0; i < index; ++i) runnable &= runnable - 1;
  return std::countr_zero(runnable);
}

}  // namespace

void StarveStrategy::Begin(uint64_t seed) {
  random_ = SplitMix(seed);
  others_.Begin(random_.Next());
  left_ = 0;
}

int StarveStrategy::Choose(const Question& question) {
  if (question.kind != DecisionKind::kThread) return others_.Choose(question);
  if (left_ == 0) {
    if (random_.Below(100) >= parameters_.starve_percent) return others_.Choose(question);
    victim_ = ThreadAt(question.runnable, random_.Below(question.alternatives));
    left_ = 1 << random_.Below(kLengths);
  }
  --left_;
  const uint64_t bit = uint64_t{1} << victim_;
  if ((question.runnable & bit) == 0) return others_.Choose(question);
  // Chooses among the others, as if the victim could not continue.
  const int place = std::popcount(question.runnable & (bit - 1));
  if (question.alternatives == 2) return 1 - place;
  Question rest = question;
  rest.runnable &= ~bit;
  --rest.alternatives;
  rest.current = question.current == place ? -1 : question.current - (question.current > place);
  const int chosen = others_.Choose(rest);
  return chosen < place ? chosen : chosen + 1;
}

std::string StarveStrategy::name() const {
  return absl::StrCat("starve:starve=", parameters_.starve_percent,
                      ",switch=", parameters_.switch_percent,
                      ",spurious=", parameters_.spurious_percent);
}

}  // namespace twingrad::interleave

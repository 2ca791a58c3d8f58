#include "proptests/interleave/strategies/starve_strategy.h"

#include "absl/strings/str_cat.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {

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
  if ((question.runnable & Bit(victim_)) == 0) return others_.Choose(question);
  // Chooses among the others, as if the victim could not continue.
  const int place = PlaceOf(question.runnable, victim_);
  if (question.alternatives == 2) return 1 - place;
  Question rest = question;
  rest.runnable &= ~Bit(victim_);
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

#include "proptests/interleave/strategies/pct_strategy.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {

namespace {

// Above all priorities to which a thread can drop, which are above those of threads that yield.
constexpr uint64_t kInitial = uint64_t{1} << 33;
constexpr uint64_t kDropped = uint64_t{1} << 32;
constexpr int kGuessedLength = 100;

PctStrategy::Parameters Ordered(PctStrategy::Parameters parameters) {
  parameters.max_depth = std::max(parameters.max_depth, parameters.min_depth);
  return parameters;
}

}  // namespace

PctStrategy::PctStrategy(Parameters parameters)
    : parameters_(Ordered(parameters)),
      length_(parameters.length > 0 ? parameters.length : kGuessedLength) {}

void PctStrategy::Begin(uint64_t seed) {
  if (parameters_.length == 0) length_ = std::max(length_, asked_);
  random_ = SplitMix(seed);
  asked_ = 0;
  priorities_.clear();
  work_priorities_.clear();
  lowest_ = kDropped;
  const auto depths = static_cast<uint64_t>(parameters_.max_depth - parameters_.min_depth + 1);
  const int depth = parameters_.min_depth + static_cast<int>(seed % depths);
  drops_.clear();
  for (int i = 1; i < depth; ++i) drops_.push_back(1 + random_.Below(length_));
  std::sort(drops_.begin(), drops_.end());
  next_drop_ = 0;
}

// Work beside the threads keeps its priority: what has a low one is late for the whole execution.
int PctStrategy::ChooseWork(const Question& question) {
  int best = 0;
  for (int place = 1; place < question.alternatives; ++place) {
    if (WorkPriority(ThreadAt(question.runnable, place)) >
        WorkPriority(ThreadAt(question.runnable, best))) {
      best = place;
    }
  }
  return best;
}

uint64_t PctStrategy::WorkPriority(int member) {
  const auto index = static_cast<size_t>(member);
  while (work_priorities_.size() <= index) work_priorities_.push_back(random_.Next());
  return work_priorities_[index];
}

int PctStrategy::Choose(const Question& question) {
  if (question.kind == DecisionKind::kStream) return ChooseWork(question);
  if (question.kind != DecisionKind::kThread) {
    return random_.NotAThread(question, parameters_.spurious_percent);
  }
  ++asked_;
  const auto threads = static_cast<size_t>(std::bit_width(question.runnable));
  while (priorities_.size() < threads) priorities_.push_back(kInitial + (random_.Next() >> 32));
  // Who yields waits for another thread, which would never run below it.
  if (question.yields) priorities_[static_cast<size_t>(question.thread)] = --lowest_;
  int best = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    int index = 0;
    size_t thread = 0;
    size_t best_thread = 0;
    for (uint64_t rest = question.runnable; rest != 0; rest >>= 1, ++thread) {
      if ((rest & 1) == 0) continue;
      if (index == 0 || priorities_[thread] > priorities_[best_thread]) {
        best = index;
        best_thread = thread;
      }
      ++index;
    }
    if (next_drop_ == drops_.size() || asked_ < drops_[next_drop_]) break;
    // The thread that would continue drops (later drops go less deep), and the choice is repeated.
    priorities_[best_thread] = kDropped + drops_.size() - next_drop_;
    ++next_drop_;
  }
  return best;
}

std::string PctStrategy::name() const {
  return absl::StrCat("pct:min_depth=", parameters_.min_depth, ",max_depth=", parameters_.max_depth,
                      ",length=", length_, ",spurious=", parameters_.spurious_percent);
}

}  // namespace twingrad::interleave

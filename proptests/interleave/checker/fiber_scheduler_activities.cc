// What goes on beside the threads: a decision each time one of them looks, and an event each time
// it has gone on.
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <unordered_set>
#include <vector>

#include "proptests/interleave/checker/fiber_scheduler.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {

namespace model = sync::model;

namespace {

// The text at an address that lasts: events outlive the execution. There are few such texts, names
// of operations.
const char* Kept(const std::string& text) {
  static auto* const kept = new std::unordered_set<std::string>();
  return kept->insert(text).first->c_str();
}

}  // namespace

int FiberScheduler::ChooseActivity(uint64_t able, int waited_for) {
  const uint64_t choices = able << 1 | (waited_for == model::kNoThread ? Bit(kHost) : 0);
  const int count = CountOf(choices);
  if (count < 2) return waited_for;
  CountStep();  // so that no two decisions are of one step
  const int usual = PlaceOf(choices, waited_for + 1);
  const int chosen = Decide(DecisionKind::kStream, count, usual, SiteHere(), choices);
  return ThreadAt(choices, chosen) - 1;
}

void FiberScheduler::NoteActivity(int activity,
                                  const std::function<model::ActivityStep()>& describe,
                                  std::source_location where) {
  if (!limits_.record_events) return;
  const auto index = static_cast<size_t>(activity);
  if (activities_.size() <= index) activities_.resize(index + 1);
  const model::ActivityStep step = describe();
  activities_[index] = step.activity;
  outcome_.events.push_back({kMaxThreads + activity,
                             {OperationKind::kWork, nullptr, Kept(step.work), where},
                             Event::Phase::kDone,
                             /*switched=*/true});
  switched_ = true;
}

void FiberScheduler::NameActivities() {
  std::vector<ThreadId> numbers;
  for (const std::string& name : activities_) {
    numbers.push_back(static_cast<ThreadId>(outcome_.thread_names.size()));
    if (!name.empty()) outcome_.thread_names.push_back(name);
  }
  for (Event& event : outcome_.events) {
    if (event.thread < kMaxThreads) continue;
    event.thread = numbers[static_cast<size_t>(event.thread - kMaxThreads)];
  }
}

}  // namespace twingrad::interleave

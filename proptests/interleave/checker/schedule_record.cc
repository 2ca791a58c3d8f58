#include "proptests/interleave/checker/schedule_record.h"

#include <algorithm>
#include <cstring>

#include "proptests/interleave/checker/schedule_file.h"

namespace twingrad::interleave {

RecordingStrategy::RecordingStrategy(Strategy& asked, uint64_t program_hash, int device_threads,
                                     ScheduleRecord& record)
    : asked_(asked), record_(record) {
  End();
  record_.program_hash = program_hash;
  record_.device_threads = device_threads;
}

void RecordingStrategy::Begin(uint64_t seed) {
  End();
  asked_.Begin(seed);
  const std::string name = asked_.name();  // that of this schedule
  const size_t size = std::min(name.size(), ScheduleRecord::kMaxName - 1);
  std::memcpy(record_.strategy, name.data(), size);
  record_.strategy[size] = '\0';
  record_.seed = seed;
  record_.decisions.store(0, std::memory_order_relaxed);
  record_.running.store(1, std::memory_order_release);
}

int RecordingStrategy::Choose(const Question& question) {
  const int chosen = asked_.Choose(question);
  const uint32_t index = record_.decisions.load(std::memory_order_relaxed);
  if (index < ScheduleRecord::kMaxDecisions) {
    record_.steps[index] = {question.site, static_cast<uint8_t>(question.kind),
                            static_cast<uint8_t>(chosen),
                            static_cast<uint8_t>(question.alternatives), 0};
  }
  record_.decisions.store(index + 1, std::memory_order_release);
  return chosen;
}

std::string RecordedSchedule(const ScheduleRecord& record, std::string_view detector) {
  const uint32_t count = record.decisions.load(std::memory_order_acquire);
  if (record.running.load(std::memory_order_acquire) != 1 ||
      count > ScheduleRecord::kMaxDecisions) {
    return "";
  }
  ScheduleFile schedule;
  schedule.program_hash = record.program_hash;
  schedule.device_threads = record.device_threads;
  schedule.strategy.assign(record.strategy, strnlen(record.strategy, ScheduleRecord::kMaxName));
  schedule.seed = record.seed;
  schedule.detector = std::string(detector);
  for (uint32_t i = 0; i < count; ++i) {
    const ScheduleRecord::Step& step = record.steps[i];
    // A process that crashed may have overwritten the record.
    if (step.kind >= kDecisionKinds || step.chosen >= step.alternatives) return "";
    schedule.decisions.push_back(
        {static_cast<DecisionKind>(step.kind), step.alternatives, step.chosen, step.site});
  }
  return PrintSchedule(schedule);
}

}  // namespace twingrad::interleave

// The schedule in progress, recorded in memory that outlives the process that runs it.
//
//   RecordingStrategy recording(*strategy, hash, threads, record);  // the worker: in shared memory
//   explorer.Run(recording, seed);                                  // aborts, or does not end
//   std::string text = RecordedSchedule(record, "crash");           // the parent: what replays it
//
// A decision costs a few stores, made before the decision takes effect; starting a schedule costs a
// few more.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

// Part of the flight recorder: plain and atomic words only, initially all zero. One process writes
// it; the parent reads it after that process has died.
struct ScheduleRecord {
  static constexpr size_t kMaxDecisions = size_t{1} << 20;
  static constexpr size_t kMaxName = 128;

  struct Step {
    uint32_t site;
    uint8_t kind;
    uint8_t chosen;
    uint8_t alternatives;
    uint8_t unused;
  };

  std::atomic<uint32_t> running;    // 1: a schedule is in progress
  std::atomic<uint32_t> decisions;  // number taken; only the first kMaxDecisions are kept
  uint64_t program_hash;
  uint64_t seed;
  int32_t device_threads;
  char strategy[kMaxName];
  Step steps[kMaxDecisions];
};

// Forwards each question to another strategy, which must always answer, and records the answer.
class RecordingStrategy final : public Strategy {
 public:
  RecordingStrategy(Strategy& asked, uint64_t program_hash, int device_threads,
                    ScheduleRecord& record);
  ~RecordingStrategy() override { End(); }

  void Begin(uint64_t seed) override;
  int Choose(const Question& question) override;
  std::string name() const override { return asked_.name(); }
  Memory memory() const override { return asked_.memory(); }
  // Call when the schedule has ended and the process has survived it.
  void End() { record_.running.store(0, std::memory_order_release); }

 private:
  Strategy& asked_;
  ScheduleRecord& record_;
};

// The schedule in progress in the format of proptests/interleave/checker/schedule_file.h; empty if
// there was none or it was too long to keep.
std::string RecordedSchedule(const ScheduleRecord& record, std::string_view detector);

}  // namespace twingrad::interleave

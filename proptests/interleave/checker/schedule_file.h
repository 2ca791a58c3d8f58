// A recorded schedule as text: the format of the files in findings and in golden/schedules.
//
//   twingrad-schedule 1
//   program 6c62272e07bb0142      hash of the Program's canonical text
//   threads 3                     device workers of the engine
//   strategy random:switch=10,spurious=2
//   seed 8431
//   detector deadlock             what fired at its end; "none" if it passed
//   decisions 3
//   thread 1/3 9f3a2b11 x2        kind, chosen/alternatives, site (0: any); x2: taken twice
//   spurious 1/2 00c0ffee
//
// The decisions alone determine the execution. A replay (replay_strategy.h) checks every decision
// and says where it diverged. Errors read
// `[interleave] FILE:LINE: what is wrong; what is allowed; what to do`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

// Maximum number of device workers of an engine.
inline constexpr int kMostDeviceThreads = 32;

struct ScheduleFile {
  uint64_t program_hash = 0;
  int device_threads = 1;
  std::string strategy;
  uint64_t seed = 0;
  std::string detector;  // empty: the execution passed
  Trace decisions;       // only kind, alternatives, chosen and site of each are kept
};

std::string PrintSchedule(const ScheduleFile& schedule);
// `origin` names the file in errors.
absl::StatusOr<ScheduleFile> ParseSchedule(std::string_view text,
                                           std::string_view origin = "schedule");

}  // namespace twingrad::interleave

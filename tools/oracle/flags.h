// The flags that several verbs take, and what they mean to the rooms below.

#pragma once

#include <string_view>

#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/strategies/strategies.h"
#include "proptests/subjects/subject.h"
#include "tools/adapters/named_adapters.h"
#include "tools/oracle/arguments.h"

namespace twingrad::oracle {

inline constexpr FlagSpec kFeatures = {"features", "A,B", FlagType::kList, "all",
                                       "features that Programs may hold; -A,-B: all but these"};
inline constexpr FlagSpec kOps = {"ops", "A,B", FlagType::kList, "all",
                                  "ops that Programs may use; -A,-B: all but these"};
inline constexpr FlagSpec kElements = {
    "elements", "N", FlagType::kCount, "24", "elements of a leaf at most; few make few shapes", 64};
inline constexpr FlagSpec kRank = {
    "rank", "N", FlagType::kCount, "4", "dimensions of a leaf at most", 6};
inline constexpr FlagSpec kEngine = {"engine", "ENGINE", FlagType::kPath, "the repository's own",
                                     adapters::kEngineHelp};
inline constexpr FlagSpec kForeignEngine = {"engine", "ENGINE", FlagType::kPath, "none",
                                            kEngine.help};
inline constexpr FlagSpec kTimeout = {"timeout", "TIME", FlagType::kDuration, "10s",
                                      "a Program that runs longer is a hang"};
inline constexpr FlagSpec kMemory = {"memory", "SIZE", FlagType::kSize, "2G",
                                     "a worker that grows beyond is a finding"};

inline constexpr FlagSpec kSeed = {"seed", "N", FlagType::kSeed, "a fresh one, printed",
                                   "makes the run repeatable"};
inline constexpr FlagSpec kTime = {"time", "TIME", FlagType::kDuration, "no limit",
                                   "ends the run after 90, 90s, 5m or 2h"};
inline constexpr FlagSpec kJobs = {"jobs", "N", FlagType::kCount, "all cores", "worker processes",
                                   4096};
inline constexpr FlagSpec kOut = {"out", "DIR", FlagType::kPath, "findings",
                                  "where folders of findings are made"};

inline constexpr FlagSpec kStrategy = {"strategy",
                                       "WORD",
                                       FlagType::kWord,
                                       interleave::kDefaultStrategy,
                                       ", or replay (of --schedule)",
                                       UINT64_MAX,
                                       interleave::StrategyNames};
inline constexpr FlagSpec kSchedules = {"schedules", "N", FlagType::kCount, "1000",
                                        "for each Program"};
inline constexpr FlagSpec kThreads = {"threads",
                                      "N",
                                      FlagType::kCount,
                                      "one for each device",
                                      "device workers of the engine",
                                      interleave::kMostDeviceThreads};
inline constexpr FlagSpec kProgram = {"program", "FILE", FlagType::kPath, "random ones",
                                      "explores this Program"};
inline constexpr FlagSpec kSchedule = {"schedule", "FILE", FlagType::kPath, "none",
                                       "what --strategy=replay follows, with --program"};

// What the flags say of the cases.
subjects::CaseOptions OptionsOf(const Arguments& arguments);

// What --engine, --timeout and --memory say.
subjects::EngineChoice EngineOf(const Arguments& arguments);

}  // namespace twingrad::oracle

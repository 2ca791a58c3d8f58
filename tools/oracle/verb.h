// What every verb of the tool shares: its exit statuses, its flags, and how it gets a Subject.
//
// A verb is a VerbSpec: its page of help, its flags and what it does. oracle.cc lists them.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proptests/generators/options.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/strategies/strategies.h"
#include "proptests/subjects/subject.h"
#include "tools/adapters/named_adapters.h"
#include "tools/oracle/arguments.h"

namespace twingrad::oracle {

// A file a verb; check.cc holds kExplore too, which is the same campaign over schedules.
extern const VerbSpec kCampaignPlan, kCampaignRun, kCampaignWork, kCampaignMerge, kCampaignStatus,
    kCampaignRunLocal;
extern const VerbSpec kCheck, kConform, kDoctor, kExplain, kExplore, kGenerate, kReplay, kRun,
    kWorker;

// Whether the finding in `folder` was found by `explore`.
bool IsOfExplore(const std::string& folder);
// Whether `campaign run` with these arguments runs `explore`.
bool RunsExplore(const Arguments& arguments);

// Exit statuses of the tool.
inline constexpr int kNothingFound = 0;
inline constexpr int kFound = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kCannotStart = 3;
inline constexpr int kUnknown = 4;  // a recorded schedule does not fit the engine

// Flags that several verbs take.
inline constexpr FlagSpec kFeatures = {"features", "A,B", FlagType::kList, "all",
                                       "features that Programs may hold; -A,-B: all but these"};
inline constexpr FlagSpec kOps = {"ops", "A,B", FlagType::kList, "all",
                                  "ops that Programs may use; -A,-B: all but these"};
inline constexpr FlagSpec kWeights = {
    "weights", "WORD", FlagType::kWord, "swarm",
    "of what Programs are made of: swarm (each draws its own) or fixed (the same for all)"};
inline constexpr FlagSpec kElements = {
    "elements", "N", FlagType::kCount, "24", "elements of a leaf at most; few make few shapes", 64};
inline constexpr FlagSpec kRank = {
    "rank", "N", FlagType::kCount, "4", "dimensions of a leaf at most", 6};
inline constexpr FlagSpec kDevice = {
    "device", "WORD", FlagType::kWord, "drawn",
    "where Programs run: cpu; sim:N or cuda:N, mostly on N simulated accelerators or GPUs"};
inline constexpr FlagSpec kStreams = {"streams",
                                      "N",
                                      FlagType::kCount,
                                      "3",
                                      "streams of an accelerator that Programs use",
                                      generators::kMostStreams};
inline constexpr FlagSpec kEngine = {"engine", "ENGINE", FlagType::kPath, "the repository's own",
                                     adapters::kEngineHelp};
inline constexpr FlagSpec kForeignEngine = {"engine", "ENGINE", FlagType::kPath, "none",
                                            kEngine.help};
inline constexpr FlagSpec kTimeout = {"timeout", "TIME", FlagType::kDuration, "10s",
                                      "a Program that runs longer is a hang"};
inline constexpr FlagSpec kMemory = {"memory", "SIZE", FlagType::kSize, "2G",
                                     "a worker that grows beyond is a finding"};

inline constexpr FlagSpec kStrategy = {"strategy",
                                       "WORD",
                                       FlagType::kWord,
                                       interleave::kDefaultStrategy,
                                       ", or replay (of --schedule)",
                                       UINT64_MAX,
                                       interleave::StrategyNames};
inline constexpr FlagSpec kSchedules = {"schedules", "N", FlagType::kCount, "1000",
                                        "for each Program; a large one has fewer"};
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

std::string_view WitnessNames();
inline constexpr FlagSpec kWitness = {"witness",
                                      "WORD",
                                      FlagType::kWord,
                                      "a sample of Programs",
                                      ": judges every Program by ball arithmetic too",
                                      UINT64_MAX,
                                      WitnessNames};

std::string_view ExpectedNames();
inline constexpr FlagSpec kExpected = {"expected",
                                       "WORD",
                                       FlagType::kWord,
                                       "the list of its version in golden/expected",
                                       ": failures of a foreign engine are findings, listed or not",
                                       UINT64_MAX,
                                       ExpectedNames};

inline constexpr FlagSpec kKernels = {"kernels", "WORD", FlagType::kWord, "best",
                                      "of the engine: best (those for this processor), plain (an "
                                      "element at a time) or library (best, "
                                      "and small products and convolutions as large ones)"};

// Says whether the engine has a planted defect, and which (proptests/workers/plant.h).
inline constexpr FlagSpec kPlant = {"plant", "N", FlagType::kSeed, "none",
                                    "a number that may mean a planted defect"};

// What the flags say of the cases.
subjects::CaseOptions OptionsOf(const Arguments& arguments);

// The Subject that --engine, --timeout and --memory ask for, configured unless the verb does that
// itself; not started.
absl::StatusOr<std::unique_ptr<subjects::Subject>> SubjectOf(
    const Arguments& arguments, const subjects::SubjectFactory& make_subject);

// Starts the engine; an error has the kind Unavailable.
absl::Status Start(subjects::Subject& subject);

// Makes the Program in the verb's operand the current case, and starts the engine.
absl::Status StartWithOperand(const Arguments& arguments, subjects::Subject& subject);

// The engine of others that the flags name, started; `instead` is what to do where they name none.
absl::StatusOr<subjects::ForeignEngine*> StartForeign(const Arguments& arguments,
                                                      subjects::Subject& subject,
                                                      std::string_view instead);

// A seed that no run had before, for all practical purposes; print it.
uint64_t FreshSeed();

}  // namespace twingrad::oracle

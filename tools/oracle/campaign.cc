// `oracle campaign plan` and `run-local`.

#include "tools/oracle/campaign.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/targets/target.h"
#include "proptests/workers/files.h"
#include "tools/oracle/fuzz_job.h"
#include "tools/oracle/interrupt.h"
#include "tools/oracle/oracle.h"
#include "tools/oracle/worker.h"

namespace twingrad::oracle {

using campaign::Job;
using campaign::Objection;
using campaign::Plan;
using workers::ResolvePath;

namespace {

constexpr double kLocalSeconds = 120;

// Flags that a job may have: those that say which cases there are and what they may take.
bool IsFlagOfJob(std::string_view flag) {
  if (flag == "program" || flag == "schedule") return false;
  if (flag == "engine" || flag == "timeout" || flag == "memory") return true;
  return std::ranges::find(kCaseFlags, flag) != std::end(kCaseFlags);
}

// Whether shards of this job could be run.
absl::Status CheckJob(const Job& job, const subjects::SubjectFactory& make) {
  if (job.verb == campaign::kFuzz) {
    const absl::StatusOr<campaign::Target> target = TargetOf(job);
    return target.ok() ? campaign::CheckTarget(*target) : target.status();
  }
  absl::StatusOr<Arguments> arguments = ArgumentsOf(job, 0);
  if (!arguments.ok()) return arguments.status();
  return SubjectOf(*arguments, make).status();
}

absl::Status CheckPlan(const Plan& plan, std::string_view origin,
                       const subjects::SubjectFactory& make) {
  for (size_t i = 0; i < plan.jobs.size(); ++i) {
    if (absl::Status status = CheckJob(plan.jobs[i], make); !status.ok()) {
      absl::FPrintF(stderr, "[campaign] job %d of %s cannot be run:\n", i + 1, origin);
      return status;
    }
  }
  const std::vector<uint32_t> jobs = campaign::JobsOfShards(plan);
  const uint64_t places = campaign::PlacesForCanaries(plan, jobs);
  if (places < plan.canaries) {
    return Objection(absl::StrCat(origin, " has ", plan.canaries, " canaries"),
                     absl::StrCat("allowed are ", places, ", one in each shard of `check` on the ",
                                  "repository's engine"),
                     "ask for fewer, or for more such shards");
  }
  return absl::OkStatus();
}

absl::StatusOr<int> MakePlan(const Arguments& arguments, const subjects::SubjectFactory& make) {
  absl::StatusOr<std::string> text = workers::ReadInput(ResolvePath(*arguments.operand));
  if (!text.ok()) return text.status();
  absl::StatusOr<Plan> plan = campaign::ParsePlan(*text, *arguments.operand);
  if (!plan.ok()) return plan.status();
  if (absl::Status status = CheckPlan(*plan, *arguments.operand, make); !status.ok()) return status;
  const std::string folder = ResolvePath(arguments.Path("out").value_or("campaign"));
  if (absl::Status status = campaign::MakeFolder(folder, *plan); !status.ok()) return status;
  absl::PrintF(
      "planned %d shards in %s\nrun them: tools/bazel run //tools/oracle -- campaign work %s\n",
      plan->shards, folder, workers::ShellWord(folder));
  return kNothingFound;
}

absl::StatusOr<int> RunLocal(const Arguments& arguments, const subjects::SubjectFactory& make) {
  const std::string folder = ResolvePath(arguments.Path("out").value_or("campaign"));
  const uint64_t jobs = arguments.Number("jobs").value_or(static_cast<uint64_t>(NumCores()));
  if (!std::filesystem::exists(folder + "/plan.json")) {
    const double seconds =
        std::chrono::duration<double>(arguments.Duration("time").value_or(std::chrono::seconds(0)))
            .count();
    const Plan plan =
        campaign::DefaultPlan(arguments.Number("seed").value_or(FreshSeed()),
                              static_cast<int>(jobs), seconds > 0 ? seconds : kLocalSeconds);
    if (absl::Status status = CheckPlan(plan, "the default plan", make); !status.ok())
      return status;
    if (absl::Status status = campaign::MakeFolder(folder, plan); !status.ok()) return status;
    absl::FPrintF(stderr, "[campaign] seed %d: %d shards in %s\n", plan.seed, plan.shards, folder);
  } else if (arguments.Has("time") || arguments.Has("seed")) {
    return Objection(absl::StrCat(folder, " holds a campaign, which has its own plan"),
                     "allowed are --time and --seed for a new one",
                     "leave them out to go on with it, or name another folder with --out");
  }
  const absl::StatusOr<int> work = WorkOn(folder, jobs);
  if (!work.ok() || *work != kNothingFound) return work;
  return MergeInto(folder, make);
}

constexpr FlagSpec kCampaignOut = {"out", "DIR", FlagType::kPath, "campaign",
                                   "the campaign's folder"};
constexpr FlagSpec kPlanFlags[] = {kCampaignOut};
constexpr FlagSpec kLocalFlags[] = {
    {"time", "TIME", FlagType::kDuration, "2m", "how long all cores work"},
    {"seed", "N", FlagType::kSeed, "a fresh one, printed", "makes the campaign repeatable"},
    {"jobs", "N", FlagType::kCount, "all cores", "shards that run at the same time", 4096},
    kCampaignOut,
};

}  // namespace

std::string FolderOf(const Arguments& arguments) { return ResolvePath(*arguments.operand); }

absl::StatusOr<Arguments> ArgumentsOf(const Job& job, uint64_t seed) {
  const bool is_conformance = job.verb == campaign::kConformance;
  if (job.verb != "check" && job.verb != "explore" && !is_conformance) {
    return Objection(absl::StrCat("a job has the verb `", job.verb, "`"),
                     "allowed are check, explore, conformance and fuzz", "correct the plan");
  }
  if (is_conformance && job.flags.find("engine") == job.flags.end()) {
    return Objection("a job of kind `conformance` names no engine",
                     "needed is the flag `engine`, of an engine of others",
                     "name it, or write `check` for the repository's own");
  }
  std::vector<std::string> words = {is_conformance ? "check" : job.verb,
                                    absl::StrCat("--seed=", seed)};
  for (const auto& [name, value] : job.flags) {
    if (!IsFlagOfJob(name)) {
      return Objection(absl::StrCat("a job has the flag `", name, "`"),
                       absl::StrCat("allowed are engine, timeout, memory, ",
                                    absl::StrJoin(kCaseFlags, ", "), " but not program, schedule"),
                       "the plan itself says how much is run; correct it");
    }
    words.push_back(absl::StrCat("--", name, "=", value));
  }
  return ParseArguments(Verbs(), words);
}

constinit const VerbSpec kCampaignPlan = {
    .name = "campaign plan",
    .operand = "FILE",
    .summary = "makes the folder of a campaign",
    .description = R"(
FILE is a plan (JSON): which jobs with which weights and budgets, how many shards, how many
planted defects. Checks it and writes it to a new folder, from where any number of machines run
its shards. fuzz/campaign/README.md shows plans.
)",
    .flags = kPlanFlags,
    .examples = R"(
campaign plan nightly.json --out=/shared/nightly
)",
    .run_maker = MakePlan,
};

constinit const VerbSpec kCampaignRunLocal = {
    .name = "campaign run-local",
    .summary = "plans, runs and merges a campaign on this machine",
    .description = R"(
Runs `check` and `explore` on all cores for two minutes, with two planted defects, and makes the
page of the campaign. Where the folder holds a campaign that was not finished, goes on with it.
)",
    .flags = kLocalFlags,
    .examples = R"(
campaign run-local
campaign run-local --time=2h --out=/tmp/campaign
)",
    .run_maker = RunLocal,
};

}  // namespace twingrad::oracle

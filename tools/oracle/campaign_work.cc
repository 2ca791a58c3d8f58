// `oracle campaign run` and `oracle campaign work`.

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "autograd/program/print.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/shard_run.h"
#include "fuzz/campaign/targets/fuzz_run.h"
#include "fuzz/campaign/targets/target.h"
#include "nlohmann/json.hpp"
#include "proptests/subjects/number_text.h"
#include "proptests/workers/files.h"
#include "proptests/workers/process.h"
#include "tools/oracle/campaign.h"
#include "tools/oracle/fuzz_job.h"
#include "tools/oracle/interrupt.h"
#include "tools/oracle/oracle.h"
#include "tools/oracle/worker.h"

namespace twingrad::oracle {

using campaign::Job;
using campaign::Objection;
using campaign::Plan;
using campaign::ShardEnd;
using campaign::ShardView;
using workers::TemporaryFolder;

namespace {

constexpr useconds_t kPoll = 500'000;  // microseconds, between two looks at what others do
// A shard at which so many processes died is left to other machines.
constexpr int kMostDeaths = 3;

// Of --shard, or of the array or indexed job that started this process.
absl::StatusOr<uint64_t> ShardNumber(const Arguments& arguments, const Plan& plan) {
  std::optional<uint64_t> number = arguments.Number("shard");
  for (const char* variable : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    const char* value = std::getenv(variable);
    uint64_t read = 0;
    if (!number && value != nullptr && absl::SimpleAtoi(value, &read)) number = read;
  }
  if (number && *number < plan.shards) return *number;
  return Objection(number ? absl::StrCat("there is no shard ", *number) : "no shard is named",
                   absl::StrCat("allowed are 0 to ", plan.shards - 1),
                   "write --shard=N, or start it as a task of an array");
}

std::string OwnerText(const nlohmann::json& owner) {
  if (!owner.is_object()) return "another process";
  return absl::StrCat(owner.value("host", "?"), ", process ", owner.value("pid", 0));
}

// Waits until the shard is free, or its owner is gone; what it then is.
absl::StatusOr<ShardView> Await(const std::string& folder, uint64_t shard, const Plan& plan) {
  campaign::Watch watch(plan.lease);
  bool told = false;
  while (true) {
    auto newest = campaign::NewestEpochs(folder);
    if (!newest.ok()) return newest.status();
    const auto epoch = newest->find(shard);
    if (epoch == newest->end()) return ShardView{};
    absl::StatusOr<ShardView> view = campaign::ViewShard(folder, shard, epoch->second);
    if (!view.ok() || view->state.done || view->state.released) return view;
    if (watch.IsGone(shard, *view) || Interrupted()) return view;
    if (!told) {
      absl::FPrintF(stderr,
                    "[campaign] shard %d belongs to %s; this process takes it when that one shows "
                    "no sign of life for %g s\n",
                    shard, OwnerText(view->owner), plan.lease);
    }
    told = true;
    usleep(kPoll);
  }
}

std::string EndText(ShardEnd end) {
  switch (end) {
    case ShardEnd::kDone:
      return "done";
    case ShardEnd::kReleased:
      return "interrupted; the next to run it goes on from there";
    case ShardEnd::kTaken:
      return "taken over by another worker, which goes on";
  }
  return "";
}

// What RunClaimed says of the claim where the shard is not this process's; nothing: it is.
std::optional<absl::StatusOr<int>> NotClaimed(const absl::StatusOr<campaign::RecordWriter>& writer,
                                              const ShardView& view) {
  if (absl::IsAlreadyExists(writer.status())) {
    absl::FPrintF(stderr, "%s\n", writer.status().message());
    return kNothingFound;
  }
  if (!writer.ok()) return writer.status();
  if (!view.complaint.empty()) absl::FPrintF(stderr, "%s", view.complaint);
  return std::nullopt;
}

absl::StatusOr<int> RunTarget(const std::string& folder, const Plan& plan, uint64_t shard,
                              const ShardView& view) {
  const Job& job = plan.jobs[campaign::JobsOfShards(plan)[shard]];
  absl::StatusOr<campaign::Target> target = TargetOf(job);
  if (!target.ok()) return target.status();
  if (absl::Status status = campaign::CheckTarget(*target); !status.ok()) return status;
  const campaign::FuzzTask task = {.folder = folder,
                                   .shard = shard,
                                   .job = job,
                                   .target = *std::move(target),
                                   .seed = campaign::SeedOfShard(plan, shard),
                                   .stop = Interrupted,
                                   .interval = plan.checkpoint};
  auto writer = campaign::Claim(folder, plan, shard, view);
  if (const auto end = NotClaimed(writer, view)) return *end;
  const absl::StatusOr<ShardEnd> end = campaign::RunFuzzShard(task, view, *std::move(writer));
  if (!end.ok()) return end.status();
  absl::PrintF("shard %d, epoch %d: %s\n", shard, view.epoch + 1, EndText(*end));
  return kNothingFound;
}

absl::StatusOr<int> RunClaimed(const std::string& folder, const Plan& plan, uint64_t shard,
                               const ShardView& view, const subjects::SubjectFactory& make) {
  const Job& job = plan.jobs[campaign::JobsOfShards(plan)[shard]];
  if (job.verb == campaign::kFuzz) return RunTarget(folder, plan, shard, view);
  absl::StatusOr<Arguments> arguments = ArgumentsOf(job, campaign::SeedOfShard(plan, shard));
  if (!arguments.ok()) return arguments.status();
  auto subject = SubjectOf(*arguments, make);
  if (!subject.ok()) return subject.status();
  absl::StatusOr<TemporaryFolder> temporary = TemporaryFolder::Make("oracle");
  if (!temporary.ok()) return temporary.status();
  campaign::ShardTask task = {.folder = folder,
                              .shard = shard,
                              .job = job,
                              .worker = MakeWorkerCommand(*arguments, temporary->path(), **subject),
                              .source = (*subject)->source(),
                              .origin = {},
                              .stop = Interrupted,
                              .interval = plan.checkpoint};
  const uint64_t plant = campaign::PlantsOfShards(plan)[shard];
  task.worker.flags.push_back(absl::StrCat("--plant=", plant));
  task.origin = OriginOf(*arguments, task.worker);
  task.origin.settings["plant"] = plant;
  auto writer = campaign::Claim(folder, plan, shard, view);
  if (const auto end = NotClaimed(writer, view)) return *end;
  const absl::StatusOr<ShardEnd> end = campaign::RunShard(task, view, *std::move(writer));
  if (!end.ok()) return end.status();
  absl::PrintF("shard %d, epoch %d: %s\nits Programs: %s --seed=%d%s\n", shard, view.epoch + 1,
               EndText(*end), task.origin.verb, task.origin.seed, task.origin.flags);
  return kNothingFound;
}

absl::StatusOr<int> Run(const Arguments& arguments, const subjects::SubjectFactory& make) {
  const std::string folder = FolderOf(arguments);
  absl::StatusOr<Plan> plan = campaign::ReadPlan(folder);
  if (!plan.ok()) return plan.status();
  absl::StatusOr<uint64_t> shard = ShardNumber(arguments, *plan);
  if (!shard.ok()) return shard.status();
  InstallInterrupt();
  absl::StatusOr<ShardView> view;
  if (arguments.Has("epoch")) {
    // Of one who has seen it free; where that no longer holds, the claim fails.
    const uint64_t epoch = *arguments.Number("epoch");
    view = campaign::ViewShard(folder, *shard, epoch);
  } else {
    view = Await(folder, *shard, *plan);
  }
  if (!view.ok()) return view.status();
  if (view->state.done) {
    absl::PrintF("shard %d is done: %s programs\n", *shard,
                 subjects::WithSeparators(view->state.programs));
    return kNothingFound;
  }
  if (Interrupted()) return kNothingFound;
  return RunClaimed(folder, *plan, *shard, *view, make);
}

// Starts the tool again; the child is told to end when this process does.
pid_t StartTool(std::vector<std::string> words) {
  words.insert(words.begin(), workers::ThisExecutable());
  const std::vector<char*> argv = workers::Pointers(words);
  const pid_t parent = getpid();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kWrongUsage);
  execv(argv[0], argv.data());
  std::fprintf(
      stderr,
      "[campaign] cannot run %s again (%s); needed is the tool where it was when this began; "
      "start `campaign work` again\n",
      argv[0], std::strerror(errno));
  _exit(kWrongUsage);
}

// The status of the child, as waitpid has it; signals to this process are handed on.
int AwaitTool(pid_t child) {
  int status = 0;
  bool told = false;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Interrupted() && !told) kill(child, SIGTERM);
    told = Interrupted();
    usleep(2000);
  }
  return status;
}

// Takes shards one after the other.
class Taker {
 public:
  Taker(std::string folder, Plan plan)
      : folder_(std::move(folder)),
        plan_(std::move(plan)),
        jobs_(campaign::JobsOfShards(plan_)),
        watch_(plan_.lease) {}

  absl::StatusOr<int> TakeAll();

 private:
  struct Choice {
    uint64_t shard;
    uint64_t epoch;
  };
  // What can be taken now, in this process's own order; others begin elsewhere.
  absl::StatusOr<std::vector<Choice>> Choices();
  absl::StatusOr<bool> IsFree(uint64_t shard, uint64_t epoch);
  absl::StatusOr<int> Take(const Choice& choice);

  std::string folder_;
  Plan plan_;
  std::vector<uint32_t> jobs_;
  campaign::Watch watch_;
  std::set<uint64_t> done_;
  std::map<uint64_t, int> deaths_;  // of processes, by shard
};

absl::StatusOr<bool> Taker::IsFree(uint64_t shard, uint64_t epoch) {
  absl::StatusOr<ShardView> view = campaign::ViewShard(folder_, shard, epoch);
  if (!view.ok()) return view.status();
  if (view->state.done) {
    done_.insert(shard);
    return false;
  }
  return view->state.released || watch_.IsGone(shard, *view);
}

absl::StatusOr<std::vector<Taker::Choice>> Taker::Choices() {
  absl::StatusOr<std::map<uint64_t, uint64_t>> newest = campaign::NewestEpochs(folder_);
  if (!newest.ok()) return newest.status();
  const uint64_t first = program::Fnv1a(absl::StrCat(getpid(), "@", gethostid())) % plan_.shards;
  std::vector<Choice> fresh;
  std::vector<Choice> begun;
  for (uint64_t i = 0; i < plan_.shards; ++i) {
    const uint64_t shard = (first + i) % plan_.shards;
    const auto epoch = newest->find(shard);
    if (epoch == newest->end()) {
      fresh.push_back({shard, 0});
    } else if (!done_.contains(shard) && deaths_[shard] < kMostDeaths) {
      begun.push_back({shard, epoch->second});
    }
  }
  // What nobody has begun comes first: looking at the others costs more.
  if (!fresh.empty()) return fresh;
  std::vector<Choice> free;
  for (const Choice& choice : begun) {
    const absl::StatusOr<bool> is_free = IsFree(choice.shard, choice.epoch);
    if (!is_free.ok()) return is_free.status();
    if (*is_free) free.push_back(choice);
  }
  return free;
}

absl::StatusOr<int> Taker::Take(const Choice& choice) {
  // Since this process has looked, another has begun it.
  if (campaign::IsStale(folder_, choice.shard, choice.epoch)) return kNothingFound;
  const Job& job = plan_.jobs[jobs_[choice.shard]];
  if (job.programs == 0 && choice.epoch == 0) {
    // Nothing to judge: no process is needed for it.
    auto writer = campaign::Claim(folder_, plan_, choice.shard, {});
    if (absl::IsAlreadyExists(writer.status())) return kNothingFound;
    if (!writer.ok()) return writer.status();
    const std::string line = campaign::RecordLine(campaign::EndRecord(/*done=*/true));
    const absl::Status ended = writer->Append(line, /*sync=*/false);
    if (!ended.ok()) return ended;
    done_.insert(choice.shard);
    return kNothingFound;
  }
  const int status =
      AwaitTool(StartTool({"campaign", "run", folder_, absl::StrCat("--shard=", choice.shard),
                           absl::StrCat("--epoch=", choice.epoch)}));
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  ++deaths_[choice.shard];
  absl::FPrintF(stderr, "[campaign] the process of shard %d ended by %s; the shard is run again\n",
                choice.shard, workers::EndText(status));
  return kNothingFound;
}

absl::StatusOr<int> Taker::TakeAll() {
  while (!Interrupted()) {
    absl::StatusOr<std::vector<Choice>> choices = Choices();
    if (!choices.ok()) return choices.status();
    for (const Choice& choice : *choices) {
      if (Interrupted()) break;
      const absl::StatusOr<int> code = Take(choice);
      if (!code.ok() || *code != kNothingFound) return code;
    }
    if (!choices->empty()) continue;
    if (done_.size() == plan_.shards) return kNothingFound;
    for (const auto& [shard, deaths] : deaths_) {
      if (deaths < kMostDeaths || done_.contains(shard)) continue;
      return Objection(
          absl::StrCat("processes of shard ", shard, " were killed ", deaths, " times"),
          "needed is a machine that lets them live",
          "see what kills them (memory, limits), and start `campaign work` again");
    }
    usleep(kPoll);  // others are at work
  }
  return kNothingFound;
}

absl::StatusOr<int> Work(const Arguments& arguments, const subjects::SubjectFactory& /*make*/) {
  return WorkOn(FolderOf(arguments),
                arguments.Number("jobs").value_or(static_cast<uint64_t>(NumCores())));
}

constexpr FlagSpec kRunFlags[] = {
    {"shard", "N", FlagType::kSeed, "$SLURM_ARRAY_TASK_ID or $JOB_COMPLETION_INDEX",
     "which shard, from 0 on"},
    {"epoch", "N", FlagType::kSeed, "none",
     "does not wait: takes the shard if this is still its epoch, and else leaves it alone"},
};

constexpr FlagSpec kWorkFlags[] = {
    {"jobs", "N", FlagType::kCount, "all cores", "shards that run at the same time", 4096},
};

}  // namespace

bool RunsExplore(const Arguments& arguments) {
  const absl::StatusOr<Plan> plan = campaign::ReadPlan(FolderOf(arguments));
  if (!plan.ok()) return false;
  const absl::StatusOr<uint64_t> shard = ShardNumber(arguments, *plan);
  return shard.ok() && plan->jobs[campaign::JobsOfShards(*plan)[*shard]].verb == "explore";
}

absl::StatusOr<int> WorkOn(const std::string& folder, uint64_t jobs) {
  absl::StatusOr<Plan> plan = campaign::ReadPlan(folder);
  if (!plan.ok()) return plan.status();
  InstallInterrupt();
  if (jobs == 1) return Taker(folder, *std::move(plan)).TakeAll();
  std::vector<pid_t> children;
  for (uint64_t i = 0; i < jobs; ++i) {
    children.push_back(StartTool({"campaign", "work", folder, "--jobs=1"}));
  }
  int code = kNothingFound;
  for (const pid_t child : children) {
    const int status = AwaitTool(child);
    // What one says is enough; the others say the same, or find all done.
    if (code == kNothingFound) code = WIFEXITED(status) ? WEXITSTATUS(status) : kWrongUsage;
  }
  return code;
}

constinit const VerbSpec kCampaignRun = {
    .name = "campaign run",
    .operand = "DIR",
    .summary = "runs one shard of a campaign, or goes on with it",
    .description = R"(
Runs a shard of the campaign in DIR, from where it was left. It may be killed at any moment:
what its last checkpoint holds counts (one every two seconds, unless the plan says otherwise),
and the next to run it goes on from there.
A signal (Ctrl-C, SIGTERM, SIGUSR1) ends it in order. A shard that another process has is waited
for, and taken when its owner shows no sign of life. Findings are no failure: the exit status is
0 unless something prevents the shard from running.
)",
    .flags = kRunFlags,
    .examples = R"(
campaign run /shared/nightly --shard=12
)",
    .run_maker = Run,
};

constinit const VerbSpec kCampaignWork = {
    .name = "campaign work",
    .operand = "DIR",
    .summary = "takes shards of a campaign until none is left",
    .description = R"(
Takes one shard of the campaign in DIR after the other, on as many machines as share the folder,
and ends when all are done. Those whose owner shows no sign of life are taken over.
)",
    .flags = kWorkFlags,
    .examples = R"(
campaign work /shared/nightly
campaign work /shared/nightly --jobs=4
)",
    .run_maker = Work,
};

}  // namespace twingrad::oracle

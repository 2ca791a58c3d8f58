// `oracle check` and `oracle explore`.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "proptests/findings/finding.h"
#include "proptests/findings/shrink_failure.h"
#include "proptests/findings/stride.h"
#include "proptests/subjects/number_text.h"
#include "proptests/workers/campaign.h"
#include "proptests/workers/files.h"
#include "tools/oracle/found.h"
#include "tools/oracle/interrupt.h"
#include "tools/oracle/progress.h"
#include "tools/oracle/verb.h"
#include "tools/oracle/worker.h"

namespace twingrad::oracle {

using subjects::Subject;
using subjects::WithSeparators;
using workers::AppendFile;
using workers::Campaign;
using workers::Failure;
using workers::ResolvePath;
using workers::TemporaryFolder;
using workers::WorkerCommand;

namespace {

using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr uint64_t kDefaultPrograms = 2000;
constexpr uint64_t kDefaultExplored = 100;
constexpr std::chrono::milliseconds kPumpWait(50);

// The state of one run of `check`.
class CheckRun {
 public:
  CheckRun(const Arguments& arguments, Subject& subject, WorkerCommand command)
      : source_(subject.source()),
        reporter_(subject.reporter()),
        command_(std::move(command)),
        origin_(OriginOf(arguments, command_)),
        jobs_(static_cast<int>(arguments.Number("jobs").value_or(NumCores()))),
        time_(arguments.Duration("time")),
        report_(arguments.Path("report").value_or("")),
        enough_(arguments.Number("findings").value_or(UINT64_MAX)),
        prober_(command_, [this] { Pump(std::chrono::milliseconds(0)); }),
        progress_(STDERR_FILENO),
        found_(ResolvePath(arguments.Path("out").value_or("findings"))) {
    if (const std::optional<uint64_t> programs = arguments.Number("programs")) {
      total_ = programs;
    } else if (!time_) {
      total_ = arguments.Has("program")    ? 1
               : origin_.verb == "explore" ? kDefaultExplored
                                           : kDefaultPrograms;
    }
  }

  absl::StatusOr<int> Run();

 private:
  bool Pump(std::chrono::milliseconds wait);
  absl::Status HandleFailures();
  absl::Status HandleFailure(Failure failure);
  void PrintSummary() const;
  absl::Status AppendReport();
  Seconds Elapsed() const { return steady_clock::now() - begin_; }
  bool Enough() const { return found_.size() >= enough_; }
  // Nothing has ended the run before its last Program.
  bool Complete() const {
    return total_ && !Interrupted() && !Enough() && campaign_->status().ok() && !TimeIsUp();
  }
  bool TimeIsUp() const { return time_ && Elapsed() >= Seconds(*time_); }

  workers::CaseSource& source_;
  const subjects::Reporter& reporter_;
  WorkerCommand command_;
  findings::Origin origin_;  // of what it finds
  int jobs_;
  std::optional<uint64_t> total_;
  std::optional<std::chrono::nanoseconds> time_;
  std::string report_;
  uint64_t enough_;  // findings
  workers::Prober prober_;
  Progress progress_;
  std::unique_ptr<Campaign> campaign_;
  steady_clock::time_point begin_;
  std::optional<Seconds> judged_for_;  // until the last worker ended
  bool shrinking_ = false;
  std::vector<Failure> waiting_;
  Found found_;
  uint64_t minimized_ = 0;
  findings::Stride stride_;
};

bool CheckRun::Pump(std::chrono::milliseconds wait) {
  const bool alive = campaign_->Pump(wait);
  if (!alive && !judged_for_) judged_for_ = Elapsed();
  if (Interrupted() || TimeIsUp() || Enough()) campaign_->Stop();
  ProgressState state;
  state.elapsed = Elapsed();
  state.programs = campaign_->programs();
  state.total = total_;
  if (time_) state.time = Seconds(*time_);
  state.failed = campaign_->failed();
  if (shrinking_) state.activity = "shrinking";
  progress_.Update(state);
  return alive;
}

absl::Status CheckRun::HandleFailure(Failure failure) {
  if (!stride_.Takes(findings::LooksOf(failure.result.oracle, failure.result.text)))
    return absl::OkStatus();
  ++minimized_;
  shrinking_ = true;
  findings::ShrinkBudget budget;
  budget.interrupted = [] { return Interrupted(); };
  absl::StatusOr<findings::Finding> finding =
      findings::ShrinkFailure(std::move(failure), source_, prober_, command_.limits, budget);
  shrinking_ = false;
  if (!finding.ok()) return finding.status();
  finding->origin = origin_;
  const uint64_t kinds = found_.size();
  const std::string complaints = found_.Add(*std::move(finding), prober_);
  stride_.Minimized(/*news=*/found_.size() > kinds);
  progress_.Clear();
  absl::FPrintF(stderr, "%s", complaints);
  return absl::OkStatus();
}

absl::Status CheckRun::HandleFailures() {
  // Failures that come in while one is being shrunk wait here.
  while (true) {
    for (Failure& failure : campaign_->TakeFailures()) waiting_.push_back(std::move(failure));
    if (waiting_.empty() || Enough()) return absl::OkStatus();
    Failure next = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    if (absl::Status status = HandleFailure(std::move(next)); !status.ok()) return status;
  }
}

void CheckRun::PrintSummary() const {
  const double seconds = std::max(1e-9, judged_for_.value_or(Elapsed()).count());
  const uint64_t programs = campaign_->programs();
  const double rate = static_cast<double>(programs) / seconds;
  if (!origin_.seeded) {
    absl::PrintF("replay        %s\n", origin_.flags);
  } else {
    absl::PrintF("seed           %d%s\n", origin_.seed, origin_.flags);
  }
  if (Interrupted()) absl::PrintF("ended          early, by a signal\n");
  absl::PrintF("programs       %s in %.1f s with %d jobs: %s a second, %s a second a core\n",
               WithSeparators(programs), seconds, jobs_,
               WithSeparators(static_cast<uint64_t>(rate)),
               WithSeparators(static_cast<uint64_t>(rate / std::min(jobs_, NumCores()))));
  absl::PrintF("%s", reporter_.Summarise(campaign_->counters(), campaign_->notes()));
  if (campaign_->restarts() > 0) {
    absl::PrintF("workers        %d killed from outside; their programs were run again\n",
                 campaign_->restarts());
  }
  found_.Print(campaign_->failed(), minimized_, reporter_.Diverged(campaign_->counters()) > 0);
  std::fflush(stdout);
}

// One line of JSON for the run, and one for each finding.
absl::Status CheckRun::AppendReport() {
  if (report_.empty()) return absl::OkStatus();
  nlohmann::json run = {{"type", "run"},
                        {"engine", origin_.engine},
                        {"seed", origin_.seed},
                        {"flags", origin_.flags},
                        {"programs", campaign_->programs()},
                        {"failed", campaign_->failed()},
                        {"seconds", judged_for_.value_or(Elapsed()).count()},
                        {"each_once", Complete() && campaign_->Whole()}};
  if (command_.judges_in_child) {
    if (absl::StatusOr<nlohmann::json> description = prober_.Describe(); description.ok()) {
      run.update(*description);
    }
  }
  run.update(nlohmann::json::parse(reporter_.Report(campaign_->counters())));
  return AppendFile(ResolvePath(report_), run.dump() + "\n" + found_.Report());
}

absl::StatusOr<int> CheckRun::Run() {
  // What cannot be written must be known before hours are spent.
  if (absl::Status status = workers::CheckFolderFor(found_.out()); !status.ok()) return status;
  if (!report_.empty()) {
    if (absl::Status status = AppendFile(ResolvePath(report_), ""); !status.ok()) return status;
  }
  InstallInterrupt();
  const std::string engine =
      origin_.engine.empty() ? "" : absl::StrCat(" --engine=", workers::ShellWord(origin_.engine));
  if (!origin_.seeded) {
    absl::FPrintF(stderr, "[oracle] %s%s repeats this run\n", origin_.verb, origin_.flags);
  } else {
    absl::FPrintF(stderr, "[oracle] seed %d: %s --seed=%d%s%s repeats this run\n", origin_.seed,
                  origin_.verb, origin_.seed, origin_.flags, engine);
  }
  begin_ = steady_clock::now();
  workers::CampaignOptions options;
  options.seed = origin_.seed;
  options.programs = total_.value_or(UINT64_MAX / 2);
  options.jobs = jobs_;
  options.worker = command_;
  absl::StatusOr<std::unique_ptr<Campaign>> campaign = Campaign::Create(std::move(options));
  if (!campaign.ok()) return campaign.status();
  campaign_ = *std::move(campaign);
  absl::Status run;
  while (run.ok() && Pump(kPumpWait)) run = HandleFailures();
  run.Update(campaign_->status());
  if (run.ok()) run = HandleFailures();
  progress_.Clear();
  // Folders that were written are named, however the run ends.
  if (run.ok() || found_.size() > 0) PrintSummary();
  if (!run.ok()) return run;
  if (absl::Status status = AppendReport(); !status.ok()) return status;
  std::string objection = reporter_.Objection(campaign_->counters(), campaign_->notes());
  if (Complete() && !campaign_->Whole()) {
    objection +=
        "[oracle] Programs were lost or judged twice; allowed is each once; this is a defect of "
        "this tool\n";
  }
  absl::FPrintF(stderr, "%s", objection);
  if (found_.size() > 0 || !objection.empty()) return kFound;
  return reporter_.Diverged(campaign_->counters()) > 0 ? kUnknown : kNothingFound;
}

// Both verbs: runs a campaign, minimizes what fails, writes it down and prints the summary.
absl::StatusOr<int> Check(const Arguments& arguments, Subject& subject) {
  absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make("oracle");
  if (!folder.ok()) return folder.status();
  return CheckRun(arguments, subject, MakeWorkerCommand(arguments, folder->path(), subject)).Run();
}

constexpr FlagSpec kSeed = {"seed", "N", FlagType::kSeed, "a fresh one, printed",
                            "makes the run repeatable"};
constexpr FlagSpec kTime = {"time", "TIME", FlagType::kDuration, "no limit",
                            "ends the run after 90, 90s, 5m or 2h"};
constexpr FlagSpec kJobs = {"jobs", "N", FlagType::kCount, "all cores", "worker processes", 4096};
constexpr FlagSpec kOut = {"out", "DIR", FlagType::kPath, "findings",
                           "where folders of findings are made"};

constexpr FlagSpec kFindings = {"findings", "N", FlagType::kCount, "no limit",
                                "ends the run after so many findings"};

constexpr FlagSpec kCheckFlags[] = {
    kEngine,
    {"programs", "N", FlagType::kCount, "2000, or no limit with --time", "Programs to judge"},
    kSeed,
    kFeatures,
    kOps,
    kWeights,
    kDevice,
    kStreams,
    kTime,
    kJobs,
    kFindings,
    kElements,
    kRank,
    kWitness,
    kExpected,
    kKernels,
    kTimeout,
    kMemory,
    kOut,
    {"report", "FILE", FlagType::kPath, "none",
     "JSON lines, appended; see proptests/findings/report.py"},
};

constexpr FlagSpec kExploreFlags[] = {
    {"programs", "N", FlagType::kCount, "100, or no limit with --time, or 1 with --program",
     "Programs to explore"},
    kSchedules,
    kStrategy,
    kSeed,
    kThreads,
    kProgram,
    kSchedule,
    kFeatures,
    kOps,
    kWeights,
    kDevice,
    kStreams,
    kTime,
    kJobs,
    kFindings,
    {"timeout", "TIME", FlagType::kDuration, "10s and 2 ms a schedule",
     "a Program whose schedules run longer is a hang"},
    kMemory,
    kOut,
};

}  // namespace

constinit const VerbSpec kCheck = {
    .name = "check",
    .summary = "compares the engine with its twin on random Programs",
    .description = R"(
Runs random Programs through the engine and its witnesses, in worker processes, and compares
all that they show. A Program on which they differ, or that crashes, hangs or takes too much
memory, is a finding: it is minimized and written to a folder with a picture, and the run goes
on. The summary at the end says what was compared. Ctrl-C ends the run with its summary.
Failures of a foreign engine that golden/expected lists are no findings; above 2,000 Programs
the run fails if they explain more than 2 %.
)",
    .flags = kCheckFlags,
    .examples = R"(
check
check --programs=100000 --jobs=3
check --time=2h --out=/tmp/findings
check --engine=libtorch
check --engine=libtorch --expected=none --findings=20
check --engine='exec:python3 my_adapter.py'
check --seed=7 --ops=mul,sum --features=view
check --programs=1000 --witness=ball
)",
    .run = Check,
};

constinit const VerbSpec kExplore = {
    .name = "explore",
    .summary = "runs the engine under schedules that decide every interleaving",
    .description = R"(
Runs each Program many times on the engine, compiled so that a scheduler decides which thread
goes on at every lock, wait, notify and atomic access, and when queued work of accelerators'
streams runs. A schedule that ends in a deadlock or a data race, or in another bit than a single
thread computes, is a finding: Program and schedule are minimized and written to a folder with a
picture, and the run goes on. The summary at the end says what was explored. Ctrl-C ends the run
with its summary.
)",
    .flags = kExploreFlags,
    .examples = R"(
explore --programs=100 --schedules=1000
explore --time=5m --jobs=2 --strategy=pct
explore --program=program.txt --schedules=100000
explore --program=program.txt --strategy=replay --schedule=schedule.txt
)",
    .run = Check,
};

}  // namespace twingrad::oracle

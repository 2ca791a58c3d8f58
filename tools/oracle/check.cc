#include "tools/oracle/check.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include <sched.h>
#include <sys/random.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "proptests/findings/finding.h"
#include "proptests/interleave/strategies/strategies.h"
#include "proptests/workers/campaign.h"
#include "proptests/workers/files.h"
#include "proptests/workers/progress.h"

namespace twingrad::oracle {
namespace {

using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr uint64_t kDefaultPrograms = 2000;
constexpr uint64_t kDefaultExplored = 100;
constexpr std::chrono::milliseconds kTimeOfASchedule(2);
// What decides which cases there are; a worker is given these.
constexpr std::string_view kCaseFlags[] = {"features",  "ops",      "strategy",
                                           "schedules", "threads",  "program",
                                           "schedule",  "elements", "rank"};
constexpr std::string_view kLimitFlags[] = {"timeout", "memory"};
// Further failures are counted, not shrunk: one defect can make a third of all Programs fail.
constexpr uint64_t kMaxShrunk = 32;
constexpr size_t kMaxShown = 8;
constexpr std::chrono::milliseconds kPumpWait(50);

volatile std::sig_atomic_t interrupted = 0;

// The first signal ends the run in order, a second one at once (the workers die with their parent).
void InstallInterrupt() {
  interrupted = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A terminal that closes ends the run too, unless nohup has said otherwise.
  if (std::signal(SIGHUP, SIG_IGN) != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int NumCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

struct Written {
  Finding finding;
  std::string folder;
  uint64_t more = 0;  // further failures with the same key
};

// The state of one run of `check`.
class Check {
 public:
  Check(const Arguments& arguments, Subject& subject, WorkerCommand command)
      : subject_(subject),
        command_(std::move(command)),
        verb_(arguments.verb->name),
        flags_(arguments.Text(kCaseFlags)),
        limit_flags_(arguments.Text(kLimitFlags)),
        explore_(OptionsOf(arguments).explore),
        engine_(arguments.Path("engine").value_or("")),
        seed_(arguments.Number("seed").value_or(FreshSeed())),
        jobs_(static_cast<int>(arguments.Number("jobs").value_or(NumCores()))),
        time_(arguments.Duration("time")),
        out_(ResolvePath(arguments.Path("out").value_or("findings"))),
        report_(arguments.Path("report").value_or("")),
        enough_(arguments.Number("findings").value_or(UINT64_MAX)),
        prober_(command_, [this] { Pump(std::chrono::milliseconds(0)); }),
        progress_(STDERR_FILENO) {
    if (const std::optional<uint64_t> programs = arguments.Number("programs")) {
      total_ = programs;
    } else if (!time_) {
      total_ = arguments.Has("program") ? 1
               : verb_ == "explore"     ? kDefaultExplored
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
  void PrintFindings() const;
  Seconds Elapsed() const { return steady_clock::now() - begin_; }
  bool Enough() const { return written_.size() >= enough_; }
  // Nothing has ended the run before its last Program.
  bool Complete() const {
    return total_ && interrupted == 0 && !Enough() && campaign_->status().ok() && !TimeIsUp();
  }
  // One recorded schedule, in which no seed has a part.
  bool Replays() const { return explore_.strategy == "replay"; }
  bool TimeIsUp() const { return time_ && Elapsed() >= Seconds(*time_); }

  Subject& subject_;
  WorkerCommand command_;
  std::string verb_;
  std::string flags_;
  std::string limit_flags_;
  ExploreOptions explore_;
  std::string engine_;
  uint64_t seed_;
  int jobs_;
  std::optional<uint64_t> total_;
  std::optional<std::chrono::nanoseconds> time_;
  std::string out_;
  std::string report_;
  uint64_t enough_;  // findings
  Prober prober_;
  Progress progress_;
  std::unique_ptr<Campaign> campaign_;
  steady_clock::time_point begin_;
  std::optional<Seconds> judged_for_;  // until the last worker ended
  bool shrinking_ = false;
  std::vector<Failure> waiting_;
  std::vector<Written> written_;
  std::map<std::string, size_t> by_key_;
  uint64_t shrunk_ = 0;
};

bool Check::Pump(std::chrono::milliseconds wait) {
  const bool alive = campaign_->Pump(wait);
  if (!alive && !judged_for_) judged_for_ = Elapsed();
  if (interrupted != 0 || TimeIsUp() || Enough()) campaign_->Stop();
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

absl::Status Check::HandleFailure(Failure failure) {
  if (shrunk_ >= kMaxShrunk) return absl::OkStatus();
  ++shrunk_;
  shrinking_ = true;
  ShrinkLimits limits;
  limits.interrupted = [] { return interrupted != 0; };
  absl::StatusOr<Finding> finding =
      ShrinkFailure(std::move(failure), subject_, prober_, command_.limits, limits);
  shrinking_ = false;
  if (!finding.ok()) return finding.status();
  finding->campaign_seed = seed_;
  finding->flags = flags_;
  finding->verb = verb_;
  finding->explore = explore_;
  finding->limit_flags = limit_flags_;
  finding->limits = command_.limits;
  finding->engine = engine_;
  const auto [known, fresh] = by_key_.emplace(KeyOf(*finding), written_.size());
  if (!fresh) {
    ++written_[known->second].more;
    return absl::OkStatus();
  }
  std::string note;
  absl::StatusOr<std::string> folder = WriteFinding(*finding, out_, prober_, &note);
  progress_.Clear();
  if (!note.empty()) absl::FPrintF(stderr, "%s\n", note);
  if (!folder.ok()) {
    // The finding must not be lost with the disk full: the summary shows its Program.
    absl::FPrintF(stderr, "%s\n", folder.status().message());
    folder = std::string();
  }
  written_.push_back({*std::move(finding), *std::move(folder)});
  return absl::OkStatus();
}

absl::Status Check::HandleFailures() {
  // Failures that come in while one is being shrunk wait here.
  while (true) {
    for (Failure& failure : campaign_->TakeFailures()) waiting_.push_back(std::move(failure));
    if (waiting_.empty() || Enough()) return absl::OkStatus();
    Failure next = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    if (absl::Status status = HandleFailure(std::move(next)); !status.ok()) return status;
  }
}

void Check::PrintFindings() const {
  if (written_.empty()) {
    const bool parted = subject_.Parted(campaign_->counters()) > 0;
    absl::PrintF("findings       %s\n",
                 parted ? "unknown, for the schedule does not fit this engine" : "none");
    return;
  }
  absl::PrintF("findings       %d, in %s programs\n", written_.size(),
               WithSeparators(campaign_->failed()));
  for (size_t i = 0; i < written_.size(); ++i) {
    const Written& w = written_[i];
    absl::PrintF("\nfinding %d: %s, seed %d%s\n", i + 1, w.finding.verdict.oracle,
                 w.finding.failure.seed,
                 w.more > 0 ? absl::StrCat(", and ", WithSeparators(w.more), " more like it") : "");
    if (i < kMaxShown || w.folder.empty()) {
      for (std::string_view line :
           absl::StrSplit(w.finding.verdict.text, '\n', absl::SkipEmpty())) {
        absl::PrintF("  %s\n", line);
      }
    }
    if (w.folder.empty()) {
      absl::PrintF("  program:\n%s", w.finding.program);
    } else {
      absl::PrintF("  folder: %s\n  replay: %s\n", w.folder, ReplayCommand(w.folder));
    }
  }
  if (campaign_->failed() > shrunk_) {
    absl::PrintF("\n%s further programs failed; they were not made small\n",
                 WithSeparators(campaign_->failed() - shrunk_));
  }
}

void Check::PrintSummary() const {
  const double seconds = std::max(1e-9, judged_for_.value_or(Elapsed()).count());
  const uint64_t programs = campaign_->programs();
  const double rate = static_cast<double>(programs) / seconds;
  if (Replays()) {
    absl::PrintF("replay        %s\n", flags_);
  } else {
    absl::PrintF("seed           %d%s\n", seed_, flags_);
  }
  if (interrupted != 0) absl::PrintF("ended          early, by a signal\n");
  absl::PrintF("programs       %s in %.1f s with %d jobs: %s a second, %s a second a core\n",
               WithSeparators(programs), seconds, jobs_,
               WithSeparators(static_cast<uint64_t>(rate)),
               WithSeparators(static_cast<uint64_t>(rate / std::min(jobs_, NumCores()))));
  absl::PrintF("%s%s", subject_.Summarise(campaign_->counters()),
               subject_.SummariseNotes(campaign_->notes()));
  if (campaign_->restarts() > 0) {
    absl::PrintF("workers        %d killed from outside; their programs were run again\n",
                 campaign_->restarts());
  }
  PrintFindings();
  std::fflush(stdout);
}

// One line of JSON for the run, and one for each finding.
absl::Status Check::AppendReport() {
  if (report_.empty()) return absl::OkStatus();
  nlohmann::json run = {{"type", "run"},
                        {"engine", engine_},
                        {"seed", seed_},
                        {"flags", flags_},
                        {"programs", campaign_->programs()},
                        {"failed", campaign_->failed()},
                        {"seconds", judged_for_.value_or(Elapsed()).count()},
                        {"each_once", Complete() && campaign_->Whole()}};
  if (command_.foreign) {
    if (absl::StatusOr<nlohmann::json> description = prober_.Describe(); description.ok()) {
      run.update(*description);
    }
  }
  run.update(nlohmann::json::parse(subject_.Report(campaign_->counters())));
  std::string lines = run.dump() + "\n";
  for (const Written& w : written_) {
    const nlohmann::json finding = {{"type", "finding"},
                                    {"engine", engine_},
                                    {"oracle", w.finding.verdict.oracle},
                                    {"text", w.finding.verdict.text},
                                    {"program", w.finding.program},
                                    {"seed", w.finding.failure.seed},
                                    {"folder", w.folder},
                                    {"more", w.more}};
    lines += finding.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return AppendFile(ResolvePath(report_), lines);
}

absl::StatusOr<int> Check::Run() {
  // What cannot be written must be known before hours are spent.
  if (absl::Status status = CheckFolderFor(out_); !status.ok()) return status;
  if (!report_.empty()) {
    if (absl::Status status = AppendFile(ResolvePath(report_), ""); !status.ok()) return status;
  }
  InstallInterrupt();
  const std::string engine = engine_.empty() ? "" : absl::StrCat(" --engine=", ShellWord(engine_));
  if (Replays()) {
    absl::FPrintF(stderr, "[oracle] %s%s repeats this run\n", verb_, flags_);
  } else {
    absl::FPrintF(stderr, "[oracle] seed %d: %s --seed=%d%s%s repeats this run\n", seed_, verb_,
                  seed_, flags_, engine);
  }
  begin_ = steady_clock::now();
  CampaignOptions options;
  options.seed = seed_;
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
  if (run.ok() || !written_.empty()) PrintSummary();
  if (!run.ok()) return run;
  if (absl::Status status = AppendReport(); !status.ok()) return status;
  std::string objection = subject_.Objection(campaign_->counters());
  if (Complete() && !campaign_->Whole()) {
    objection +=
        "[oracle] Programs were lost or judged twice; allowed is each once; this is a defect of "
        "this tool\n";
  }
  absl::FPrintF(stderr, "%s", objection);
  if (!written_.empty() || !objection.empty()) return kFound;
  return subject_.Parted(campaign_->counters()) > 0 ? kUnknown : kNothingFound;
}

}  // namespace

uint64_t FreshSeed() {
  // 32 bits are enough, and can be typed.
  uint32_t seed = 0;
  if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) {
    seed = static_cast<uint32_t>(steady_clock::now().time_since_epoch().count());
  }
  return seed;
}

ProgramOptions OptionsOf(const Arguments& arguments) {
  ProgramOptions options{arguments.List("features"), arguments.List("ops"), {}};
  if (const auto n = arguments.Number("elements")) options.elements = static_cast<int>(*n);
  if (const auto n = arguments.Number("rank")) options.rank = static_cast<int>(*n);
  options.explore.strategy =
      arguments.Path("strategy").value_or(std::string(interleave::kDefaultStrategy));
  options.explore.schedules = arguments.Number("schedules").value_or(1000);
  options.explore.threads = static_cast<int>(arguments.Number("threads").value_or(0));
  if (const auto path = arguments.Path("program")) options.explore.program = ResolvePath(*path);
  if (const auto path = arguments.Path("schedule")) options.explore.schedule = ResolvePath(*path);
  return options;
}

WorkerCommand MakeWorkerCommand(const Arguments& arguments, const std::string& folder) {
  WorkerCommand command;
  command.executable = "/proc/self/exe";
  char path[4096];
  // The link itself would name the child's own binary only by luck; its target is the same file.
  if (const ssize_t n = readlink("/proc/self/exe", path, sizeof(path)); n > 0) {
    command.executable.assign(path, static_cast<size_t>(n));
  }
  for (const std::string_view flag : kCaseFlags) {
    const std::optional<std::string> value = arguments.Path(flag);
    if (value) command.flags.push_back(absl::StrCat("--", flag, "=", *value));
  }
  SetEngine(arguments.Path("engine").value_or(""), &command);
  command.folder = folder;
  if (arguments.verb->name == "explore") {
    // The limit is for a Program with all its schedules.
    command.limits.timeout +=
        kTimeOfASchedule *
        std::min<uint64_t>(OptionsOf(arguments).explore.schedules, 1'000'000'000);
  }
  command.limits.timeout = arguments.Duration("timeout").value_or(command.limits.timeout);
  command.limits.memory = arguments.Number("memory").value_or(command.limits.memory);
  return command;
}

void SetEngine(const std::string& engine, WorkerCommand* command) {
  if (engine.empty()) return;
  command->flags.push_back(absl::StrCat("--engine=", engine));
  command->foreign = true;
}

EngineOptions EngineOf(const Arguments& arguments) {
  EngineOptions options;
  options.engine = arguments.Path("engine").value_or("");
  options.timeout = arguments.Duration("timeout").value_or(options.timeout);
  options.memory = arguments.Number("memory").value_or(options.memory);
  return options;
}

absl::StatusOr<int> RunCheck(const Arguments& arguments, Subject& subject) {
  absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make("oracle");
  if (!folder.ok()) return folder.status();
  Check check(arguments, subject, MakeWorkerCommand(arguments, folder->path()));
  return check.Run();
}

}  // namespace twingrad::oracle

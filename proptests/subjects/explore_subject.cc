#include "proptests/subjects/explore_subject.h"

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/hash.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "proptests/findings/case_text.h"
#include "proptests/findings/cut_off.h"
#include "proptests/findings/timeline.h"
#include "proptests/interleave/checker/lock_coverage.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/checker/schedule_record.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/engine/program_shrink.h"
#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"
#include "proptests/interleave/strategies/strategies.h"
#include "proptests/subjects/engine_subject.h"
#include "proptests/subjects/explore_summary.h"
#include "proptests/workers/files.h"

namespace twingrad::oracle {
namespace {

using interleave::ProgramExplorer;
using interleave::ProgramRun;
using interleave::ScheduleFile;
using std::chrono::steady_clock;
using twingrad::program::Program;

// A Program that names no device runs on one thread: further ones are drawn from its seed.
constexpr int kDraws = 16;
// Making a finding small must end long before its worker counts as hanging.
constexpr std::chrono::seconds kShrinkTime(4);
// Each schedule that hangs takes its time; less than a worker's shortest limit.
constexpr std::chrono::seconds kHangShrinkTime(1);
constexpr size_t kShownEvents = 40;

std::string WithNewline(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

class ExploreSubject final : public Subject, public ScheduleKeeper {
 public:
  void KeepSchedulesIn(ScheduleRecord& record) override { record_ = &record; }
  absl::Status Configure(const ProgramOptions& options) override;
  absl::Status Start() override { return absl::OkStatus(); }
  std::string Generate(uint64_t seed) override;
  absl::Status Load(std::string_view text, std::string_view origin) override;
  Verdict Judge() override;
  absl::Span<const uint64_t> counters() const override { return statistics_.counters(); }
  std::string Run() override { return engine_->Run(); }
  std::string Draw(absl::Span<const int> marked, bool run_engine) override {
    return engine_->Draw(marked, run_engine);
  }
  std::string Shrink(std::string_view text,
                     const std::function<bool(std::string_view)>& still_fails) override;
  std::string Summarise(absl::Span<const uint64_t> counters) const override {
    return ExploreSummary(counters);
  }
  void StopWhen(std::function<bool()> stop) override { stop_ = std::move(stop); }
  std::vector<std::string> TakeNotes() override { return statistics_.TakeNotes(); }
  std::string SummariseNotes(const std::set<std::string>& notes) const override {
    return LockSitesSummary(notes) + PartingsSummary(notes);
  }
  uint64_t Parted(absl::Span<const uint64_t> counters) const override {
    return counters.size() == ExploreStatistics::kCounters ? counters[ExploreStatistics::kMisfits]
                                                           : 0;
  }

 private:
  // `origin` and `schedule_origin` name the two in errors.
  absl::Status LoadCase(Case parts, std::string_view origin, std::string_view schedule_origin);
  Verdict Explore();
  Verdict Replay(const ScheduleFile& schedule);
  // A schedule that ends its process, small and drawn, as files of a Verdict of no failure.
  Verdict DrawCutOff(const ScheduleFile& schedule);
  // `run` has failed, found from `seed`. Without `small` the Verdict only says how to repeat it.
  Verdict Failed(const ProgramRun& run, uint64_t seed, bool small);
  // The run on one thread has failed.
  Verdict FailedSingle() const;
  ScheduleFile FileOf(const ProgramRun& run, uint64_t seed) const;

  const std::unique_ptr<Subject> engine_ = MakeEngineSubject();  // makes and draws Programs
  ExploreOptions options_;
  Case case_;
  Program program_;
  std::optional<ScheduleFile> schedule_;
  std::optional<ProgramExplorer> explorer_;
  std::unique_ptr<interleave::Strategy> strategy_;
  ExploreStatistics statistics_;
  ScheduleRecord* record_ = nullptr;
  std::function<bool()> stop_;  // may be null
};

// A schedule that ends where its process did.
bool WasCutOff(const ScheduleFile& schedule) {
  return schedule.detector == "crash" || schedule.detector == "hang" ||
         schedule.detector == "memory";
}

absl::Status ExploreSubject::Configure(const ProgramOptions& options) {
  options_ = options.explore;
  if (absl::Status status = engine_->Configure(options); !status.ok()) return status;
  const bool replays = options_.strategy == "replay";
  if (replays != !options_.schedule.empty() || (replays && options_.program.empty())) {
    return absl::InvalidArgumentError(
        "[oracle] --strategy=replay and --schedule=FILE need one another, and --program=FILE; "
        "allowed is all three or none; give a finding's program.txt and schedule.txt");
  }
  if (!replays) {
    absl::StatusOr<std::unique_ptr<interleave::Strategy>> strategy =
        interleave::MakeStrategy(options_.strategy);
    if (!strategy.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("[oracle] --strategy=", options_.strategy,
                                                     ": ", strategy.status().message(),
                                                     "; see `oracle explore --help`"));
    }
    strategy_ = *std::move(strategy);
  }
  if (options_.program.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> text = ReadInput(options_.program);
  if (!text.ok()) return text.status();
  Case given{*std::move(text), std::nullopt, false, ""};
  if (replays) {
    absl::StatusOr<std::string> schedule = ReadInput(options_.schedule);
    if (!schedule.ok()) return schedule.status();
    given.schedule = *std::move(schedule);
  }
  return LoadCase(std::move(given), options_.program, options_.schedule);
}

absl::Status ExploreSubject::LoadCase(Case parts, std::string_view origin,
                                      std::string_view schedule_origin) {
  if (absl::Status status = engine_->Load(parts.program, origin); !status.ok()) return status;
  program_ = *twingrad::program::Parse(parts.program);
  schedule_.reset();
  if (!parts.schedule.empty()) {
    absl::StatusOr<ScheduleFile> schedule =
        interleave::ParseSchedule(parts.schedule, schedule_origin);
    if (!schedule.ok()) return schedule.status();
    const uint64_t hash = twingrad::program::Hash(program_);
    if (schedule->program_hash != hash) {
      return absl::InvalidArgumentError(absl::StrCat(
          "[oracle] ", schedule_origin, " is of another Program, whose hash is ",
          absl::Hex(schedule->program_hash, absl::kZeroPad16), "; that of ", origin, " is ",
          absl::Hex(hash, absl::kZeroPad16),
          "; allowed is a Program with its own schedule; give the two files of one finding"));
    }
    schedule_ = *std::move(schedule);
  }
  case_ = std::move(parts);
  return absl::OkStatus();
}

absl::Status ExploreSubject::Load(std::string_view text, std::string_view origin) {
  return LoadCase(SplitCase(text), origin, "schedule");
}

std::string ExploreSubject::Generate(uint64_t seed) {
  if (options_.program.empty()) {
    Case made;
    made.seed = seed;
    interleave::SplitMix seeds(seed);
    uint64_t draw = seed;
    for (int i = 0; i < kDraws; ++i, draw = seeds.Next()) {
      made.program = engine_->Generate(draw);
      program_ = *twingrad::program::Parse(made.program);
      if (interleave::DevicesOf(program_) > 0) break;
    }
    case_ = std::move(made);
  } else {
    case_.seed = seed;
  }
  return JoinCase(case_);
}

Verdict ExploreSubject::Judge() {
  const auto begin = steady_clock::now();
  explorer_.emplace(program_,
                    interleave::ProgramOptions{
                        .device_threads = schedule_ ? schedule_->device_threads : options_.threads,
                        .locks = &statistics_.locks()});
  Verdict verdict;
  if (explorer_->skipped()) {
    statistics_.AddSkipped();
  } else if (!explorer_->single().ok()) {
    verdict = FailedSingle();
  } else if (!case_.single) {
    const bool draws = schedule_ && case_.shrink && WasCutOff(*schedule_);
    verdict = draws ? DrawCutOff(*schedule_) : schedule_ ? Replay(*schedule_) : Explore();
  }
  statistics_.EndProgram(steady_clock::now() - begin);
  return verdict;
}

Verdict ExploreSubject::Explore() {
  // A fresh one, so that what a Program's schedules are does not depend on the Programs before.
  strategy_ = *interleave::MakeStrategy(options_.strategy);
  const uint64_t seed = case_.seed.value_or(twingrad::program::Hash(program_));
  std::optional<RecordingStrategy> recording;
  if (record_ != nullptr) {
    recording.emplace(*strategy_, twingrad::program::Hash(program_), explorer_->device_threads(),
                      *record_);
  }
  interleave::Strategy& asked = recording ? *recording : *strategy_;
  interleave::SplitMix seeds(seed);
  for (uint64_t i = 0; i < options_.schedules && !(stop_ && stop_()); ++i) {
    const uint64_t schedule_seed = seeds.Next();
    const ProgramRun run = explorer_->Run(asked, schedule_seed);
    if (recording) recording->End();
    statistics_.AddSchedule(run.outcome, run.order);
    if (!run.ok()) return Failed(run, schedule_seed, false);
    if (run.outcome.decisions.empty()) break;  // there is one interleaving, and this is it
  }
  return {};
}

Verdict ExploreSubject::Replay(const ScheduleFile& schedule) {
  interleave::ReplayStrategy strategy(schedule.decisions, /*goes_on=*/WasCutOff(schedule));
  const ProgramRun run = explorer_->Run(strategy, schedule.seed, /*record_events=*/true);
  statistics_.AddSchedule(run.outcome, run.order);
  // An engine that asks something else than the one that the schedule is of, or less.
  const bool diverged = run.outcome.kind == interleave::OutcomeKind::kDivergedReplay;
  if (diverged || (run.ok() && !strategy.Finished())) {
    Verdict parted;
    parted.outcome = kParted;
    parted.text = diverged ? run.failure : strategy.LeftOver();
    statistics_.AddParted(parted.text);
    return parted;
  }
  if (run.ok()) return {};
  return Failed(run, schedule.seed, case_.shrink);
}

Verdict ExploreSubject::DrawCutOff(const ScheduleFile& schedule) {
  Verdict verdict;
  std::optional<CutOff> cut = RunToTheEnd(*explorer_, schedule.decisions);
  if (!cut) return verdict;
  const steady_clock::time_point deadline =
      steady_clock::now() + (schedule.detector == "hang" ? kHangShrinkTime : kShrinkTime);
  const interleave::Trace small =
      ShrinkCutOff(*explorer_, cut->trace, schedule.detector,
                   [deadline] { return steady_clock::now() > deadline; });
  cut = RunToTheEnd(*explorer_, small);
  if (!cut) return verdict;
  ScheduleFile file = schedule;
  file.decisions = small;
  const std::string end = LastChoiceText(*cut, schedule.detector);
  verdict.files["schedule.txt"] = interleave::PrintSchedule(file);
  verdict.files["schedule.svg"] = DrawTimeline(cut->outcome, schedule.detector, end);
  verdict.text = absl::StrCat("  small:    ", interleave::PreemptionsOf(small), " preemptions, ",
                              small.size(), " decisions; ", end, "\n");
  return verdict;
}

ScheduleFile ExploreSubject::FileOf(const ProgramRun& run, uint64_t seed) const {
  ScheduleFile file;
  file.program_hash = twingrad::program::Hash(program_);
  file.device_threads = explorer_->device_threads();
  file.strategy = schedule_ ? schedule_->strategy : strategy_->name();
  file.seed = seed;
  file.detector = run.detector;
  file.decisions = run.outcome.decisions;
  return file;
}

Verdict ExploreSubject::Failed(const ProgramRun& found, uint64_t seed, bool small) {
  ProgramRun run = found;
  if (small) {
    const steady_clock::time_point deadline = steady_clock::now() + kShrinkTime;
    interleave::FindingLimits limits;
    limits.interrupt = [deadline] { return steady_clock::now() > deadline; };
    interleave::SmallFinding finding = interleave::ShrinkProgramFinding(
        program_, {.device_threads = explorer_->device_threads()}, found, limits);
    const int threads = explorer_->device_threads();
    program_ = std::move(finding.program);
    run = std::move(finding.run);
    explorer_.emplace(program_, interleave::ProgramOptions{.device_threads = threads});
  }
  Verdict verdict;
  verdict.failed = true;
  verdict.oracle = run.detector;
  verdict.text =
      absl::StrCat("[explore] ", run.detector, " with ", explorer_->device_threads(), " workers, ",
                   interleave::PreemptionsOf(run.outcome.decisions), " preemptions, ",
                   run.outcome.decisions.size(), " decisions\n", run.failure);
  verdict.expected = twingrad::program::PrintObservation(program_, explorer_->single().observation);
  verdict.actual = run.observation.values.empty()
                       ? WithNewline(run.failure)
                       : twingrad::program::PrintObservation(program_, run.observation);
  if (!run.outcome.events.empty()) {
    absl::StrAppend(&verdict.actual, "last steps ('>': another thread ran before):\n",
                    FormatEvents(run.outcome, kShownEvents));
    verdict.files["schedule.svg"] = DrawTimeline(run.outcome, run.detector, run.failure);
  }
  const std::string schedule = interleave::PrintSchedule(FileOf(run, seed));
  verdict.files["schedule.txt"] = schedule;
  verdict.reproducer = JoinCase({twingrad::program::Print(program_), std::nullopt,
                                 /*shrink=*/!small && !schedule_, schedule});
  return verdict;
}

Verdict ExploreSubject::FailedSingle() const {
  const ProgramRun& run = explorer_->single();
  Verdict verdict;
  verdict.failed = true;
  verdict.oracle = "single " + run.detector;
  verdict.text = absl::StrCat("[explore] ", run.detector, " on one thread\n", run.failure);
  verdict.expected = "a run on one thread that ends, and shows what the twin does\n";
  verdict.actual = run.observation.values.empty()
                       ? WithNewline(run.failure)
                       : twingrad::program::PrintObservation(program_, run.observation);
  // Made small as a Program; the schedules that would follow have no part in it.
  if (!case_.single) {
    verdict.reproducer =
        JoinCase({twingrad::program::Print(program_), case_.seed, false, "", /*single=*/true});
  }
  return verdict;
}

std::string ExploreSubject::Shrink(std::string_view text,
                                   const std::function<bool(std::string_view)>& still_fails) {
  Case parts = SplitCase(text);
  const auto fails = [&](std::string_view program) {
    Case smaller = parts;
    smaller.program = std::string(program);
    return still_fails(JoinCase(smaller));
  };
  parts.program = engine_->Shrink(parts.program, fails);
  return JoinCase(parts);
}

}  // namespace

std::unique_ptr<Subject> MakeExploreSubject() { return std::make_unique<ExploreSubject>(); }

}  // namespace twingrad::oracle

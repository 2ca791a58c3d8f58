#include "proptests/subjects/explore_subject.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "autograd/program/analyze.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "autograd/program/region.h"
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
#include "proptests/workers/case.h"
#include "proptests/workers/files.h"

namespace twingrad::subjects {
namespace {

using findings::Case;
using interleave::ProgramExplorer;
using interleave::ProgramRun;
using interleave::ScheduleFile;
using interleave::ScheduleRecord;
using program::Program;
using std::chrono::steady_clock;
using workers::CaseResult;

static_assert(sizeof(ScheduleRecord) <= workers::kScratchBytes);

// A Program without devices and thread sections runs on one thread: further ones are drawn from its
// seed.
constexpr int kDraws = 16;
// Steps for each schedule that a Program is to have, on average: those of a large graph take more,
// and it has fewer, lest it count as hanging. A count, not a time, so that a seed says which.
constexpr int64_t kStepsASchedule = 10'000;
// Making a finding small must end long before its worker counts as hanging.
constexpr std::chrono::seconds kShrinkTime(4);
// Each schedule that hangs takes its time; less than a worker's shortest limit.
constexpr std::chrono::seconds kHangShrinkTime(1);
constexpr size_t kShownEvents = 40;

// Whether that much time has passed since this call.
std::function<bool()> Within(std::chrono::seconds time) {
  return [deadline = steady_clock::now() + time] { return steady_clock::now() > deadline; };
}

// `run` has failed; `how` says under what.
CaseResult FailureOf(const Program& program, const ProgramRun& run, std::string_view how) {
  CaseResult result;
  result.failed = true;
  result.oracle = run.detector;
  result.text = absl::StrCat("[explore] ", run.detector, how, "\n", run.failure);
  if (!run.observation.values.empty()) {
    result.actual = program::PrintObservation(program, run.observation);
  } else {
    result.actual = absl::StrCat(run.failure, absl::EndsWith(run.failure, "\n") ? "" : "\n");
  }
  return result;
}

class ExploreSubject final : public Subject,
                             public workers::CaseSource,
                             public workers::CaseJudge,
                             public Reporter {
 public:
  absl::Status Configure(const CaseOptions& options) override;
  absl::Status Start() override { return absl::OkStatus(); }
  workers::CaseSource& source() override { return *this; }
  workers::CaseJudge& judge() override { return *this; }
  workers::CaseDrawer& drawer() override { return engine_->drawer(); }
  const Reporter& reporter() const override { return *this; }
  void ReadScratch(absl::Span<const std::byte> scratch, CaseResult* result) const override;

  void Make(uint64_t seed) override;
  std::string Text() const override { return findings::JoinCase(case_); }
  absl::Status Load(std::string_view text, std::string_view origin) override;
  std::string Shrink(std::string_view text,
                     const std::function<bool(std::string_view)>& still_fails) override;

  CaseResult Judge() override;
  absl::Span<const uint64_t> counters() const override { return statistics_.counters(); }
  void StopWhen(std::function<bool()> stop) override { stop_ = std::move(stop); }
  std::vector<std::string> TakeNotes() override { return statistics_.TakeNotes(); }
  // Where the parent finds the schedule under way when this process has ended.
  void KeepScratchIn(absl::Span<std::byte> scratch) override {
    if (scratch.size() >= sizeof(ScheduleRecord)) record_ = new (scratch.data()) ScheduleRecord;
  }

  std::string Summarise(absl::Span<const uint64_t> counters,
                        const std::set<std::string>& notes) const override {
    return ExploreSummary(counters) + LockSitesSummary(notes) + LockOrderSummary(notes) +
           DivergedSummary(notes);
  }
  std::string Objection(absl::Span<const uint64_t> /*counters*/,
                        const std::set<std::string>& notes) const override {
    return LockOrderObjection(notes);
  }
  uint64_t Diverged(absl::Span<const uint64_t> counters) const override {
    return counters.size() == ExploreStatistics::kCounters ? counters[ExploreStatistics::kDiverged]
                                                           : 0;
  }

 private:
  // `origin` and `schedule_origin` name the two in errors.
  absl::Status LoadCase(Case parts, std::string_view origin, std::string_view schedule_origin);
  CaseResult Explore();
  CaseResult Replay(const ScheduleFile& schedule);
  // A schedule that ends its process, small and drawn, as files of a CaseResult of no failure.
  CaseResult DrawCutOff(const ScheduleFile& schedule);
  // `run` has failed, found from `seed`. Without `small` the CaseResult only says how to repeat it.
  CaseResult Failed(const ProgramRun& run, uint64_t seed, bool small);
  // The run on one thread has failed.
  CaseResult FailedSingle() const;
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

absl::Status ExploreSubject::Configure(const CaseOptions& options) {
  options_ = options.explore;
  CaseOptions small = options;
  small.long_graphs = false;  // every step of theirs would be a decision
  if (absl::Status status = engine_->Configure(small); !status.ok()) return status;
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
  absl::StatusOr<std::string> text = workers::ReadInput(options_.program);
  if (!text.ok()) return text.status();
  Case given{*std::move(text), std::nullopt, false, ""};
  if (replays) {
    absl::StatusOr<std::string> schedule = workers::ReadInput(options_.schedule);
    if (!schedule.ok()) return schedule.status();
    given.schedule = *std::move(schedule);
  }
  return LoadCase(std::move(given), options_.program, options_.schedule);
}

absl::Status ExploreSubject::LoadCase(Case parts, std::string_view origin,
                                      std::string_view schedule_origin) {
  if (absl::Status status = engine_->source().Load(parts.program, origin); !status.ok())
    return status;
  program_ = *program::Parse(parts.program);
  schedule_.reset();
  if (!parts.schedule.empty()) {
    absl::StatusOr<ScheduleFile> schedule =
        interleave::ParseSchedule(parts.schedule, schedule_origin);
    if (!schedule.ok()) return schedule.status();
    const uint64_t hash = program::Hash(program_);
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
  return LoadCase(findings::SplitCase(text), origin, "schedule");
}

void ExploreSubject::ReadScratch(absl::Span<const std::byte> scratch, CaseResult* result) const {
  const auto& record = *reinterpret_cast<const ScheduleRecord*>(scratch.data());
  std::string text = interleave::RecordedSchedule(record, result->oracle);
  if (text.empty()) return;
  absl::StrAppend(&result->text, "  under:    schedule ", record.seed, " of ", record.strategy,
                  ", after ", record.decisions.load(), " decisions\n");
  result->files["schedule.txt"] = std::move(text);
}

void ExploreSubject::Make(uint64_t seed) {
  if (options_.program.empty()) {
    Case made;
    made.seed = seed;
    interleave::SplitMix seeds(seed);
    uint64_t draw = seed;
    // Of one seed in four, a Program with several callers is sought.
    const bool wants_threads = seed % 4 == 0;
    for (int i = 0; i < (wants_threads ? 4 * kDraws : kDraws); ++i, draw = seeds.Next()) {
      made.program = engine_->source().Generate(draw);
      program_ = *program::Parse(made.program);
      if (wants_threads ? program::HasSections(program_)
                        : program::DevicesOf(program_) > 0 || program::HasSections(program_)) {
        break;
      }
    }
    case_ = std::move(made);
  } else {
    case_.seed = seed;
  }
}

CaseResult ExploreSubject::Judge() {
  const auto begin = steady_clock::now();
  explorer_.emplace(program_,
                    interleave::ProgramOptions{
                        .device_threads = schedule_ ? schedule_->device_threads : options_.threads,
                        .locks = &statistics_.locks()});
  CaseResult result;
  if (explorer_->skipped()) {
    statistics_.AddSkipped();
  } else if (!explorer_->single().ok()) {
    result = FailedSingle();
  } else if (!case_.single) {
    const bool draws = schedule_ && case_.shrink && WasCutOff(*schedule_);
    result = draws ? DrawCutOff(*schedule_) : schedule_ ? Replay(*schedule_) : Explore();
  }
  // A run that failed may have been cut short by a cycle of its own, and is a finding.
  if (!result.failed) statistics_.AddLockOrder(explorer_->lock_order(), case_.seed);
  statistics_.EndProgram(steady_clock::now() - begin);
  return result;
}

CaseResult ExploreSubject::Explore() {
  // A fresh one, so that what a Program's schedules are does not depend on the Programs before.
  strategy_ = *interleave::MakeStrategy(options_.strategy);
  const uint64_t seed = case_.seed.value_or(program::Hash(program_));
  std::optional<interleave::RecordingStrategy> recording;
  if (record_ != nullptr) {
    recording.emplace(*strategy_, program::Hash(program_), explorer_->device_threads(), *record_);
  }
  interleave::Strategy& asked = recording ? *recording : *strategy_;
  interleave::SplitMix seeds(seed);
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max() / kStepsASchedule;
  int64_t steps_left = static_cast<int64_t>(std::min(options_.schedules, kMost)) * kStepsASchedule;
  for (uint64_t i = 0; i < options_.schedules && steps_left > 0 && !(stop_ && stop_()); ++i) {
    const uint64_t schedule_seed = seeds.Next();
    const steady_clock::time_point begin = steady_clock::now();
    const ProgramRun run = explorer_->Run(asked, schedule_seed);
    if (recording) recording->End();
    statistics_.AddSchedule(run.outcome, run.order, asked.memory(), explorer_->runs_late(),
                            steady_clock::now() - begin);
    if (!run.ok()) return Failed(run, schedule_seed, false);
    if (run.outcome.decisions.empty()) break;  // there is one interleaving, and this is it
    steps_left -= run.outcome.steps;
  }
  return {};
}

CaseResult ExploreSubject::Replay(const ScheduleFile& schedule) {
  interleave::ReplayStrategy strategy(schedule.decisions, /*goes_on=*/WasCutOff(schedule));
  const steady_clock::time_point begin = steady_clock::now();
  const ProgramRun run = explorer_->Run(strategy, schedule.seed, /*record_events=*/true);
  statistics_.AddSchedule(run.outcome, run.order, strategy.memory(), explorer_->runs_late(),
                          steady_clock::now() - begin);
  // An engine that asks something else than the one that the schedule is of, or less.
  const bool diverged = run.outcome.kind == interleave::OutcomeKind::kDivergedReplay;
  if (diverged || (run.ok() && !strategy.Finished())) {
    CaseResult result;
    result.outcome = workers::kDiverged;
    result.text = diverged ? run.failure : strategy.LeftOver();
    statistics_.AddDiverged(result.text);
    return result;
  }
  if (run.ok()) return {};
  return Failed(run, schedule.seed, case_.shrink);
}

CaseResult ExploreSubject::DrawCutOff(const ScheduleFile& schedule) {
  CaseResult result;
  std::optional<findings::CutOff> cut = findings::RunToTheEnd(*explorer_, schedule.decisions);
  if (!cut) return result;
  const interleave::Trace small =
      findings::ShrinkCutOff(*explorer_, cut->trace, schedule.detector,
                             Within(schedule.detector == "hang" ? kHangShrinkTime : kShrinkTime));
  cut = findings::RunToTheEnd(*explorer_, small);
  if (!cut) return result;
  ScheduleFile file = schedule;
  file.decisions = small;
  const std::string end = findings::LastChoiceText(*cut, schedule.detector);
  result.files["schedule.txt"] = interleave::PrintSchedule(file);
  result.files["schedule.svg"] = findings::DrawTimeline(cut->outcome, schedule.detector, end);
  result.text = absl::StrCat("  small:    ", interleave::PreemptionsOf(small), " preemptions, ",
                             small.size(), " decisions; ", end, "\n");
  return result;
}

ScheduleFile ExploreSubject::FileOf(const ProgramRun& run, uint64_t seed) const {
  return {.program_hash = program::Hash(program_),
          .device_threads = explorer_->device_threads(),
          .strategy = schedule_ ? schedule_->strategy : strategy_->name(),
          .seed = seed,
          .detector = run.detector,
          .decisions = run.outcome.decisions};
}

CaseResult ExploreSubject::Failed(const ProgramRun& found, uint64_t seed, bool small) {
  ProgramRun run = found;
  if (small) {
    const interleave::ProgramOptions options = {.device_threads = explorer_->device_threads()};
    interleave::SmallFinding finding = interleave::ShrinkProgramFinding(
        program_, options, found, {.interrupt = Within(kShrinkTime)});
    program_ = std::move(finding.program);
    run = std::move(finding.run);
    explorer_.emplace(program_, options);
  }
  CaseResult result = FailureOf(program_, run,
                                absl::StrCat(" with ", explorer_->device_threads(), " workers, ",
                                             interleave::PreemptionsOf(run.outcome.decisions),
                                             " preemptions, ", run.outcome.decisions.size(),
                                             " decisions", interleave::SettingText(program_, run)));
  result.expected = program::PrintObservation(program_, explorer_->single().observation);
  if (!run.outcome.events.empty()) {
    absl::StrAppend(&result.actual, "last steps ('>': another thread ran before):\n",
                    FormatEvents(run.outcome, kShownEvents));
    result.files["schedule.svg"] = findings::DrawTimeline(run.outcome, run.detector, run.failure);
  }
  const std::string schedule = interleave::PrintSchedule(FileOf(run, seed));
  result.files["schedule.txt"] = schedule;
  result.reproducer = findings::JoinCase({program::Print(program_), std::nullopt,
                                          /*shrink=*/!small && !schedule_, schedule});
  return result;
}

CaseResult ExploreSubject::FailedSingle() const {
  CaseResult result = FailureOf(program_, explorer_->single(), " on one thread");
  result.oracle = "single " + result.oracle;
  result.expected = "a run on one thread that ends, and shows what the twin does\n";
  // Made small as a Program; the schedules that would follow have no part in it.
  if (!case_.single) {
    result.reproducer =
        findings::JoinCase({program::Print(program_), case_.seed, false, "", /*single=*/true});
  }
  return result;
}

std::string ExploreSubject::Shrink(std::string_view text,
                                   const std::function<bool(std::string_view)>& still_fails) {
  Case parts = findings::SplitCase(text);
  const auto fails = [&](std::string_view program) {
    Case smaller = parts;
    smaller.program = std::string(program);
    return still_fails(findings::JoinCase(smaller));
  };
  parts.program = engine_->source().Shrink(parts.program, fails);
  return findings::JoinCase(parts);
}

}  // namespace

std::unique_ptr<Subject> MakeExploreSubject() { return std::make_unique<ExploreSubject>(); }

}  // namespace twingrad::subjects

#include "proptests/workers/campaign.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <poll.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "proptests/workers/prober.h"
#include "proptests/workers/worker.h"

namespace twingrad::workers {
namespace {

// Between two looks at the limits of the workers.
constexpr std::chrono::milliseconds kTick(50);
// Failures kept until they are taken; more are only counted.
constexpr size_t kMaxWaiting = 256;

std::string_view WordFor(Death::Cause cause) {
  if (cause == Death::Cause::kHang) return "hang";
  return cause == Death::Cause::kMemory || cause == Death::Cause::kKilled ? "memory" : "crash";
}

// The line of a sanitizer's, Valgrind's or abort's output that says most.
std::string TellingLine(const std::string& output) {
  std::string_view last;
  for (std::string_view line : absl::StrSplit(output, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    last = line;
    for (const char* telling : {"ERROR: ", "WARNING: ", "runtime error: ", "uninitialised value",
                                "Invalid read of ", "Invalid write of "}) {
      if (absl::StrContains(line, telling)) return std::string(line);
    }
  }
  return std::string(last);
}

}  // namespace

CaseResult ResultOfDeath(const Death& death, const WorkerProcess& process, std::string_view doing) {
  CaseResult result;
  result.failed = true;
  result.oracle = std::string(WordFor(death.cause));
  result.actual = absl::StrCat("the worker ended: ", death.reason, "\n", process.OutputTail());
  result.expected = "a run that ends, whatever the Program\n";
  const std::string line = TellingLine(process.OutputTail());
  result.text =
      absl::StrCat(result.oracle, " while ", doing, "\n  ended by: ", death.reason,
                   "\n  it said:  ", line.empty() ? "nothing" : line.substr(0, 160), "\n");
  if (process.command().read_scratch) {
    process.command().read_scratch(process.record().scratch, &result);
  }
  return result;
}

std::string StartError(const Death& death, const WorkerProcess& process) {
  const std::string line = TellingLine(process.OutputTail());
  return absl::StrCat("[oracle] a worker died while its engine started: ", death.reason,
                      "; needed is an engine that starts; ",
                      line.empty() ? "run it by hand to see why" : "it said: " + line);
}

Campaign::Campaign(CampaignOptions options) : options_(std::move(options)) {}

Campaign::~Campaign() = default;

absl::StatusOr<std::unique_ptr<Campaign>> Campaign::Create(CampaignOptions options) {
  options.worker.campaign = absl::StrCat(options.worker.folder, "/campaign");
  auto campaign = std::unique_ptr<Campaign>(new Campaign(std::move(options)));
  const CampaignOptions& o = campaign->options_;
  absl::StatusOr<MappedFile<CampaignRecord>> record =
      MappedFile<CampaignRecord>::Create(o.worker.campaign);
  if (!record.ok()) return record.status();
  campaign->record_ = *std::move(record);
  const uint64_t left = o.programs - std::min(o.begin, o.programs);
  const uint64_t jobs = std::min<uint64_t>(static_cast<uint64_t>(o.jobs), left);
  campaign->retired_.after = o.begin;
  campaign->record_->next = o.begin;
  campaign->record_->total = o.programs;
  campaign->record_->seed = o.seed;
  campaign->record_->chunk = std::clamp<uint64_t>(left / (std::max<uint64_t>(jobs, 1) * 8), 1, 32);
  campaign->last_pump_ = MonotonicNanoseconds();
  campaign->slots_.resize(jobs);
  for (uint64_t i = 0; i < jobs; ++i) {
    Slot& slot = campaign->slots_[i];
    slot.name = absl::StrCat("worker-", i);
    campaign->Respawn(slot, {});
  }
  if (!campaign->status_.ok()) return campaign->status_;
  return campaign;
}

std::chrono::nanoseconds TimeLimit(std::chrono::nanoseconds limit, uint64_t hangs,
                                   std::chrono::nanoseconds longest) {
  if (hangs < kHangsInFull) return limit;
  return std::min(limit, std::max<std::chrono::nanoseconds>(
                             {limit / 10, longest * 10, std::chrono::seconds(1)}));
}

void Campaign::Respawn(Slot& slot, const Legacy& legacy) {
  WorkerCommand command = options_.worker;
  command.limits.timeout = TimeLimit(command.limits.timeout, hangs_, longest_);
  absl::StatusOr<std::unique_ptr<WorkerProcess>> process =
      WorkerProcess::Spawn(command, slot.name, legacy);
  if (process.ok()) {
    slot.process = *std::move(process);
  } else {
    status_.Update(process.status());
    Stop();
  }
}

void Campaign::Retire(Slot& slot) {
  retired_.Add(CommittedProgress(slot.process->record()));
  longest_ = std::max(longest_, std::chrono::nanoseconds(slot.process->record().longest));
  slot.process.reset();
}

std::string Campaign::ProgramOf(uint64_t seed) {
  if (prober_ == nullptr) {
    prober_ = std::make_unique<Prober>(
        options_.worker, [] {}, "teller");
  }
  return prober_->Generate(seed).value_or("");
}

void Campaign::AddFailure(Failure failure) {
  // A worker that died between telling and committing makes its successor tell again.
  if (failed_.insert(failure.index).second && failures_.size() < kMaxWaiting) {
    failures_.push_back(std::move(failure));
  }
}

void Campaign::ReadMessages(Slot& slot) {
  while (std::optional<nlohmann::json> message = slot.process->channel().Receive(false)) {
    const std::string type = message->value("type", "");
    if (type == "failure") {
      AddFailure(message->get<Failure>());
    } else if (type == "notes") {
      notes_.merge(message->value("notes", std::set<std::string>()));
    } else if (type == "cannot_start") {
      slot.start_error = message->value("message", "");
    }
  }
}

void Campaign::HandleDeath(Slot& slot, const Death& death) {
  ReadMessages(slot);
  const FlightRecord& record = slot.process->record();
  if (death.cause == Death::Cause::kFinished) return Retire(slot);
  if (death.cause == Death::Cause::kHang) ++hangs_;
  const Phase phase = static_cast<Phase>(record.phase.load());
  // Between its commit and the next program the phase is still that of the program.
  const bool committed = IsCommitted(record);
  const bool in_program = (phase == Phase::kGenerating || phase == Phase::kJudging) && !committed;
  // One that dies before its first program would die again and again.
  const bool useless = !in_program && CommittedProgress(record).programs == 0 &&
                       death.cause != Death::Cause::kKilled;
  if (death.cause == Death::Cause::kCannotStart || useless) {
    if (slot.start_error.empty()) {
      slot.start_error = StartError(death, *slot.process);
    }
    status_.Update(absl::UnavailableError(slot.start_error));
    Stop();
    return Retire(slot);
  }
  const uint64_t index = record.index + (committed ? 1 : 0);
  const uint64_t end = record.chunk_end;
  const uint64_t next = FirstUncommitted(record);
  std::optional<uint64_t> fatal;
  if (death.cause == Death::Cause::kKilled && slot.last_killed_index != index) {
    // Nobody knows yet that the Program is to blame: once more.
    ++restarts_;
    slot.last_killed_index = index;
  } else {
    const std::string doing = phase == Phase::kGenerating
                                  ? absl::StrCat("generating from seed ", record.seed.load())
                              : in_program ? absl::StrCat("judging program ", index)
                                           : std::string("ending, after its last program");
    if (in_program) fatal = index;
    AddFailure({index, in_program ? record.seed.load() : 0,
                phase == Phase::kJudging ? ProgramOf(record.seed.load()) : std::string(),
                ResultOfDeath(death, *slot.process, doing),
                SeedsBefore(record, index, options_.seed)});
  }
  const bool more = next < end || record_->next < record_->total;
  Retire(slot);
  if (more && record_->stop == 0) Respawn(slot, {std::min(next, end), end, fatal});
}

bool Campaign::Pump(std::chrono::milliseconds wait) {
  std::vector<pollfd> fds;
  for (const Slot& slot : slots_) {
    if (slot.process) fds.push_back({slot.process->channel().fd(), POLLIN, 0});
  }
  if (fds.empty()) return false;
  poll(fds.data(), fds.size(), static_cast<int>(std::min(wait, kTick).count()));

  // When the whole machine or this process stood still, that is no hang of a worker.
  const uint64_t now = MonotonicNanoseconds();
  const std::chrono::nanoseconds gap(now - std::exchange(last_pump_, now));
  const std::chrono::nanoseconds grace = gap > 20 * kTick ? gap : std::chrono::nanoseconds(0);
  for (Slot& slot : slots_) {
    if (!slot.process) continue;
    ReadMessages(slot);
    slot.process->EnforceLimits(grace);
    if (const std::optional<Death> death = slot.process->Reap()) HandleDeath(slot, *death);
  }
  return true;
}

void Campaign::Sums::Add(const FlightRecord::Progress& progress) {
  after = std::max(after, progress.after);
  programs += progress.programs;
  seeds += progress.seeds;
  const size_t count = std::min<size_t>(progress.num_counters, kMaxCounters);
  if (counters.size() < count) counters.resize(count);
  for (size_t i = 0; i < count; ++i) counters[i] += progress.counters[i];
}

Campaign::Sums Campaign::AllSums() const {
  Sums sums = retired_;
  for (const Slot& slot : slots_) {
    if (slot.process) sums.Add(CommittedProgress(slot.process->record()));
  }
  return sums;
}

Campaign::Moment Campaign::Settle() {
  Sums sums = retired_;
  Slot* slot = slots_.empty() || !slots_[0].process ? nullptr : &slots_[0];
  if (slot != nullptr) {
    const auto settled = std::make_unique<FlightRecord::Progress>();
    CopySettled(slot->process->record(), settled.get());
    sums.Add(*settled);
    // A worker tells before it commits.
    ReadMessages(*slot);
  }
  return {sums.after, sums.programs, sums.seeds, std::move(sums.counters)};
}

bool Campaign::Whole() const {
  Sums sums = AllSums();
  for (uint64_t i = options_.begin; i < options_.programs; ++i) {
    sums.seeds -= ProgramSeed(options_.seed, i);
  }
  return options_.begin + sums.programs == options_.programs && sums.seeds == 0;
}

}  // namespace twingrad::workers

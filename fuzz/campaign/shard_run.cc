#include "fuzz/campaign/shard_run.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/signature.h"
#include "proptests/findings/shrink_failure.h"
#include "proptests/findings/stride.h"
#include "proptests/workers/campaign.h"
#include "proptests/workers/prober.h"
#include "proptests/workers/worker.h"

namespace twingrad::campaign {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using workers::Failure;

constexpr milliseconds kPumpWait(50);

// Minimizing a hang takes its time limit for each try: of a kind the first is minimized, the
// fourth, the sixteenth and so on.
constexpr uint64_t kRarer = 4;

double SecondsSince(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

class ShardRun {
 public:
  ShardRun(const ShardTask& task, const ShardView& view, RecordWriter writer)
      : task_(task),
        epoch_(view.epoch + 1),
        writer_(std::move(writer)),
        base_(view.state),
        state_(view.state),
        prober_(task.worker, [this] { Pump(milliseconds(0)); }) {}

  absl::StatusOr<ShardEnd> Run();

 private:
  absl::Status Start();
  bool Pump(milliseconds wait);
  void Checkpoint();
  void Write(const std::vector<nlohmann::json>& records);
  void MinimizePending();
  void Minimize(const Failure& failure);
  bool Over() const { return stopped_ || taken_ || !status_.ok(); }

  const ShardTask& task_;
  uint64_t epoch_;
  RecordWriter writer_;
  ShardState base_;   // what this epoch began with
  ShardState state_;  // what its file says
  workers::Prober prober_;
  std::unique_ptr<workers::Campaign> campaign_;  // null: there was nothing left to judge
  std::vector<Failure> untold_;                  // of Programs that no checkpoint holds yet
  findings::Stride stride_;
  struct Deaths {
    uint64_t seen = 0;
    uint64_t next = 1;  // the one that is minimized next
  };
  std::map<std::string, Deaths> deaths_;  // hangs and exhausted memory, by kind
  steady_clock::time_point begin_ = steady_clock::now();
  steady_clock::time_point written_ = begin_;
  bool alive_ = true;  // the workers
  bool stopped_ = false;
  bool taken_ = false;
  absl::Status status_;
};

absl::Status ShardRun::Start() {
  const uint64_t programs = task_.job.programs;
  if (base_.after >= programs || base_.seconds >= task_.job.seconds) {
    alive_ = false;
    return absl::OkStatus();
  }
  workers::CampaignOptions options;
  options.seed = task_.origin.seed;
  options.begin = base_.after;
  options.programs = programs;
  options.worker = task_.worker;
  auto campaign = workers::Campaign::Create(std::move(options));
  if (!campaign.ok()) return campaign.status();
  campaign_ = *std::move(campaign);
  return absl::OkStatus();
}

// All or none of them.
void ShardRun::Write(const std::vector<nlohmann::json>& records) {
  written_ = steady_clock::now();
  status_.Update(CheckHere(task_.folder, task_.shard, epoch_));
  // One that slept through its lease finds its successor's file.
  taken_ = taken_ || IsStale(task_.folder, task_.shard, epoch_);
  if (taken_ || !status_.ok()) return;
  std::string lines;
  for (const nlohmann::json& record : records) lines += RecordLine(record);
  status_.Update(writer_.Append(lines, /*sync=*/true));
  if (!status_.ok()) return;
  for (const nlohmann::json& record : records) status_.Update(state_.Add(record));
}

void ShardRun::Checkpoint() {
  ShardState now = state_;
  std::vector<nlohmann::json> records;
  if (campaign_) {
    workers::Campaign::Moment moment = campaign_->Settle();
    for (Failure& failure : campaign_->TakeFailures()) untold_.push_back(std::move(failure));
    now.after = moment.after;
    now.programs = base_.programs + moment.programs;
    now.seeds = base_.seeds + moment.seeds;
    now.counters.assign(std::max(base_.counters.size(), moment.counters.size()), 0);
    std::ranges::copy(base_.counters, now.counters.begin());
    for (size_t i = 0; i < moment.counters.size(); ++i) now.counters[i] += moment.counters[i];
    now.notes.insert(campaign_->notes().begin(), campaign_->notes().end());
    if (alive_) now.seconds = base_.seconds + SecondsSince(begin_);
    std::erase_if(untold_, [&](const Failure& failure) {
      if (failure.index >= now.after) return false;
      ++now.failed;
      records.push_back(FailureRecord(failure));
      return true;
    });
  }
  const bool news = now.after > state_.after || !records.empty();
  records.push_back(news ? CheckpointRecord(state_, now) : nlohmann::json{{"type", "alive"}});
  Write(records);
}

bool ShardRun::Pump(milliseconds wait) {
  stopped_ = stopped_ || task_.stop();
  if (campaign_ && alive_) {
    const bool time_is_up = base_.seconds + SecondsSince(begin_) >= task_.job.seconds;
    if (Over() || time_is_up) campaign_->Stop();
    const bool alive = campaign_->Pump(wait);
    status_.Update(campaign_->status());
    if (!alive) {
      Checkpoint();
      alive_ = false;
    }
  }
  if (SecondsSince(written_) >= task_.interval) Checkpoint();
  return alive_;
}

void ShardRun::Minimize(const Failure& failure) {
  bool takes = stride_.Takes(findings::LooksOf(failure.result.oracle, failure.result.text));
  if (failure.result.oracle == "hang" || failure.result.oracle == "memory") {
    Deaths& deaths = deaths_[KindOf(failure.result)];
    takes = ++deaths.seen == deaths.next;
    if (takes) deaths.next *= kRarer;
  }
  if (!takes) {
    Write({SettledRecord(failure.index, "")});
    return;
  }
  findings::ShrinkBudget budget;
  budget.interrupted = [this] { return Over(); };
  const uint64_t index = failure.index;
  absl::StatusOr<findings::Finding> finding =
      findings::ShrinkFailure(failure, task_.source, prober_, task_.worker.limits, budget);
  status_.Update(finding.status());
  if (Over()) return;  // whoever goes on minimizes it
  finding->origin = task_.origin;
  const std::string signature = SignatureOf(*finding);
  const auto same = [&](const ShardFinding& known) { return known.signature == signature; };
  const auto known = std::ranges::find_if(state_.findings, same);
  stride_.Minimized(/*news=*/known == state_.findings.end());
  nlohmann::json record = SettledRecord(index, signature);
  if (known == state_.findings.end()) {
    status_.Update(CheckHere(task_.folder, task_.shard, epoch_));
    if (!status_.ok()) return;
    const std::string folder =
        absl::StrCat(task_.folder, "/findings/", EpochName(task_.shard, epoch_));
    std::string note;
    absl::StatusOr<std::string> path = findings::WriteFinding(*finding, folder, prober_, &note);
    if (!path.ok()) {
      status_.Update(path.status());
      return;
    }
    ShardFinding found;
    found.signature = signature;
    found.rule = finding->result.oracle;
    found.kind = KindOf(finding->result);
    found.text = finding->result.text;
    found.program = finding->program;
    found.folder = path->substr(task_.folder.size() + 1);
    found.seed = finding->failure.seed;
    found.index = index;
    found.seconds = state_.seconds;
    record = FindingRecord(index, found);
  }
  Write({record});
}

void ShardRun::MinimizePending() {
  while (!state_.pending.empty() && !Over()) {
    const Failure failure = state_.pending.begin()->second;
    Minimize(failure);
  }
}

absl::StatusOr<ShardEnd> ShardRun::Run() {
  if (absl::Status status = Start(); !status.ok()) return status;
  while (alive_ && !taken_ && status_.ok()) {
    Pump(kPumpWait);
    MinimizePending();
  }
  MinimizePending();
  if (taken_) return ShardEnd::kTaken;
  if (!status_.ok()) return status_;
  Write({EndRecord(/*done=*/!stopped_)});
  if (taken_) return ShardEnd::kTaken;
  if (!status_.ok()) return status_;
  if (!CountsOnce(state_, task_.origin.seed)) {
    return absl::InternalError(absl::StrCat(
        "[campaign] shard ", task_.shard,
        " has lost a Program or counted one twice; allowed is each once; this is a defect of "
        "the tool"));
  }
  return stopped_ ? ShardEnd::kReleased : ShardEnd::kDone;
}

}  // namespace

absl::StatusOr<ShardEnd> RunShard(const ShardTask& task, const ShardView& view,
                                  RecordWriter writer) {
  return ShardRun(task, view, std::move(writer)).Run();
}

bool CountsOnce(const ShardState& state, uint64_t seed) {
  uint64_t seeds = 0;
  for (uint64_t i = 0; i < state.after; ++i) seeds += workers::ProgramSeed(seed, i);
  return state.programs == state.after && state.seeds == seeds;
}

}  // namespace twingrad::campaign

#include "fuzz/campaign/targets/fuzz_run.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/targets/child.h"
#include "fuzz/campaign/targets/corpora.h"
#include "fuzz/campaign/targets/finding_folder.h"
#include "fuzz/campaign/targets/fuzzer_output.h"
#include "fuzz/campaign/targets/try_input.h"
#include "proptests/workers/files.h"
#include "proptests/workers/process.h"
#include "proptests/workers/worker.h"

namespace twingrad::campaign {
namespace fs = std::filesystem;
namespace {

using std::chrono::steady_clock;
using workers::Failure;

constexpr useconds_t kPoll = 50'000;
// A target that was asked to end and has not after this long is killed.
constexpr double kGrace = 10;
// Minimizing an input ends when so many tries in a row, or seconds, made it no smaller; or after
// so many seconds altogether.
constexpr int kTriesOfAStep = 10'000;
constexpr int kSecondsOfAStep = 10;
constexpr double kMinimizeSeconds = 60;

double SecondsSince(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

class FuzzRun {
 public:
  FuzzRun(const FuzzTask& task, const ShardView& view, RecordWriter writer,
          const std::string& temporary)
      : task_(task),
        epoch_(view.epoch + 1),
        writer_(std::move(writer)),
        state_(view.state),
        temporary_(temporary),
        corpus_(CorpusPath(task.folder, task.shard, epoch_)) {}

  absl::StatusOr<ShardEnd> Run();

 private:
  // One life of the target: until it has found something, or time or runs are used.
  absl::Status Round();
  void Follow(Child& child);
  absl::Status Settle(const Child& child);
  void Minimize(const Failure& failure);
  std::optional<workers::CaseResult> Try(const std::string& input);
  std::string Smaller(const std::string& input, const workers::CaseResult& known);
  void Measure();
  void Await(Child& child, double limit = 1e9);
  void Checkpoint(const Failure* failure = nullptr);
  void Write(const std::vector<nlohmann::json>& records);
  std::string At(std::string_view name) const { return absl::StrCat(temporary_, "/", name); }
  double Seconds() const { return before_ + (running_ ? SecondsSince(begin_) : 0); }
  bool IsUsed() const {
    return Seconds() >= task_.job.seconds || state_.programs + runs_ >= task_.job.programs;
  }
  bool Over() const { return stopped_ || taken_ || !status_.ok(); }

  const FuzzTask& task_;
  uint64_t epoch_;
  RecordWriter writer_;
  ShardState state_;  // what the epoch's file says
  std::string temporary_;
  std::string corpus_;
  uint64_t rounds_ = 0;
  uint64_t runs_ = 0;  // of this round that no checkpoint holds yet
  uint64_t told_ = 0;  // of this round that one holds
  uint64_t covered_ = 0;
  double before_ = state_.seconds;  // until this round began
  bool running_ = false;
  bool begun_ = false;  // the round has read its corpus
  steady_clock::time_point begin_ = steady_clock::now();
  steady_clock::time_point written_ = begin_;
  bool stopped_ = false;
  bool taken_ = false;
  bool stuck_ = false;  // the seeds themselves fail: nothing more can be tried
  absl::Status status_;
};

// All or none of them.
void FuzzRun::Write(const std::vector<nlohmann::json>& records) {
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

// With a failure, the run that brought it about counts as the last.
void FuzzRun::Checkpoint(const Failure* failure) {
  std::vector<nlohmann::json> records;
  ShardState now = state_;
  now.after = now.programs = state_.programs + runs_;
  now.covered = std::max(state_.covered, covered_);
  now.seconds = Seconds();
  if (failure != nullptr) {
    ++now.failed;
    records.push_back(FailureRecord(*failure));
  }
  const bool news = runs_ > 0 || now.covered > state_.covered || failure != nullptr;
  records.push_back(news ? CheckpointRecord(state_, now) : nlohmann::json{{"type", "alive"}});
  told_ += runs_;
  runs_ = 0;
  Write(records);
}

// Waits for its end, and shows signs of life meanwhile.
void FuzzRun::Await(Child& child, double limit) {
  const steady_clock::time_point begin = steady_clock::now();
  while (!child.Ended()) {
    stopped_ = stopped_ || task_.stop();
    if (Over() || SecondsSince(begin) > limit) child.Signal(SIGKILL);
    if (SecondsSince(written_) >= task_.interval) Write({{{"type", "alive"}}});
    usleep(kPoll);
  }
}

void FuzzRun::Follow(Child& child) {
  std::optional<steady_clock::time_point> asked;
  bool ended = false;
  while (!ended) {
    ended = child.Ended();
    for (const std::string& line : child.TakeLines()) {
      begun_ = begun_ || IsBegun(line);
      const std::optional<Progress> progress = ProgressIn(line);
      if (!progress) continue;
      runs_ = std::max(runs_, progress->runs - std::min(progress->runs, told_));
      covered_ = std::max(covered_, progress->covered);
    }
    stopped_ = stopped_ || task_.stop();
    if (SecondsSince(written_) >= task_.interval) Checkpoint();
    if (taken_ || !status_.ok()) return child.Signal(SIGKILL);
    // The limit is the target's own; it may have forgotten it in an endless input.
    if (!asked && (stopped_ || Seconds() >= task_.job.seconds + kGrace)) {
      child.Signal(SIGUSR1);
      asked = steady_clock::now();
    }
    if (asked && SecondsSince(*asked) >= kGrace) child.Signal(SIGKILL);
    if (!ended) usleep(kPoll);
  }
}

absl::Status FuzzRun::Round() {
  const std::string artifacts = At(absl::StrCat("round-", ++rounds_));
  std::error_code error;
  fs::create_directories(artifacts, error);
  const double left = std::max(1.0, task_.job.seconds - Seconds());
  // libFuzzer takes 32 bits, and 0 for a seed of its own.
  const uint64_t seed = workers::ProgramSeed(task_.seed, (epoch_ << 32) + rounds_) % 0x7fffffff + 1;
  std::vector<std::string> rest = {
      absl::StrCat("-seed=", seed), "-print_final_stats=1", "-reload=0",
      absl::StrCat("-max_total_time=", static_cast<uint64_t>(std::min(left, 1e9))),
      absl::StrCat("-artifact_prefix=", artifacts, "/")};
  if (task_.job.programs != Job().programs) {
    rest.push_back(absl::StrCat("-runs=", task_.job.programs - state_.programs));
  }
  rest.push_back(corpus_);
  for (std::string& path : CorporaOf(task_.folder, task_.shard, epoch_ - 1)) {
    rest.push_back(std::move(path));
  }
  if (!task_.target.seeds.empty()) rest.push_back(task_.target.seeds);
  absl::StatusOr<Child> child = Child::Start(Command(task_.target, rest), At("output"));
  if (!child.ok()) return child.status();
  before_ = state_.seconds;
  begin_ = steady_clock::now();
  running_ = true;
  begun_ = false;
  told_ = 0;
  Follow(*child);
  if (Over() && !stopped_) return absl::OkStatus();
  const std::string artifact = ArtifactIn(artifacts);
  if (artifact.empty()) {
    Checkpoint();
    running_ = false;
    before_ = state_.seconds;
    return Settle(*child);
  }
  ++runs_;
  Failure failure;
  failure.index = state_.programs + runs_ - 1;
  failure.seed = seed;
  failure.program = Hex(workers::ReadInput(absl::StrCat(artifacts, "/", artifact)).value_or(""));
  failure.result = DeathIn(child->Output(), artifact);
  Checkpoint(&failure);
  running_ = false;
  before_ = state_.seconds;
  stuck_ = !begun_;
  return absl::OkStatus();
}

// Of a target that has left no input: it has come to its end, or something prevents it from
// running.
absl::Status FuzzRun::Settle(const Child& child) {
  if (child.status() == 0 || stopped_) return absl::OkStatus();
  const std::string output = child.Output();
  return absl::UnavailableError(absl::StrCat(
      "[campaign] the fuzz target ", task_.target.program, " ended by ",
      workers::EndText(child.status()), " and has left no input; needed is one that runs here; ",
      "it said: ", output.substr(output.size() - std::min<size_t>(output.size(), 400)), "\n"));
}

// What the target says to one input; nothing: it passes, or was not tried to the end.
std::optional<workers::CaseResult> FuzzRun::Try(const std::string& input) {
  auto said = TryInput(task_.target, input, At("try"), [this](Child& child) { Await(child); });
  if (Over() || !said.ok()) return std::nullopt;
  return *std::move(said);
}

// A smaller input that dies in the same way, or this one.
std::string FuzzRun::Smaller(const std::string& input, const workers::CaseResult& known) {
  if (known.oracle == "hang" || known.oracle == "leak" ||
      !workers::WriteFile(At("whole"), input).ok()) {
    return input;  // each try takes its time limit, or is not seen to leak by itself
  }
  absl::StatusOr<Child> child = Child::Start(
      Command(task_.target, {"-minimize_crash=1", absl::StrCat("-runs=", kTriesOfAStep),
                             absl::StrCat("-max_total_time=", kSecondsOfAStep),
                             absl::StrCat("-exact_artifact_path=", At("small")), At("whole")}),
      At("output-minimize"));
  if (!child.ok()) return input;
  Await(*child, kMinimizeSeconds);
  const absl::StatusOr<std::string> small = workers::ReadInput(At("small"));
  if (Over() || !small.ok() || small->size() >= input.size()) return input;
  const std::optional<workers::CaseResult> again = Try(*small);
  return again && TargetKind(*again) == TargetKind(known) ? *small : input;
}

void FuzzRun::Minimize(const Failure& failure) {
  const std::string input = Unhex(failure.program).value_or("");
  const std::string signature = TargetSignature(failure.result);
  const auto same = [&](const ShardFinding& known) { return known.signature == signature; };
  if (std::ranges::any_of(state_.findings, same)) {
    return Write({SettledRecord(failure.index, signature)});
  }
  const bool repeats = Try(input).has_value();
  const std::string small = repeats ? Smaller(input, failure.result) : input;
  status_.Update(CheckHere(task_.folder, task_.shard, epoch_));
  if (Over()) return;  // whoever goes on minimizes it
  const std::string parent =
      absl::StrCat(task_.folder, "/findings/", EpochName(task_.shard, epoch_));
  const absl::StatusOr<std::string> path = WriteTargetFinding(
      {task_.target, failure, input, small, repeats, task_.seed, signature}, parent);
  if (!path.ok()) {
    status_.Update(path.status());
    return;
  }
  ShardFinding found;
  found.signature = signature;
  found.rule = failure.result.oracle;
  found.kind = TargetKind(failure.result);
  found.text = failure.result.text;
  found.program = Shown(small);
  found.folder = path->substr(task_.folder.size() + 1);
  found.seed = failure.seed;
  found.index = failure.index;
  found.seconds = state_.seconds;
  Write({FindingRecord(failure.index, found)});
}

// Which edges the inputs of the shard cover, with its seeds.
void FuzzRun::Measure() {
  std::error_code error;
  fs::create_directories(At("fewest"), error);
  std::vector<std::string> from = CorporaOf(task_.folder, task_.shard, epoch_);
  if (!task_.target.seeds.empty()) from.push_back(task_.target.seeds);
  absl::StatusOr<Child> child = Child::Start(
      MinimizeCommand(task_.target, At("fewest"), At("control"), from), At("output-measure"));
  if (!child.ok()) return;
  Await(*child);
  if (Over() || child->status() != 0) return;
  const std::set<uint32_t> edges = EdgesIn(workers::ReadInput(At("control")).value_or(""));
  if (!edges.empty()) Write({EdgesRecord(edges)});
}

absl::StatusOr<ShardEnd> FuzzRun::Run() {
  std::error_code error;
  fs::create_directories(corpus_, error);
  if (error) {
    return absl::UnavailableError(absl::StrCat("[campaign] cannot make ", corpus_, " (",
                                               error.message(),
                                               "); needed is room there; make room, and run the "
                                               "shard again"));
  }
  while (!Over()) {
    while (!state_.pending.empty() && !Over()) {
      const Failure failure = state_.pending.begin()->second;
      Minimize(failure);
    }
    stopped_ = stopped_ || task_.stop();
    if (Over() || stuck_ || IsUsed()) break;
    status_.Update(Round());
  }
  if (!Over()) Measure();
  if (taken_) return ShardEnd::kTaken;
  if (!status_.ok()) return status_;
  Write({EndRecord(/*done=*/!stopped_)});
  if (taken_) return ShardEnd::kTaken;
  if (!status_.ok()) return status_;
  return stopped_ ? ShardEnd::kReleased : ShardEnd::kDone;
}

}  // namespace

absl::StatusOr<ShardEnd> RunFuzzShard(const FuzzTask& task, const ShardView& view,
                                      RecordWriter writer) {
  absl::StatusOr<workers::TemporaryFolder> temporary =
      workers::TemporaryFolder::Make("campaign-fuzz");
  if (!temporary.ok()) return temporary.status();
  return FuzzRun(task, view, std::move(writer), temporary->path()).Run();
}

}  // namespace twingrad::campaign

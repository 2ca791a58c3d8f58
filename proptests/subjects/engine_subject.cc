#include "proptests/subjects/engine_subject.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "autograd/base/device.h"
#include "autograd/base/error.h"
#include "autograd/device/device_interface.h"
#include "autograd/device/device_registry.h"
#include "autograd/engine/engine.h"
#include "autograd/ops/registry.h"
#include "autograd/program/observation_text.h"
#include "autograd/reference/ball/ball.h"
#include "autograd/reference/twin.h"
#include "autograd/runner/run.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "proptests/findings/drawing.h"
#include "proptests/judge/judge.h"
#include "proptests/judge/seeded_runs.h"
#include "proptests/judge/trial.h"
#include "proptests/oracles/expect.h"
#include "proptests/oracles/oracles.h"
#include "proptests/subjects/planted.h"
#include "proptests/subjects/program_source.h"
#include "proptests/subjects/summary.h"
#include "proptests/workers/case.h"
#include "proptests/workers/plant.h"

namespace twingrad::subjects {
namespace {

using judge::Statistics;
using program::Observation;
using workers::CaseResult;

// More edges than 16 bits count, and more nodes than a stack has frames for.
constexpr int kLongGraph = 100'000;

struct EngineStatistics {
  Statistics judged;
  DrawnFeatures drawn = {};
};

// Statistics are plain numbers that add up, so they travel as such.
static_assert(std::is_trivially_copyable_v<EngineStatistics>);
static_assert(sizeof(EngineStatistics) % sizeof(uint64_t) == 0);
constexpr size_t kNumCounters = sizeof(EngineStatistics) / sizeof(uint64_t);
static_assert(kNumCounters <= workers::kMaxCounters);

// Programs mean GPUs by their devices from now on.
absl::Status UseCuda(int devices) {
  ops::SetDeviceType(DeviceType::kCuda);
  try {
    // Each has a context from now on, whose addresses no limit of the process counts.
    for (int index = 0; index < devices; ++index) {
      const auto device = static_cast<uint8_t>(index);
      GetDeviceInterface(Device::Cuda(device)).SynchronizeDevice(device);
    }
  } catch (const Error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("[oracle] --device=cuda:", devices, " asks for GPUs: ", error.what()));
  }
  return absl::OkStatus();
}

processor::Kernels KernelsOf(std::string_view name) {
  if (name == "plain") return processor::Kernels::kPlain;
  return name == "library" ? processor::Kernels::kLibrary : processor::Kernels::kBest;
}

// A worker's chunk. What is known of many more would not fit the caches of a processor.
constexpr size_t kPlaces = 32;

class EngineSubject final : public Subject,
                            public workers::CaseJudge,
                            public workers::CaseBatch,
                            public workers::CaseDrawer,
                            public Reporter,
                            public Runner {
 public:
  explicit EngineSubject(judge::JudgeOptions options) : judge_options_(std::move(options)) {
    judge_options_.ball = reference::ball::RunBall;
  }

  absl::Status Configure(const CaseOptions& options) override {
    every_ball_ = options.every_ball;
    if (options.long_graphs) source_.options().long_graph = kLongGraph;
    processor::Use(KernelsOf(options.kernels));
    if (options.planted != workers::Defect::kNone) {
      judge_options_.tamper = [defect = options.planted, draw = options.plant_draw](
                                  const program::Program& program, int device_threads,
                                  Observation& seen) {
        Plant(defect, draw, program, device_threads, &seen);
      };
    }
    absl::Status status = source_.Configure(options);
    if (!status.ok() || !source_.options().on_cuda) return status;
    source_.options().long_graph = 0;  // a launch costs too much for so many nodes in one Program
    return UseCuda(source_.options().devices);
  }
  absl::Status Start() override {
    judge_.emplace(judge_options_, &counted_.judged);
    return absl::OkStatus();
  }
  workers::CaseSource& source() override { return source_; }
  workers::CaseJudge& judge() override { return *this; }
  workers::CaseDrawer& drawer() override { return *this; }
  const Reporter& reporter() const override { return *this; }
  Runner* runner() override { return this; }

  CaseResult Judge() override;

  workers::CaseBatch* batch() override { return this; }
  size_t places() const override { return kPlaces; }
  int steps() const override { return 1 + judge::kNumSteps; }
  void Take(int step, size_t place, uint64_t seed) override;
  CaseResult Finish(size_t place) override;

  // Those of GPUs wait for their drivers, whose threads are none of the engine's.
  bool HandsOver() const override { return !source_.options().on_cuda; }
  // Where they are counted: once a batch they are copied, and they are kilobytes.
  absl::Span<const uint64_t> counters() const override {
    return {reinterpret_cast<const uint64_t*>(&counted_), kNumCounters};
  }

  Seen Run() override;

  std::string Draw(absl::Span<const int> marked, bool run_engine) override {
    return findings::DrawGraphs(
        current(), run_engine ? Observe() : reference::RunTwin(current()).observation, marked);
  }

  std::string Summarise(absl::Span<const uint64_t> counters,
                        const std::set<std::string>& /*notes*/) const override {
    const EngineStatistics statistics = Read(counters);
    return SummaryText(statistics.judged, statistics.drawn);
  }

  std::string Report(absl::Span<const uint64_t> counters) const override {
    return absl::StrCat("{\"feature_pairs\":", PairsReport(Read(counters).drawn), "}");
  }

 private:
  static EngineStatistics Read(absl::Span<const uint64_t> counters) {
    EngineStatistics statistics;
    if (counters.size() == kNumCounters) {
      std::memcpy(static_cast<void*>(&statistics), counters.data(), sizeof(statistics));
    }
    return statistics;
  }

  judge::Further FurtherOf(const std::optional<uint64_t>& seed) const;
  CaseResult ResultOf(const program::Program& program, const judge::Judgement& judgement) const;

  // On the engine that the Judge would run first.
  Observation Observe() const {
    if (judge_options_.run) return judge_options_.run(current(), 0);
    Engine engine;
    return runner::Run(current(), engine);
  }
  const program::Program& current() const { return source_.current(); }

  ProgramSource source_;
  judge::JudgeOptions judge_options_;
  bool every_ball_ = false;
  std::optional<judge::Judge> judge_;
  EngineStatistics counted_;

  struct Place {
    ProgramSource::Made made;
    std::optional<judge::Trial> trial;
    CaseResult result;
  };
  std::array<Place, kPlaces> places_;
};

Runner::Seen EngineSubject::Run() {
  const Observation seen = Observe();
  Seen result{program::PrintObservation(current(), seen)};
  const auto expects = [](const auto& it) { return it.op == program::Opcode::kExpect; };
  if (std::ranges::none_of(current().statements, expects)) return result;
  const auto unmet = oracles::UnmetExpectations(current(), seen);
  absl::StrAppend(&result.text, "expectations\n", unmet.empty() ? "  all met\n" : "");
  result.all_met = unmet.empty();
  for (const auto& miss : unmet) absl::StrAppend(&result.text, "  ", miss.text, "\n");
  return result;
}

judge::Further EngineSubject::FurtherOf(const std::optional<uint64_t>& seed) const {
  // What comes from elsewhere is judged by all.
  judge::Further further;
  if (seed) {
    further.laws = judge::IsLawSample(*seed);
    further.helpers = judge::HasHelpers(*seed);
    further.repeats = judge::IsRepeatSample(*seed);
    further.ball = every_ball_ || judge::IsBallSample(*seed);
  }
  return further;
}

CaseResult EngineSubject::Judge() {
  source_.CountDrawn(&counted_.drawn);
  return ResultOf(current(), (*judge_)(current(), FurtherOf(source_.seed())));
}

void EngineSubject::Take(int step, size_t place, uint64_t seed) {
  Place& at = places_[place];
  if (step == 0) {
    at.made = source_.MakeApart(seed);
    at.trial.emplace(judge_->Begin(at.made.program, FurtherOf(seed)));
  } else {
    judge_->Take(static_cast<judge::Step>(step - 1), *at.trial);
  }
  if (step < steps() - 1) return;
  // While it is at hand: the next batch is made where this one was.
  at.result = ResultOf(at.made.program, at.trial->judgement);
  at.trial.reset();
  at.made.program = {};
}

CaseResult EngineSubject::Finish(size_t place) {
  counted_.drawn.Add(places_[place].made.drawn);
  return std::move(places_[place].result);
}

CaseResult EngineSubject::ResultOf(const program::Program& program,
                                   const judge::Judgement& judgement) const {
  CaseResult result;
  const oracles::Verdict* failure = judgement.Failure();
  if (failure == nullptr) return result;
  result.failed = true;
  result.oracle = std::string(failure->oracle);
  result.text = failure->text;
  if (failure->oracle != "ball") {
    bool contradicts = false;
    result.text += oracles::BallOpinion(program, judgement.expected,
                                        reference::ball::RunBall(program), &contradicts);
  }
  result.marked.assign(failure->statements.begin(), failure->statements.end());
  result.expected = program::PrintObservation(program, judgement.expected.observation);
  for (size_t i = 0; i < judgement.observed.size(); ++i) {
    if (i > 0) {
      absl::StrAppend(&result.actual, "\nwith ", judge_options_.device_threads[i],
                      " device threads\n");
    }
    absl::StrAppend(&result.actual, program::PrintObservation(program, judgement.observed[i]));
  }
  return result;
}

}  // namespace

std::unique_ptr<Subject> MakeEngineSubject(judge::JudgeOptions options) {
  return std::make_unique<EngineSubject>(std::move(options));
}

}  // namespace twingrad::subjects

#include "proptests/subjects/engine_subject.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/engine/engine.h"
#include "autograd/program/observation_text.h"
#include "autograd/reference/twin.h"
#include "autograd/runner/run.h"
#include "proptests/findings/drawing.h"
#include "proptests/judge/seeded_runs.h"
#include "proptests/oracles/expect.h"
#include "proptests/subjects/program_subject.h"
#include "proptests/subjects/summary.h"

namespace twingrad::oracle {
namespace {

using judge::Statistics;
using twingrad::program::Observation;

struct EngineStatistics {
  Statistics judged;
  DrawnFeatures drawn = {};
};

// Statistics are plain numbers that add up, so they travel as such.
static_assert(std::is_trivially_copyable_v<EngineStatistics>);
static_assert(sizeof(EngineStatistics) % sizeof(uint64_t) == 0);
constexpr size_t kNumCounters = sizeof(EngineStatistics) / sizeof(uint64_t);
static_assert(kNumCounters <= kMaxCounters);

class EngineSubject : public ProgramSubject {
 public:
  explicit EngineSubject(judge::JudgeOptions options) : judge_options_(std::move(options)) {}

  absl::Status Start() override {
    judge_.emplace(judge_options_);
    return absl::OkStatus();
  }

  Verdict Judge() override;

  absl::Span<const uint64_t> counters() const override {
    EngineStatistics statistics;
    if (judge_) statistics = {judge_->statistics(), drawn_};
    std::memcpy(counters_.data(), &statistics, sizeof(statistics));
    return counters_;
  }

  std::string Run() override;
  bool AllMet() const override { return all_met_; }

  std::string Draw(absl::Span<const int> marked, bool run_engine) override {
    if (run_engine) return DrawGraphs(program_, Observe(), marked);
    return DrawGraphs(program_, twingrad::reference::RunTwin(program_).observation, marked);
  }

  std::string Summarise(absl::Span<const uint64_t> counters) const override {
    EngineStatistics statistics;
    if (counters.size() == kNumCounters) {
      std::memcpy(static_cast<void*>(&statistics), counters.data(), sizeof(statistics));
    }
    return SummaryText(statistics.judged, statistics.drawn);
  }

 private:
  // On the engine that the Judge would run first.
  Observation Observe() const {
    if (judge_options_.run) return judge_options_.run(program_, 0);
    twingrad::Engine engine;
    return twingrad::runner::Run(program_, engine);
  }

  judge::JudgeOptions judge_options_;
  std::optional<judge::Judge> judge_;
  DrawnFeatures drawn_ = {};
  bool all_met_ = true;
  mutable std::array<uint64_t, kNumCounters> counters_ = {};
};

std::string EngineSubject::Run() {
  const Observation seen = Observe();
  std::string text = twingrad::program::PrintObservation(program_, seen);
  const auto& statements = program_.statements;
  all_met_ = true;
  if (std::any_of(statements.begin(), statements.end(), [](const auto& statement) {
        return statement.op == twingrad::program::Opcode::kExpect;
      })) {
    const auto unmet = twingrad::oracles::UnmetExpectations(program_, seen);
    absl::StrAppend(&text, "expectations\n", unmet.empty() ? "  all met\n" : "");
    all_met_ = unmet.empty();
    for (const auto& miss : unmet) absl::StrAppend(&text, "  ", miss.text, "\n");
  }
  return text;
}

Verdict EngineSubject::Judge() {
  CountDrawn(&drawn_);
  const judge::Judgement judgement = (*judge_)(program_, !seed_ || judge::IsLawSample(*seed_));
  Verdict verdict;
  const oracles::Verdict* failure = judgement.Failure();
  if (failure == nullptr) return verdict;
  verdict.failed = true;
  verdict.oracle = std::string(failure->oracle);
  verdict.text = failure->text;
  verdict.marked.assign(failure->statements.begin(), failure->statements.end());
  verdict.expected = twingrad::program::PrintObservation(program_, judgement.expected.observation);
  for (size_t i = 0; i < judgement.observed.size(); ++i) {
    if (i > 0) {
      absl::StrAppend(&verdict.actual, "\nwith ", judge_options_.device_threads[i],
                      " device threads\n");
    }
    absl::StrAppend(&verdict.actual,
                    twingrad::program::PrintObservation(program_, judgement.observed[i]));
  }
  return verdict;
}

}  // namespace

std::unique_ptr<Subject> MakeEngineSubject(judge::JudgeOptions options) {
  return std::make_unique<EngineSubject>(std::move(options));
}

}  // namespace twingrad::oracle

#include "proptests/conformance/foreign_subject.h"

#include <array>
#include <cstring>
#include <map>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/reference/twin.h"
#include "autograd/runner/print.h"
#include "proptests/conformance/claims.h"
#include "proptests/conformance/examination.h"
#include "proptests/conformance/foreign_engine.h"
#include "proptests/conformance/foreign_summary.h"
#include "proptests/findings/drawing.h"
#include "proptests/subjects/program_subject.h"

namespace twingrad::conformance {
namespace {

using oracle::Verdict;
using twingrad::program::Program;

constexpr size_t kNumCounters = sizeof(ForeignStatistics) / sizeof(uint64_t);
static_assert(std::is_trivially_copyable_v<ForeignStatistics>);
static_assert(kNumCounters <= oracle::kMaxCounters);

// Whether something is wrong with the engine or its adapter.
bool IsBlame(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAgree:
    case Outcome::kRefuse:
    case Outcome::kConvention:
    case Outcome::kExplained:
    case Outcome::kNotJudged:
      return false;
    case Outcome::kWrong:
    case Outcome::kCrash:
    case Outcome::kHang:
    case Outcome::kMemory:
    case Outcome::kProtocol:
      return true;
  }
  return true;
}

class ForeignSubject : public oracle::ProgramSubject {
 public:
  explicit ForeignSubject(SessionOptions options) : options_(std::move(options)) {}

  absl::Status Start() override;
  Verdict Judge() override { return VerdictOf(JudgeAndCount()); }
  absl::Span<const uint64_t> counters() const override {
    std::memcpy(counters_.data(), &statistics_, sizeof(statistics_));
    return counters_;
  }
  std::string Run() override;
  std::string Draw(absl::Span<const int> marked, bool run_engine) override;
  std::string Summarise(absl::Span<const uint64_t> counters) const override {
    return ForeignSummary(Read(counters));
  }
  std::string Report(absl::Span<const uint64_t> counters) const override {
    return ForeignReport(Read(counters));
  }
  std::string Objection(absl::Span<const uint64_t> counters) const override {
    return TooMuchExplained(Read(counters));
  }
  std::string Examine(bool* healthy) override;
  std::string Conventions() override { return ConventionsReport(*engine_); }
  std::map<std::string, std::string> Identity() const override {
    return {{"name", engine_->hello().name}, {"version", engine_->hello().version}};
  }
  std::string KnownFailures() const override { return engine_->ListPath(); }

 private:
  static ForeignStatistics Read(absl::Span<const uint64_t> counters) {
    ForeignStatistics statistics;
    if (counters.size() == kNumCounters) {
      std::memcpy(static_cast<void*>(&statistics), counters.data(), sizeof(statistics));
    }
    return statistics;
  }
  ForeignEngine::Judged JudgeAndCount();
  Verdict VerdictOf(const ForeignEngine::Judged& judged) const;

  SessionOptions options_;
  std::unique_ptr<ForeignEngine> engine_;  // from Start on
  ForeignStatistics statistics_;
  mutable std::array<uint64_t, kNumCounters> counters_ = {};
};

absl::Status ForeignSubject::Start() {
  absl::StatusOr<std::unique_ptr<ForeignEngine>> engine = ForeignEngine::Start(options_);
  if (!engine.ok()) return engine.status();
  engine_ = *std::move(engine);
  KeepClaimed(engine_->hello(), &generator_options_);
  return absl::OkStatus();
}

ForeignEngine::Judged ForeignSubject::JudgeAndCount() {
  ForeignEngine::Judged judged = engine_->Judge(program_, &statistics_.base);
  CountDrawn(&statistics_.drawn);
  CountProgram(program_, judged.expected, judged.verdict, judged.reply.observation, &statistics_);
  statistics_.restarts = engine_->restarts();
  statistics_.killed = engine_->killed();
  return judged;
}

Verdict ForeignSubject::VerdictOf(const ForeignEngine::Judged& judged) const {
  Verdict verdict;
  verdict.outcome = std::string(OutcomeWord(judged.verdict.outcome));
  verdict.oracle = judged.verdict.rule;
  verdict.text = judged.verdict.text;
  if (!IsBlame(judged.verdict.outcome)) return verdict;
  verdict.failed = true;
  absl::StrAppend(&verdict.text, "  engine ", engine_->hello().name, " ", engine_->hello().version,
                  "\n");
  const std::vector<int32_t>& statements = judged.verdict.statements;
  verdict.marked.assign(statements.begin(), statements.end());
  verdict.expected = twingrad::runner::PrintObservation(program_, judged.expected.twin.observation);
  const Reply& reply = judged.reply;
  verdict.actual = reply.kind == Reply::Kind::kObserved
                       ? twingrad::runner::PrintObservation(program_, reply.observation)
                       : absl::StrCat(reply.text, "\n", reply.output);
  return verdict;
}

std::string ForeignSubject::Run() {
  const Reply reply = engine_->Run(program_);
  if (reply.kind == Reply::Kind::kObserved) {
    return twingrad::runner::PrintObservation(program_, reply.observation);
  }
  return absl::StrCat(OutcomeWord(OutcomeOf(reply.kind)), ": ", reply.text, "\n", reply.output);
}

std::string ForeignSubject::Draw(absl::Span<const int> marked, bool run_engine) {
  if (run_engine && engine_ != nullptr) {
    const Reply reply = engine_->Run(program_);
    if (reply.kind == Reply::Kind::kObserved) {
      return oracle::DrawGraphs(program_, reply.observation, marked);
    }
  }
  return oracle::DrawGraphs(program_, twingrad::reference::RunTwin(program_).observation, marked);
}

std::string ForeignSubject::Examine(bool* healthy) {
  const auto attempt = [this](const Program& program) {
    program_ = program;
    const ForeignEngine::Judged judged = JudgeAndCount();
    const Verdict verdict = VerdictOf(judged);
    return Trial{judged.verdict.outcome, verdict.failed, verdict.text};
  };
  return conformance::Examine(*engine_, generator_options_, attempt, healthy);
}

}  // namespace

std::unique_ptr<oracle::Subject> MakeForeignSubject(std::vector<std::string> command,
                                                    const oracle::EngineOptions& options) {
  SessionOptions session;
  session.command = std::move(command);
  session.timeout = options.timeout;
  session.memory = options.memory;
  return std::make_unique<ForeignSubject>(std::move(session));
}

}  // namespace twingrad::conformance

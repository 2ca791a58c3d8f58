#include "proptests/conformance/foreign_subject.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "autograd/program/observation_text.h"
#include "autograd/reference/twin.h"
#include "proptests/conformance/adapted_engine.h"
#include "proptests/conformance/doctor.h"
#include "proptests/conformance/foreign_summary.h"
#include "proptests/findings/drawing.h"
#include "proptests/judge/ball_sample.h"
#include "proptests/subjects/program_source.h"
#include "proptests/subjects/subject.h"
#include "proptests/workers/case.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Program;
using workers::CaseResult;

constexpr size_t kNumCounters = sizeof(ForeignStatistics) / sizeof(uint64_t);
static_assert(std::is_trivially_copyable_v<ForeignStatistics>);
static_assert(kNumCounters <= workers::kMaxCounters);

// Whether something is wrong with the engine or its adapter.
bool IsBlame(Outcome outcome) {
  return outcome >= Outcome::kWrong && outcome <= Outcome::kProtocol;
}

class ForeignSubject final : public subjects::Subject,
                             public workers::CaseJudge,
                             public workers::CaseDrawer,
                             public subjects::Reporter,
                             public subjects::Runner,
                             public subjects::ForeignEngine {
 public:
  explicit ForeignSubject(SessionOptions options) : options_(std::move(options)) {}

  absl::Status Configure(const subjects::CaseOptions& options) override {
    expect_failures_ = options.expect_failures;
    every_ball_ = options.every_ball;
    return source_.Configure(options);
  }
  absl::Status Start() override;
  workers::CaseSource& source() override { return source_; }
  workers::CaseJudge& judge() override { return *this; }
  workers::CaseDrawer& drawer() override { return *this; }
  const subjects::Reporter& reporter() const override { return *this; }
  subjects::Runner* runner() override { return this; }
  subjects::ForeignEngine* foreign() override { return this; }

  CaseResult Judge() override { return ResultOf(JudgeAndCount()); }
  absl::Span<const uint64_t> counters() const override {
    std::memcpy(counters_.data(), &statistics_, sizeof(statistics_));
    return counters_;
  }
  std::string Describe() override { return conformance::Describe(*engine_); }

  std::string Draw(absl::Span<const int> marked, bool run_engine) override;

  std::vector<std::string> TakeNotes() override { return std::exchange(notes_, {}); }
  std::string Summarise(absl::Span<const uint64_t> counters,
                        const std::set<std::string>& notes) const override {
    return ForeignSummary(Read(counters), notes);
  }
  std::string Report(absl::Span<const uint64_t> counters) const override {
    return ForeignReport(Read(counters));
  }
  std::string Objection(absl::Span<const uint64_t> counters,
                        const std::set<std::string>& /*notes*/) const override {
    return TooMuchExplained(Read(counters));
  }

  Seen Run() override;

  Examination Examine() override;
  std::string KnownFailures() const override { return engine_->ListPath(); }

 private:
  static ForeignStatistics Read(absl::Span<const uint64_t> counters) {
    ForeignStatistics statistics;
    if (counters.size() == kNumCounters) {
      std::memcpy(static_cast<void*>(&statistics), counters.data(), sizeof(statistics));
    }
    return statistics;
  }
  const Program& current() const { return source_.current(); }
  AdaptedEngine::Judged JudgeAndCount();
  CaseResult ResultOf(const AdaptedEngine::Judged& judged) const;
  // What the engine showed of the current Program, or what was wrong with it.
  std::string ActualText(const Reply& reply) const {
    if (reply.kind != Reply::Kind::kObserved) return absl::StrCat(reply.text, "\n", reply.output);
    return twingrad::program::PrintObservation(current(), reply.observation);
  }

  SessionOptions options_;
  bool expect_failures_ = true;
  bool every_ball_ = false;
  subjects::ProgramSource source_;
  std::unique_ptr<AdaptedEngine> engine_;  // from Start on
  ForeignStatistics statistics_;
  std::set<std::string> told_;      // conventions with an example
  std::vector<std::string> notes_;  // not yet told
  mutable std::array<uint64_t, kNumCounters> counters_ = {};
};

absl::Status ForeignSubject::Start() {
  absl::StatusOr<std::unique_ptr<AdaptedEngine>> engine = AdaptedEngine::Start(options_);
  if (!engine.ok()) return engine.status();
  engine_ = *std::move(engine);
  if (!expect_failures_) engine_->SetFailures({});
  KeepClaimed(engine_->hello(), &source_.options());
  return absl::OkStatus();
}

AdaptedEngine::Judged ForeignSubject::JudgeAndCount() {
  const bool balls = every_ball_ || !source_.seed() || judge::IsBallSample(*source_.seed());
  AdaptedEngine::Judged judged = engine_->Judge(current(), &statistics_.base, balls);
  source_.CountDrawn(&statistics_.drawn);
  CountProgram(current(), judged.expected, judged.verdict, judged.reply.observation, &statistics_);
  std::vector<std::string> notes = NotesOf(judged.verdict.taken);
  if (judged.verdict.outcome == Outcome::kExplained) {
    notes.push_back(CountExplained(engine_->failures(), judged.verdict.explained_by, &statistics_));
  }
  for (std::string& note : notes) {
    // One example of each is enough.
    if (told_.insert(note.substr(0, note.find(':'))).second) notes_.push_back(std::move(note));
  }
  statistics_.restarts = engine_->restarts();
  statistics_.killed = engine_->killed();
  return judged;
}

CaseResult ForeignSubject::ResultOf(const AdaptedEngine::Judged& judged) const {
  CaseResult result;
  result.outcome = std::string(OutcomeWord(judged.verdict.outcome));
  result.oracle = judged.verdict.rule;
  result.text = judged.verdict.text;
  if (!IsBlame(judged.verdict.outcome)) return result;
  result.failed = true;
  absl::StrAppend(&result.text, "  engine ", engine_->hello().name, " ", engine_->hello().version,
                  "\n");
  const std::vector<int32_t>& statements = judged.verdict.statements;
  result.marked.assign(statements.begin(), statements.end());
  result.expected =
      twingrad::program::PrintObservation(current(), judged.expected.twin.observation);
  result.actual = ActualText(judged.reply);
  return result;
}

subjects::Runner::Seen ForeignSubject::Run() {
  const Reply reply = engine_->Run(current());
  if (reply.kind == Reply::Kind::kObserved) return {ActualText(reply)};
  return {absl::StrCat(OutcomeWord(OutcomeOf(reply.kind)), ": ", ActualText(reply))};
}

std::string ForeignSubject::Draw(absl::Span<const int> marked, bool run_engine) {
  if (run_engine && engine_ != nullptr) {
    const Reply reply = engine_->Run(current());
    if (reply.kind == Reply::Kind::kObserved) {
      return findings::DrawGraphs(current(), reply.observation, marked);
    }
  }
  return findings::DrawGraphs(current(), twingrad::reference::RunTwin(current()).observation,
                              marked);
}

subjects::ForeignEngine::Examination ForeignSubject::Examine() {
  const auto attempt = [this](const Program& program) {
    source_.SetCurrent(program);
    const AdaptedEngine::Judged judged = JudgeAndCount();
    const CaseResult result = ResultOf(judged);
    return Trial{judged.verdict.outcome, result.failed, result.text};
  };
  return conformance::Examine(*engine_, source_.options(), attempt);
}

}  // namespace

std::unique_ptr<subjects::Subject> MakeForeignSubject(std::vector<std::string> command,
                                                      const subjects::EngineChoice& choice) {
  SessionOptions session;
  session.command = std::move(command);
  session.timeout = choice.timeout;
  session.memory = choice.memory;
  return std::make_unique<ForeignSubject>(std::move(session));
}

}  // namespace twingrad::conformance

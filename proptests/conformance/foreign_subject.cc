#include "proptests/conformance/foreign_subject.h"

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/parse.h"
#include "nlohmann/json.hpp"
#include "proptests/conformance/canary.h"
#include "proptests/conformance/conventions.h"
#include "proptests/conformance/doctor.h"
#include "proptests/conformance/expected_failures.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/foreign_summary.h"
#include "proptests/findings/drawing.h"
#include "proptests/subjects/program_source.h"
#include "proptests/subjects/subject.h"
#include "proptests/workers/case.h"
#include "proptests/workers/files.h"
#include "proptests/workers/repository_files.h"
#include "tools/adapters/protocol/session.h"

namespace twingrad::oracle {
namespace {

constexpr char kLibtorchAdapter[] = "tools/adapters/libtorch/libtorch";

using adapters::Reply;
using adapters::Session;
using subjects::Subject;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using workers::CaseResult;

constexpr size_t kNumCounters = sizeof(ForeignStatistics) / sizeof(uint64_t);
static_assert(std::is_trivially_copyable_v<ForeignStatistics>);
static_assert(kNumCounters <= workers::kMaxCounters);

Outcome OutcomeOf(Reply::Kind kind) {
  switch (kind) {
    case Reply::Kind::kObserved:
      return Outcome::kAgree;
    case Reply::Kind::kSkipped:
      return Outcome::kRefuse;
    case Reply::Kind::kCrash:
      return Outcome::kCrash;
    case Reply::Kind::kHang:
      return Outcome::kHang;
    case Reply::Kind::kMemory:
      return Outcome::kMemory;
    case Reply::Kind::kProtocol:
      return Outcome::kProtocol;
  }
  return Outcome::kProtocol;
}

class ForeignSubject final : public Subject,
                             public workers::CaseJudge,
                             public workers::CaseDrawer,
                             public subjects::Reporter,
                             public subjects::Runner,
                             public subjects::ForeignEngine {
 public:
  explicit ForeignSubject(adapters::SessionOptions options) : options_(std::move(options)) {}

  absl::Status Configure(const subjects::CaseOptions& options) override {
    return source_.Configure(options);
  }
  absl::Status Start() override;
  workers::CaseSource& source() override { return source_; }
  workers::CaseJudge& judge() override { return *this; }
  workers::CaseDrawer& drawer() override { return *this; }
  const subjects::Reporter& reporter() const override { return *this; }
  subjects::Runner* runner() override { return this; }
  subjects::ForeignEngine* foreign() override { return this; }

  CaseResult Judge() override {
    Outcome outcome = Outcome::kAgree;
    return JudgeAs(&outcome);
  }
  absl::Span<const uint64_t> counters() const override {
    std::memcpy(counters_.data(), &statistics_, sizeof(statistics_));
    return counters_;
  }
  // Name, version and conventions.
  std::string Describe() override;

  std::string Draw(absl::Span<const int> marked, bool run_engine) override;

  std::string Summarise(absl::Span<const uint64_t> counters,
                        const std::set<std::string>& /*notes*/) const override {
    return ForeignSummary(Read(counters));
  }
  std::string Report(absl::Span<const uint64_t> counters) const override {
    return ForeignReport(Read(counters));
  }
  std::string Objection(absl::Span<const uint64_t> counters) const override {
    return TooMuchExplained(Read(counters));
  }

  Seen Run() override;

  Examination Examine() override;
  std::string KnownFailures() const override {
    return absl::StrCat("golden/expected/", session_->hello().name, "-", session_->hello().version,
                        ".txt");
  }

 private:
  static ForeignStatistics Read(absl::Span<const uint64_t> counters) {
    ForeignStatistics statistics;
    if (counters.size() == kNumCounters) {
      std::memcpy(static_cast<void*>(&statistics), counters.data(), sizeof(statistics));
    }
    return statistics;
  }
  absl::Status LoadExpectedFailures();
  ForeignVerdict JudgeReply(Expectation& expected, Reply& reply);
  Reply RunOnEngine(const Program& program, Expectation* expected);
  CaseResult JudgeAs(Outcome* outcome);
  std::string ExamineConventions();
  const Program& current() const { return source_.current(); }
  CaseResult ResultOf(const ForeignVerdict& judged, const Expectation& expected,
                      const Reply& reply);

  adapters::SessionOptions options_;
  subjects::ProgramSource source_;
  std::unique_ptr<Session> session_;
  ExpectedFailures failures_;
  Canary canary_;
  ForeignStatistics statistics_;
  mutable std::array<uint64_t, kNumCounters> counters_ = {};
};

absl::Status ForeignSubject::LoadExpectedFailures() {
  const std::string path = workers::Locate(KnownFailures());
  if (access(path.c_str(), R_OK) != 0) return absl::OkStatus();
  absl::StatusOr<std::string> text = workers::ReadInput(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<ExpectedFailures> failures = ParseExpectedFailures(*text);
  if (!failures.ok()) return failures.status();
  failures_ = *std::move(failures);
  return absl::OkStatus();
}

absl::Status ForeignSubject::Start() {
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Start(options_);
  if (!session.ok()) return session.status();
  session_ = *std::move(session);
  const adapters::Hello& hello = session_->hello();
  for (size_t i = 0; i < source_.options().ops.size(); ++i) {
    if (!hello.Has(static_cast<Opcode>(i))) source_.options().ops.reset(i);
  }
  // Without all element types: f64 alone.
  if (hello.dtypes.size() < 4) {
    source_.options().features.reset(static_cast<size_t>(generators::Feature::kNumbers));
  }
  // Hooks are made of all kinds or of none.
  for (Opcode op :
       {Opcode::kPreHook, Opcode::kPostHook, Opcode::kAccumulateHook, Opcode::kRemoveHook}) {
    if (!hello.Has(op)) source_.options().ops.reset(static_cast<size_t>(Opcode::kHook));
  }
  source_.options().devices = hello.devices;
  source_.options().backward = hello.Has(Opcode::kBackward);
  source_.options().grad = hello.Has(Opcode::kGrad);
  // Without hooks it still makes retain_grad.
  if (!hello.Has(Opcode::kHook) && !hello.Has(Opcode::kRetainGrad)) {
    source_.options().features.reset(static_cast<size_t>(generators::Feature::kHook));
  }
  if (hello.devices == 0) {
    source_.options().features.reset(static_cast<size_t>(generators::Feature::kDevices));
  }
  canary_ = Canary(hello);
  return LoadExpectedFailures();
}

ForeignVerdict ForeignSubject::JudgeReply(Expectation& expected, Reply& reply) {
  ForeignVerdict judged;
  if (reply.kind != Reply::Kind::kObserved) {
    judged.outcome = OutcomeOf(reply.kind);
    judged.rule = std::string(OutcomeWord(judged.outcome));
    judged.text = absl::StrCat(judged.rule, ": ", reply.text, "\n");
    if (!reply.output.empty()) absl::StrAppend(&judged.text, "it said:\n", reply.output, "\n");
    return judged;
  }
  judge::Statistics* statistics = &statistics_.base;
  judged = JudgeForeign(current(), session_->hello(), expected, reply.observation, statistics);
  // Whatever the verdict: a broken engine must not be asked for the next Program.
  std::optional<ForeignVerdict> broken;
  if (reply.observation.error) broken = canary_.Judge(*session_);
  if (broken && judged.outcome != Outcome::kWrong) return *std::move(broken);
  if (judged.outcome != Outcome::kWrong) return judged;
  for (const Signature& signature : failures_.signatures) {
    if (!signature.Matches(current(), judged.rule, expected.twin.observation.error,
                           reply.observation.error, judged.text)) {
      continue;
    }
    judged.outcome = Outcome::kExplained;
    absl::StrAppend(&judged.text, "  expected failure ", signature.entry, ": ", signature.reason,
                    "\n");
    break;
  }
  return judged;
}

CaseResult ForeignSubject::ResultOf(const ForeignVerdict& judged, const Expectation& expected,
                                    const Reply& reply) {
  CaseResult result;
  result.outcome = std::string(OutcomeWord(judged.outcome));
  result.oracle = judged.rule;
  result.text = judged.text;
  switch (judged.outcome) {
    case Outcome::kAgree:
    case Outcome::kRefuse:
    case Outcome::kConvention:
    case Outcome::kExplained:
    case Outcome::kNotJudged:
      return result;
    default:
      break;
  }
  result.failed = true;
  result.text = absl::StrCat(judged.text, "  engine ", session_->hello().name, " ",
                             session_->hello().version, "\n");
  result.marked.assign(judged.statements.begin(), judged.statements.end());
  result.expected = twingrad::program::PrintObservation(current(), expected.twin.observation);
  result.actual = reply.kind == Reply::Kind::kObserved
                      ? twingrad::program::PrintObservation(current(), reply.observation)
                      : absl::StrCat(reply.text, "\n", reply.output);
  return result;
}

// What is expected is computed meanwhile. What the hello does not claim is not sent.
Reply ForeignSubject::RunOnEngine(const Program& program, Expectation* expected) {
  Reply reply;
  const Program sent = adapters::ToSend(session_->hello(), program);
  const std::string lacks = adapters::NotClaimed(session_->hello(), sent);
  if (lacks.empty()) session_->Send(sent);
  *expected = Expect(program, session_->hello());
  if (lacks.empty()) return session_->Receive();
  reply.kind = Reply::Kind::kSkipped;
  reply.text = absl::StrCat("the hello does not claim ", lacks);
  return reply;
}

CaseResult ForeignSubject::JudgeAs(Outcome* outcome) {
  Expectation expected;
  Reply reply = RunOnEngine(current(), &expected);
  const ForeignVerdict judged = JudgeReply(expected, reply);
  source_.CountDrawn(&statistics_.drawn);
  CountProgram(current(), expected, judged, reply.observation, &statistics_);
  statistics_.restarts = session_->restarts();
  statistics_.killed = session_->killed();
  *outcome = judged.outcome;
  return ResultOf(judged, expected, reply);
}

std::string ForeignSubject::Draw(absl::Span<const int> marked, bool run_engine) {
  if (run_engine && session_ != nullptr) {
    session_->Send(current());
    const Reply reply = session_->Receive();
    if (reply.kind == Reply::Kind::kObserved) {
      return findings::DrawGraphs(current(), reply.observation, marked);
    }
  }
  return findings::DrawGraphs(current(), twingrad::reference::RunTwin(current()).observation,
                              marked);
}

subjects::Runner::Seen ForeignSubject::Run() {
  session_->Send(current());
  const Reply reply = session_->Receive();
  if (reply.kind == Reply::Kind::kObserved) {
    return {twingrad::program::PrintObservation(current(), reply.observation)};
  }
  return {absl::StrCat(OutcomeWord(OutcomeOf(reply.kind)), ": ", reply.text, "\n", reply.output)};
}

std::string ForeignSubject::Describe() {
  nlohmann::json rows = nlohmann::json::array();
  for (const Convention& convention : Conventions()) {
    absl::StatusOr<Program> program = twingrad::program::Parse(convention.program);
    if (!program.ok()) continue;
    Expectation expected;
    const Reply reply = RunOnEngine(*program, &expected);
    rows.push_back({{"point", convention.point},
                    {"choice", reply.kind == Reply::Kind::kObserved
                                   ? ChoiceText(*program, reply.observation)
                                   : std::string(OutcomeWord(OutcomeOf(reply.kind)))},
                    {"twin", ChoiceText(*program, expected.twin.observation)}});
  }
  return nlohmann::json({{"name", session_->hello().name},
                         {"version", session_->hello().version},
                         {"conventions", std::move(rows)}})
      .dump();
}

std::string ForeignSubject::ExamineConventions() {
  std::string text = "conventions\n";
  for (const Convention& convention : Conventions()) {
    absl::StatusOr<Program> program = twingrad::program::Parse(convention.program);
    if (!program.ok()) continue;
    Expectation expected;
    const Reply reply = RunOnEngine(*program, &expected);
    absl::StrAppend(
        &text, absl::StrFormat("  %-34s ", convention.point),
        reply.kind == Reply::Kind::kObserved ? ChoiceText(*program, reply.observation) : reply.text,
        "\n");
  }
  return text;
}

subjects::ForeignEngine::Examination ForeignSubject::Examine() {
  const adapters::Hello& hello = session_->hello();
  std::string text = absl::StrCat("handshake: ", adapters::PrintHello(hello), "\n");
  if (hello.facts.empty()) {
    text +=
        "facts: none, so values and gradients alone are compared; see "
        "tools/adapters/protocol/README.md\n";
  }
  const Round round = ExamineOps(hello, source_.options(), [this](const Program& program) {
    source_.SetCurrent(program);
    Outcome outcome = Outcome::kAgree;
    const CaseResult result = JudgeAs(&outcome);
    return Trial{outcome, result.failed, result.text};
  });
  text += round.text;
  bool healthy = round.healthy;
  if (!round.stopped) text += ExamineConventions();
  for (const std::string& line :
       failures_.Expired(absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone()))) {
    healthy = false;
    absl::StrAppend(&text, "expired: ", line,
                    "; look whether it still fails, then move its date\n");
  }
  absl::StrAppend(&text, healthy ? "healthy\n" : "not healthy\n");
  return {std::move(text), healthy};
}

}  // namespace

std::vector<std::string> AdapterCommand(std::string_view engine) {
  if (absl::ConsumePrefix(&engine, "exec:")) {
    return absl::StrSplit(engine, ' ', absl::SkipEmpty());
  }
  if (engine == "libtorch") return {workers::Locate(kLibtorchAdapter)};
  return {};
}

absl::StatusOr<std::unique_ptr<Subject>> MakeForeignSubject(const subjects::EngineChoice& choice) {
  adapters::SessionOptions session;
  session.command = AdapterCommand(choice.engine);
  session.timeout = choice.timeout;
  session.memory = choice.memory;
  if (session.command.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "[oracle] --engine=", choice.engine,
        " is unknown; allowed are libtorch and exec:CMD ARGS; see `oracle check --help`"));
  }
  if (choice.engine == "libtorch" && access(session.command[0].c_str(), X_OK) != 0) {
    return absl::UnavailableError(
        "[oracle] --engine=libtorch: its adapter is not beside this tool; it is built where "
        "libtorch is installed, and found by `tools/bazel run`; install libtorch-dev and repeat");
  }
  return std::make_unique<ForeignSubject>(std::move(session));
}

}  // namespace twingrad::oracle

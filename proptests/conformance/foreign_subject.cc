#include "proptests/conformance/foreign_subject.h"

#include <array>
#include <cstring>
#include <map>
#include <optional>
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
#include "autograd/program/parse.h"
#include "autograd/runner/print.h"
#include "nlohmann/json.hpp"
#include "proptests/conformance/canary.h"
#include "proptests/conformance/conventions.h"
#include "proptests/conformance/doctor.h"
#include "proptests/conformance/expected_failures.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/foreign_summary.h"
#include "proptests/conformance/session.h"
#include "proptests/findings/drawing.h"
#include "proptests/subjects/program_subject.h"
#include "proptests/workers/files.h"

namespace twingrad::oracle {
namespace {

constexpr char kLibtorchAdapter[] = "tools/adapters/libtorch/libtorch";

using conformance::Reply;
using conformance::Session;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;

constexpr size_t kNumCounters = sizeof(ForeignStatistics) / sizeof(uint64_t);
static_assert(std::is_trivially_copyable_v<ForeignStatistics>);
static_assert(kNumCounters <= kMaxCounters);

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

class ForeignSubject : public ProgramSubject {
 public:
  explicit ForeignSubject(conformance::SessionOptions options) : options_(std::move(options)) {}

  absl::Status Start() override;
  Verdict Judge() override {
    Outcome outcome = Outcome::kAgree;
    return JudgeAs(&outcome);
  }
  absl::Span<const uint64_t> counters() const override {
    std::memcpy(counters_.data(), &statistics_, sizeof(statistics_));
    return counters_;
  }
  std::string Run() override;
  std::string Draw(absl::Span<const int> marked, bool run_engine) override {
    if (run_engine && session_ != nullptr) {
      session_->Send(program_);
      const Reply reply = session_->Receive();
      if (reply.kind == Reply::Kind::kObserved) {
        return DrawGraphs(program_, reply.observation, marked);
      }
    }
    return DrawGraphs(program_, twingrad::reference::RunTwin(program_).observation, marked);
  }
  std::string Summarise(absl::Span<const uint64_t> counters) const override {
    return ForeignSummary(Read(counters));
  }
  std::string Report(absl::Span<const uint64_t> counters) const override {
    return ForeignReport(Read(counters));
  }
  std::string Examine(bool* healthy) override;
  std::string Conventions() override;
  std::map<std::string, std::string> Identity() const override {
    return {{"name", session_->hello().name}, {"version", session_->hello().version}};
  }
  std::string KnownFailures() const override {
    return absl::StrCat("golden/expected/", session_->hello().name, "-", session_->hello().version,
                        ".txt");
  }
  std::string Objection(absl::Span<const uint64_t> counters) const override {
    return TooMuchExplained(Read(counters));
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
  Verdict JudgeAs(Outcome* outcome);
  std::string ExamineConventions();
  Verdict VerdictOf(const ForeignVerdict& judged, const Expectation& expected, const Reply& reply);

  conformance::SessionOptions options_;
  std::unique_ptr<Session> session_;
  ExpectedFailures failures_;
  Canary canary_;
  ForeignStatistics statistics_;
  mutable std::array<uint64_t, kNumCounters> counters_ = {};
};

absl::Status ForeignSubject::LoadExpectedFailures() {
  const std::string path = KnownFailures();
  if (access(path.c_str(), R_OK) != 0) return absl::OkStatus();
  absl::StatusOr<std::string> text = ReadInput(path);
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
  const protocol::Hello& hello = session_->hello();
  for (size_t i = 0; i < generator_options_.ops.size(); ++i) {
    if (!hello.Has(static_cast<Opcode>(i))) generator_options_.ops.reset(i);
  }
  // Without all element types: f64 alone.
  if (hello.dtypes.size() < 4) {
    generator_options_.features.reset(static_cast<size_t>(generators::Feature::kNumbers));
  }
  // Hooks are made of all kinds or of none.
  for (Opcode op :
       {Opcode::kPreHook, Opcode::kPostHook, Opcode::kAccumulateHook, Opcode::kRemoveHook}) {
    if (!hello.Has(op)) generator_options_.ops.reset(static_cast<size_t>(Opcode::kHook));
  }
  generator_options_.devices = hello.devices;
  generator_options_.backward = hello.Has(Opcode::kBackward);
  generator_options_.grad = hello.Has(Opcode::kGrad);
  // Without hooks it still makes retain_grad.
  if (!hello.Has(Opcode::kHook) && !hello.Has(Opcode::kRetainGrad)) {
    generator_options_.features.reset(static_cast<size_t>(generators::Feature::kHook));
  }
  if (hello.devices == 0) {
    generator_options_.features.reset(static_cast<size_t>(generators::Feature::kDevices));
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
  oracles::Statistics* statistics = &statistics_.base;
  judged = JudgeForeign(program_, session_->hello(), expected, reply.observation, statistics);
  // Whatever the verdict: a broken engine must not be asked for the next Program.
  std::optional<ForeignVerdict> broken;
  if (reply.observation.error) broken = canary_.Judge(*session_);
  if (broken && judged.outcome != Outcome::kWrong) return *std::move(broken);
  if (judged.outcome != Outcome::kWrong) return judged;
  for (const Signature& signature : failures_.signatures) {
    if (!signature.Matches(program_, judged.rule, expected.twin.observation.error,
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

Verdict ForeignSubject::VerdictOf(const ForeignVerdict& judged, const Expectation& expected,
                                  const Reply& reply) {
  Verdict verdict;
  verdict.outcome = std::string(OutcomeWord(judged.outcome));
  verdict.oracle = judged.rule;
  verdict.text = judged.text;
  switch (judged.outcome) {
    case Outcome::kAgree:
    case Outcome::kRefuse:
    case Outcome::kConvention:
    case Outcome::kExplained:
    case Outcome::kNotJudged:
      return verdict;
    default:
      break;
  }
  verdict.failed = true;
  verdict.text = absl::StrCat(judged.text, "  engine ", session_->hello().name, " ",
                              session_->hello().version, "\n");
  verdict.marked.assign(judged.statements.begin(), judged.statements.end());
  verdict.expected = twingrad::runner::PrintObservation(program_, expected.twin.observation);
  verdict.actual = reply.kind == Reply::Kind::kObserved
                       ? twingrad::runner::PrintObservation(program_, reply.observation)
                       : absl::StrCat(reply.text, "\n", reply.output);
  return verdict;
}

// What is expected is computed meanwhile. What the hello does not claim is not sent.
Reply ForeignSubject::RunOnEngine(const Program& program, Expectation* expected) {
  Reply reply;
  const Program sent = protocol::ToSend(session_->hello(), program);
  const std::string lacks = protocol::NotClaimed(session_->hello(), sent);
  if (lacks.empty()) session_->Send(sent);
  *expected = Expect(program, session_->hello());
  if (lacks.empty()) return session_->Receive();
  reply.kind = Reply::Kind::kSkipped;
  reply.text = absl::StrCat("the hello does not claim ", lacks);
  return reply;
}

Verdict ForeignSubject::JudgeAs(Outcome* outcome) {
  Expectation expected;
  Reply reply = RunOnEngine(program_, &expected);
  const ForeignVerdict judged = JudgeReply(expected, reply);
  CountDrawn(&statistics_.drawn);
  CountProgram(program_, expected, judged, reply.observation, &statistics_);
  statistics_.restarts = session_->restarts();
  statistics_.killed = session_->killed();
  *outcome = judged.outcome;
  return VerdictOf(judged, expected, reply);
}

std::string ForeignSubject::Run() {
  session_->Send(program_);
  const Reply reply = session_->Receive();
  if (reply.kind == Reply::Kind::kObserved) {
    return twingrad::runner::PrintObservation(program_, reply.observation);
  }
  return absl::StrCat(OutcomeWord(OutcomeOf(reply.kind)), ": ", reply.text, "\n", reply.output);
}

std::string ForeignSubject::Conventions() {
  nlohmann::json rows = nlohmann::json::array();
  for (const Convention& convention : oracle::Conventions()) {
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
  return rows.dump();
}

std::string ForeignSubject::ExamineConventions() {
  std::string text = "conventions\n";
  for (const Convention& convention : oracle::Conventions()) {
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

std::string ForeignSubject::Examine(bool* healthy) {
  *healthy = true;
  const protocol::Hello& hello = session_->hello();
  std::string text = absl::StrCat("handshake: ", protocol::PrintHello(hello), "\n");
  if (hello.facts.empty()) {
    text +=
        "facts: none, so values and gradients alone are compared; see "
        "proptests/protocol/README.md\n";
  }
  const Round round = ExamineOps(hello, generator_options_, [this](const Program& program) {
    program_ = program;
    Outcome outcome = Outcome::kAgree;
    const Verdict verdict = JudgeAs(&outcome);
    return Trial{outcome, verdict.failed, verdict.text};
  });
  text += round.text;
  *healthy = round.healthy;
  if (!round.stopped) text += ExamineConventions();
  for (const std::string& line :
       failures_.Expired(absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone()))) {
    *healthy = false;
    absl::StrAppend(&text, "expired: ", line,
                    "; look whether it still fails, then move its date\n");
  }
  return absl::StrCat(text, *healthy ? "healthy\n" : "not healthy\n");
}

}  // namespace

std::vector<std::string> AdapterCommand(std::string_view engine) {
  if (absl::ConsumePrefix(&engine, "exec:")) {
    return absl::StrSplit(engine, ' ', absl::SkipEmpty());
  }
  if (engine == "libtorch") return {kLibtorchAdapter};
  return {};
}

absl::StatusOr<std::unique_ptr<Subject>> MakeForeignSubject(const EngineOptions& options) {
  conformance::SessionOptions session;
  session.command = AdapterCommand(options.engine);
  session.timeout = options.timeout;
  session.memory = options.memory;
  if (session.command.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "[oracle] --engine=", options.engine,
        " is unknown; allowed are libtorch and exec:CMD ARGS; see `oracle check --help`"));
  }
  if (session.command[0] == kLibtorchAdapter && access(kLibtorchAdapter, X_OK) != 0) {
    return absl::UnavailableError(
        "[oracle] --engine=libtorch: its adapter is not beside this tool; it is built where "
        "libtorch is installed, and found by `tools/bazel run`; install libtorch-dev and repeat");
  }
  return std::make_unique<ForeignSubject>(std::move(session));
}

}  // namespace twingrad::oracle

#include "proptests/conformance/doctor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"
#include "nlohmann/json.hpp"
#include "proptests/conformance/conventions.h"
#include "proptests/conformance/facts.h"
#include "proptests/generators/generate.h"

namespace twingrad::conformance {
namespace {

using generators::Feature;
using generators::GeneratorOptions;
using protocol::Hello;
using twingrad::program::Opcode;
using twingrad::program::Program;

constexpr int kPrograms = 40;        // to try of an op
constexpr uint64_t kSeeds = 1500;    // to look for them in
constexpr uint64_t kPatience = 100;  // seeds without any, where others may have some
constexpr int kMostHangs = 2;

// What no generator makes.
bool IsNeverMade(const twingrad::program::Signature& signature) {
  using twingrad::program::Category;
  return signature.category == Category::kStream || signature.category == Category::kExpect;
}

// The op with little else, for a reader's sake.
GeneratorOptions Only(const Hello& hello, GeneratorOptions options, Opcode op) {
  const GeneratorOptions all = options;
  options.ops.reset();
  const bool region = op == Opcode::kBegin || op == Opcode::kEnd;
  for (Opcode used : {op, Opcode::kLeaf, Opcode::kBackward, Opcode::kGrad, Opcode::kSum,
                      Opcode::kMul, region ? Opcode::kBegin : op, region ? Opcode::kEnd : op}) {
    const auto at = static_cast<size_t>(used);
    if (hello.Has(used) && all.ops[at]) options.ops.set(at);
  }
  return options;
}

// The outcomes of the Programs that were tried of an op, or the first that failed.
struct Tried {
  int programs = 0;
  std::array<int, kNumOutcomes> outcomes = {};
  bool failed = false;
  std::string failure;
  std::map<std::string, int> refusals;  // by reason

  int Of(Outcome outcome) const { return outcomes[static_cast<size_t>(outcome)]; }
  int judged() const {
    return Of(Outcome::kAgree) + Of(Outcome::kConvention) + Of(Outcome::kExplained);
  }
};

// The first line of what a refusal said.
std::string ReasonOf(std::string_view text) {
  absl::ConsumePrefix(&text, "refuse: ");
  return std::string(text.substr(0, text.find('\n')));
}

// What an author may not know of who misses an error.
std::string Hint(const Hello& hello, std::string_view failure) {
  const bool missed =
      absl::StartsWith(failure, "errors:") && absl::StrContains(failure, "actual   no error");
  if (!missed || hello.raises) return "";
  return "  an engine without this error says in its hello which it has: raises=shape,index\n";
}

void TryOp(const Hello& hello, Opcode op, GeneratorOptions options, uint64_t patience,
           const TryProgram& attempt, Tried* tried) {
  options.weights = generators::Weights::kFixed;  // the op is narrow enough
  for (uint64_t seed = 0; seed < kSeeds && tried->programs < kPrograms; ++seed) {
    if (seed >= patience && tried->programs == 0) return;
    const Program program = generators::Generate(seed, options);
    if (!Holds(program, op)) continue;
    const Trial trial = attempt(program);
    ++tried->programs;
    ++tried->outcomes[static_cast<size_t>(trial.outcome)];
    if (trial.outcome == Outcome::kRefuse) ++tried->refusals[ReasonOf(trial.text)];
    if (!trial.failed) continue;
    tried->failed = true;
    tried->failure = absl::StrCat(trial.text, Hint(hello, trial.text), "program:\n",
                                  twingrad::program::Print(program));
    return;
  }
}

// Why most Programs were refused, for a claim can be widened by what is missing most.
std::string MostOften(const std::map<std::string, int>& refusals) {
  using Refusal = std::pair<const std::string, int>;
  const auto most = std::ranges::max_element(refusals, {}, &Refusal::second);
  if (most == refusals.end() || most->first.empty()) return "";
  return absl::StrCat(" (most often: ", most->first, ")");
}

std::string LineOf(std::string_view name, const Tried& tried) {
  std::string text = absl::StrCat("op ", name, ":");
  if (tried.failed) return absl::StrCat(text, " wrong\n", tried.failure);
  if (tried.programs == 0) return absl::StrCat(text, " not examined, no random Program holds it\n");
  for (int i = 0; i < kNumOutcomes; ++i) {
    const int count = tried.outcomes[static_cast<size_t>(i)];
    if (count > 0) absl::StrAppend(&text, " ", OutcomeWord(static_cast<Outcome>(i)), " ", count);
    if (static_cast<Outcome>(i) == Outcome::kRefuse) text += MostOften(tried.refusals);
  }
  if (tried.judged() > 0) return text + "\n";
  return absl::StrCat(text, "; it is claimed, and none of its ", tried.programs,
                      " Programs could be judged: claim what the engine runs\n");
}

std::string ConventionsText(AdaptedEngine& engine) {
  std::string text = "conventions\n";
  for (const auto& [point, program] : Conventions()) {
    Expectation expected;
    const Reply reply = engine.RunAgainst(program, &expected);
    absl::StrAppend(
        &text, absl::StrFormat("  %-34s ", point),
        reply.kind == Reply::Kind::kObserved ? ChoiceText(program, reply.observation) : reply.text,
        "\n");
  }
  return text;
}

}  // namespace

void KeepClaimed(const Hello& hello, GeneratorOptions* options) {
  for (size_t i = 0; i < options->ops.size(); ++i) {
    if (!hello.Has(static_cast<Opcode>(i))) options->ops.reset(i);
  }
  for (const DType dtype : twingrad::kDTypes) {
    if (hello.dtypes.count(dtype) != 0) continue;
    options->dtypes.reset(static_cast<size_t>(dtype));
    // Without those that are computed with: f64 alone.
    if (twingrad::ComputedAs(dtype) != dtype) continue;
    options->features.reset(static_cast<size_t>(Feature::kNumbers));
  }
  // The generator makes hooks of all kinds or of none.
  for (Opcode op :
       {Opcode::kPreHook, Opcode::kPostHook, Opcode::kAccumulateHook, Opcode::kRemoveHook}) {
    if (!hello.Has(op)) options->ops.reset(static_cast<size_t>(Opcode::kHook));
  }
  options->devices = hello.devices;
  options->backward = hello.Has(Opcode::kBackward);
  options->grad = hello.Has(Opcode::kGrad);
  // The feature also makes retain_grad, so it stays where that alone is claimed.
  if (!hello.Has(Opcode::kHook) && !hello.Has(Opcode::kRetainGrad)) {
    options->features.reset(static_cast<size_t>(Feature::kHook));
  }
  if (hello.devices == 0) options->features.reset(static_cast<size_t>(Feature::kDevices));
  if (!hello.sections) options->features.reset(static_cast<size_t>(Feature::kThreads));
}

Round ExamineOps(const Hello& hello, const GeneratorOptions& options, const TryProgram& attempt) {
  Round round;
  int hangs = 0;
  for (const auto& signature : twingrad::program::Signatures()) {
    if (!hello.Has(signature.op)) continue;
    Tried tried;
    if (!IsNeverMade(signature)) {
      TryOp(hello, signature.op, Only(hello, options, signature.op), kPatience, attempt, &tried);
      // Some need others beside them: an index, a mask, a hook to remove.
      const bool more = tried.judged() == 0 && !tried.failed;
      if (more) TryOp(hello, signature.op, options, kSeeds, attempt, &tried);
    }
    round.text += LineOf(signature.name, tried);
    if (tried.failed || (tried.programs > 0 && tried.judged() == 0)) round.healthy = false;
    hangs += tried.Of(Outcome::kHang);
    if (hangs < kMostHangs) continue;
    absl::StrAppend(&round.text, "stopped after ", hangs,
                    " hangs: the other ops and the conventions were not examined\n");
    round.stopped = true;
    break;
  }
  return round;
}

subjects::ForeignEngine::Examination Examine(AdaptedEngine& engine, const GeneratorOptions& options,
                                             const TryProgram& attempt) {
  const Hello& hello = engine.hello();
  std::string text = absl::StrCat("handshake: ", protocol::PrintHello(hello), "\n");
  if (hello.facts.empty()) {
    text +=
        "facts: none, so values and gradients alone are compared; see "
        "proptests/protocol/README.md\n";
  }
  const Round round = ExamineOps(hello, options, attempt);
  text += round.text;
  bool healthy = round.healthy;
  if (!round.stopped) text += ConventionsText(engine);
  const std::string today = absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone());
  for (const std::string& line : engine.failures().Expired(today)) {
    healthy = false;
    absl::StrAppend(&text, "expired: ", line,
                    "; look whether it still fails, then move its date\n");
  }
  text += healthy ? "healthy\n" : "not healthy\n";
  return {std::move(text), healthy};
}

std::string Describe(AdaptedEngine& engine) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [point, program] : Conventions()) {
    Expectation expected;
    const Reply reply = engine.RunAgainst(program, &expected);
    rows.push_back({{"point", point},
                    {"choice", reply.kind == Reply::Kind::kObserved
                                   ? ChoiceText(program, reply.observation)
                                   : std::string(OutcomeWord(OutcomeOf(reply.kind)))},
                    {"twin", ChoiceText(program, expected.twin.observation)}});
  }
  return nlohmann::json({{"name", engine.hello().name},
                         {"version", engine.hello().version},
                         {"conventions", std::move(rows)}})
      .dump();
}

}  // namespace twingrad::conformance

#include "proptests/conformance/foreign_judge.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/ball.h"
#include "autograd/reference/legal.h"
#include "proptests/conformance/circumstances.h"
#include "proptests/conformance/diagnosis.h"
#include "proptests/conformance/facts.h"
#include "proptests/conformance/legality.h"
#include "proptests/conformance/released.h"
#include "proptests/conformance/seen.h"
#include "proptests/judge/table.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::conformance {
namespace {

using oracles::Detail;
using oracles::Evidence;
using protocol::Fact;
using protocol::Hello;
using twingrad::ErrorKind;
using twingrad::program::CallRecord;
using twingrad::program::Category;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;

constexpr std::array<std::string_view, kNumOutcomes> kWords = {
    "agree", "refuse", "convention", "explained", "wrong",
    "crash", "hang",   "memory",     "protocol",  "not_judged"};

// Whether it begins a part of the Program that may end with an error while the run goes on.
bool BeginsPart(const twingrad::program::Statement& statement) {
  return Begins(statement, twingrad::program::RegionKind::kTry) ||
         Begins(statement, twingrad::program::RegionKind::kThread);
}

// The error that the rules say and the engine does not have, in words; empty for none. Of those
// that a region of kind=try survives the twin keeps no record.
std::string NotRaised(const Program& program, const Hello& hello, const Observation& expected) {
  if (!hello.raises) return "";
  if (std::ranges::any_of(program.statements, BeginsPart)) {
    return "a region that an error may end, in which the rules may say any";
  }
  if (!expected.error || hello.Raises(expected.error->error)) return "";
  return absl::StrCat("statement ", expected.error->statement, " is an error of class ",
                      twingrad::ErrorKindName(expected.error->error),
                      ", which the engine does not raise");
}

// The calls of which the Program says that they came back; what a region holds that an error may
// end may not have.
std::vector<int32_t> CallsThatReturned(const Program& program, const Observation& observed) {
  const size_t end = observed.error ? static_cast<size_t>(std::max(0, observed.error->statement))
                                    : program.statements.size();
  std::vector<int32_t> calls;
  for (size_t i = 0; i < std::min(end, program.statements.size()); ++i) {
    const auto& statement = program.statements[i];
    if (twingrad::program::SignatureOf(statement.op).category == Category::kCall) {
      calls.push_back(static_cast<int32_t>(i));
    }
    if (!BeginsPart(statement)) continue;
    for (int depth = 1; depth > 0 && i + 1 < program.statements.size();) {
      const Opcode op = program.statements[++i].op;
      depth += op == Opcode::kBegin ? 1 : op == Opcode::kEnd ? -1 : 0;
    }
  }
  return calls;
}

// Judges by the table and counts. The first disagreement, or an agreement.
oracles::Verdict FirstDisagreement(const judge::Exhibits& exhibits, judge::Statistics* statistics,
                                   ForeignVerdict* result) {
  std::vector<oracles::Verdict> verdicts;
  const bool agree = JudgeByTable(exhibits, verdicts);
  for (const oracles::Verdict& verdict : verdicts) {
    if (statistics != nullptr) statistics->compared.Add(verdict.compared);
    result->predicted |= verdict.oracle == "predicted";
  }
  result->predicted &=
      result->called && std::ranges::count(exhibits.evidence.expected.call_predicted, true) > 0;
  return agree ? oracles::Verdict() : std::move(verdicts.back());
}

// Whether each call that came back was shown with its graph, and so is counted again.
void NoteCalls(const Hello& hello, const Evidence& evidence, ForeignVerdict* result) {
  const std::vector<int32_t> returned = CallsThatReturned(evidence.program, evidence.observed);
  result->called = !returned.empty();
  const auto shown = [&](int32_t statement) {
    return std::ranges::any_of(evidence.observed.calls, [statement](const CallRecord& call) {
      return call.statement == statement && !call.nodes.empty();
    });
  };
  result->recounted =
      result->called && hello.Has(Fact::kGraph) && std::ranges::all_of(returned, shown);
}

// Whether it is of accessors, and a write into some .grad has changed a seed.
bool WritesReachASeed(std::string_view rule, const Program& program, const Observation& observed) {
  return rule == "accessors" && std::ranges::any_of(observed.accessors, [&](const auto& record) {
           if (record.accessor != "after_writes" || record.is_grad) return false;
           return std::ranges::any_of(program.statements, [&](const auto& statement) {
             const auto seeds = statement.template Get<std::vector<twingrad::program::ValueId>>(
                 twingrad::program::Key::kSeeds);
             return std::ranges::count(seeds, record.value) > 0;
           });
         });
}

// An error may come from a node that should not have run: then the run says more than the error.
void AddRunsToError(const Hello& hello, const Evidence& evidence, oracles::Verdict& verdict) {
  const bool ends = verdict.oracle == "errors" && evidence.observed.error;
  if ((!ends && verdict.oracle != "survived") || !hello.Has(Fact::kGraph)) return;
  const oracles::Verdict recount = oracles::JudgeRecount(evidence);
  if (recount.detail != Detail::kRuns) return;
  verdict.detail = Detail::kRuns;
  verdict.text += recount.text;
}

// Where the twin says nothing, or the engine no more, the oracles are left that need no twin.
ForeignVerdict JudgeWithoutTwin(Outcome outcome, std::string why, const Evidence& evidence,
                                oracles::Verdict verdict, ForeignVerdict result) {
  if (verdict.outcome != oracles::Outcome::kDisagree) {
    result.outcome = outcome;
    result.text = std::move(why);
    return result;
  }
  result.outcome = Outcome::kWrong;
  result.rule = verdict.detail == Detail::kRuns ? "runs" : verdict.oracle;
  result.statements = std::move(verdict.statements);
  result.text = absl::StrCat(
      verdict.text, "  second opinion: none, ", why, "\n",
      Circumstances(evidence.program, evidence.expected.observation, evidence.observed));
  return result;
}

std::string LineOf(const Program& program, const ElementDifference& d, const SeenGradient* seen) {
  const int statement = seen != nullptr ? seen->statement : oracles::StatementOf(program, d.value);
  const std::string_view part = seen != nullptr ? " as it is seen" : d.grad ? ".grad" : "";
  return absl::StrFormat("%s%s[%d] %.9g, twin %.9g; %s", oracles::NameOf(program, d.value), part,
                         d.index, d.actual, d.expected, oracles::LineOf(program, statement));
}

// The legal answers, but for what a defect that the twin follows has changed.
twingrad::reference::LegalAnswers LegalOf(
    const Program& program, const Expectation& expected,
    const std::vector<twingrad::reference::Watch>& watches = {}) {
  twingrad::reference::LegalAnswers legal =
      twingrad::reference::FindLegalAnswers(program, expected.failed, watches);
  for (auto& vertex : legal.vertices) expected.altered.Hide(vertex);
  return legal;
}

// What an engine showed an element of.
twingrad::program::TensorData& DataOf(Observation& observed, const ElementDifference& d,
                                      const SeenGradient* seen) {
  if (seen != nullptr) return observed.calls[seen->call].hooks[seen->observed].gradient;
  auto& value = observed.values[static_cast<size_t>(d.value)];
  return d.grad ? value.grad : value.data;
}

// Elements that are right although they are not the twin's, and those that nobody can judge, become
// the twin's. What is left is wrong.
ConventionsTaken TakeConventions(const Program& program, const Hello& hello,
                                 const Expectation& expected, Observation& observed) {
  ConventionsTaken taken;
  // A defect that the twin follows may show in what hooks see, and the witnesses do not follow it.
  std::vector<SeenGradient> seen;
  if (hello.Has(Fact::kHooks) && expected.altered.values.empty()) {
    seen = SeenGradients(program, expected.twin, observed);
  }
  const Differences differences = FindDifferences(expected.twin, observed, seen);
  if (differences.empty()) return taken;
  twingrad::reference::LegalAnswers legal = LegalOf(program, expected, WatchesOf(seen));
  if (!legal.not_known.empty()) {
    // What is watched may be too much.
    for (SeenGradient& s : seen) s.number = -1;
    legal = LegalOf(program, expected);
  }
  if (legal.not_known.empty()) legal.not_known = expected.dual.not_applicable;
  const Ruling ruling = RuleOn(program, expected.twin, observed, differences, legal, seen);
  for (size_t i = 0; i < differences.size(); ++i) {
    const ElementDifference& d = differences[i];
    if (ruling.fates[i] == Fate::kWrong) continue;
    // A defect excuses its own numbers alone.
    if (expected.altered.Holds(d.value, d.grad)) continue;
    const SeenGradient* const by_hook = d.seen >= 0 ? &seen[static_cast<size_t>(d.seen)] : nullptr;
    DataOf(observed, d, by_hook).bits[d.index] = std::bit_cast<uint64_t>(d.expected);
    ++(ruling.fates[i] == Fate::kConvention ? taken.elements : taken.not_judged);
    if (taken.example.empty()) taken.example = LineOf(program, d, by_hook);
  }
  taken.kinks = ruling.taken;
  taken.enclosed = ruling.enclosed;
  taken.or_nan = ruling.or_nan;
  return taken;
}

// Where the dual numbers contradict what was observed.
Differences MissesOf(const Program& program, const Expectation& expected,
                     const Observation& observed) {
  Differences misses;
  const Evidence evidence = {program, expected.twin, observed};
  for (const oracles::DualMiss& miss : oracles::DualMisses(evidence, expected.dual)) {
    const auto value = static_cast<size_t>(miss.value);
    const auto& record = observed.values[value];
    const auto& tensor = (miss.grad ? expected.dual.grads : expected.dual.values)[value];
    const auto& bounds = miss.grad ? expected.twin.grad_bounds : expected.twin.value_bounds;
    const auto& data = miss.grad ? record.grad : record.data;
    misses.push_back({.value = miss.value,
                      .grad = miss.grad,
                      .index = miss.index,
                      .expected = tensor.data[miss.index],
                      .actual = std::bit_cast<double>(data.bits[miss.index]),
                      .bound = bounds[value].Of(miss.index)});
  }
  return misses;
}

// Whether these contradictions are another choice at a kink than the dual numbers took, or nobody
// knows: *not_judged counts those.
bool ChoseOtherwise(const Program& program, const Expectation& expected,
                    const Observation& observed, const Differences& misses, uint32_t* not_judged) {
  if (expected.dual.kinks.empty()) return false;
  const Ruling ruling =
      RuleOn(program, expected.twin, observed, misses, LegalOf(program, expected));
  *not_judged += static_cast<uint32_t>(std::ranges::count(ruling.fates, Fate::kNotJudged));
  return std::ranges::count(ruling.fates, Fate::kWrong) == 0;
}

// The same of what was judged, where the twin's numbers, which are choices too, may have taken the
// place of the engine's, and of what the engine showed, whose elements are counted.
bool BothChoseOtherwise(const Program& program, const Expectation& expected,
                        const Observation& judged, const Observation& shown, uint32_t* not_judged) {
  uint32_t of_judged = 0;
  return ChoseOtherwise(program, expected, judged, MissesOf(program, expected, judged),
                        &of_judged) &&
         ChoseOtherwise(program, expected, shown, MissesOf(program, expected, shown), not_judged);
}

// Of the balls too, unless they are the ones who found it.
Opinion OpinionOn(const Program& program, const Expectation& expected, const Observation& observed,
                  bool by_balls) {
  std::optional<twingrad::reference::ball::BallResult> ball;
  if (!by_balls && WitnessesFollow(expected.rules, program)) {
    ball = expected.ball ? expected.ball : twingrad::reference::ball::RunBall(program);
    expected.altered.Hide(*ball);
  }
  twingrad::reference::DualResult dual = expected.dual;
  uint32_t not_judged = 0;
  const Observation& twin = expected.twin.observation;
  const Differences misses = MissesOf(program, expected, twin);
  if (dual.not_applicable.empty() && !misses.empty() &&
      ChoseOtherwise(program, expected, twin, misses, &not_judged)) {
    dual.not_applicable = "at a kink the engine's dialect chooses otherwise";
  }
  return SecondOpinion(program, expected.twin, dual, FindDifferences(expected.twin, observed),
                       ball ? &*ball : nullptr);
}

// Balls know of no errors.
const twingrad::reference::ball::BallResult* BallsOf(const Expectation& expected,
                                                     const Observation& observed) {
  const Observation& twin = expected.twin.observation;
  const bool fails = twin.error || !twin.survived.empty() || !observed.survived.empty();
  return expected.ball && !fails ? &*expected.ball : nullptr;
}

// Why the twin's prediction is no measure of this run, and what the run then is, if it is none.
std::optional<std::pair<Outcome, std::string>> NotByTwin(
    const Program& program, const Hello& hello, const twingrad::reference::TwinResult& expected,
    const Observation& observed) {
  if (expected.skipped || expected.single_thread_only) {
    return {{Outcome::kNotJudged,
             expected.skipped.value_or(
                 "a call failed in a try region, and the order of nodes is the engine's own")}};
  }
  if (observed.error && observed.error->error == ErrorKind::kUnsupported) {
    return {{Outcome::kRefuse, observed.error->message}};
  }
  if (std::string why = NotRaised(program, hello, expected.observation); !why.empty()) {
    return {{Outcome::kRefuse, std::move(why)}};
  }
  if (hello.Has(Fact::kGraph) && hello.Has(Fact::kNames) &&
      FindsNothingReleased(expected, observed)) {
    return {
        {Outcome::kNotJudged, "what a call over a gradient's graph releases is the engine's own"}};
  }
  return std::nullopt;
}

Outcome OutcomeOf(const ConventionsTaken& taken) {
  if (taken.not_judged > 0) return Outcome::kNotJudged;
  return taken.elements > 0 || taken.absent ? Outcome::kConvention : Outcome::kAgree;
}

}  // namespace

std::string_view OutcomeWord(Outcome outcome) { return kWords[static_cast<size_t>(outcome)]; }

ForeignVerdict JudgeForeign(const Program& program, const Hello& hello, Expectation& expected,
                            Observation& observed, judge::Statistics* statistics) {
  ForeignVerdict result;
  result.ran = true;
  FillOrder(hello, observed);
  FollowFreedCalls(program, observed, expected);
  const Evidence evidence = {program, expected.twin, observed, /*device_threads=*/0};
  NoteCalls(hello, evidence, &result);
  const auto without_twin = [&](Outcome outcome, std::string why) {
    const judge::Exhibits exhibits = {.evidence = evidence,
                                      .shown = Shown(hello, false, false, observed)};
    oracles::Verdict verdict = FirstDisagreement(exhibits, statistics, &result);
    ForeignVerdict judged =
        JudgeWithoutTwin(outcome, std::move(why), evidence, std::move(verdict), result);
    if (WritesReachASeed(judged.rule, program, observed)) judged.rule = "seed_is_grad";
    return judged;
  };
  if (auto why = NotByTwin(program, hello, expected.twin, observed)) {
    return without_twin(why->first, std::move(why->second));
  }
  FillFacts(hello, expected.twin, observed);
  const bool absent = CreatesGraph(program) && TakeZerosForAbsent(program, expected.twin, observed);
  const Observation shown = observed;
  result.taken = TakeConventions(program, hello, expected, observed);
  result.taken.absent = absent;
  judge::Exhibits exhibits = {.evidence = evidence,
                              .shown = Shown(hello, true, expected.predicted, observed),
                              .dual = &expected.dual,
                              .ball = BallsOf(expected, observed)};
  oracles::Verdict verdict = FirstDisagreement(exhibits, statistics, &result);
  if (verdict.outcome == oracles::Outcome::kDisagree && verdict.oracle == "dual" &&
      BothChoseOtherwise(program, expected, observed, shown, &result.taken.not_judged)) {
    exhibits.dual = nullptr;
    verdict = FirstDisagreement(exhibits, nullptr, &result);
  }
  if (verdict.outcome != oracles::Outcome::kDisagree) {
    result.outcome = OutcomeOf(result.taken);
    result.text = result.taken.example;
    return result;
  }
  AddRunsToError(hello, evidence, verdict);
  result.rule = std::string(verdict.oracle);
  result.statements = std::move(verdict.statements);
  result.outcome = Outcome::kWrong;
  if (result.rule == "twin") {
    if (SeedBecameGrad(program, expected.rules, expected.twin.observation, observed)) {
      result.rule = "seed_is_grad";
    } else if (verdict.detail == Detail::kOnlyDefined) {
      result.rule = "only_defined";
    }
  }
  if (WritesReachASeed(result.rule, program, observed)) result.rule = "seed_is_grad";
  if (verdict.detail == Detail::kRuns) result.rule = "runs";
  const bool by_balls = verdict.oracle == "ball";
  const Opinion opinion = OpinionOn(program, expected, observed, by_balls);
  result.text = absl::StrCat(verdict.text, opinion.text,
                             Circumstances(program, expected.twin.observation, observed));
  // Where the balls contradict engine and twin alike, the fault is the engine's too.
  if (by_balls ? verdict.detail == Detail::kWitness : opinion.doubtful) result.rule = "witnesses";
  return result;
}

}  // namespace twingrad::conformance

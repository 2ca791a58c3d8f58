#include "proptests/conformance/foreign_judge.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/signature.h"
#include "autograd/reference/recount.h"
#include "proptests/conformance/circumstances.h"
#include "proptests/oracles/counts.h"
#include "proptests/oracles/dual.h"
#include "proptests/oracles/errors.h"
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/gradient_type.h"
#include "proptests/oracles/hooks.h"
#include "proptests/oracles/order.h"
#include "proptests/oracles/twin.h"

namespace twingrad::oracle {
namespace {

using adapters::Fact;
using adapters::Hello;
using oracles::Detail;
using oracles::Evidence;
using twingrad::ErrorKind;
using twingrad::program::CallRecord;
using twingrad::program::Category;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::reference::Dialect;

constexpr std::array<std::string_view, kNumOutcomes> kWords = {
    "agree", "refuse", "convention", "explained", "wrong",
    "crash", "hang",   "memory",     "protocol",  "not_judged"};

// Whether a statement makes nodes.
bool Records(Opcode op) {
  switch (twingrad::program::SignatureOf(op).category) {
    case Category::kElementwise:
    case Category::kReduction:
    case Category::kMatmul:
    case Category::kView:
    case Category::kInPlace:
    case Category::kRearrange:
    case Category::kScan:
    case Category::kLoss:
    case Category::kCustom:
      return true;
    case Category::kCopy:
      return op != Opcode::kDetach;
    default:
      return op == Opcode::kReadGrad;
  }
}

// Facts that are not shown are as expected.
void FillValues(const Hello& hello, const Observation& expected, Observation& observed) {
  for (size_t i = 0; i < observed.values.size() && i < expected.values.size(); ++i) {
    if (!hello.Has(Fact::kVersions)) observed.values[i].version = expected.values[i].version;
    if (!hello.Has(Fact::kRequiresGrad)) {
      observed.values[i].requires_grad = expected.values[i].requires_grad;
    }
  }
}

void FillHooks(const Hello& hello, const Observation& expected, Observation& observed) {
  if (hello.Has(Fact::kHooks)) return;
  for (size_t i = 0; i < observed.calls.size() && i < expected.calls.size(); ++i) {
    observed.calls[i].hooks = expected.calls[i].hooks;
  }
}

void FillOrder(const Hello& hello, Observation& observed) {
  if (hello.Has(Fact::kOrder)) return;
  for (CallRecord& call : observed.calls) {
    const auto recount = twingrad::reference::RecountCall(call);
    call.executed.clear();
    for (size_t n = 0; n < recount.executed.size(); ++n) {
      if (recount.executed[n]) call.executed.push_back(static_cast<int32_t>(n));
    }
  }
}

void FillErrors(const Hello& hello, const Observation& expected, Observation& observed) {
  if (hello.Has(Fact::kErrors) || !observed.error || !expected.error) return;
  if (observed.error->statement == expected.error->statement) {
    observed.error->error = expected.error->error;
  }
}

bool HasTryRegion(const Program& program) {
  return std::any_of(program.statements.begin(), program.statements.end(), [](const auto& s) {
    return s.op == Opcode::kBegin &&
           s.template Get<std::string>(twingrad::program::Key::kKind) == "try";
  });
}

// The error that the rules say and the engine does not have, in words; empty for none. Of those
// that a region of kind=try survives the twin keeps no record.
std::string NotRaised(const Program& program, const Hello& hello, const Observation& expected) {
  if (!hello.raises) return "";
  if (HasTryRegion(program)) return "a region of kind=try, in which the rules may say any error";
  if (!expected.error || hello.Raises(expected.error->error)) return "";
  return absl::StrCat("statement ", expected.error->statement, " is an error of class ",
                      twingrad::ErrorKindName(expected.error->error),
                      ", which the engine does not raise");
}

bool IsZero(const twingrad::program::TensorData& data) {
  return twingrad::IsFloating(data.dtype) &&
         std::all_of(data.bits.begin(), data.bits.end(),
                     [](uint64_t bits) { return bits << 1 == 0; });
}

// Which second derivatives are absent and which are zeros is each engine's own: an absent .grad is
// zero. True where it made a difference; `observed` is then as expected.
bool TakeZerosForAbsent(const Observation& expected, Observation& observed) {
  bool differed = false;
  for (size_t i = 0; i < observed.values.size() && i < expected.values.size(); ++i) {
    const auto& e = expected.values[i];
    auto& o = observed.values[i];
    if (e.defined != o.defined && IsZero(e.defined ? e.data : o.data)) {
      o = e;
      differed = true;
    }
    if (e.grad_defined == o.grad_defined || !IsZero(e.grad_defined ? e.grad : o.grad)) continue;
    o.grad_defined = e.grad_defined;
    o.grad = e.grad;
    differed = true;
  }
  return differed;
}

bool CreatesGraph(const Program& program) {
  return std::any_of(program.statements.begin(), program.statements.end(), [](const auto& s) {
    return s.template Get<bool>(twingrad::program::Key::kCreateGraph);
  });
}

// When a stale view gets its new node, and so its place in the order, is each engine's own.
bool HasRegeneratedViews(const Observation& observed) {
  for (const CallRecord& call : observed.calls) {
    for (const auto& node : call.nodes) {
      if (node.name.role == twingrad::program::NodeRole::kRegeneratedView) return true;
    }
  }
  return false;
}

// A view's node that was replaced before anybody could see it has no number in the engine.
void NumberRegeneratedViews(std::vector<CallRecord>& calls) {
  for (CallRecord& call : calls) {
    std::vector<twingrad::program::NodeName*> names;
    for (auto& node : call.nodes) {
      if (node.name.role == twingrad::program::NodeRole::kRegeneratedView) {
        names.push_back(&node.name);
      }
    }
    std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) {
      return std::pair(a->statement, a->index) < std::pair(b->statement, b->index);
    });
    for (size_t i = 0; i < names.size(); ++i) {
      const bool another = i > 0 && names[i - 1]->statement == names[i]->statement;
      names[i]->index = another ? names[i - 1]->index + 1 : 0;
    }
  }
}

// What no root reaches may have no node in the engine, and then its place in the graph is unknown.
void PredictOnlyWhatIsShown(const Observation& observed, Expectation& expected) {
  auto& predicted = expected.twin.call_predicted;
  for (size_t i = 0; i < observed.calls.size() && i < predicted.size(); ++i) {
    const auto& inputs = observed.calls[i].inputs;
    if (std::any_of(inputs.begin(), inputs.end(), [](const auto& edge) { return edge.node < 0; })) {
      predicted[i] = false;
    }
  }
}

// The calls of which the Program says that they came back; what a try region holds may not have.
std::vector<int32_t> CallsThatReturned(const Program& program, const Observation& observed) {
  const size_t end = observed.error ? static_cast<size_t>(std::max(0, observed.error->statement))
                                    : program.statements.size();
  std::vector<int32_t> calls;
  for (size_t i = 0; i < std::min(end, program.statements.size()); ++i) {
    const auto& statement = program.statements[i];
    if (twingrad::program::SignatureOf(statement.op).category == Category::kCall) {
      calls.push_back(static_cast<int32_t>(i));
    }
    if (statement.op != Opcode::kBegin) continue;
    if (statement.Get<std::string>(twingrad::program::Key::kKind) != "try") continue;
    for (int depth = 1; depth > 0 && i + 1 < program.statements.size();) {
      const Opcode op = program.statements[++i].op;
      depth += op == Opcode::kBegin ? 1 : op == Opcode::kEnd ? -1 : 0;
    }
  }
  return calls;
}

// The calls counted again, which needs nothing but what was shown of them.
oracles::Verdict Recount(const Hello& hello, const Evidence& evidence, ForeignVerdict* result) {
  const std::vector<int32_t> returned = CallsThatReturned(evidence.program, evidence.observed);
  result->called = !returned.empty();
  if (!hello.Has(Fact::kGraph)) return oracles::Agree("recount");
  const auto& calls = evidence.observed.calls;
  result->recounted =
      result->called && std::all_of(returned.begin(), returned.end(), [&](int32_t statement) {
        return std::any_of(calls.begin(), calls.end(), [statement](const CallRecord& call) {
          return call.statement == statement && !call.nodes.empty();
        });
      });
  return oracles::JudgeRecount(evidence);
}

// The first oracle that disagrees.
oracles::Verdict FirstDisagreement(const Hello& hello, const Evidence& evidence,
                                   const Expectation& expected, const oracles::Verdict& recount,
                                   ForeignVerdict* result) {
  oracles::Verdict verdict = oracles::JudgeErrors(evidence);
  const auto agrees = [&verdict] { return verdict.outcome != oracles::Outcome::kDisagree; };
  // An error may come from a node that should not have run.
  if (!agrees() && evidence.observed.error && recount.detail == Detail::kRuns) {
    verdict.detail = Detail::kRuns;
    verdict.text += recount.text;
  }
  if (agrees()) verdict = oracles::JudgeGradientTypes(evidence.program, evidence.observed);
  // What ran says more of a fault than the values that came of it.
  if (agrees()) verdict = recount;
  if (agrees()) verdict = oracles::JudgeValues(evidence);
  if (agrees() && !evidence.observed.error) verdict = oracles::JudgeDual(evidence, expected.dual);
  if (!hello.Has(Fact::kGraph)) return verdict;
  if (agrees() && expected.predicted) {
    verdict = oracles::JudgePredictedCounts(evidence);
    const auto& calls = expected.twin.call_predicted;
    result->predicted = std::find(calls.begin(), calls.end(), true) != calls.end();
  }
  const bool ordered = expected.predicted && !HasRegeneratedViews(evidence.observed);
  if (agrees() && hello.Has(Fact::kOrder) && ordered) {
    verdict = oracles::JudgeOrder(evidence);
  }
  if (agrees() && hello.Has(Fact::kHooks)) verdict = oracles::JudgeHooks(evidence);
  return verdict;
}

// What the dual numbers say of the twin's own results.
std::string SecondOpinion(const Program& program, const Expectation& expected, bool* doubtful) {
  if (expected.twin.observation.error)
    return "  second opinion: none, the Program ends in an error\n";
  if (expected.dual.kink) return "  second opinion: none, at a kink\n";
  if (!expected.dual.not_applicable.empty()) {
    return absl::StrCat("  second opinion: none, ", expected.dual.not_applicable, "\n");
  }
  const Evidence twin = {program, expected.twin, expected.twin.observation, 0, nullptr, false};
  const oracles::Verdict verdict = oracles::JudgeDual(twin, expected.dual);
  *doubtful = verdict.outcome == oracles::Outcome::kDisagree;
  return *doubtful ? absl::StrCat("  second opinion: the dual numbers contradict the twin\n",
                                  verdict.text)
                   : "  second opinion: the dual numbers agree with the twin\n";
}

Dialect DialectOf(std::string_view word) {
  if (word == "pytorch") return Dialect::kPytorch;
  return word == "pytorch1" ? Dialect::kPytorch1 : Dialect::kTwingrad;
}

// What stood in .grad at some time, of any value.
struct Grads {
  void Add(const Observation& observation, const std::vector<twingrad::reference::Judged>* bounds) {
    for (size_t v = 0; v < observation.values.size(); ++v) {
      const auto& value = observation.values[v];
      for (size_t i = 0; value.grad_defined && i < value.grad.bits.size(); ++i) {
        const double bound = bounds == nullptr ? 0 : (*bounds)[v].bound[i];
        elements.push_back({value.grad.bits[i], bound});
      }
    }
  }
  bool Holds(uint64_t bits) const {
    const double x = std::bit_cast<double>(bits);
    return std::any_of(elements.begin(), elements.end(), [&](const auto& element) {
      return element.first == bits ||
             std::fabs(std::bit_cast<double>(element.first) - x) <= element.second;
    });
  }
  std::vector<std::pair<uint64_t, double>> elements;  // and how far the engine's may be off
};

// Those at the end, and those after each call where something puts others in their place:
// create_graph and zero_grad.
Grads GradsOf(const Program& program, const Hello& hello, const Observation& observed) {
  Grads grads;
  grads.Add(observed, nullptr);
  Program part = program;
  const bool replaced =
      CreatesGraph(program) || std::any_of(program.statements.begin(), program.statements.end(),
                                           [](const auto& s) { return s.op == Opcode::kZeroGrad; });
  while (replaced && !part.statements.empty()) {
    const Opcode last = part.statements.back().op;
    if (last == Opcode::kBackward) {
      const auto twin = twingrad::reference::RunTwin(part, DialectOf(hello.dialect));
      if (!twin.skipped) grads.Add(twin.observation, &twin.grad_bounds);
    }
    part.statements.pop_back();
  }
  return grads;
}

// Whether a seed has become the .grad of a value and was then accumulated into: each of its
// elements that changed is one of some .grad (the seed of cat becomes several), or some .grad that
// is wrong is the seed.
bool SeedBecameGrad(const Program& program, const Hello& hello, const Observation& expected,
                    const Observation& observed) {
  std::optional<Grads> grads;
  const auto written = [&](const twingrad::program::Bits& before,
                           const twingrad::program::Bits& now) {
    if (before.size() != now.size() || before == now) return false;
    if (!grads) grads = GradsOf(program, hello, observed);
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i] != before[i] && !grads->Holds(now[i])) return false;
    }
    return true;
  };
  for (const auto& statement : program.statements) {
    const auto* seeds = statement.Find(twingrad::program::Key::kSeeds);
    if (seeds == nullptr) continue;
    for (const auto id : std::get<std::vector<twingrad::program::ValueId>>(*seeds)) {
      if (id == twingrad::program::kNoValue) continue;
      const auto& seed = observed.values[static_cast<size_t>(id)];
      const auto& before = expected.values[static_cast<size_t>(id)];
      if (!seed.defined) continue;
      if (before.defined && written(before.data.bits, seed.data.bits)) return true;
      for (size_t v = 0; v < observed.values.size(); ++v) {
        const auto& now = observed.values[v];
        const bool same = now.grad_defined && now.grad.bits == seed.data.bits;
        if (same && now.grad.bits != expected.values[v].grad.bits) return true;
      }
    }
  }
  return false;
}

// Captured gradients have not passed the hooks there, of which the dual numbers know nothing.
bool HooksWhatIsCaptured(const Program& program) {
  bool hooks = false, captures = false;
  for (const auto& statement : program.statements) {
    hooks |= twingrad::program::SignatureOf(statement.op).category == Category::kHook;
    captures |= statement.op == Opcode::kGrad;
  }
  return hooks && captures;
}

bool AboutNumbers(std::string_view rule) { return rule == "twin" || rule == "dual"; }

// Where the twin says nothing, or the engine no more, the counts are left.
ForeignVerdict JudgeCountsAlone(Outcome outcome, std::string why, oracles::Verdict recount,
                                ForeignVerdict result) {
  if (recount.outcome != oracles::Outcome::kDisagree) {
    result.outcome = outcome;
    result.text = std::move(why);
    return result;
  }
  result.outcome = Outcome::kWrong;
  result.rule = recount.detail == Detail::kRuns ? "runs" : recount.oracle;
  result.statements = std::move(recount.statements);
  result.text = absl::StrCat(recount.text, "  second opinion: none, ", why, "\n");
  return result;
}

}  // namespace

std::string_view OutcomeWord(Outcome outcome) { return kWords[static_cast<size_t>(outcome)]; }

Expectation Expect(const Program& program, const Hello& hello) {
  Expectation expected;
  expected.predicted = hello.Has(Fact::kNames) && hello.Has(Fact::kGraph);
  for (const auto& statement : program.statements) {
    if (Records(statement.op) && hello.single.count(statement.op) == 0) expected.predicted = false;
  }
  expected.twin =
      twingrad::reference::RunTwin(program, DialectOf(hello.dialect), !expected.predicted);
  if (!expected.twin.skipped) expected.dual = twingrad::reference::RunDual(program);
  if (hello.dialect != "twingrad" && HooksWhatIsCaptured(program)) {
    expected.dual.not_applicable = "hooks on what is captured";
  }
  return expected;
}

ForeignVerdict JudgeForeign(const Program& program, const Hello& hello, Expectation& expected,
                            Observation& observed, oracles::Statistics* statistics) {
  ForeignVerdict result;
  result.ran = true;
  FillOrder(hello, observed);
  const Evidence evidence = {program,    expected.twin,      observed, /*device_threads=*/0,
                             statistics, !expected.predicted};
  oracles::Verdict recount = Recount(hello, evidence, &result);
  if (expected.twin.skipped || expected.twin.single_thread_only) {
    std::string why = expected.twin.skipped.value_or(
        "a call failed in a try region, and the order of nodes is the engine's own");
    return JudgeCountsAlone(Outcome::kNotJudged, std::move(why), std::move(recount), result);
  }
  if (observed.error && observed.error->error == ErrorKind::kUnsupported) {
    return JudgeCountsAlone(Outcome::kRefuse, observed.error->message, std::move(recount), result);
  }
  if (std::string why = NotRaised(program, hello, expected.twin.observation); !why.empty()) {
    return JudgeCountsAlone(Outcome::kRefuse, std::move(why), std::move(recount), result);
  }
  FillValues(hello, expected.twin.observation, observed);
  FillErrors(hello, expected.twin.observation, observed);
  FillHooks(hello, expected.twin.observation, observed);
  const bool absent =
      CreatesGraph(program) && TakeZerosForAbsent(expected.twin.observation, observed);
  PredictOnlyWhatIsShown(observed, expected);
  NumberRegeneratedViews(observed.calls);
  NumberRegeneratedViews(expected.twin.observation.calls);
  oracles::Verdict verdict = FirstDisagreement(hello, evidence, expected, recount, &result);
  if (verdict.outcome != oracles::Outcome::kDisagree) {
    if (absent) result.outcome = Outcome::kConvention;
    return result;
  }
  result.rule = std::string(verdict.oracle);
  result.statements = std::move(verdict.statements);
  if (AboutNumbers(result.rule) && expected.dual.kink) {
    result.outcome = Outcome::kConvention;
    result.text = std::move(verdict.text);
    return result;
  }
  result.outcome = Outcome::kWrong;
  if (result.rule == "twin" &&
      SeedBecameGrad(program, hello, expected.twin.observation, observed)) {
    result.rule = "seed_is_grad";
  }
  if (result.rule == "twin" && verdict.detail == Detail::kOnlyDefined) result.rule = "only_defined";
  if (verdict.detail == Detail::kRuns) result.rule = "runs";
  bool doubtful = false;
  result.text = absl::StrCat(verdict.text, SecondOpinion(program, expected, &doubtful),
                             Circumstances(program, expected.twin.observation, observed));
  if (doubtful) result.rule = "witnesses";
  return result;
}

}  // namespace twingrad::oracle
